//! What is true of each real CLI that is started while its prompt is typed.

use serde_json::json;

use super::api::{Block, Gate, Reply};
use super::cli::Cli;
use super::fixture::Fixture;
use super::process;

/// Opens the prompt for `fn target`; `_G.send` of that Neovim then sends it.
fn open(cli: Cli) -> Fixture {
    let fixture = Fixture::with(cli, |builder| builder.option("prompt", "ui"));
    let range = json!({"kind": "line", "first": [3, 0], "last": [5, 0]});
    fixture.nvim.exec_with(
        "vim.ui.input = function(_, send) _G.send = send end
         require('botglue').run({ range = ... })",
        &[range],
    );
    fixture
}

/// The process that was prewarmed is the one that runs the job, and it is started as for a job without a prompt.
pub fn answers(cli: Cli) {
    let fixture = open(cli);
    let prewarmed = fixture.agent();
    assert_eq!(fixture.api.requests().len(), 0, "it waits for its message");
    fixture.nvim.exec("_G.send('ANSWER<<fn target() {}>>')");
    let job = fixture.nvim.finished(1);
    fixture.assert_landed(&job, &["fn target() {}"]);
    assert!(fixture.api.requests()[0].user_text().contains("todo!()"), "the request has the message");
    fixture.nvim.wait_for_no_agent();

    fixture.nvim.exec("vim.cmd.undo()");
    let gate = Gate::new();
    let waits = Reply::Message(vec![Block::Wait(gate.clone())], "end_turn");
    fixture.api.script("wait", [waits]);
    let id = fixture.start("SCRIPT:wait");
    let cold = fixture.agent();
    assert_ne!(prewarmed.pid, cold.pid);
    assert_eq!(prewarmed.command, cold.command, "both are started in the same way");
    gate.open();
    fixture.nvim.finished(id);
}

/// A user's keys, from the selection to the answer: the prompt is a window, and its agent is the one that answers.
pub fn answers_to_keys(cli: Cli) {
    let fixture = Fixture::with(cli, |builder| builder.screen(80, 24));
    let gate = Gate::new();
    let answer = vec![Block::Wait(gate.clone()), Block::Text("fn target() {}".to_owned())];
    fixture.api.script("keys", [Reply::Message(answer, "end_turn")]);
    fixture.nvim.input("3GVjj:Botglue<CR>");
    let prewarmed = fixture.agent();
    fixture.nvim.input("SCRIPT:keys<C-s>");
    fixture.nvim.wait("the request is there", || gate.is_reached());
    assert_eq!(fixture.agent().pid, prewarmed.pid);
    gate.open();
    let job = fixture.nvim.finished(1);
    fixture.assert_landed(&job, &["fn target() {}"]);
    assert_eq!(fixture.nvim.call("nvim_get_mode", &[])["mode"], "n");
    fixture.nvim.wait_for_no_agent();
}

/// The process that was prewarmed does nothing by itself, and is gone with its prompt.
pub fn ends_with_its_prompt(cli: Cli) {
    let fixture = open(cli);
    let prewarmed = fixture.agent();
    fixture.nvim.wait("it sleeps", || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", prewarmed.pid)).unwrap_or_default();
        stat.contains(") S ")
    });
    fixture.nvim.exec("_G.send(nil)");
    fixture.nvim.wait_for_no_agent();
    assert_eq!(fixture.api.requests().len(), 0);
    assert!(process::of(&fixture.nvim.scratch).len() <= 2, "Neovim and the host");
}

/// A follow-up is prewarmed in its session: the process that waited is the one that goes on.
pub fn goes_on(cli: Cli) {
    let fixture = Fixture::with(cli, |builder| builder.option("prompt", "ui"));
    fixture.ask("first ANSWER<<fn target() {}>>");
    fixture.nvim.exec("vim.ui.input = function(_, send) _G.send = send end; require('botglue').followup(1)");
    let prewarmed = fixture.agent();
    let gate = super::api::Gate::new();
    let message =
        vec![super::api::Block::Wait(gate.clone()), super::api::Block::Text("fn other() {}".into())];
    fixture.api.script("wait", [super::api::Reply::Message(message, "end_turn")]);
    fixture.nvim.exec("_G.send('SCRIPT:wait')");
    fixture.nvim.wait("the request has arrived", || gate.is_reached());
    assert_eq!(fixture.agent().pid, prewarmed.pid);
    gate.open();
    let job = fixture.nvim.finished(2);
    fixture.assert_landed(&job, &["fn other() {}"]);
    let requests = fixture.api.requests();
    assert!(requests[1].user_text().contains("first ANSWER"), "it knows the conversation");
}
