//! Answers that land, with and without tools on the way.

use serde_json::json;

use crate::support::api::{Block, Gate, Reply, calls, says};
use crate::support::cli::Cli;
use crate::support::fixture::{Fixture, tools};
use crate::support::scratch::Scratch;

const ANSWER: &str = "fn target() -> u8 {\n    1\n}";
const LANDED: [&str; 3] = ["fn target() -> u8 {", "    1", "}"];

/// An answer lands, without the thinking before it.
fn answers(cli: Cli) {
    let fixture = Fixture::new(cli);
    let message = vec![Block::Thinking("what could it be".into()), Block::Text(ANSWER.into())];
    fixture.api.script("code", [Reply::Message(message, "end_turn")]);
    let job = fixture.ask("SCRIPT:code");
    fixture.assert_landed(&job, &LANDED);
    assert_eq!((&job["text"], &job["agent"]), (&json!(ANSWER), &json!(cli.name())));
    let amounts = ["num_turns", "input_tokens", "output_tokens"].map(|amount| &job[amount]);
    assert_eq!(amounts, [1, 25, 15], "{job:#}");
    assert_eq!(job["cost_usd"].is_number(), cli == Cli::Claude, "{job:#}");
    assert!(job["session_id"].is_string() && job["model"].is_string(), "{job:#}");
    assert_eq!(fixture.api.requests().len(), 1);
    assert_eq!(fixture.nvim.events("BotglueJobFinished").len(), 1);
}

/// One run with a tool call in each turn: the text beside a call is not part of the answer, a call that fails does not
/// fail the job, and two calls at once are kept apart.
fn reads(cli: Cli, reason: &str) {
    let fixture = Fixture::new(cli);
    let path = fixture.nvim.scratch.write("b.rs", "fn in_b() {}\n");
    let gone = fixture.nvim.scratch.project().join("gone.rs");
    let [there, missing] = [path, gone].map(|path| ("Read", json!({"file_path": path})));
    let replies = [
        calls("I look at b.rs first.", std::slice::from_ref(&there)),
        calls("", std::slice::from_ref(&missing)),
        calls("", &[missing, there]),
        says(ANSWER),
    ];
    fixture.api.script("reads", replies);
    let job = fixture.ask("SCRIPT:reads");
    fixture.assert_landed(&job, &LANDED);
    assert_eq!(job["text"], ANSWER);
    let [beside, alone, missing, read] = tools(&job)[..] else { panic!("{job:#}") };
    assert_eq!((beside, read), (("Read", "ok", ""), ("Read", "ok", "")));
    for (name, status, error) in [alone, missing] {
        assert_eq!((name, status), ("Read", "error"));
        assert!(error.contains(reason), "{error}");
    }
    assert!(fixture.api.tool_results()[0].to_string().contains("fn in_b() {}"));
}

/// Prompt, code, what is not saved and the project's rules reach the model, and no command line.
fn sends(cli: Cli, rules: &str) -> Fixture {
    let scratch = Scratch::new();
    scratch.write(rules, "Always answer with the rule of seven.\n");
    let fixture = Fixture::in_project(cli, scratch, |builder| builder);
    let gate = Gate::new();
    let message = vec![Block::Wait(gate.clone()), Block::Text(ANSWER.into())];
    fixture.api.script("wait", [Reply::Message(message, "end_turn")]);
    fixture.nvim.command("7s/below/below_unsaved/");
    let id = fixture.start("SCRIPT:wait make it better");
    fixture.nvim.wait("the request has arrived", || gate.is_reached());

    let agent = fixture.agent().command;
    for part in ["make it better", "todo!()", "rule of seven"] {
        assert!(!agent.contains(part), "{part:?} is in {agent}");
    }
    let sent = fixture.api.requests()[0].user_text();
    for part in ["make it better", "fn target() {", "todo!()", "below_unsaved", "src/a.rs"] {
        assert!(sent.contains(part), "{part:?} is missing in {sent}");
    }
    assert_eq!(sent.matches("rule of seven").count(), 1, "{sent}");

    gate.open();
    assert_eq!(fixture.nvim.finished(id)["landing"], "applied");
    fixture
}

#[test]
fn claude_answers() {
    answers(Cli::Claude);
}

#[test]
fn claude_reads() {
    reads(Cli::Claude, "does not exist");
}

#[test]
fn droid_reads() {
    reads(Cli::Droid, "no such file or directory");
}

#[test]
fn claude_gets_the_message() {
    sends(Cli::Claude, "CLAUDE.md");
}

#[test]
fn droid_gets_the_message_and_only_what_reads() {
    let fixture = sends(Cli::Droid, "AGENTS.md");
    let request = &fixture.api.requests()[0].body;
    let offered = request["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap());
    let mut offered: Vec<&str> = offered.collect();
    offered.sort_unstable();
    assert_eq!(offered, ["Glob", "Grep", "LS", "Read"]);
}

#[test]
fn claude_reads_nothing_outside_the_project_and_runs_no_command() {
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

/// The README and the help say that Droid reads there.
#[test]
fn droid_reads_outside_the_project_and_runs_no_command() {
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
