//! How soon an agent runs, and how long the editor is blocked for it.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::editor::{Editor, percentile, text};
use super::row::Run;
use crate::agents::{Agent, Place, TEXT, open};
use crate::support::agents::claude_is;
use crate::support::nvim::{self, Builder, Nvim};
use crate::support::scratch::Scratch;

/// How often an agent is started in a run.
const STARTS: usize = 15;
/// The time to type a short prompt; the CLI is ready long before.
const TYPING: Duration = Duration::from_secs(1);
const PROMPT: &str = "ANSWER<<fn target() {\n    todo!()\n}>>";

/// The milliseconds for which `:Botglue run` blocks the editor, what it does in the next tick included.
pub fn blocked() -> Run {
    const TIMED: &str = "
        local start = D.computed()
        vim.cmd('2,5Botglue run it')
        local took
        vim.schedule(function() took = D.computed() - start end)
        vim.wait(1000, function() return took end, 1)
        return took";
    let editor = Editor::small_jobs();
    Box::new(move || {
        let run = || {
            let took = editor.nvim.exec(TIMED).as_f64().unwrap();
            editor
                .nvim
                .wait("it has landed", || editor.nvim.exec("return require('botglue').statusline()") == "");
            editor.nvim.wait_for_no_agent();
            took
        };
        let mut times: Vec<f64> = (0..STARTS).map(|_| run()).collect();
        vec![percentile(&mut times, 50)]
    })
}

/// Sending a prompt to the API's having the request, prewarmed ÷ cold, with the real CLI.
pub fn request_arrives() -> Run {
    let (nvim, place) = open(Agent::named("claude"), TEXT);
    let start = |nvim: &Nvim| nvim.run(PROMPT, (3, 5), json!({}));
    // The host is there in both ways, as it is after the first job.
    nvim.finished(start(&nvim));
    nvim.wait_for_no_agent();
    Box::new(move || {
        let cold = until_requested(&nvim, &place, || _ = start(&nvim));
        let range = json!({"kind": "line", "first": [3, 0], "last": [5, 0]});
        nvim.exec_with("require('botglue').run({ range = ... })", &[range]);
        std::thread::sleep(TYPING);
        let send = "local prompt = require('botglue.host.connection').prompt
            prompt:set_text(...)
            prompt:submit()";
        let warm = until_requested(&nvim, &place, || _ = nvim.exec_with(send, &[json!(PROMPT)]));
        vec![(warm) / (cold)]
    })
}

/// The milliseconds until the API has the next request; returns when its job is over.
fn until_requested(nvim: &Nvim, place: &Place, send: impl FnOnce()) -> f64 {
    let before = place.api.requests().len();
    let start = Instant::now();
    send();
    nvim.wait("the request arrives", || place.api.requests().len() > before);
    let took = place.api.requests()[before].at - start;
    nvim.wait("the job is over", || nvim.exec("return require('botglue').statusline()") == "");
    nvim.wait_for_no_agent();
    took.as_secs_f64() * 1e3
}

/// The milliseconds from the host's start to its greeting, and those that Neovim spends on the plugin as it starts.
pub fn host_and_plugin() -> Run {
    Box::new(|| {
        let nvim = Builder::new(Scratch::new()).start();
        let ready = nvim.exec(
            "local client = require('botglue.host.client')
             local ready, at = client.ready, nil
             client.ready = function(hello) at = vim.uv.hrtime() ready(hello) end
             local options = client.options()
             local start = vim.uv.hrtime()
             client.connect(options)
             vim.wait(30000, function() return at end, 1)
             client.ready = ready
             return (at - start) / 1e6",
        );
        vec![ready.as_f64().unwrap(), plugin(&Scratch::new())]
    })
}

/// What Neovim spends on the plugin until it waits for the first key, in milliseconds: what it says that it takes to
/// load `plugin/botglue.lua`, and what that has left for the tick after.
fn plugin(scratch: &Scratch) -> f64 {
    let (times, after) = (scratch.path("startup"), scratch.path("after"));
    // The one is scheduled before the plugin's, the other behind it.
    let before = "autocmd VimEnter * lua vim.schedule(function() _G.start = vim.uv.hrtime() end)";
    let behind = format!(
        "autocmd VimEnter * lua vim.schedule(function()
            vim.fn.writefile({{ tostring((vim.uv.hrtime() - start) / 1e6) }}, '{}') vim.cmd.quit() end)",
        after.display()
    );
    let status = scratch
        .command(nvim::program())
        .args(["--clean", "--headless", "--cmd", concat!("set runtimepath^=", env!("CARGO_MANIFEST_DIR"))])
        .args(["--cmd", before, "-c", &behind.replace('\n', " ")])
        .arg("--startuptime")
        .arg(&times)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(status.unwrap().success());
    let times = fs::read_to_string(times).unwrap();
    let line =
        times.lines().find(|line| line.ends_with("/plugin/botglue.lua")).expect("the plugin is loaded");
    let loaded: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    loaded + fs::read_to_string(after).unwrap().trim().parse::<f64>().unwrap()
}

/// The microseconds that a key takes in a mirrored buffer of so many rows, beyond those in one that is not.
pub fn keys(rows: usize) -> Run {
    /// How many keys, and how many of them in one row: an event has the whole row.
    const TYPING: &str = "
        vim.cmd('execute \"buffer\" ' .. ... .. ' | normal! 500G')
        local start = D.computed()
        for _ = 1, 100 do
            vim.api.nvim_feedkeys('A' .. ('x'):rep(20) .. vim.keycode('<Esc>'), 'tx', false)
            vim.cmd('silent undo')
        end
        return (D.computed() - start) * 1e3 / 2000";
    let editor = Editor::new(Scratch::new(), claude_is(Path::new("cat")));
    let buffers = ["plain", "mirrored"].map(|name| {
        editor.nvim.edit(&format!("{name}.txt"), &text(rows));
        editor.nvim.exec("return vim.api.nvim_get_current_buf()")
    });
    editor.nvim.mirrored();
    Box::new(move || {
        let each =
            |buffer: &Value| editor.nvim.exec_with(TYPING, std::slice::from_ref(buffer)).as_f64().unwrap();
        let [plain, mirrored] = &buffers;
        let beyond = each(mirrored) - each(plain);
        vec![beyond.max(0.0)]
    })
}
