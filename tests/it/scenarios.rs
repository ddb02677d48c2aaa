//! From the agent's output to the user's buffer, messages and transcript, with a whole host and Neovim.

use serde_json::{Value, json};

use crate::support::agents::{self, Gated};
use crate::support::nvim::{Builder, Nvim};
use crate::support::scratch::Scratch;
use crate::support::stream;

/// A Lua file with this text, and a job on its first line.
fn start(text: &str) -> (Nvim, Gated, u64) {
    let scratch = Scratch::new();
    let gated = Gated::new(&scratch);
    let nvim = Builder::new(scratch).option("agents", gated.option()).screen(80, 24).start();
    nvim.edit("desk.lua", text);
    let id = nvim.run("GATE:it", (1, 1), json!({}));
    (nvim, gated, id)
}

#[test]
fn the_agent_is_told_of_unsaved_text_diagnostics_and_the_rules_of_the_project() {
    let scratch = Scratch::new();
    scratch.write(".git/HEAD", "ref: refs/heads/main\n");
    scratch.write("CLAUDE.md", "Always use tabs in this project.\n");
    let gated = Gated::new(&scratch);
    let nvim = Builder::new(scratch).option("agents", gated.option()).start();
    nvim.edit("src/desk.lua", "local a = 1\nlocal b = 2\nreturn a\n");
    nvim.input("GAb -- not saved<Esc>");
    nvim.exec(
        "vim.diagnostic.set(vim.api.nvim_create_namespace('test'), 0,
          { { lnum = 1, col = 6, message = 'b is never used', severity = vim.diagnostic.severity.WARN, source = 'linter' } })",
    );
    nvim.input("2GV:Botglue run GATE:it<CR>");
    let message: Value = serde_json::from_str(&gated.stdin("it")).unwrap();
    let text = message["message"]["content"][0]["text"].as_str().unwrap();
    for part in [
        "GATE:it",
        "local b = 2",
        "return ab -- not saved",
        "b is never used",
        "Always use tabs in this project.",
        "desk.lua",
        "lua",
    ] {
        assert!(text.contains(part), "{part:?} is not in the message:\n{text}");
    }
    gated.answer("it", "local b = 3");
    nvim.finished(1);
}

#[test]
fn a_flood_of_output_reaches_the_editor_as_a_few_frames() {
    const JOBS: u64 = 32;
    let scratch = Scratch::new();
    // 10 MB of tool output a job: 100 calls with results of 100 kB.
    let mut flood = stream::init("flood");
    for call in 0..100 {
        let id = format!("toolu_{call}");
        flood += &stream::tool_use(&id, "Read", &json!({"file_path": format!("file{call}.lua")}));
        flood += &stream::tool_result(&id, &"x".repeat(100_000));
    }
    std::fs::write(scratch.path("flood"), flood + &stream::answer("DONE")).unwrap();
    let agent = agents::fault(&scratch, "", &format!("cat '{}'", scratch.path("flood").display()));
    let nvim = Builder::new(scratch).option("agents", agent).option("max_parallel", JOBS).start();
    nvim.edit("flood.lua", &"line\n".repeat(usize::try_from(JOBS).unwrap()));
    nvim.exec(
        "_G.calls, _G.started = { running = 0, writing = 0, ended = 0 }, vim.uv.hrtime()
         local apply = require('botglue.apply')
         local jobs = apply.jobs
         apply.jobs = function(patches)
           local set = patches[1].set or {}
           local has_ended = set.status == 'done' or set.status == 'failed'
           -- What is known of an answer goes with the call that writes it.
           local what = has_ended and 'ended' or set.text and 'writing' or 'running'
           _G.calls[what] = _G.calls[what] + 1
           return jobs(patches)
         end",
    );
    let ids: Vec<u64> = (1..=JOBS).map(|line| nvim.run("go", (line, line), json!({}))).collect();
    for id in ids {
        let job = nvim.finished(id);
        assert_eq!(
            (&job["landing"], job["tools"].as_array().unwrap().len()),
            (&json!("applied"), 100),
            "{id}"
        );
    }
    assert_eq!(nvim.lines(), ["DONE"; 32]);
    let calls =
        nvim.exec("return { _G.calls.running, _G.calls.ended, (vim.uv.hrtime() - _G.started) / 1e8 }");
    let ticks = calls[2].as_f64().unwrap();
    assert_eq!(calls[1], JOBS, "one end a job");
    assert!(calls[0].as_f64().unwrap() <= ticks + 2.0, "{calls}: more than a frame a tick");
}

#[test]
fn the_raw_stream_is_kept_and_shown() {
    let (nvim, gated, id) = start("fn target() {}\n");
    let mut run = gated.run("it");
    run.print(&stream::init("test"));
    nvim.wait("the lines so far are in the file", || {
        let lines = "local path = require('botglue.host.client').job(1).transcript
            local lines = path and vim.fn.filereadable(path) == 1 and vim.fn.readfile(path, 'b') or {}
            return #lines > 1 and lines[#lines] == ''";
        nvim.exec(lines) == json!(true)
    });
    nvim.command("Botglue! transcript");
    assert_eq!(kinds_of(&nvim), ["system"]);
    nvim.command("quit");
    run.print(&stream::result("fn other() {}"));
    drop(run);
    nvim.finished(id);
    nvim.wait_for_no_agent();
    nvim.command("Botglue! transcript 1");
    assert_eq!(kinds_of(&nvim).last().unwrap(), "result");
    assert_eq!(nvim.exec("return { vim.bo.filetype, vim.bo.modifiable }"), json!(["json", false]));
    nvim.command("quit");

    // The store knows the path, too.
    nvim.exec("require('botglue.host.client').job(1).transcript = nil");
    nvim.command("Botglue! transcript 1");
    nvim.wait("the store has replied with the path", || {
        kinds_of(&nvim).last().is_some_and(|kind| kind == "result")
    });
}

/// The kinds of the lines in the current buffer; none where they are no stream.
fn kinds_of(nvim: &Nvim) -> Vec<String> {
    let lines = nvim.lines();
    let kind = |line: &String| Some(serde_json::from_str::<Value>(line).ok()?["type"].as_str()?.to_owned());
    lines.iter().map(kind).collect::<Option<_>>().unwrap_or_default()
}
