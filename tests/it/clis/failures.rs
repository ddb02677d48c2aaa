//! How the CLIs fail: for each failure its code, its sentence, and a buffer that nothing has touched. Other failures of
//! the service come in the shape of these: `tests/fixtures` has recordings of them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::api::{Api, Block, Reply, calls, says};
use crate::support::cli::{self, Cli};
use crate::support::fixture::{Fixture, TEXT, tools};
use crate::support::nvim::Builder;
use crate::support::scratch::Scratch;

/// With Claude, but without one of the variables that tests set.
fn without(variable: &str) -> Fixture {
    let api = Api::start();
    let mut agents = cli::claude(&api);
    agents["claude"]["env"].as_object_mut().unwrap().remove(variable);
    let nvim = Builder::new(Scratch::new()).option("agents", agents).start();
    nvim.edit("src/a.rs", TEXT);
    Fixture { nvim, api }
}

/// A job whose agent calls a tool again and again.
fn in_a_loop(option: &str, limit: impl Into<Value>) -> (Fixture, Value) {
    let fixture = Fixture::with(Cli::Claude, |builder| builder.option(option, limit));
    fixture.api.script("loop", [calls("let me look", &[("Glob", json!({"pattern": "*.rs"}))])]);
    let job = fixture.ask("SCRIPT:loop");
    (fixture, job)
}

#[test]
#[ignore = "make test-clis"]
fn what_the_service_says_is_told() {
    let invalid = |words: &'static str| Reply::Error(400, "invalid_request_error", words);
    let too_long = || invalid("prompt is too long: 250000 tokens > 200000 maximum");
    let stops = |blocks: Vec<Block>, why: &'static str| Reply::Message(blocks, why);
    for (cli, reply, code, words) in [
        (Cli::Claude, too_long(), "prompt_too_long", "too long"),
        (Cli::Claude, stops(Vec::new(), "refusal"), "refused", ""),
        (Cli::Claude, stops(Vec::new(), "end_turn"), "empty_answer", ""),
        (Cli::Claude, stops(vec![Block::Text("fn t".into())], "max_tokens"), "api_error", "output"),
        (Cli::Droid, too_long(), "prompt_too_long", "too long"),
        (Cli::Droid, invalid("the moon is in the way"), "api_error", "the moon is in the way"),
        (Cli::Droid, stops(Vec::new(), "end_turn"), "empty_answer", ""),
    ] {
        let (fixture, job) = Fixture::replied(cli, reply);
        fixture.assert_failed(&job, code, words);
    }
}

/// Claude asks again for minutes, with the number of tries that it has by itself; the job does not wait for that.
#[test]
fn a_wrong_key() {
    let wrong_key = || Reply::Error(401, "authentication_error", "invalid x-api-key");
    let (fixture, job) = Fixture::replied(Cli::Droid, wrong_key());
    fixture.assert_failed(&job, "not_logged_in", "");

    let fixture = without("CLAUDE_CODE_MAX_RETRIES");
    fixture.api.script("again", [wrong_key()]);
    let job = fixture.ask("SCRIPT:again");
    fixture.assert_failed(&job, "not_logged_in", "");
    assert!(fixture.api.requests().len() < 5, "it asked {} times", fixture.api.requests().len());
}

#[test]
#[ignore = "make test-clis"]
fn nobody_is_logged_in() {
    let fixture = without("ANTHROPIC_API_KEY");
    let job = fixture.ask("hello");
    fixture.assert_failed(&job, "not_logged_in", "claude");
    assert_eq!(fixture.api.requests().len(), 0);
}

#[test]
#[ignore = "make test-clis"]
fn the_limit_on_turns() {
    let (fixture, job) = in_a_loop("max_turns", 2);
    fixture.assert_failed(&job, "max_turns", "turns");
    assert_eq!(fixture.api.requests().len(), 2);
}

#[test]
fn the_limit_on_the_cost() {
    let (fixture, job) = in_a_loop("max_cost_usd", 0.0001);
    fixture.assert_failed(&job, "budget", "raise `max_cost_usd`");
    assert_eq!(fixture.api.requests().len(), 1);
}

#[test]
#[ignore = "make test-clis"]
fn a_model_that_is_not_there() {
    let fixture = Fixture::new(Cli::Droid);
    fixture.nvim.exec("require('botglue').setup({ agents = { droid = { model = 'nobody' } } })");
    let job = fixture.ask("ANSWER<<x>>");
    fixture.assert_failed(&job, "exited", "nobody");
    assert_eq!(fixture.api.requests().len(), 0);
}

#[test]
fn a_command_above_what_is_permitted() {
    let fixture = Fixture::with(Cli::Droid, |builder| builder.option("tools", json!(["Read", "Bash"])));
    let trace = fixture.nvim.scratch.path("trace");
    // No command that the user's own settings allow.
    let command = format!("mkdir '{}'", trace.display());
    let input = json!({"command": command, "riskLevelReason": "it writes", "riskLevel": "high"});
    fixture.api.script("execute", [calls("", &[("Execute", input)]), says("fn target() {}")]);
    let job = fixture.ask("SCRIPT:execute");
    fixture.assert_failed(&job, "permission_denied", "insufficient permission");
    let [(name, status, error)] = tools(&job)[..] else { panic!("{job:#}") };
    assert_eq!((name, status), ("Execute", "denied"));
    assert!(error.contains("insufficient permission"), "{error}");
    assert!(!trace.exists());
}

#[test]
fn a_server_error_and_then_the_next_job_works() {
    let error = Reply::Error(500, "api_error", "Internal server error");
    let (fixture, job) = Fixture::replied(Cli::Claude, error);
    fixture.assert_failed(&job, "api_error", "500");
    let job = fixture.ask("ANSWER<<fn target() {}>>");
    fixture.assert_landed(&job, &["fn target() {}"]);
    let finished = fixture.nvim.events("BotglueJobFinished");
    let ends = finished.iter().fold(BTreeMap::new(), |mut ends, job| {
        *ends.entry(job["id"].as_u64().unwrap()).or_insert(0) += 1;
        ends
    });
    assert_eq!(ends, BTreeMap::from([(1, 1), (2, 1)]));
}
