//! Answers that land, with and without tools on the way.

use std::path::Path;

use serde_json::json;

use crate::support::api::{Block, Gate, Reply, calls, says};
use crate::support::cli::Cli;
use crate::support::fixture::{Fixture, tools};
use crate::support::scratch::Scratch;

const ANSWER: &str = "fn target() -> u8 {\n    1\n}";
const LANDED: [&str; 3] = ["fn target() -> u8 {", "    1", "}"];

#[test]
#[ignore = "make test-clis"]
fn an_answer_in_several_blocks_lands_whole() {
    let fixture = Fixture::new(Cli::Droid);
    let message = vec![
        Block::Thinking("what could it be".into()),
        Block::Text("fn target() -> u8 {".into()),
        Block::Text("    1\n}".into()),
    ];
    fixture.api.script("code", [Reply::Message(message, "end_turn")]);
    let job = fixture.ask("SCRIPT:code");
    fixture.assert_landed(&job, &LANDED);
    assert_eq!((&job["text"], &job["agent"]), (&json!(ANSWER), &json!("droid")));
    assert_eq!(
        (&job["num_turns"], &job["input_tokens"], &job["output_tokens"]),
        (&json!(1), &json!(25), &json!(15))
    );
    assert!(job["session_id"].is_string(), "{job:#}");
    assert_eq!(job["model"], "custom:Mock-0");
    assert_eq!(fixture.nvim.events("BotglueJobFinished").len(), 1);
}

/// One run with a tool call in each turn: the text beside a call is not part of the answer, calls at once are kept
/// apart, and a call that fails does not fail the job. Its reason is shown below the range until the answer lands.
#[test]
fn reads_may_work_or_fail_one_after_the_other_or_at_once() {
    let fixture = Fixture::with(Cli::Droid, |builder| builder.screen(120, 20));
    let path = fixture.nvim.scratch.write("b.rs", "fn in_b() {}\n");
    let project = fixture.nvim.scratch.project();
    let read = |path: &Path| ("Read", json!({"file_path": path}));
    let three = [read(&project.join("gone.rs")), read(&path), ("LS", json!({"directory_path": project}))];
    let gate = Gate::new();
    let replies = [
        calls("I look at b.rs first.", &[read(&path)]),
        calls("", &three),
        calls("", &[read(&project.join("src/gone.rs"))]),
        Reply::Message(vec![Block::Wait(gate.clone()), Block::Text(ANSWER.into())], "end_turn"),
    ];
    fixture.api.script("reads", replies);
    let id = fixture.start("SCRIPT:reads");

    let below = |rows: &[String]| rows.iter().position(|row| row == "}").map(|row| rows[row + 1].clone());
    fixture.nvim.wait_for_rows("the reason", |rows| {
        below(rows).is_some_and(|row| row.contains("✗ Read src/gone.rs: Error: Error reading file: ENOENT"))
    });
    gate.open();
    let job = fixture.nvim.finished(id);
    fixture
        .nvim
        .wait_for_rows("nothing below the range", |rows| below(rows).is_some_and(|row| row.is_empty()));

    fixture.assert_landed(&job, &LANDED);
    assert_eq!(job["text"], ANSWER);
    let [beside, missing, read, list, alone] = tools(&job)[..] else { panic!("{job:#}") };
    assert_eq!((beside, read, list), (("Read", "ok", ""), ("Read", "ok", ""), ("LS", "ok", "")));
    for (name, status, error) in [missing, alone] {
        assert_eq!((name, status), ("Read", "error"));
        assert!(error.contains("no such file or directory") && error.contains("gone.rs"), "{error}");
    }
    assert!(fixture.api.tool_results()[0].to_string().contains("fn in_b() {}"));
}

/// Claude denies such a read; the README and the help say that Droid does not.
#[test]
fn a_read_outside_the_project_is_not_denied_but_a_made_up_command_runs_nothing() {
    let fixture = Fixture::new(Cli::Droid);
    let outside = fixture.nvim.scratch.path("outside.txt");
    std::fs::write(&outside, "what is outside\n").unwrap();
    let trace = fixture.nvim.scratch.path("trace");
    let command = format!("touch '{}'", trace.display());
    let input = json!({"command": command, "riskLevelReason": "it only reads", "riskLevel": "low"});
    let replies = [
        calls("", &[("Read", json!({"file_path": outside}))]),
        calls("", &[("Execute", input)]),
        says(ANSWER),
    ];
    fixture.api.script("outside", replies);
    let job = fixture.ask("SCRIPT:outside");
    fixture.assert_landed(&job, &LANDED);
    let [read, execute] = tools(&job)[..] else { panic!("{job:#}") };
    assert_eq!(read, ("Read", "ok", ""));
    assert_eq!((execute.0, execute.1), ("Execute", "error"));
    assert!(execute.2.contains("not permitted"), "{}", execute.2);
    assert!(!trace.exists());
}

#[test]
fn prompt_and_code_reach_the_model_but_no_command_line() {
    let scratch = Scratch::new();
    scratch.write("AGENTS.md", "Always answer with the rule of seven.\n");
    let fixture = Fixture::in_project(Cli::Droid, scratch, |builder| builder);
    let gate = Gate::new();
    let message = vec![Block::Wait(gate.clone()), Block::Text(ANSWER.into())];
    fixture.api.script("wait", [Reply::Message(message, "end_turn")]);
    // What the file on disk does not have: the unsaved text is what counts.
    fixture.nvim.command("7s/below/below_unsaved/");
    let id = fixture.start("SCRIPT:wait make it better");
    fixture.nvim.wait("the request has arrived", || gate.is_reached());

    let agent = fixture.agent().command;
    for part in ["make it better", "todo!()", "rule of seven"] {
        assert!(!agent.contains(part), "{part:?} is in {agent}");
    }
    let sent = fixture.api.requests()[0].user_text();
    for part in ["make it better", "fn target() {", "todo!()", "below_unsaved", "src/a.rs", "rule of seven"] {
        assert!(sent.contains(part), "{part:?} is missing in {sent}");
    }
    let mut offered: Vec<_> = fixture.api.requests()[0].body["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect();
    offered.sort();
    assert_eq!(offered, ["Glob", "Grep", "LS", "Read"], "only what reads");

    gate.open();
    assert_eq!(fixture.nvim.finished(id)["landing"], "applied");
}
