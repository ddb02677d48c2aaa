//! What the next host of the same Neovim takes over from one that has ended.

use serde_json::json;

use super::ask;
use crate::support::agents::Gated;
use crate::support::nvim::{Builder, Nvim};
use crate::support::process::signal;
use crate::support::scratch::Scratch;
use crate::support::wait;

fn open() -> (Nvim, Gated) {
    let scratch = Scratch::new();
    let gated = Gated::new(&scratch);
    let nvim = Builder::new(scratch).option("agents", gated.option()).option("max_parallel", 1).start();
    nvim.edit("a.lua", "local a = 1\nlocal b = 2\nlocal c = 3\n");
    (nvim, gated)
}

fn run(nvim: &Nvim, name: &str, line: u64) -> u64 {
    let range = json!({"kind": "line", "first": [line, 0], "last": [line, 0]});
    let options = json!({"prompt": format!("GATE:{name}"), "range": range});
    nvim.exec_with("return require('botglue').run(...)", &[options]).as_u64().unwrap()
}

/// Tells the host to end, and waits until it knows.
fn end_host(nvim: &Nvim) {
    signal(nvim.host().expect("a host"), "TERM");
    let log = nvim.scratch.path("state/nvim/botglue.log");
    wait("the host ends", || std::fs::read_to_string(&log).unwrap().contains("ending"));
}

#[test]
fn a_job_that_was_asked_for_while_the_host_ended_gets_the_next_host() {
    let (nvim, gated) = open();
    // Starts the host.
    ask(&nvim, "prompts", &json!({})).unwrap();
    end_host(&nvim);
    let id = run(&nvim, "it", 2);
    gated.answer("it", "local b = 20");
    assert_eq!(nvim.finished(id)["landing"], "applied");
    assert_eq!(nvim.lines()[1], "local b = 20");
    let history = ask(&nvim, "history", &json!({})).unwrap();
    assert_eq!(history["jobs"].as_array().map(Vec::len), Some(1), "{history}");
}

#[test]
fn a_job_that_was_queued_when_the_host_ended_gets_the_next_host() {
    let (nvim, gated) = open();
    let first = run(&nvim, "one", 1);
    gated.stdin("one");
    let second = run(&nvim, "two", 2);
    end_host(&nvim);
    let stopped = nvim.finished(first);
    assert_eq!((&stopped["status"], &stopped["error"]["code"]), (&json!("failed"), &json!("host_lost")));
    gated.answer("two", "local b = 20");
    assert_eq!(nvim.finished(second)["landing"], "applied");
    assert_eq!(nvim.lines(), ["local a = 1", "local b = 20", "local c = 3"]);
    let history = ask(&nvim, "history", &json!({})).unwrap();
    let states: Vec<_> = history["jobs"].as_array().unwrap().iter().map(|job| &job["status"]).collect();
    assert_eq!(states, ["done", "interrupted"]);
}
