//! The main job with a program of the user's own, which speaks no protocol: what it prints is the answer.

use serde_json::{Value, json};

use crate::support::agents;
use crate::support::nvim::{Builder, Nvim};
use crate::support::scratch::Scratch;

/// A Neovim whose agent `mine` is a shell script with this body.
fn with_agent(body: &str) -> Nvim {
    let scratch = Scratch::new();
    let program = scratch.path("my agent");
    agents::write_script(&program, body);
    let mine = json!({
        "protocol": "text", "command": [program, "first"], "args": ["-x", "it's"], "env": {"FLAVOUR": "plain"},
    });
    let nvim = Builder::new(scratch).option("agent", "mine").option("agents", json!({"mine": mine})).start();
    nvim.edit("mine.txt", "one\ntwo\nthree\n");
    nvim
}

/// Runs a job on the second line to its end.
fn ask(nvim: &Nvim) -> Value {
    let id = nvim.run("say it 'better'", (2, 2), json!({}));
    let job = nvim.finished(id);
    nvim.wait_for_no_agent();
    job
}

#[test]
fn it_gets_the_message_on_its_input_and_the_users_own_arguments() {
    let nvim = with_agent("cat >\"$TMPDIR/message\"\nprintf '%s|' \"$@\" \"$FLAVOUR\"");
    let job = ask(&nvim);
    assert_eq!(job["text"], "first|-x|it's|plain|");
    let message = std::fs::read_to_string(nvim.scratch.path("run/message")).unwrap();
    for part in ["say it 'better'", "one", "two", "three", "mine.txt"] {
        assert!(message.contains(part), "{part:?} is missing in {message}");
    }
}

#[test]
fn a_command_below_the_home_is_written_with_a_tilde() {
    let scratch = Scratch::new();
    agents::write_script(&scratch.path("home/agent"), "echo at home");
    let mine = json!({"protocol": "text", "command": ["~/agent"]});
    let nvim = Builder::new(scratch).option("agent", "mine").option("agents", json!({"mine": mine})).start();
    nvim.edit("mine.txt", "one\ntwo\nthree\n");
    ask(&nvim);
    assert_eq!(nvim.lines(), ["one", "at home", "three"]);
}
