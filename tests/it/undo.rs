//! One landing is one undo step, apart from what the user types before it, after it and around it.

use serde_json::json;

use crate::support::agents::Gated;
use crate::support::nvim::{Builder, Nvim};
use crate::support::scratch::Scratch;

fn start(nvim: &Nvim, name: &str, line: u64) -> u64 {
    let range = json!({"kind": "line", "first": [line, 0], "last": [line, 0]});
    let options = json!({"prompt": format!("GATE:{name}"), "range": range});
    nvim.exec_with("return require('botglue').run(...)", &[options]).as_u64().unwrap()
}

/// Presses a key as often as there are states, and compares after each.
fn walk(nvim: &Nvim, key: &str, states: &[Vec<String>]) {
    for (step, expected) in states.iter().enumerate() {
        nvim.input(key);
        assert_eq!(&nvim.lines(), expected, "step {step} of {key}");
    }
}

#[test]
fn answer_typing_answer_in_one_insert_are_undone_one_by_one_forwards_and_back() {
    let scratch = Scratch::new();
    let gated = Gated::new(&scratch);
    let nvim = Builder::new(scratch).option("agents", gated.option()).screen(80, 24).start();
    nvim.edit("undo.lua", "local a = 1\nlocal b = 2\nend of file\n");
    let (a, b) = (start(&nvim, "a", 1), start(&nvim, "b", 2));
    let mut states = vec![nvim.lines()];

    nvim.input("Go");
    nvim.input("one ");
    states.push(nvim.lines());
    gated.answer("a", "local a = 10\nlocal aa = 11");
    nvim.finished(a);
    states.push(nvim.lines());
    nvim.input("two ");
    states.push(nvim.lines());
    gated.answer("b", "local b = 20");
    nvim.finished(b);
    states.push(nvim.lines());
    nvim.input("three");
    assert_eq!(nvim.call("nvim_get_mode", &[])["mode"], "i", "the user is still typing");
    nvim.input("<Esc>");
    states.push(nvim.lines());
    let expected = ["local a = 10", "local aa = 11", "local b = 20", "end of file", "one two three"];
    assert_eq!(nvim.lines(), expected);

    let back: Vec<_> = states.iter().rev().skip(1).cloned().collect();
    walk(&nvim, "u", &back);
    walk(&nvim, "<C-r>", &states[1..]);
    walk(&nvim, "u", &back);
}

#[test]
fn two_answers_that_land_together_are_two_steps() {
    let scratch = Scratch::new();
    let gated = Gated::new(&scratch);
    let nvim = Builder::new(scratch).option("agents", gated.option()).screen(80, 24).start();
    nvim.edit("undo.lua", "a\nb\nc\n");
    let (a, c) = (start(&nvim, "a", 1), start(&nvim, "c", 3));
    // The editor is kept busy until both answers wait for it, so they arrive in one go.
    let runs = (gated.run("a"), gated.run("c"));
    let (mut run_a, mut run_c) = runs;
    run_a.print(&crate::support::stream::answer("A"));
    run_c.print(&crate::support::stream::answer("C"));
    drop((run_a, run_c));
    nvim.finished(a);
    nvim.finished(c);
    assert_eq!(nvim.lines(), ["A", "b", "C"]);
    nvim.input("u");
    let once = nvim.lines();
    assert!(once == ["A", "b", "c"] || once == ["a", "b", "C"], "{once:?}");
    nvim.input("u");
    assert_eq!(nvim.lines(), ["a", "b", "c"]);
    nvim.input("<C-r><C-r>");
    assert_eq!(nvim.lines(), ["A", "b", "C"]);
}
