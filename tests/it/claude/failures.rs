//! Each way in which the CLI can fail: its code, its sentence, and a buffer that nothing has touched.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::api::{Api, Reply, calls};
use crate::support::cli::{self, Cli};
use crate::support::fixture::{Fixture, TEXT};
use crate::support::nvim::Builder;
use crate::support::scratch::Scratch;

#[track_caller]
fn reply(reply: Reply) -> (Fixture, Value) {
    Fixture::replied(Cli::Claude, reply)
}

/// Without one of the variables that tests set.
fn without(variable: &str) -> Fixture {
    let api = Api::start();
    let mut agents = cli::claude(&api);
    agents["claude"]["env"].as_object_mut().unwrap().remove(variable);
    let nvim = Builder::new(Scratch::new()).option("agents", agents).start();
    nvim.edit("src/a.rs", TEXT);
    Fixture { nvim, api }
}

/// The CLI asks again for minutes, with the number of tries that it has by itself; the job does not wait for that.
#[test]
fn a_wrong_key() {
    let fixture = without("CLAUDE_CODE_MAX_RETRIES");
    fixture.api.script("again", [Reply::Error(401, "authentication_error", "invalid x-api-key")]);
    let job = fixture.ask("SCRIPT:again");
    fixture.assert_failed(&job, "not_logged_in", "");
    assert!(fixture.api.requests().len() < 5, "it asked {} times", fixture.api.requests().len());
}

#[test]
#[ignore = "make test-clis"]
fn a_prompt_that_is_too_long() {
    let text = "prompt is too long: 250000 tokens > 200000 maximum";
    let (fixture, job) = reply(Reply::Error(400, "invalid_request_error", text));
    fixture.assert_failed(&job, "prompt_too_long", "too long");
}

#[test]
#[ignore = "make test-clis"]
fn a_refusal() {
    let (fixture, job) = reply(Reply::Message(Vec::new(), "refusal"));
    fixture.assert_failed(&job, "refused", "");
}

#[test]
#[ignore = "make test-clis"]
fn an_empty_answer() {
    let (fixture, job) = reply(Reply::Message(Vec::new(), "end_turn"));
    fixture.assert_failed(&job, "empty_answer", "");
}

#[test]
#[ignore = "make test-clis"]
fn the_limit_on_turns() {
    let fixture = Fixture::with(Cli::Claude, |builder| builder.option("max_turns", 2));
    fixture.api.script("loop", [calls("let me look", &[("Glob", json!({"pattern": "*.rs"}))])]);
    let job = fixture.ask("SCRIPT:loop");
    fixture.assert_failed(&job, "max_turns", "turns");
    assert_eq!(fixture.api.requests().len(), 2);
}

#[test]
fn the_limit_on_the_cost() {
    let fixture = Fixture::with(Cli::Claude, |builder| builder.option("max_cost_usd", 0.0001));
    fixture.api.script("loop", [calls("let me look", &[("Glob", json!({"pattern": "*.rs"}))])]);
    let job = fixture.ask("SCRIPT:loop");
    fixture.assert_failed(&job, "budget", "raise `max_cost_usd`");
    assert_eq!(fixture.api.requests().len(), 1);
}

#[test]
#[ignore = "make test-clis"]
fn the_limit_on_output() {
    let (fixture, job) =
        reply(Reply::Message(vec![crate::support::api::Block::Text("fn t".into())], "max_tokens"));
    fixture.assert_failed(&job, "api_error", "output");
}

#[test]
#[ignore = "make test-clis"]
fn nobody_is_logged_in() {
    let fixture = without("ANTHROPIC_API_KEY");
    let job = fixture.ask("hello");
    fixture.assert_failed(&job, "not_logged_in", "claude");
    assert_eq!(fixture.api.requests().len(), 0);
}

/// Other statuses of the service, as 429 and 529, come in the same shape: `tests/fixtures` has recordings of them.
#[test]
fn a_server_error_and_then_the_next_job_works() {
    let (fixture, job) = reply(Reply::Error(500, "api_error", "Internal server error"));
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
