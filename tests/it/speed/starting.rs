//! How soon an agent runs, and how long the editor is blocked for it.

use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use super::editor::{Editor, ROWS, percentile, text};
use super::row::{Run, Sample};
use crate::support::agents::{claude_is, write_script};
use crate::support::cli::{self, Cli};
use crate::support::fixture::Fixture;
use crate::support::nvim::Builder;
use crate::support::scratch::Scratch;
use crate::support::stream;

/// How often an agent is started in a run.
const STARTS: usize = 15;
/// The time to type a short prompt; the CLI is ready long before.
const TYPING: Duration = Duration::from_secs(1);
const PROMPT: &str = "ANSWER<<fn target() {\n    todo!()\n}>>";

/// An agent that opens a pipe as the first thing it does.
fn editor() -> (Editor, std::path::PathBuf) {
    let scratch = Scratch::new();
    let (agent, pipe, answer) = (scratch.path("agent"), scratch.path("pipe"), scratch.path("answer"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    fs::write(&answer, stream::answer("one\ntwo\nthree\nfour")).unwrap();
    let script = format!(": >'{}'\ncat >/dev/null\nexec cat '{}'\n", pipe.display(), answer.display());
    write_script(&agent, &script);
    (Editor::new(scratch, claude_is(&agent)), pipe)
}

/// The milliseconds for which `:Botglue run` blocks the editor, what it does in the next tick included: in a buffer
/// that the host mirrors, and in one that it does not yet.
pub fn blocked() -> Run {
    const TIMED: &str = "
        local function computed()
            local used = vim.uv.getrusage()
            return (used.utime.sec + used.stime.sec) * 1e3 + (used.utime.usec + used.stime.usec) / 1e3
        end
        local start = computed()
        vim.cmd('2,5Botglue run it')
        local took
        vim.schedule(function() took = computed() - start end)
        vim.wait(1000, function() return took end, 1)
        return took";
    let (editor, pipe) = editor();
    let mut files = 0;
    Box::new(move || {
        let timed = || {
            let pipe = pipe.clone();
            let reader = std::thread::spawn(move || File::open(pipe).map(drop));
            let took = editor.nvim.exec(TIMED).as_f64().unwrap();
            reader.join().unwrap().unwrap();
            editor
                .nvim
                .wait("it has landed", || editor.nvim.exec("return require('botglue').statusline()") == "");
            editor.nvim.wait_for_no_agent();
            took
        };
        let (mut attached, mut not_yet) = (Vec::new(), Vec::new());
        for _ in 0..STARTS {
            files += 1;
            editor.nvim.edit(&format!("new-{files}.txt"), &text(ROWS));
            not_yet.push(timed());
            attached.push(timed());
            editor.nvim.command("silent! bwipeout!");
        }
        [attached, not_yet].map(|mut times| Sample::Value(percentile(&mut times, 50))).to_vec()
    })
}

/// Sending a prompt to the API's having the request, prewarmed ÷ cold, with the real CLI.
pub fn request_arrives() -> Run {
    let fixture = Fixture::new(Cli::Claude);
    // The host is there in both ways, as it is after the first job.
    fixture.ask(PROMPT);
    Box::new(move || {
        let cold = until_requested(&fixture, || _ = fixture.start(PROMPT));
        let range = json!({"kind": "line", "first": [3, 0], "last": [5, 0]});
        fixture.nvim.exec_with("require('botglue').run({ range = ... })", &[range]);
        std::thread::sleep(TYPING);
        let send = "local prompt = require('botglue.host.connection').prompt
            prompt:set_text(...)
            prompt:submit()";
        let warm = until_requested(&fixture, || _ = fixture.nvim.exec_with(send, &[json!(PROMPT)]));
        vec![Sample::Ratio { ours: warm, other: cold }]
    })
}

/// The milliseconds until the API has the next request; returns when its job is over.
fn until_requested(fixture: &Fixture, send: impl FnOnce()) -> f64 {
    let before = fixture.api.requests().len();
    let start = Instant::now();
    send();
    fixture.nvim.wait("the request arrives", || fixture.api.requests().len() > before);
    let took = fixture.api.requests()[before].at - start;
    fixture
        .nvim
        .wait("the job is over", || fixture.nvim.exec("return require('botglue').statusline()") == "");
    fixture.nvim.wait_for_no_agent();
    took.as_secs_f64() * 1e3
}

/// The milliseconds from the host's start to its greeting, and those that Neovim spends on the plugin as it starts:
/// where nothing is held, and where answers of an earlier session are.
pub fn host_and_plugin() -> Run {
    Box::new(|| {
        let nvim = Builder::new(Scratch::new()).start();
        let ready = nvim.exec(
            "require('botglue.wiring'); local client = require('botglue.host.client')
             local ready, at = client.ready, nil
             client.ready = function(hello) at = vim.uv.hrtime() ready(hello) end
             local options = client.options()
             local start = vim.uv.hrtime()
             client.connect(options)
             vim.wait(30000, function() return at end, 1)
             client.ready = ready
             return (at - start) / 1e6",
        );
        let (plain, announcing) = (Scratch::new(), Scratch::new());
        hold_earlier(&announcing);
        let shares = [plugin(&plain), plugin(&announcing)];
        [ready.as_f64().unwrap()].into_iter().chain(shares).map(Sample::Value).collect()
    })
}

/// Answers of a Neovim that is gone are held in the project, as the file beside the store says.
fn hold_earlier(scratch: &Scratch) {
    let path = scratch.write("held.txt", "text");
    let data = scratch.path("data/nvim/botglue/journal");
    fs::create_dir_all(&data).unwrap();
    let answer = json!({"owner": "999999999:1", "path": path});
    fs::write(data.join("gone.held"), format!("{answer}\n").repeat(10)).unwrap();
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
    let status = Command::new(cli::nvim())
        .args(["--clean", "--headless", "--cmd", concat!("set runtimepath^=", env!("CARGO_MANIFEST_DIR"))])
        .args(["--cmd", before, "-c", &behind.replace('\n', " ")])
        .arg("--startuptime")
        .arg(&times)
        .current_dir(scratch.project())
        .env_clear()
        .envs(scratch.environment())
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
