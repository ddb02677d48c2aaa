//! The real Neovim in which schedules are played: it takes keys and calls, and is looked into once its host has done all
//! that it can do.

use std::time::{Duration, Instant};

use botglue::fields::json;
use botglue::options::Options;
use botglue::request::{self, Request};
use rmpv::Value;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::support::nvim::{Builder, Nvim};
use crate::support::scratch::Scratch;
use crate::support::{DEADLINE, POLL};

/// How long the host is left alone at first: mostly it is done by then.
const SHORTEST: Duration = Duration::from_micros(250);

/// The agent: it prints what is written to a FIFO.
const AGENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/lua/support/agent.sh");

/// A Neovim with the plugin and its host.
pub fn start() -> Nvim {
    let nvim = Builder::new(Scratch::new())
        .option("notify", "none")
        .option("record", false)
        .option("max_parallel", 100)
        .option("agents", json!({"claude": {"protocol": "text", "command": ["/bin/sh", AGENT], "args": []}}))
        .start();
    nvim.exec("vim.o.shortmess = 'aoOTIcF'; vim.o.more = false; vim.o.hidden = true; vim.o.swapfile = false");
    let load = "local channel = vim.iter(vim.api.nvim_list_chans()):find(function(channel)
            return channel.stream == 'stdio'
        end).id
        _G.M = assert(loadstring(..., '=model'))(channel)";
    nvim.exec_with(load, &[include_str!("editor.lua").into()]);
    nvim
}

/// What a look into the editor shows.
#[derive(Debug, Default, Deserialize)]
pub struct Seen {
    pub mode: String,
    pub state: String,
    pub is_home: bool,
    pub modifiable: bool,
    pub lines: Vec<String>,
    pub before_cursor: String,
    pub records: Vec<Json>,
    pub faults: Vec<String>,
}

impl Seen {
    /// Whether the user is in the middle of something: then no text may change but by their own keys. (A message that
    /// scrolled the screen is over with the next redraw.)
    pub fn is_busy(&self) -> bool {
        let is_idle =
            ["n", "i", "R"].contains(&self.mode.as_str()) && ["", "s"].contains(&self.state.as_str());
        self.is_home && !is_idle
    }
}

/// A Neovim that plays a schedule.
#[derive(Clone, Copy)]
pub struct Editor<'a>(pub &'a Nvim);

impl Editor<'_> {
    pub fn type_keys(self, keys: &str) {
        self.0.channel.notify("nvim_input", vec![keys.into()]);
    }

    pub fn lua(self, code: &str, arguments: &[Json]) -> Result<Json, String> {
        self.0.try_call("nvim_exec_lua", &[code.into(), arguments.into()])
    }

    /// Looks into it once it has taken what it was given.
    pub fn look(self) -> Result<Seen, String> {
        self.settle()?;
        read(self.lua("return M.look()", &[])?)
    }

    /// Waits until the host has read what Neovim sent, and has done what can be done now.
    fn settle(self) -> Result<(), String> {
        self.lua("M.ask_host()", &[])?;
        let (since, mut pause) = (Instant::now(), SHORTEST);
        while self.lua("return M.is_settled()", &[])? != json!(true) {
            if since.elapsed() > DEADLINE {
                let waits = self.lua("return { replies = M.pings, jobs = M.waits() }", &[])?;
                return Err(format!("after {DEADLINE:?} the host is not done: {waits}\n{}", self.0.report()));
            }
            // Who asks without a pause takes the processor that the host needs to reply.
            std::thread::sleep(pause);
            pause = POLL.min(pause * 2);
        }
        Ok(())
    }

    /// The requests that the plugin sent to its host since the last call.
    pub fn take_requests(self) -> Result<Vec<Request>, String> {
        let arrived = std::mem::take(&mut self.0.channel.inbox().notifications);
        let options = Options::decode(&json!({
            "agent": "claude", "agents": {"claude": {"protocol": "text", "command": ["sh"]}}, "timeout": 300,
            "max_parallel": 100, "context": {}, "status": {},
        }));
        let options = options.map_err(|error| error.message)?;
        let requests = arrived.iter().filter(|(method, _)| method == "run").map(|(_, arguments)| {
            request::decode(&json(arguments.first().unwrap_or(&Value::Nil)), &options)
                .map_err(|error| error.message)
        });
        requests.collect()
    }
}

pub fn read<T: for<'de> Deserialize<'de>>(value: Json) -> Result<T, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}
