//! What is measured with a real CLI or on a real screen, and so depends on the machine: `make bench` runs it, no test
//! does.

use std::fs;
use std::io::Write;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::cli::Cli;
use crate::support::fixture::Fixture;
use crate::support::nvim::{Builder, Nvim};
use crate::support::scratch::Scratch;
use crate::support::stream;

/// For each way.
const TURNS: usize = 7;
/// What somebody needs for a short prompt; the CLI is ready long before.
const TYPING: Duration = Duration::from_secs(3);
/// The most that it may take with a prewarmed agent, as a part of what it takes without.
const REACH: f64 = 1.0 / 3.0;
const PROMPT: &str = "ANSWER<<fn target() {\n    todo!()\n}>>";

#[test]
#[ignore = "measures: make bench"]
fn from_sending_to_the_request() {
    let fixture = Fixture::with(Cli::Claude, |builder| builder.option("prompt", "ui"));
    fixture.nvim.exec("vim.ui.input = function(_, send) _G.send = send end");
    // The host is there in both ways, as it is after the first job.
    fixture.ask(PROMPT);
    let (mut cold, mut warm) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        cold.push(measured(&fixture, || {
            fixture.start(PROMPT);
        }));
        let range = json!({"kind": "line", "first": [3, 0], "last": [5, 0]});
        fixture.nvim.exec_with("require('botglue').run({ range = ... })", &[range]);
        std::thread::sleep(TYPING);
        warm.push(measured(&fixture, || {
            fixture.nvim.exec_with("_G.send(...)", &[json!(PROMPT)]);
        }));
    }
    let (cold, warm) = (median(cold), median(warm));
    let ratio = warm.as_secs_f64() / cold.as_secs_f64();
    let verdict = if ratio <= REACH { "yes" } else { "NO" };
    let line = format!(
        "sending a prompt to the API's having the request, `claude`, median of {TURNS}:\n  \
         cold {} ms, prewarmed {} ms: {ratio:.2} of it, reach 0.33: {verdict}",
        cold.as_millis(),
        warm.as_millis(),
    );
    // A closed output has nobody to tell.
    _ = writeln!(std::io::stdout(), "{line}");
}

/// The time until the API has the next request; returns when its job is over.
fn measured(fixture: &Fixture, send: impl FnOnce()) -> Duration {
    let before = fixture.api.requests().len();
    let start = Instant::now();
    send();
    fixture.nvim.wait("the request arrives", || fixture.api.requests().len() > before);
    let took = fixture.api.requests()[before].at - start;
    fixture
        .nvim
        .wait("the job is over", || fixture.nvim.exec("return require('botglue').statusline()") == "");
    fixture.nvim.wait_for_no_agent();
    took
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

/// How many jobs stream at once, each so many pieces of text a second.
const STREAMS: u64 = 64;
const PIECES: usize = 80;
/// How long the editor is measured, after everything runs.
const MEASURED: Duration = Duration::from_secs(10);
/// The most of a core that it may take.
const SHARE: f64 = 0.02;

#[test]
#[ignore = "measures: make bench"]
fn many_jobs_on_a_real_screen() {
    let scratch = Scratch::new();
    let recording = scratch.path("recording.jsonl");
    fs::write(&recording, recording_of(PIECES * 60)).unwrap();
    let host = env!("CARGO_BIN_EXE_botglue");
    let delay = (1000 / PIECES).to_string();
    let agents = json!({"claude": {"command": [host, "replay", "--delay-ms", delay, recording]}});
    let nvim = Builder::new(scratch)
        .option("agents", agents)
        .option("max_parallel", STREAMS)
        .option("record", false)
        .option("notify", "none")
        .screen(200, 50)
        .start();
    nvim.edit("many.txt", &"a line of a file that is not so short\n".repeat(640));
    let idle = share_of(&nvim);
    for n in 0..STREAMS {
        nvim.command(&format!("{},{}Botglue run write a lot", n * 10 + 2, n * 10 + 5));
    }
    nvim.command("1");
    nvim.wait_for_rows("previews", |rows| rows.iter().filter(|row| row.contains("let value")).count() > 5);
    let share = share_of(&nvim);
    let verdict = if share <= SHARE { "yes" } else { "NO" };
    let line = format!(
        "{STREAMS} jobs with {PIECES} pieces of text a second each, on a screen of 200×50:\n  \
         {:.1} % of a core for Neovim, idle {:.1} %, reach {:.0} %: {verdict}",
        share * 100.0,
        idle * 100.0,
        SHARE * 100.0,
    );
    // As above.
    _ = writeln!(std::io::stdout(), "{line}");
}

/// A tool, and then text in so many pieces.
fn recording_of(pieces: usize) -> String {
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

/// How much of a core Neovim takes now.
fn share_of(nvim: &Nvim) -> f64 {
    let used = || {
        let stat = fs::read_to_string(format!("/proc/{}/stat", nvim.pid())).unwrap();
        let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
        // In ticks of a hundredth of a second: user and system time.
        fields[11].parse::<u32>().unwrap() + fields[12].parse::<u32>().unwrap()
    };
    let (before, start) = (used(), Instant::now());
    std::thread::sleep(MEASURED);
    f64::from(used() - before) / 100.0 / start.elapsed().as_secs_f64()
}
