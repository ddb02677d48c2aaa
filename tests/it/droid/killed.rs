//! The CLI is ended while it works, by somebody else or by the job's own timeout: never half an answer.
//!
//! Told to end, Droid exits with code 0; in the middle of a tool it even says that it has completed.

use serde_json::{Value, json};

use crate::support::api::{Block, Gate, Reply, calls, says};
use crate::support::cli::Cli;
use crate::support::fixture::{Fixture, tools};
use crate::support::process;

/// The run of a job whose answer stops half-way, ended there by a signal.
#[track_caller]
fn ended_in_mid_text(signal: &str) -> (Fixture, Value) {
    let fixture = Fixture::new(Cli::Droid);
    let gate = Gate::new();
    let message = vec![
        Block::Text("fn target() -> u8 {\n    1\n}".into()),
        Block::Text("fn second".into()),
        Block::Wait(gate.clone()),
        Block::Text("_half() {}".into()),
    ];
    fixture.api.script("slow", [Reply::Message(message, "end_turn")]);
    let id = fixture.start("SCRIPT:slow");
    fixture.nvim.wait("half of the answer is sent", || gate.is_reached());
    process::signal(fixture.agent().pid, signal);
    let job = fixture.nvim.finished(id);
    fixture.nvim.wait_for_no_agent();
    assert_eq!(job["text"], json!(null), "{job:#}");
    (fixture, job)
}

#[test]
#[ignore = "make test-clis"]
fn terminated_in_mid_text() {
    let (fixture, job) = ended_in_mid_text("TERM");
    fixture.assert_failed(&job, "empty_answer", "without an answer");
}

#[test]
#[ignore = "make test-clis"]
fn interrupted_in_mid_text() {
    let (fixture, job) = ended_in_mid_text("INT");
    fixture.assert_failed(&job, "empty_answer", "without an answer");
}

#[test]
#[ignore = "make test-clis"]
fn what_was_said_before_a_tool_is_no_answer_either() {
    let fixture = Fixture::new(Cli::Droid);
    let path = fixture.nvim.scratch.write("b.rs", "fn in_b() {}\n");
    let gate = Gate::new();
    let waits = Reply::Message(vec![Block::Wait(gate.clone())], "end_turn");
    let read = [("Read", json!({"file_path": path}))];
    fixture.api.script("tool", [calls("fn target() {}", &read), waits]);
    let id = fixture.start("SCRIPT:tool");
    fixture.nvim.wait("the tool's result is sent", || gate.is_reached());
    process::signal(fixture.agent().pid, "TERM");
    let job = fixture.nvim.finished(id);
    fixture.nvim.wait_for_no_agent();
    fixture.assert_failed(&job, "protocol", "without a whole answer");
    assert_eq!(tools(&job), [("Read", "ok", "")]);
}

/// A job that runs a command which takes a thousand seconds, as one may that the user lets do so.
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
fn terminated_in_mid_tool() {
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
