//! Each way in which the CLI can fail: its code, its sentence, and a buffer that nothing has touched.

use serde_json::{Value, json};

use crate::support::api::{Reply, calls, says};
use crate::support::cli::Cli;
use crate::support::fixture::{Fixture, tools};

#[track_caller]
fn reply(reply: Reply) -> (Fixture, Value) {
    Fixture::replied(Cli::Droid, reply)
}

#[test]
fn a_wrong_key() {
    let (fixture, job) = reply(Reply::Error(401, "authentication_error", "invalid x-api-key"));
    fixture.assert_failed(&job, "not_logged_in", "");
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
fn a_request_that_the_service_does_not_take_and_then_the_next_job_works() {
    let (fixture, job) = reply(Reply::Error(400, "invalid_request_error", "the moon is in the way"));
    fixture.assert_failed(&job, "api_error", "the moon is in the way");
    fixture.assert_landed(&fixture.ask("ANSWER<<fn target() {}>>"), &["fn target() {}"]);
}

#[test]
#[ignore = "make test-clis"]
fn an_empty_answer() {
    let (fixture, job) = reply(Reply::Message(Vec::new(), "end_turn"));
    fixture.assert_failed(&job, "empty_answer", "");
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
