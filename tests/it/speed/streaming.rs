//! What many agents that print much cost the editor, beside the way without a host.

use serde_json::json;

use super::editor::{Editor, printing};
use super::row::{Run, Sample};
use super::streams::tool_heavy;
use crate::support::agents::claude_is;
use crate::support::nvim::Builder;
use crate::support::scratch::Scratch;
use crate::support::stream;

/// How many jobs print at once, and how far apart their ranges are.
const JOBS: usize = 32;
const EVERY: usize = 30;
/// How long the editor is left alone where it is idle.
const IDLE: std::time::Duration = std::time::Duration::from_secs(1);

fn editor() -> Editor {
    let scratch = Scratch::new();
    let agent = printing(&scratch, &tool_heavy());
    Editor::new(scratch, claude_is(&agent))
}

/// The CPU of Neovim for all jobs, ours ÷ in-process.
pub fn cpu() -> Run {
    let scratch = Scratch::new();
    let agent = printing(&scratch, &tool_heavy());
    let (ours, other) = (editor(), Editor::in_process(scratch, &agent));
    Box::new(move || {
        let used = |editor: &Editor, driver| {
            let before = editor.cpu();
            editor.run(driver, JOBS, JOBS, EVERY);
            editor.cpu() - before
        };
        let ratio = Sample::Ratio { ours: used(&ours, "D"), other: used(&other, "P") };
        ours.reset();
        vec![ratio]
    })
}

/// The longest time in which Neovim's loop did not run, beyond that of an idle one.
pub fn stall() -> Run {
    let editor = editor();
    Box::new(move || {
        let longest = |work: &dyn Fn()| {
            editor.nvim.exec("D.probe()");
            work();
            editor.nvim.exec("return D.stall()").as_f64().unwrap()
        };
        let idle = longest(&|| std::thread::sleep(IDLE));
        let busy = longest(&|| editor.run("D", JOBS, JOBS, EVERY));
        editor.reset();
        vec![Sample::Value((busy - idle).max(0.0))]
    })
}

/// How many jobs stream at once, each so many pieces of text a second.
const STREAMS: usize = 64;
const PIECES: usize = 80;

/// The share of a core that Neovim takes while jobs stream.
pub fn share() -> Run {
    share_with(STREAMS, "")
}

/// The same of fewer jobs that are all rows of the job list.
pub fn share_with_list() -> Run {
    share_with(JOBS, "Botglue jobs")
}

fn share_with(jobs: usize, command: &'static str) -> Run {
    let scratch = Scratch::new();
    let recording = scratch.path("recording.jsonl");
    std::fs::write(&recording, pieces_of_text(PIECES * 60)).unwrap();
    let delay = (1000 / PIECES).to_string();
    let host = env!("CARGO_BIN_EXE_botglue");
    let agents = json!({"claude": {"command": [host, "replay", "--delay-ms", delay, recording]}});
    let editor = Editor::with(Builder::new(scratch).option("agents", agents));
    editor.start("D", jobs, jobs, 10);
    editor.nvim.wait("all stream", || {
        let shown =
            "return #vim.tbl_filter(function(job) return job.tools[1] end, require('botglue').jobs())";
        editor.nvim.exec(shown) == jobs
    });
    if !command.is_empty() {
        editor.nvim.command(command);
        editor.nvim.wait("all are listed", || editor.nvim.exec("return vim.fn.line('$')") == jobs);
    }
    Box::new(move || {
        let before = editor.cpu();
        std::thread::sleep(2 * IDLE);
        let share = (editor.cpu() - before) / (2 * IDLE).as_secs_f64() / 1e3;
        vec![Sample::Value(share * 100.0)]
    })
}

/// A tool, and then text in so many pieces.
pub fn pieces_of_text(pieces: usize) -> String {
    let mut lines = stream::init("s");
    lines += &stream::tool_use("t1", "Read", &json!({"file_path": "src/a.rs"}));
    lines += &stream::tool_result("t1", "…");
    for n in 0..pieces {
        let text = match n % 4 {
            0 => "    let value".to_owned(),
            1 => format!("_{n} = "),
            2 => format!("compute({n}, "),
            _ => "other);\n".to_owned(),
        };
        let delta = json!({"type": "text_delta", "text": text});
        let event = json!({"type": "content_block_delta", "index": 0, "delta": delta});
        lines += &json!({"type": "stream_event", "event": event}).to_string();
        lines.push('\n');
    }
    lines
}
