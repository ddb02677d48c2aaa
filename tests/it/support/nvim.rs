//! A real Neovim with the plugin, driven over RPC as a user and as a script would.
//!
//! Each has a home, a project and an environment of its own. When it is dropped it is quit, and then nothing
//! of it may be running any more: every test checks that without saying so.

use std::fs::File;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use botglue::fields;
use rmpv::Value;
use serde_json::{Value as Json, json};

use super::rpc::{Channel, from_json};
use super::scratch::Scratch;
use super::{DEADLINE, process, wait_for_some, wait_some};

/// What is loaded into each Neovim: it tells the test of the plugin's events and of what the user is told.
const PRELUDE: &str = include_str!("prelude.lua");

/// Runs a program in a terminal of so many columns and rows; what is drawn is forgotten.
const IN_TERMINAL: &str = r#"import pty, sys
sized = 'stty cols $0 rows $1; shift; exec "$@"'
pty.spawn(["sh", "-c", sized] + sys.argv[1:])"#;

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
    /// The process that has the buffers, and in a terminal the one that draws, which is its parent.
    pids: Vec<u32>,
    /// For a test that is more to Neovim than a user.
    pub channel: Channel,
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
        let mut command = command(&scratch, &options);
        // Not every build of Neovim brings the parsers that its own file types ask for.
        command.args(["--cmd", "lua vim.treesitter.start = function() end"]).arg("-n");
        if let Some((columns, rows)) = size {
            let socket = scratch.path("run/nvim");
            command.arg("--listen").arg(&socket);
            let (program, arguments) = (command.get_program(), command.get_args());
            let child = scratch
                .command("python3")
                .args(["-I", "-S", "-c", IN_TERMINAL, &columns.to_string(), &rows.to_string()])
                .arg(program)
                .args(arguments)
                .env("TERM", "xterm-256color")
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .spawn()
                .unwrap();
            let stream = wait_some("Neovim listens", || UnixStream::connect(&socket).ok());
            let channel = Channel::new(stream.try_clone().unwrap(), stream);
            let mut nvim = Nvim { scratch, pids: Vec::new(), child, channel };
            let pids = nvim.exec("return { vim.fn.getpid(), vim.uv.os_getppid() }");
            nvim.pids = serde_json::from_value(pids).unwrap();
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
            .expect("Neovim is there: run the tests with `make test`");
        let channel = Channel::new(child.stdout.take().unwrap(), child.stdin.take().unwrap());
        let nvim = Nvim { scratch, pids: vec![child.id()], child, channel };
        nvim.exec(PRELUDE);
        if let Some((columns, rows)) = screen {
            let kind = json!({"rgb": true, "ext_linegrid": true, "ext_hlstate": true});
            nvim.call("nvim_ui_attach", &[columns.into(), rows.into(), kind]);
        }
        nvim
    }
}

/// Neovim for this run: what `make test` says, else what it would have installed.
pub fn program() -> PathBuf {
    let installed = || Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools/nvim/nvim");
    std::env::var_os("BOTGLUE_TEST_NVIM").map_or_else(installed, PathBuf::from)
}

/// A Neovim with the plugin, which finds these options as in a user's own configuration.
pub fn command(scratch: &Scratch, options: &Json) -> Command {
    let mut command = scratch.command(program());
    // Before the plugin is loaded.
    let options = format!("lua vim.g.botglue = vim.json.decode([==[{options}]==])");
    command.args(["--clean", "--cmd", &options]);
    command.args(["--cmd", concat!("set runtimepath^=", env!("CARGO_MANIFEST_DIR"))]);
    command
}

impl Nvim {
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
        self.channel.call(method, arguments, DEADLINE).map(|value| fields::json(&value))
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
        let lines = self.call("nvim_buf_get_lines", &[0.into(), 0.into(), (-1).into(), true.into()]);
        serde_json::from_value(lines).unwrap()
    }

    /// Waits until the host knows the text of the current buffer, and where the ranges of its jobs are.
    #[track_caller]
    pub fn mirrored(&self) {
        let ask =
            "local client, bufnr, found = require('botglue.host.client'), vim.api.nvim_get_current_buf(), nil
            client.connect(client.options())
            require('botglue.editor.capture').want(bufnr)
            require('botglue.host.ask').send('mirror', { buffer = bufnr }, function(view, err)
              found = err or view == nil or view.tick == vim.api.nvim_buf_get_changedtick(bufnr)
            end)
            vim.wait(30000, function() return found ~= nil end, 5)
            return found";
        self.wait("the host knows the text", || self.exec(ask) == true);
    }

    /// Waits until a condition holds.
    ///
    /// # Panics
    /// At the deadline, with what Neovim and the host have to say.
    #[track_caller]
    pub fn wait(&self, what: &str, mut condition: impl FnMut() -> bool) {
        wait_for_some(what, || self.report(), || condition().then_some(()));
    }

    /// The job tables that came with a `User` event of the plugin, oldest first.
    pub fn events(&self, name: &str) -> Vec<Json> {
        let inbox = self.channel.inbox();
        let ours = inbox.notifications.iter().filter(|(method, _)| method == "botglue_test");
        let told = ours.filter(|(_, told)| told[0].as_str() == Some(name));
        told.map(|(_, told)| fields::json(&told[1])).collect()
    }

    /// Waits for a job's `BotglueJobFinished` and gives its job table back.
    #[track_caller]
    pub fn finished(&self, id: u64) -> Json {
        let report = || self.report();
        wait_for_some(&format!("job {id} has finished"), report, || {
            self.events("BotglueJobFinished").into_iter().find(|job| job["id"] == id)
        })
    }

    /// What the user was told by `vim.notify`, as `{ message, level }`, oldest first.
    pub fn notes(&self) -> Vec<Json> {
        self.events("notify")
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
        self.channel.inbox().screen.rows()
    }

    /// Waits until the screen shows what the test looks for, and gives the rows back.
    #[track_caller]
    pub fn wait_for_rows(&self, what: &str, mut look: impl FnMut(&[String]) -> bool) -> Vec<String> {
        wait_for_some(what, || self.report(), || Some(self.rows()).filter(|rows| look(rows)))
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
        let own = self.pids.iter().copied().chain([self.child.id()]);
        let expected: Vec<u32> = self.host().into_iter().chain(own).collect();
        process::wait_for_none_but(&self.scratch, &expected, "all agents have ended");
    }

    /// The id of Neovim's own process.
    pub fn pid(&self) -> u32 {
        self.pids[0]
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

    fn end(&mut self) {
        self.channel.notify("nvim_command", vec!["qa!".into()]);
        process::wait_or_kill(&mut self.child, Duration::from_secs(10));
    }

    /// What a failing test needs to be understood.
    pub fn report(&self) -> String {
        let lua = "return { jobs = require('botglue').jobs(), messages = vim.fn.execute('messages') }";
        let arguments = vec![lua.into(), Value::Array(Vec::new())];
        let state = self.channel.call("nvim_exec_lua", arguments, Duration::from_secs(2));
        let state = state.map_or_else(|error| error, |value| fields::json(&value).to_string());
        let [log, stderr] = ["state/nvim/botglue.log", "nvim.stderr"]
            .map(|name| std::fs::read_to_string(self.scratch.path(name)).unwrap_or_default());
        let (notes, screen, running) = (self.notes(), self.rows().join("\n"), process::of(&self.scratch));
        format!(
            "{state}\nnotes: {notes:?}\nscreen:\n{screen}\nlog:\n{log}\nstderr:\n{stderr}\nrunning: {running:#?}"
        )
    }
}

impl Drop for Nvim {
    fn drop(&mut self) {
        self.end();
        process::all_over(&self.scratch, "Neovim has quit");
    }
}
