//! What is measured with a real CLI, and so depends on the machine: `make bench` runs it, no test does.

use std::io::Write;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::cli::Cli;
use crate::support::fixture::Fixture;

/// For each way.
const TURNS: usize = 7;
/// What somebody needs for a short prompt; the CLI is ready long before.
const TYPING: Duration = Duration::from_millis(1500);
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
         cold {cold:.0?}, prewarmed {warm:.0?}: {ratio:.2} of it, reach 0.33: {verdict}"
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
