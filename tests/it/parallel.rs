//! Jobs beyond `max_parallel` wait.

use serde_json::{Value, json};

use crate::support::agents::Gated;
use crate::support::nvim::Builder;
use crate::support::scratch::Scratch;

#[test]
fn jobs_beyond_max_parallel_wait_visibly_and_start_one_after_another() {
    let scratch = Scratch::new();
    let gated = Gated::new(&scratch);
    let nvim = Builder::new(scratch)
        .option("agents", gated.option())
        .option("max_parallel", 2)
        .screen(80, 24)
        .start();
    nvim.edit("queue.lua", "one\ntwo\nthree\nfour\n");
    let ids: Vec<u64> =
        (1..=4).map(|line| nvim.run(&format!("GATE:q{line}"), (line, line), json!({}))).collect();
    let status = |id: u64| nvim.exec_with("return require('botglue').job(...).status", &[json!(id)]);
    nvim.wait("two run and two wait", || {
        ids.iter().map(|&id| status(id)).eq(["running", "running", "queued", "queued"].map(Value::from))
    });
    nvim.wait_for_rows("that two wait", |rows| rows.iter().filter(|row| row.contains("queued")).count() == 2);
    assert!(gated.has_started("q2") || !gated.has_started("q3"));
    gated.answer("q1", "ONE");
    nvim.wait("the third runs", || status(ids[2]) == "running");
    assert_eq!(status(ids[3]), "queued");
    for line in 2..=4 {
        gated.answer(&format!("q{line}"), &format!("line {line}"));
    }
    for id in ids {
        assert_eq!(nvim.finished(id)["landing"], "applied");
    }
    assert_eq!(nvim.lines(), ["ONE", "line 2", "line 3", "line 4"]);
}
