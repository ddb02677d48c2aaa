//! Answers that land, with and without tools on the way.

use serde_json::json;

use crate::support::api::{Block, Gate, Reply, calls, says};
use crate::support::cli::Cli;
use crate::support::fixture::{Fixture, tools};
use crate::support::process;
use crate::support::scratch::Scratch;

const ANSWER: &str = "fn target() -> u8 {\n    1\n}";
const LANDED: [&str; 3] = ["fn target() -> u8 {", "    1", "}"];

#[test]
fn a_code_answer_lands() {
    let fixture = Fixture::new(Cli::Claude);
    fixture.api.script("code", [says(ANSWER)]);
    let job = fixture.ask("SCRIPT:code");
    fixture.assert_landed(&job, &LANDED);
    assert_eq!(job["text"], ANSWER);
    assert_eq!(
        (&job["num_turns"], &job["input_tokens"], &job["output_tokens"]),
        (&json!(1), &json!(25), &json!(15))
    );
    assert!(
        job["session_id"].is_string() && job["model"].is_string() && job["cost_usd"].is_number(),
        "{job:#}"
    );
    assert_eq!(fixture.api.requests().len(), 1);
    assert_eq!(fixture.nvim.events("BotglueJobFinished").len(), 1);
}

#[test]
fn thinking_is_no_answer() {
    let fixture = Fixture::new(Cli::Claude);
    let message = vec![Block::Thinking("what could it be".into()), Block::Text(ANSWER.into())];
    fixture.api.script("think", [Reply::Message(message, "end_turn")]);
    fixture.assert_landed(&fixture.ask("SCRIPT:think"), &LANDED);
}

#[test]
fn a_read_and_then_an_answer() {
    let fixture = Fixture::new(Cli::Claude);
    let path = fixture.nvim.scratch.write("b.rs", "fn in_b() {}\n");
    fixture.api.script("read", [calls("", &[("Read", json!({"file_path": path}))]), says(ANSWER)]);
    let job = fixture.ask("SCRIPT:read");
    fixture.assert_landed(&job, &LANDED);
    assert_eq!(tools(&job), [("Read", "ok", "")]);
    assert!(fixture.api.tool_results()[0].to_string().contains("fn in_b() {}"));
}

#[test]
fn what_is_said_beside_a_tool_call_is_no_answer() {
    let fixture = Fixture::new(Cli::Claude);
    let path = fixture.nvim.scratch.write("b.rs", "fn in_b() {}\n");
    fixture.api.script(
        "both",
        [calls("I look at b.rs first.", &[("Read", json!({"file_path": path}))]), says(ANSWER)],
    );
    let job = fixture.ask("SCRIPT:both");
    fixture.assert_landed(&job, &LANDED);
    assert_eq!(job["text"], ANSWER);
    assert_eq!(tools(&job), [("Read", "ok", "")]);
}

#[test]
fn tools_at_once_are_told_apart() {
    let fixture = Fixture::new(Cli::Claude);
    let path = fixture.nvim.scratch.write("b.rs", "fn in_b() {}\n");
    let gone = fixture.nvim.scratch.project().join("gone.rs");
    let both = [("Read", json!({"file_path": gone})), ("Read", json!({"file_path": path}))];
    fixture.api.script("parallel", [calls("", &both), says(ANSWER)]);
    let job = fixture.ask("SCRIPT:parallel");
    fixture.assert_landed(&job, &LANDED);
    let [missing, read] = tools(&job)[..] else { panic!("{job:#}") };
    assert_eq!((missing.1, read.1), ("error", "ok"));
    assert!(missing.2.contains("does not exist"), "{}", missing.2);
}

#[test]
fn a_read_that_fails_does_not_fail_the_job() {
    let fixture = Fixture::new(Cli::Claude);
    let path = fixture.nvim.scratch.project().join("gone.rs");
    fixture.api.script("missing", [calls("", &[("Read", json!({"file_path": path}))]), says(ANSWER)]);
    let job = fixture.ask("SCRIPT:missing");
    fixture.assert_landed(&job, &LANDED);
    let [(name, status, error)] = tools(&job)[..] else { panic!("{job:#}") };
    assert_eq!((name, status), ("Read", "error"));
    assert!(error.contains("File does not exist"), "{error}");
}

#[test]
fn a_read_outside_the_project_is_denied() {
    let fixture = Fixture::new(Cli::Claude);
    let secret = fixture.nvim.scratch.path("secret.txt");
    std::fs::write(&secret, "the secret\n").unwrap();
    fixture.api.script("outside", [calls("", &[("Read", json!({"file_path": secret}))]), says(ANSWER)]);
    let job = fixture.ask("SCRIPT:outside");
    fixture.assert_landed(&job, &LANDED);
    assert_eq!(tools(&job).iter().map(|tool| tool.1).collect::<Vec<_>>(), ["denied"]);
    assert!(!fixture.api.tool_results()[0].to_string().contains("the secret"));
}

#[test]
fn a_command_that_the_agent_makes_up_runs_nothing() {
    let fixture = Fixture::new(Cli::Claude);
    let trace = fixture.nvim.scratch.path("trace");
    let command = format!("touch '{}'", trace.display());
    fixture.api.script("bash", [calls("", &[("Bash", json!({"command": command}))]), says(ANSWER)]);
    let job = fixture.ask("SCRIPT:bash");
    fixture.assert_landed(&job, &LANDED);
    let [(name, status, error)] = tools(&job)[..] else { panic!("{job:#}") };
    assert_eq!((name, status), ("Bash", "error"));
    assert!(error.contains("No such tool available"), "{error}");
    assert!(!trace.exists());
}

#[test]
fn prompt_and_code_reach_the_model_but_no_command_line() {
    let scratch = Scratch::new();
    scratch.write("CLAUDE.md", "Always answer with the rule of seven.\n");
    let fixture = Fixture::in_project(Cli::Claude, scratch, |builder| builder);
    let gate = Gate::new();
    let message = vec![Block::Wait(gate.clone()), Block::Text(ANSWER.into())];
    fixture.api.script("wait", [Reply::Message(message, "end_turn")]);
    // What the file on disk does not have: the unsaved text is what counts.
    fixture.nvim.command("7s/below/below_unsaved/");
    let id = fixture.start("SCRIPT:wait make it better");
    fixture.nvim.wait("the request has arrived", || !fixture.api.requests().is_empty());

    let running = process::of(&fixture.nvim.scratch);
    let agent =
        running.iter().find(|found| found.command.contains("--output-format")).expect("the CLI is running");
    assert!(
        !agent.command.contains("make it better") && !agent.command.contains("todo!()"),
        "{}",
        agent.command
    );
    assert!(!agent.command.contains("rule of seven"), "{}", agent.command);
    let sent = fixture.api.requests()[0].user_text();
    for part in ["make it better", "fn target() {", "todo!()", "below_unsaved", "src/a.rs", "rule of seven"] {
        assert!(sent.contains(part), "{part:?} is missing in {sent}");
    }
    assert_eq!(sent.matches("rule of seven").count(), 1, "{sent}");

    gate.open();
    assert_eq!(fixture.nvim.finished(id)["landing"], "applied");
}

#[test]
fn the_status_below_the_range_says_what_the_agent_does() {
    let fixture = Fixture::with(Cli::Claude, |builder| builder.screen(80, 20));
    let gate = Gate::new();
    let (start, end) = ANSWER.split_at(20);
    let message = vec![Block::Text(start.into()), Block::Wait(gate.clone()), Block::Text(end.into())];
    fixture.api.script("slow", [Reply::Message(message, "end_turn")]);
    let id = fixture.start("SCRIPT:slow tidy up");
    let status = |rows: &[String]| rows.iter().position(|row| row == "}").map(|row| rows[row + 1].clone());
    fixture.nvim.wait_for_rows("the prompt and what is done below the range", |rows| {
        status(rows).is_some_and(|status| status.contains("tidy up") && status.contains("writing"))
    });
    gate.open();
    fixture.nvim.finished(id);
    fixture
        .nvim
        .wait_for_rows("nothing below the range", |rows| status(rows).is_some_and(|row| row.is_empty()));
}
