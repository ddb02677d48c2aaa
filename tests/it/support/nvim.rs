//! A real Neovim with the plugin, driven over RPC as a user and as a script would.
//!
//! Each has a home, a project and an environment of its own. When it is dropped it is quit, and then nothing
//! of it may be running any more: every test checks that without saying so.

use std::fs::File;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rmpv::Value;
use serde_json::{Value as Json, json};

use super::rpc::{Channel, from_json, to_json};
use super::scratch::Scratch;
use super::{DEADLINE, POLL, cli, process, terminal, wait_some};

/// What is loaded into each Neovim: it tells the test of the plugin's events and of what the user is told.
const PRELUDE: &str = include_str!("prelude.lua");

/// How a Neovim is to be started.
pub struct Builder {
    scratch: Scratch,
    options: Json,
    screen: Option<(u64, u64)>,
    terminal: Option<(u16, u16)>,
}

/// A running Neovim.
pub struct Nvim {
    /// Its directories.
    pub scratch: Scratch,
    child: Child,
    /// The process that has the buffers: in a terminal a child of the one that was started.
    pid: u32,
    channel: Channel,
    _terminal: Option<File>,
}

impl Builder {
    /// In directories that the test has prepared.
    pub fn new(scratch: Scratch) -> Self {
        // Tests see at once whether anything is left of a job.
        let options = json!({"host": env!("CARGO_BIN_EXE_botglue"), "status": {"outcome": 0}});
        Self { scratch, options, screen: None, terminal: None }
    }

    /// Sets an option of the plugin.
    pub fn option(mut self, name: &str, value: impl Into<Json>) -> Self {
        self.options[name] = value.into();
        self
    }

    /// Gives Neovim a screen of that many columns and rows to draw on.
    pub fn screen(mut self, columns: u64, rows: u64) -> Self {
        self.screen = Some((columns, rows));
        self
    }

    /// Starts Neovim in a terminal of that many columns and rows, as a user does, for what is measured: no code of the
    /// test's runs in it.
    pub fn terminal(mut self, columns: u16, rows: u16) -> Self {
        self.terminal = Some((columns, rows));
        self
    }

    /// Starts Neovim.
    pub fn start(self) -> Nvim {
        let Self { scratch, options, screen, terminal: size } = self;
        let mut command = Command::new(cli::nvim());
        command.args(["--clean", "-n"]);
        // Before the plugin is loaded, as in a user's own configuration.
        command.args(["--cmd", &format!("lua vim.g.botglue = vim.json.decode([==[{options}]==])")]);
        // Not every build of Neovim brings the parsers that its own file types ask for.
        command.args(["--cmd", "lua vim.treesitter.start = function() end"]);
        command.args(["--cmd", concat!("set runtimepath^=", env!("CARGO_MANIFEST_DIR"))]);
        command.env_clear().envs(scratch.environment()).current_dir(scratch.project());
        if let Some(size) = size {
            let socket = scratch.path("run/nvim");
            command.arg("--listen").arg(&socket).env("TERM", "xterm-256color");
            let (user, child) = terminal::start(&mut command, size).unwrap_or_else(|error| missing(&error));
            let stream = wait_some("Neovim listens", || UnixStream::connect(&socket).ok());
            let channel = Channel::new(stream.try_clone().unwrap(), stream);
            let mut nvim = Nvim { scratch, pid: child.id(), child, channel, _terminal: Some(user) };
            nvim.pid = nvim.exec("return vim.fn.getpid()").as_u64().unwrap().try_into().unwrap();
            // It listens before it has read its arguments.
            nvim.wait("Neovim has started", || nvim.exec("return vim.v.vim_did_enter") == 1);
            return nvim;
        }
        let mut child = command
            .args(["--headless", "--embed"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(scratch.path("nvim.stderr")).unwrap())
            .spawn()
            .unwrap_or_else(|error| missing(&error));
        let channel = Channel::new(child.stdout.take().unwrap(), child.stdin.take().unwrap());
        let nvim = Nvim { scratch, pid: child.id(), child, channel, _terminal: None };
        nvim.exec(PRELUDE);
        if let Some((columns, rows)) = screen {
            let kind = json!({"rgb": true, "ext_linegrid": true, "ext_hlstate": true});
            nvim.call("nvim_ui_attach", &[columns.into(), rows.into(), kind]);
        }
        nvim
    }
}

impl Nvim {
    /// The channel, for a test that is more to Neovim than a user.
    pub fn channel(&self) -> &Channel {
        &self.channel
    }

    /// Calls a function of Neovim's API.
    ///
    /// # Panics
    /// On an error, and where no reply comes.
    #[track_caller]
    pub fn call(&self, method: &str, arguments: &[Json]) -> Json {
        self.try_call(method, arguments)
            .unwrap_or_else(|error| panic!("{method}: {error}\n{}", self.report()))
    }

    /// Calls a function of Neovim's API that may fail; the error is Neovim's text.
    pub fn try_call(&self, method: &str, arguments: &[Json]) -> Result<Json, String> {
        let arguments = arguments.iter().map(from_json).collect();
        self.channel.call(method, arguments, DEADLINE).map(|value| to_json(&value))
    }

    /// Runs Lua and gives back what it returns.
    #[track_caller]
    pub fn exec(&self, lua: &str) -> Json {
        self.exec_with(lua, &[])
    }

    /// Runs Lua that finds the arguments in `...`.
    #[track_caller]
    pub fn exec_with(&self, lua: &str, arguments: &[Json]) -> Json {
        self.call("nvim_exec_lua", &[lua.into(), arguments.into()])
    }

    /// Runs an Ex command.
    #[track_caller]
    pub fn command(&self, command: &str) {
        self.call("nvim_command", &[command.into()]);
    }

    /// Types keys, as a user does, and returns when Neovim has taken them all.
    #[track_caller]
    pub fn input(&self, keys: &str) {
        let mut rest = keys.as_bytes();
        while !rest.is_empty() {
            let taken = self.call("nvim_input", &[std::str::from_utf8(rest).unwrap().into()]);
            rest = &rest[usize::try_from(taken.as_u64().unwrap()).unwrap()..];
        }
        self.wait("the keys are taken", || {
            self.call("nvim_get_mode", &[])["blocking"] == true || self.exec("return vim.fn.getchar(1)") == 0
        });
    }

    /// Opens a file of the project with this text.
    #[track_caller]
    pub fn edit(&self, name: &str, text: &str) {
        self.scratch.write(name, text);
        self.command(&format!("edit {name}"));
    }

    /// Starts a job on whole lines, with more options.
    #[track_caller]
    pub fn run(&self, prompt: &str, (first, last): (u64, u64), more: Json) -> u64 {
        let range = json!({"kind": "line", "first": [first, 0], "last": [last, 0]});
        let run = "return require('botglue').run(vim.tbl_extend('force', { prompt = ..., range = select(2, ...) }, select(3, ...)))";
        self.exec_with(run, &[prompt.into(), range, more]).as_u64().unwrap()
    }

    /// The lines of the current buffer.
    #[track_caller]
    pub fn lines(&self) -> Vec<String> {
        self.lines_of(0)
    }

    /// The lines of a buffer.
    #[track_caller]
    pub fn lines_of(&self, buffer: u64) -> Vec<String> {
        let lines = self.call("nvim_buf_get_lines", &[buffer.into(), 0.into(), (-1).into(), true.into()]);
        serde_json::from_value(lines).unwrap()
    }

    /// Replaces all lines of the current buffer.
    #[track_caller]
    pub fn set_lines(&self, lines: &[&str]) {
        self.call("nvim_buf_set_lines", &[0.into(), 0.into(), (-1).into(), true.into(), lines.into()]);
    }

    /// Waits until the host knows the text of the current buffer, and where the ranges of its jobs are.
    #[track_caller]
    pub fn mirrored(&self) {
        let found = self.exec(
            "local found
             local client, bufnr = require('botglue.host.client'), vim.api.nvim_get_current_buf()
             client.connect(client.options())
             require('botglue.editor.capture').want(bufnr)
             local function ask()
               require('botglue.host.ask').send('mirror', { buffer = bufnr }, function(view, err)
                 if view and view.tick ~= vim.api.nvim_buf_get_changedtick(bufnr) then
                   ask()
                 else
                   found = err or true
                 end
               end)
             end
             ask()
             vim.wait(30000, function() return found ~= nil end, 5)
             return found",
        );
        assert_eq!(found, true, "the host knows the text\n{}", self.report());
    }

    /// Waits until a condition holds.
    ///
    /// # Panics
    /// At the deadline, with what Neovim and the host have to say.
    #[track_caller]
    pub fn wait(&self, what: &str, mut condition: impl FnMut() -> bool) {
        let start = Instant::now();
        while !condition() {
            assert!(start.elapsed() < DEADLINE, "after {DEADLINE:?} still not so: {what}\n{}", self.report());
            std::thread::sleep(POLL);
        }
    }

    /// The job tables that came with a `User` event of the plugin, oldest first.
    pub fn events(&self, name: &str) -> Vec<Json> {
        self.told(name).iter().map(to_json).collect()
    }

    /// Waits for a job's `BotglueJobFinished` and gives its job table back.
    #[track_caller]
    pub fn finished(&self, id: u64) -> Json {
        let is_it = |job: &Json| job["id"] == id;
        self.wait(&format!("job {id} has finished"), || self.events("BotglueJobFinished").iter().any(is_it));
        self.events("BotglueJobFinished").into_iter().find(is_it).unwrap()
    }

    /// What the user was told by `vim.notify`, as `{ message, level }`, oldest first.
    pub fn notes(&self) -> Vec<Json> {
        self.told("notify").iter().map(to_json).collect()
    }

    /// Waits until a held answer is shown: in its buffer, or in a window of its own where its place is not known.
    #[track_caller]
    pub fn shows_held(&self, id: u64) {
        let shown = "local review, id = require('botglue.host.connection').review, ...
            local is_drawn = review and review.job.id == id and review.drawn > 0
            return is_drawn or #vim.api.nvim_tabpage_list_wins(0) == 2";
        self.wait("the answer is shown", || self.exec_with(shown, &[id.into()]) == true);
    }

    /// The rows of the screen, without trailing blanks.
    pub fn rows(&self) -> Vec<String> {
        self.channel.inbox().screen.rows.clone()
    }

    /// Waits until the screen shows what the test looks for, and gives the rows back.
    #[track_caller]
    pub fn wait_for_rows(&self, what: &str, mut look: impl FnMut(&[String]) -> bool) -> Vec<String> {
        let seen =
            self.channel.wait(DEADLINE, |inbox| look(&inbox.screen.rows).then(|| inbox.screen.rows.clone()));
        seen.unwrap_or_else(|| panic!("after {DEADLINE:?} not on the screen: {what}\n{}", self.report()))
    }

    /// The id of the host's process, where one is running.
    pub fn host(&self) -> Option<u32> {
        // Not the process that ends the agents of a host that is gone.
        let host = concat!(env!("CARGO_BIN_EXE_botglue"), " serve");
        process::of(&self.scratch)
            .into_iter()
            .find(|found| found.command.starts_with(host))
            .map(|host| host.pid)
    }

    /// Waits until nothing runs but Neovim and, where there is one, the host: no agent and no child of one.
    #[track_caller]
    pub fn wait_for_no_agent(&self) {
        let expected: Vec<u32> = self.host().into_iter().chain([self.child.id(), self.pid]).collect();
        process::wait_for_none_but(&self.scratch, &expected, "all agents have ended");
    }

    /// The id of Neovim's own process.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Quits Neovim, as `:qa!` does, and waits until it and all that it started are gone.
    #[track_caller]
    pub fn quit(mut self) {
        self.end();
        process::wait_for_none_but(&self.scratch, &[], "Neovim has quit");
    }

    /// Quits Neovim and hands its directories on, for the next one.
    #[track_caller]
    pub fn quit_to(mut self) -> Scratch {
        self.end();
        self.hand_on()
    }

    /// Kills Neovim as a crash does, and hands its directories on once nothing of it runs any more.
    #[track_caller]
    pub fn crash(mut self) -> Scratch {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.hand_on()
    }

    #[track_caller]
    fn hand_on(&mut self) -> Scratch {
        process::wait_for_none_but(&self.scratch, &[], "Neovim has ended");
        std::mem::replace(&mut self.scratch, Scratch::new())
    }

    fn told(&self, name: &str) -> Vec<Value> {
        let inbox = self.channel.inbox();
        let ours = inbox.notifications.iter().filter(|(method, _)| method == "botglue_test");
        ours.filter(|(_, told)| told[0].as_str() == Some(name)).map(|(_, told)| told[1].clone()).collect()
    }

    fn end(&mut self) {
        self.channel.notify("nvim_command", vec!["qa!".into()]);
        let start = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            if start.elapsed() > Duration::from_secs(10) {
                self.child.kill().unwrap();
                self.child.wait().unwrap();
            }
            std::thread::sleep(POLL);
        }
    }

    /// What a failing test needs to be understood.
    pub fn report(&self) -> String {
        let ask = |method: &str, lua: &str| {
            let arguments = vec![lua.into(), Value::Array(Vec::new())];
            let reply = self.channel.call(method, arguments, Duration::from_secs(2));
            reply.map_or_else(|error| error, |value| to_json(&value).to_string())
        };
        let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
        let jobs = ask("nvim_exec_lua", "return require('botglue').jobs()");
        let messages = ask("nvim_exec_lua", "return vim.fn.execute('messages')");
        let log = read(&self.scratch.path("state/nvim/botglue.log"));
        let stderr = read(&self.scratch.path("nvim.stderr"));
        let running = process::of(&self.scratch);
        format!(
            "jobs: {jobs}\nmessages: {messages}\nnotes: {:?}\nscreen:\n{}\nlog:\n{log}\nstderr:\n{stderr}\nrunning: {running:#?}",
            self.notes(),
            self.rows().join("\n"),
        )
    }
}

fn missing(error: &std::io::Error) -> ! {
    panic!("{}: {error}; run the tests with `make test`", cli::nvim().display())
}

impl Drop for Nvim {
    fn drop(&mut self) {
        self.end();
        if std::thread::panicking() {
            process::kill_all(&self.scratch);
        } else {
            process::wait_for_none_but(&self.scratch, &[], "Neovim has quit");
        }
    }
}
