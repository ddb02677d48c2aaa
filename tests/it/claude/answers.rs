//! Answers that land, with and without tools on the way.

use std::path::Path;

use serde_json::json;

use crate::support::api::{Block, Gate, Reply, calls, says};
use crate::support::cli::Cli;
use crate::support::fixture::{Fixture, tools};
use crate::support::process;
use crate::support::scratch::Scratch;

const ANSWER: &str = "fn target() -> u8 {\n    1\n}";
const LANDED: [&str; 3] = ["fn target() -> u8 {", "    1", "}"];

#[test]
fn a_code_answer_lands_without_the_thinking_before_it() {
    let fixture = Fixture::new(Cli::Claude);
    let message = vec![Block::Thinking("what could it be".into()), Block::Text(ANSWER.into())];
    fixture.api.script("code", [Reply::Message(message, "end_turn")]);
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

/// One run with a tool call in each turn: the text beside a call is not part of the answer, a call that fails does not
/// fail the job, and two calls at once are kept apart.
#[test]
fn reads_may_work_or_fail_one_after_the_other_or_at_once() {
    let fixture = Fixture::new(Cli::Claude);
    let path = fixture.nvim.scratch.write("b.rs", "fn in_b() {}\n");
    let gone = fixture.nvim.scratch.project().join("gone.rs");
    let read = |path: &Path| ("Read", json!({"file_path": path}));
    let replies = [
        calls("I look at b.rs first.", &[read(&path)]),
        calls("", &[read(&gone)]),
        calls("", &[read(&gone), read(&path)]),
        says(ANSWER),
    ];
    fixture.api.script("reads", replies);
    let job = fixture.ask("SCRIPT:reads");
    fixture.assert_landed(&job, &LANDED);
    assert_eq!(job["text"], ANSWER);
    let [beside, alone, missing, read] = tools(&job)[..] else { panic!("{job:#}") };
    assert_eq!((beside, read), (("Read", "ok", ""), ("Read", "ok", "")));
    assert_eq!((alone.0, alone.1), ("Read", "error"));
    assert!(alone.2.contains("File does not exist"), "{}", alone.2);
    assert_eq!((missing.0, missing.1), ("Read", "error"));
    assert!(missing.2.contains("does not exist"), "{}", missing.2);
    assert!(fixture.api.tool_results()[0].to_string().contains("fn in_b() {}"));
}

#[test]
fn a_read_outside_the_project_is_denied_and_a_made_up_command_runs_nothing() {
    let scratch = Scratch::new();
    // What the user's own settings allow; without `--permission-mode` that ends each job of root's.
    let settings = json!({"permissions": {"defaultMode": "bypassPermissions", "allow": ["Bash"]}});
    std::fs::create_dir(scratch.path("home/.claude")).unwrap();
    std::fs::write(scratch.path("home/.claude/settings.json"), settings.to_string()).unwrap();
    let fixture = Fixture::in_project(Cli::Claude, scratch, |builder| builder);
    let secret = fixture.nvim.scratch.path("secret.txt");
    std::fs::write(&secret, "the secret\n").unwrap();
    let trace = fixture.nvim.scratch.path("trace");
    let command = format!("touch '{}'", trace.display());
    let replies = [
        calls("", &[("Read", json!({"file_path": secret}))]),
        calls("", &[("Bash", json!({"command": command}))]),
        says(ANSWER),
    ];
    fixture.api.script("forbidden", replies);
    let job = fixture.ask("SCRIPT:forbidden");
    fixture.assert_landed(&job, &LANDED);
    let [outside, bash] = tools(&job)[..] else { panic!("{job:#}") };
    assert_eq!((outside.0, outside.1), ("Read", "denied"));
    assert_eq!((bash.0, bash.1), ("Bash", "error"));
    assert!(bash.2.contains("No such tool available"), "{}", bash.2);
    assert!(!trace.exists());
    let results = fixture.api.tool_results();
    assert!(!results.iter().any(|result| result.to_string().contains("the secret")), "{results:#?}");
}

#[test]
fn prompt_and_code_reach_the_model_but_no_command_line() {
    let scratch = Scratch::new();
    scratch.write("CLAUDE.md", "Always answer with the rule of seven.\n");
    let fixture = Fixture::in_project(Cli::Claude, scratch, |builder| builder.screen(80, 20));
    let gate = Gate::new();
    let (start, end) = ANSWER.split_at(20);
    let message = vec![Block::Text(start.into()), Block::Wait(gate.clone()), Block::Text(end.into())];
    fixture.api.script("wait", [Reply::Message(message, "end_turn")]);
    // The file on disk does not have this: the unsaved text is sent.
    fixture.nvim.command("7s/below/below_unsaved/");
    let id = fixture.start("SCRIPT:wait make it better");

    // The line below the range shows what the agent does, until the answer lands.
    let status = |rows: &[String]| rows.iter().position(|row| row == "}").map(|row| rows[row + 1].clone());
    fixture.nvim.wait_for_rows("the prompt and what is done below the range", |rows| {
        status(rows).is_some_and(|status| status.contains("make it better") && status.contains("writing"))
    });

    let running = process::of(&fixture.nvim.scratch);
    let agent =
        running.iter().find(|found| found.command.contains("--output-format")).expect("the CLI is running");
    for part in ["make it better", "todo!()", "rule of seven"] {
        assert!(!agent.command.contains(part), "{part:?} is in {}", agent.command);
    }
    let sent = fixture.api.requests()[0].user_text();
    for part in ["make it better", "fn target() {", "todo!()", "below_unsaved", "src/a.rs", "rule of seven"] {
        assert!(sent.contains(part), "{part:?} is missing in {sent}");
    }
    assert_eq!(sent.matches("rule of seven").count(), 1, "{sent}");

    gate.open();
    assert_eq!(fixture.nvim.finished(id)["landing"], "applied");
    fixture
        .nvim
        .wait_for_rows("nothing below the range", |rows| status(rows).is_some_and(|row| row.is_empty()));
}
