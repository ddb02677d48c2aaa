//! Answers that land, with and without tools on the way.

use serde_json::json;

use crate::support::api::{Block, Gate, Reply, calls, says};
use crate::support::cli::Cli;
use crate::support::fixture::{Fixture, tools};
use crate::support::scratch::Scratch;

const ANSWER: &str = "fn target() -> u8 {\n    1\n}";
const LANDED: [&str; 3] = ["fn target() -> u8 {", "    1", "}"];

#[test]
fn a_code_answer_lands() {
    let fixture = Fixture::new(Cli::Droid);
    fixture.api.script("code", [says(ANSWER)]);
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

#[test]
fn an_answer_in_several_blocks_lands_whole() {
    let fixture = Fixture::new(Cli::Droid);
    let message = vec![
        Block::Thinking("what could it be".into()),
        Block::Text("fn target() -> u8 {".into()),
        Block::Text("    1\n}".into()),
    ];
    fixture.api.script("blocks", [Reply::Message(message, "end_turn")]);
    fixture.assert_landed(&fixture.ask("SCRIPT:blocks"), &LANDED);
}

#[test]
fn a_read_and_then_an_answer() {
    let fixture = Fixture::new(Cli::Droid);
    let path = fixture.nvim.scratch.write("b.rs", "fn in_b() {}\n");
    let read = [("Read", json!({"file_path": path}))];
    fixture.api.script("read", [calls("I look at b.rs first.", &read), says(ANSWER)]);
    let job = fixture.ask("SCRIPT:read");
    fixture.assert_landed(&job, &LANDED);
    assert_eq!((&job["text"], tools(&job)), (&json!(ANSWER), vec![("Read", "ok", "")]));
    assert!(fixture.api.tool_results()[0].to_string().contains("fn in_b() {}"));
}

#[test]
fn a_read_that_fails_does_not_fail_the_job() {
    let fixture = Fixture::new(Cli::Droid);
    let path = fixture.nvim.scratch.project().join("gone.rs");
    fixture.api.script("missing", [calls("", &[("Read", json!({"file_path": path}))]), says(ANSWER)]);
    let job = fixture.ask("SCRIPT:missing");
    fixture.assert_landed(&job, &LANDED);
    let [(name, status, error)] = tools(&job)[..] else { panic!("{job:#}") };
    assert_eq!((name, status), ("Read", "error"));
    assert!(error.contains("no such file or directory") && error.contains("gone.rs"), "{error}");
}

#[test]
fn tools_at_once_are_told_apart() {
    let fixture = Fixture::new(Cli::Droid);
    let path = fixture.nvim.scratch.write("b.rs", "fn in_b() {}\n");
    let project = fixture.nvim.scratch.project();
    let three = [
        ("Read", json!({"file_path": project.join("gone.rs")})),
        ("Read", json!({"file_path": path})),
        ("LS", json!({"directory_path": project})),
    ];
    fixture.api.script("parallel", [calls("", &three), says(ANSWER)]);
    let job = fixture.ask("SCRIPT:parallel");
    fixture.assert_landed(&job, &LANDED);
    let [missing, read, list] = tools(&job)[..] else { panic!("{job:#}") };
    assert_eq!((missing.0, missing.1), ("Read", "error"));
    assert!(missing.2.contains("gone.rs"), "{}", missing.2);
    assert_eq!((read, list), (("Read", "ok", ""), ("LS", "ok", "")));
}

#[test]
fn a_command_that_the_agent_makes_up_runs_nothing() {
    let fixture = Fixture::new(Cli::Droid);
    let trace = fixture.nvim.scratch.path("trace");
    let command = format!("touch '{}'", trace.display());
    let input = json!({"command": command, "riskLevelReason": "it only reads", "riskLevel": "low"});
    fixture.api.script("execute", [calls("", &[("Execute", input)]), says(ANSWER)]);
    let job = fixture.ask("SCRIPT:execute");
    fixture.assert_landed(&job, &LANDED);
    let [(name, status, error)] = tools(&job)[..] else { panic!("{job:#}") };
    assert_eq!((name, status), ("Execute", "error"));
    assert!(error.contains("not permitted"), "{error}");
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

#[test]
fn a_failed_tool_shows_its_reason_below_the_range_until_the_answer_lands() {
    let fixture = Fixture::with(Cli::Droid, |builder| builder.screen(120, 20));
    let path = fixture.nvim.scratch.project().join("src/gone.rs");
    let gate = Gate::new();
    let answer = Reply::Message(vec![Block::Wait(gate.clone()), Block::Text(ANSWER.into())], "end_turn");
    fixture.api.script("missing", [calls("", &[("Read", json!({"file_path": path}))]), answer]);
    let id = fixture.start("SCRIPT:missing");
    let below = |rows: &[String]| rows.iter().position(|row| row == "}").map(|row| rows[row + 1].clone());
    fixture.nvim.wait_for_rows("the reason", |rows| {
        below(rows).is_some_and(|row| row.contains("✗ Read src/gone.rs: Error: Error reading file: ENOENT"))
    });
    gate.open();
    assert_eq!(fixture.nvim.finished(id)["landing"], "applied");
    fixture
        .nvim
        .wait_for_rows("nothing below the range", |rows| below(rows).is_some_and(|row| row.is_empty()));
}

/// Claude denies it. The documents say so of both.
#[test]
fn a_read_outside_the_project_is_not_denied() {
    let fixture = Fixture::new(Cli::Droid);
    let outside = fixture.nvim.scratch.path("outside.txt");
    std::fs::write(&outside, "what is outside\n").unwrap();
    fixture.api.script("outside", [calls("", &[("Read", json!({"file_path": outside}))]), says(ANSWER)]);
    let job = fixture.ask("SCRIPT:outside");
    fixture.assert_landed(&job, &LANDED);
    assert_eq!(tools(&job), [("Read", "ok", "")]);
}
