//! What a host may be asked for and told, and what that may cost: numbers beyond all bounds, many jobs, many calls, long
//! answers. The test is in the place of Neovim.

use std::process::Command;

use rmpv::Value;
use serde_json::json;

use crate::support::scratch::Scratch;
use crate::support::serve::{Serve, field};

#[test]
fn a_timeout_beyond_all_bounds_is_no_limit() {
    let serve = Serve::start(Scratch::new());
    for (id, timeout) in [(1, json!(1e19)), (2, json!(u64::MAX)), (3, json!(1e300))] {
        serve.run(id, "echo local b", &json!({"timeout": timeout}));
        assert_eq!(serve.finished(id)["status"], "done", "{timeout}");
    }
}

#[test]
fn what_an_agent_counts_beyond_all_bounds_can_be_added_up() {
    let serve = Serve::start(Scratch::new());
    let result = r#"{"type":"result","is_error":false,"result":"local b","num_turns":1e300,"duration_ms":1e999,
        "total_cost_usd":1e308,"usage":{"input_tokens":18446744073709551616,"output_tokens":1e300}}"#;
    let results = [result; 3].map(|result| result.replace('\n', "")).join("\n");
    std::fs::write(serve.scratch.project().join("results"), results).unwrap();
    let agent = json!({"name": "mine", "protocol": "claude", "command": ["/bin/sh", "-c", "cat results"]});
    for id in 1..=2 {
        serve.run(id, "", &json!({"agent": agent}));
        assert_eq!(serve.finished(id)["status"], "done");
    }
    serve.notify("query", &json!({"token": 7, "name": "info", "project": "/", "today_ms": 0}));
    let reply = serve.wait_for("reply", |reply| Some(reply.clone()));
    assert_eq!(*field(&reply, "error"), Value::Nil);
    let all = field(&reply, "all");
    assert_eq!(*field(all, "jobs"), 2.into());
    for amount in ["input_tokens", "output_tokens", "num_turns", "cost_usd"] {
        let sum = field(all, amount).as_f64().unwrap();
        assert!((1e12..1e13).contains(&sum), "{amount}: {sum}");
    }
}

/// Whether a frame says that a job runs.
fn runs(frame: &Value, id: u64) -> bool {
    let is_it =
        |state: &Value| *field(state, "id") == id.into() && *field(state, "status") == "running".into();
    frame.as_array().unwrap().iter().any(is_it)
}

#[test]
fn a_job_that_waits_is_told_of_once() {
    const JOBS: u64 = 40;
    let serve = Serve::start(Scratch::new());
    let gate = |id: u64| serve.scratch.project().join(format!("gate-{id}"));
    for id in 1..=JOBS {
        assert!(Command::new("mkfifo").arg(gate(id)).status().unwrap().success());
        serve.run(id, &format!("read go <gate-{id}; echo local b"), &json!({"max_parallel": 1}));
    }
    for id in 1..=JOBS {
        serve.wait_for("frame", |frame| runs(frame, id).then_some(()));
        std::fs::write(gate(id), "go\n").unwrap();
        serve.finished(id);
    }
    let frames = serve.calls("frame");
    let told = frames.iter().flat_map(|frame| frame.as_array().unwrap());
    let queued = told.filter(|state| field(state, "status").as_str() == Some("queued")).count();
    assert!(queued < 40, "{queued} states of {JOBS} jobs say that they wait");
}
