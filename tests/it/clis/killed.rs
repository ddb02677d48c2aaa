//! Droid is ended while it runs a tool, by somebody else or by the job's own timeout: it says then that it has completed.

use serde_json::json;

use crate::support::api::{calls, says};
use crate::support::cli::Cli;
use crate::support::fixture::{Fixture, tools};
use crate::support::process;

/// A job of Droid's that runs a command which takes a thousand seconds, as one may that the user lets do so.
#[track_caller]
fn with_a_long_command(timeout: u64) -> (Fixture, u64) {
    let fixture = Fixture::with(Cli::Droid, |builder| {
        builder.option("tools", json!(["Bash"])).option("timeout", timeout)
    });
    fixture.nvim.exec("require('botglue').setup({ agents = { droid = { args = { '--auto', 'high' } } } })");
    let input =
        json!({"command": "sleep 1000", "timeout": 2000, "riskLevelReason": "it waits", "riskLevel": "low"});
    let talk = "I run it, and then I write the function.";
    fixture.api.script("tool", [calls(talk, &[("Execute", input)]), says("fn target() {}")]);
    let id = fixture.start("SCRIPT:tool");
    (fixture, id)
}

/// It goes on with the failed tool, to an answer that is whole.
#[test]
fn droid_in_mid_tool() {
    let (fixture, id) = with_a_long_command(300);
    process::wait_for(&fixture.nvim.scratch, "sleep 1000");
    process::signal(fixture.agent().pid, "TERM");
    let job = fixture.nvim.finished(id);
    fixture.nvim.wait_for_no_agent();
    fixture.assert_landed(&job, &["fn target() {}"]);
    assert_eq!(tools(&job), [("Execute", "error", "Error: Command terminated by signal: SIGTERM")]);
}

/// The same, but it was the job that ended it: what it says then does not count.
#[test]
fn the_timeout_in_mid_tool() {
    let (fixture, id) = with_a_long_command(6);
    let job = fixture.nvim.finished(id);
    fixture.nvim.wait_for_no_agent();
    fixture.assert_failed(&job, "timeout", "within 6 s");
    assert_eq!(job["text"], json!(null), "{job:#}");
}
