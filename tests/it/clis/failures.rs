//! How the CLIs fail: for each failure its code, its sentence, and a buffer that nothing has touched. Other failures of
//! the service come in the shape of these: `tests/fixtures` has recordings of them.

use serde_json::{Value, json};

use crate::support::api::{Api, Reply, calls, says};
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
fn the_limit_on_the_cost() {
    let (fixture, job) = in_a_loop("max_cost_usd", 0.0001);
    fixture.assert_failed(&job, "budget", "raise `max_cost_usd`");
    assert_eq!(fixture.api.requests().len(), 1);
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
