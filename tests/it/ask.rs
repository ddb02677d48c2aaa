//! A question, from the command to the store: its answer is shown, and nothing else is changed by it.

use serde_json::json;

use crate::support::agents::Gated;
use crate::support::nvim::Builder;
use crate::support::scratch::Scratch;

const HISTORY: &str = "
    local jobs
    require('botglue.wiring')
    require('botglue.host.query').ask('history', {}, function(result) jobs = result.jobs end)
    vim.wait(30000, function() return jobs end, 5)
    local found = {}
    for i, job in ipairs(jobs) do found[i] = { job.prompt, job.question, job.landing, job.has_answer } end
    return found";

#[test]
fn a_question_is_answered_and_changes_nothing() {
    let scratch = Scratch::new();
    let gated = Gated::new(&scratch);
    let nvim = Builder::new(scratch).option("agents", gated.option()).start();
    nvim.edit("a.lua", "local a = 1\nlocal b = 2\n");
    let before = nvim.exec("return { vim.fn.undotree(1).seq_last, vim.b[1].changedtick }");
    let id = nvim.exec(
        "return require('botglue').ask({
           prompt = 'GATE:it why two?', range = { kind = 'line', first = { 1 }, last = { 2 } } })",
    );
    let message = gated.stdin("it");
    assert!(message.contains("This is a question about the text in <selection-1>"), "{message}");
    assert!(!message.contains("replaces"), "{message}");
    // What would be held of a change is no matter for an answer that is read.
    let answer = "Two:\n\n```lua\na()\n```\n\nand\n\n```lua\nb()\n```";
    gated.answer("it", answer);
    let job = nvim.finished(id.as_u64().unwrap());
    assert_eq!(
        (&job["landing"], &job["held_for"], &job["text"]),
        (&json!("answered"), &json!(null), &json!(answer))
    );
    assert_eq!(nvim.lines_of(1), ["local a = 1", "local b = 2"]);
    assert_eq!(nvim.exec("return { vim.fn.undotree(1).seq_last, vim.b[1].changedtick }"), before);
    let kept = json!([["GATE:it why two?", true, "answered", true]]);
    nvim.wait("the store knows", || nvim.exec(HISTORY) == kept);

    // The next Neovim has nothing of it to review.
    let nvim = Builder::new(nvim.quit_to()).option("agents", gated.option()).start();
    nvim.command("silent! Botglue review");
    assert_eq!(nvim.exec(HISTORY), kept);
    assert_eq!(nvim.exec("return #require('botglue').jobs()"), 0);
}
