//! Functions of the user's that watch a job, with the real host between the agent and them.

use serde_json::{Value, json};

use crate::support::agents::Gated;
use crate::support::nvim::{Builder, Nvim};
use crate::support::scratch::Scratch;
use crate::support::stream;

/// Notes what a function gets in `_G.told`, what follows each other of one kind joined.
const WATCH: &str = r"
    _G.told = {}
    local id = require('botglue').run({ prompt = ..., range = { kind = 'line', first = { 1 }, last = { 1 } } })
    require('botglue').on(id, function(update)
        local last = told[#told]
        if last and last.text and last.kind == update.kind then
            last.text = last.text .. update.text
        else
            table.insert(told, update)
        end
    end, { thinking = select(2, ...) })
    return id
";

fn open() -> (Nvim, Gated) {
    let scratch = Scratch::new();
    let gated = Gated::new(&scratch);
    let nvim = Builder::new(scratch).option("agents", gated.option()).start();
    nvim.edit("a.lua", "local a = 1\nlocal b = 2\n");
    (nvim, gated)
}

fn delta(kind: &str, field: &str, text: &str) -> String {
    let delta = json!({"type": kind, field: text});
    let event = json!({"type": "content_block_delta", "index": 0, "delta": delta});
    format!("{}\n", json!({"type": "stream_event", "event": event}))
}

fn text(text: &str) -> String {
    delta("text_delta", "text", text)
}

fn thinking(text: &str) -> String {
    delta("thinking_delta", "thinking", text)
}

fn told(nvim: &Nvim) -> Vec<Value> {
    nvim.exec("return told").as_array().unwrap().clone()
}

fn kinds(told: &[Value]) -> Vec<&str> {
    told.iter().map(|update| update["kind"].as_str().unwrap()).collect()
}

#[test]
fn what_an_agent_says_comes_as_it_says_it_and_each_of_it_once() {
    let (nvim, gated) = open();
    assert_eq!(nvim.exec_with(WATCH, &["GATE:it".into(), true.into()]), 1);
    let mut run = gated.run("it");
    run.print(&stream::init("s"));
    run.print(&thinking("h"));
    run.print(&thinking("m"));
    run.print(&stream::tool_use("t1", "Read", &json!({"file_path": "x"})));
    run.print(&stream::tool_error("t1", "no such file"));
    nvim.wait("the tool has failed", || told(&nvim).len() == 4);
    let answer = (0..200).fold(String::new(), |answer, n| answer + &format!("local a = {n}\n"));
    for line in answer.split_inclusive('\n') {
        run.print(&text(line));
    }
    nvim.wait("the text is there before the answer", || {
        told(&nvim).last().unwrap()["text"].as_str().is_some_and(|text| text.ends_with(" 199\n"))
    });
    run.print(&(stream::text(&answer) + &stream::result(&answer)));
    drop(run);
    nvim.finished(1);
    let told = told(&nvim);
    assert_eq!(kinds(&told), ["state", "thinking", "tool", "tool", "text", "state", "finished"]);
    assert_eq!(told[0], json!({"kind": "state", "status": "running"}));
    assert_eq!(told[1]["text"], "hm");
    assert_eq!(told[2]["tool"], json!({"id": "t1", "name": "Read", "status": "running"}));
    assert_eq!(told[3]["tool"]["error"], "no such file");
    assert_eq!(told[4]["text"].as_str().unwrap().trim_start(), answer);
    assert_eq!(told[5]["status"], "done");
    assert_eq!(told[6]["job"]["landing"], "applied");
}

#[test]
fn without_the_wish_there_is_no_thinking_and_nothing_comes_after_taking_it_back() {
    let (nvim, gated) = open();
    nvim.exec_with(WATCH, &["GATE:it".into(), false.into()]);
    nvim.exec("_G.back = require('botglue').on(1, function(update) _G.last = update.text or last end)");
    let mut run = gated.run("it");
    run.print(&(thinking("hm") + &text("local")));
    nvim.wait("the text is there", || nvim.exec("return last") == "local");
    nvim.exec("back()");
    run.print(&text(" a = 2"));
    nvim.wait("the other one has it", || told(&nvim).last().unwrap()["text"] == "local a = 2");
    run.print(&stream::result("local a = 2"));
    drop(run);
    nvim.finished(1);
    assert_eq!(nvim.exec("return last"), "local");
    assert_eq!(kinds(&told(&nvim)), ["state", "text", "state", "finished"]);
}

#[test]
fn a_job_that_waits_for_its_turn_is_watched_from_the_start() {
    let (nvim, gated) = open();
    nvim.exec("require('botglue').setup({ max_parallel = 1 })");
    nvim.command("2Botglue run GATE:first");
    nvim.wait("the first runs", || gated.has_started("first"));
    nvim.exec_with(WATCH, &["GATE:second".into(), false.into()]);
    nvim.wait("it is queued", || kinds(&told(&nvim)) == ["state"]);
    gated.answer("first", "local b = 20");
    gated.answer("second", "local a = 10");
    nvim.finished(2);
    let told = told(&nvim);
    assert_eq!(kinds(&told), ["state", "state", "text", "state", "finished"]);
    assert_eq!((&told[0]["status"], &told[1]["status"]), (&json!("queued"), &json!("running")));
}
