//! What a person sees at the range while a job runs, on a real screen.

use serde_json::json;

use crate::support::agents::Gated;
use crate::support::nvim::{Builder, Nvim};
use crate::support::scratch::Scratch;
use crate::support::stream;

/// A Neovim with a screen, a file of three lines, and an agent to steer.
fn open() -> (Nvim, Gated) {
    let scratch = Scratch::new();
    let gated = Gated::new(&scratch);
    let nvim = Builder::new(scratch).option("agents", gated.option()).screen(80, 15).start();
    nvim.edit("a.lua", "local a = 1\nlocal b = 2\nlocal c = 3\n");
    (nvim, gated)
}

/// The text around the status line; the list of tools stands at the right of the first row.
fn texts(shown: &[String]) -> (&str, &str) {
    (shown[0].split("  ").next().unwrap_or_default(), &shown[2])
}

#[test]
fn a_tool_and_its_failure_are_shown_and_nothing_else_moves() {
    let (nvim, gated) = open();
    nvim.command("1Botglue run GATE:it look around");
    let mut run = gated.run("it");
    let path = nvim.scratch.project().join("src/erorr.rs");
    run.print(&stream::init("s"));
    run.print(&stream::tool_use("t1", "Read", &json!({"file_path": path})));
    let shown = nvim.wait_for_rows("the tool", |rows| rows[1].contains("Read src/erorr.rs"));
    assert!(shown[1].contains("look around"), "{shown:#?}");
    assert_eq!(texts(&shown), ("local a = 1", "local b = 2"));

    run.print(&stream::tool_error("t1", "File does not exist."));
    let shown = nvim
        .wait_for_rows("the failure", |rows| rows[1].contains("✗ Read src/erorr.rs: File does not exist"));
    assert_eq!(texts(&shown), ("local a = 1", "local b = 2"));

    run.print(&(stream::text("local a = 10") + &stream::result("local a = 10")));
    drop(run);
    let gone =
        nvim.wait_for_rows("the answer alone", |rows| rows[0] == "local a = 10" && rows[1] == "local b = 2");
    assert_eq!(gone[2], "local c = 3");
}

#[test]
fn a_queued_job_says_that_it_waits() {
    let (nvim, gated) = open();
    nvim.exec("require('botglue').setup({ max_parallel = 1 })");
    nvim.command("1Botglue run GATE:first");
    nvim.wait("the first is running", || gated.has_started("first"));
    nvim.command("3Botglue run GATE:second");
    nvim.wait_for_rows("the second is queued", |rows| {
        rows.iter().any(|row| row.contains("GATE:second") && row.contains("queued"))
    });
    assert!(!gated.has_started("second"));
    gated.answer("first", "local a = 10");
    gated.answer("second", "local c = 30");
    nvim.wait("both have landed", || nvim.lines() == ["local a = 10", "local b = 2", "local c = 30"]);
}
