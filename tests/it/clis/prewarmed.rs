//! The real CLIs, each started while its prompt is typed.

use serde_json::{Value, json};

use crate::support::api::{Block, Gate, Reply};
use crate::support::cli::Cli;
use crate::support::fixture::Fixture;
use crate::support::process::{self, Process};

/// The process that was prewarmed is the one that runs the job: from a user's keys to the answer, then in a follow-up.
/// It is started as for a job without a prompt.
fn answers(cli: Cli) {
    let fixture = Fixture::with(cli, |builder| builder.screen(80, 24));
    let gate = waits(&fixture, "keys", "fn target() {}");
    fixture.nvim.input("3GVjj:Botglue<CR>");
    let prewarmed = fixture.agent();
    assert_eq!(fixture.api.requests().len(), 0, "it waits for its message");
    fixture.nvim.input("SCRIPT:keys<C-s>");
    let job = finish_in(&fixture, &prewarmed, &gate, 1);
    fixture.assert_landed(&job, &["fn target() {}"]);
    assert_eq!(fixture.nvim.call("nvim_get_mode", &[])["mode"], "n");
    assert!(fixture.api.requests()[0].user_text().contains("todo!()"), "the request has the message");

    // A follow-up is prewarmed in its session.
    let gate = waits(&fixture, "more", "fn other() {}");
    fixture.nvim.exec("require('botglue').followup(1)");
    let in_session = fixture.agent();
    fixture.nvim.input("SCRIPT:more<C-s>");
    let job = finish_in(&fixture, &in_session, &gate, 2);
    fixture.assert_landed(&job, &["fn other() {}"]);
    assert!(fixture.api.requests()[1].user_text().contains("SCRIPT:keys"), "it knows the conversation");

    fixture.nvim.exec("vim.cmd.undo(); vim.cmd.undo()");
    let gate = waits(&fixture, "wait", "fn third() {}");
    let id = fixture.start("SCRIPT:wait");
    let cold = fixture.agent();
    assert_ne!(prewarmed.pid, cold.pid);
    assert_eq!(prewarmed.command, cold.command, "both are started in the same way");
    gate.open();
    fixture.nvim.finished(id);
}

/// Scripts an answer that waits for its gate.
fn waits(fixture: &Fixture, name: &str, answer: &str) -> Gate {
    let gate = Gate::new();
    let message = vec![Block::Wait(gate.clone()), Block::Text(answer.to_owned())];
    fixture.api.script(name, [Reply::Message(message, "end_turn")]);
    gate
}

/// Lets the answer through once this process has sent the request; the job, when nothing of it runs any more.
#[track_caller]
fn finish_in(fixture: &Fixture, prewarmed: &Process, gate: &Gate, id: u64) -> Value {
    fixture.nvim.wait("the request has arrived", || gate.is_reached());
    assert_eq!(fixture.agent().pid, prewarmed.pid);
    gate.open();
    let job = fixture.nvim.finished(id);
    fixture.nvim.wait_for_no_agent();
    job
}

/// The process that was prewarmed does nothing by itself, and is gone with its prompt.
fn ends_with_its_prompt(cli: Cli) {
    let fixture = Fixture::new(cli);
    let range = json!({"kind": "line", "first": [3, 0], "last": [5, 0]});
    fixture.nvim.exec_with("require('botglue').run({ range = ... })", &[range]);
    let prewarmed = fixture.agent();
    fixture.nvim.wait("it sleeps", || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", prewarmed.pid)).unwrap_or_default();
        stat.contains(") S ")
    });
    fixture.nvim.input("<Esc><Esc>");
    fixture.nvim.wait_for_no_agent();
    assert_eq!(fixture.api.requests().len(), 0);
    assert!(process::of(&fixture.nvim.scratch).len() <= 2, "Neovim and the host");
}

#[test]
fn claude_answers_the_users_keys_and_a_follow_up() {
    answers(Cli::Claude);
}

#[test]
fn droid_answers_the_users_keys_and_a_follow_up() {
    answers(Cli::Droid);
}

#[test]
fn each_waits_for_as_long_as_the_prompt_takes_and_ends_with_it() {
    ends_with_its_prompt(Cli::Claude);
    ends_with_its_prompt(Cli::Droid);
}
