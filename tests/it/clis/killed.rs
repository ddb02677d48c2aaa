//! A CLI is ended while it works, by somebody else or by the job's own timeout: half of an answer is never the answer.
//! `endings` kills an agent with SIGKILL, which no CLI can handle.
//!
//! Told to end, Claude exits with code 143, Droid with 0; in the middle of a tool Droid even says that it has completed.

use serde_json::{Value, json};

use crate::support::api::{Block, Gate, Reply, calls, says};
use crate::support::cli::Cli;
use crate::support::fixture::{Fixture, tools};
use crate::support::process;

/// The end of a job whose CLI was ended by a signal, while the service waits in this reply.
fn ended(cli: Cli, signal: &str, replies: impl FnOnce(&Fixture, Block) -> Vec<Reply>) -> (Fixture, Value) {
    let fixture = Fixture::new(cli);
    let gate = Gate::new();
    let replies = replies(&fixture, Block::Wait(gate.clone()));
    fixture.api.script("slow", replies);
    let id = fixture.start("SCRIPT:slow");
    fixture.nvim.wait("the service waits", || gate.is_reached());
    process::signal(fixture.agent().pid, signal);
    let job = fixture.nvim.finished(id);
    fixture.nvim.wait_for_no_agent();
    assert_eq!(job["text"], json!(null), "{job:#}");
    gate.open();
    (fixture, job)
}

fn ended_in_mid_text(cli: Cli, signal: &str) -> (Fixture, Value) {
    ended(cli, signal, |_, wait| {
        let text = |text: &str| Block::Text(text.to_owned());
        let message =
            vec![text("fn target() -> u8 {\n    1\n}\n"), text("fn second"), wait, text("_half() {}")];
        vec![Reply::Message(message, "end_turn")]
    })
}

/// What it said before a tool is no answer either.
fn ended_after_a_tool(cli: Cli) -> (Fixture, Value) {
    let (fixture, job) = ended(cli, "TERM", |fixture, wait| {
        let path = fixture.nvim.scratch.write("b.rs", "fn in_b() {}\n");
        let read = calls("fn target() {}", &[("Read", json!({"file_path": path}))]);
        vec![read, Reply::Message(vec![wait], "end_turn")]
    });
    assert_eq!(tools(&job), [("Read", "ok", "")]);
    (fixture, job)
}

#[test]
fn claude_in_mid_text() {
    let (fixture, job) = ended_in_mid_text(Cli::Claude, "TERM");
    fixture.assert_failed(&job, "exited", "code 143 (SIGTERM)");
}

#[test]
fn claude_after_a_tool() {
    let (fixture, job) = ended_after_a_tool(Cli::Claude);
    fixture.assert_failed(&job, "exited", "143");
}

/// On SIGINT it ends by itself, without an error. Where it is slow it does so before it has said why.
#[test]
#[ignore = "make test-clis"]
fn claude_interrupted() {
    let (fixture, job) = ended_in_mid_text(Cli::Claude, "INT");
    let said_why = job["error"]["code"] == json!("exited");
    let (code, words) =
        if said_why { ("exited", "interrupted") } else { ("protocol", "ended without a whole answer") };
    fixture.assert_failed(&job, code, words);
}

#[test]
#[ignore = "make test-clis"]
fn droid_in_mid_text_and_after_a_tool() {
    for signal in ["TERM", "INT"] {
        let (fixture, job) = ended_in_mid_text(Cli::Droid, signal);
        fixture.assert_failed(&job, "empty_answer", "without an answer");
    }
    let (fixture, job) = ended_after_a_tool(Cli::Droid);
    fixture.assert_failed(&job, "protocol", "without a whole answer");
}

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
