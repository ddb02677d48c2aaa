//! Another process ends the CLI while it works: half of an answer is never the answer. `endings` kills an agent with
//! SIGKILL, which no CLI can handle.

use serde_json::{Value, json};

use crate::support::api::{Block, Gate, Reply, calls};
use crate::support::cli::Cli;
use crate::support::fixture::{Fixture, tools};
use crate::support::process;

/// The job, after its CLI was ended in the middle of its answer.
#[track_caller]
fn ended_in_mid_text(signal: &str) -> (Fixture, Value) {
    let fixture = Fixture::with(Cli::Claude, |builder| builder.screen(80, 20));
    let (gate, half) = (Gate::new(), "fn target() -> u8 {\n    1\n}\n");
    let message =
        vec![Block::Text(half.into()), Block::Wait(gate.clone()), Block::Text("fn second_half() {}".into())];
    fixture.api.script("slow", [Reply::Message(message, "end_turn")]);
    let id = fixture.start("SCRIPT:slow");
    fixture
        .nvim
        .wait_for_rows("half of the answer is there", |rows| rows.iter().any(|row| row.contains("writing")));
    process::signal(fixture.agent().pid, signal);
    let job = fixture.nvim.finished(id);
    fixture.nvim.wait_for_no_agent();
    assert_eq!(job["text"], json!(null));
    gate.open();
    (fixture, job)
}

#[test]
fn terminated_in_mid_text() {
    let (fixture, job) = ended_in_mid_text("TERM");
    fixture.assert_failed(&job, "exited", "code 143 (SIGTERM)");
}

/// On SIGINT it ends by itself, without an error. Where it is slow it does so before it has said why.
#[test]
#[ignore = "make test-clis"]
fn interrupted_in_mid_text() {
    let (fixture, job) = ended_in_mid_text("INT");
    let said_why = job["error"]["code"] == json!("exited");
    let (code, words) =
        if said_why { ("exited", "interrupted") } else { ("protocol", "ended without a whole answer") };
    fixture.assert_failed(&job, code, words);
}

#[test]
fn what_was_said_before_a_tool_is_no_answer_either() {
    let fixture = Fixture::new(Cli::Claude);
    let path = fixture.nvim.scratch.write("b.rs", "fn in_b() {}\n");
    let gate = Gate::new();
    let waits = Reply::Message(vec![Block::Wait(gate.clone())], "end_turn");
    fixture.api.script("tool", [calls("fn target() {}", &[("Read", json!({"file_path": path}))]), waits]);
    let id = fixture.start("SCRIPT:tool");
    fixture.nvim.wait("the tool's result is sent", || fixture.api.requests().len() == 2);
    process::signal(fixture.agent().pid, "TERM");
    let job = fixture.nvim.finished(id);
    fixture.assert_failed(&job, "exited", "143");
    assert_eq!(tools(&job), [("Read", "ok", "")]);
    gate.open();
}
