//! Each real agent in a real Neovim: its name is all that an option says.

use serde_json::{Value, json};

use super::api::{Block, Gate};
use super::{Agent, Place, Reply, says};
use crate::support::nvim::{Builder, Nvim};
use crate::support::process::{self, Process};
use crate::support::scratch::Scratch;
use crate::support::wait_some;

const TARGET: &str = "fn target() {\n    todo!()\n}\n";

/// What stands in the buffer for agents that have a function to write: its lines are 3 to 5.
pub const TEXT: &str = "fn above() {}\n\nfn target() {\n    todo!()\n}\n\nfn below() {}\n";

/// A Neovim with this agent, and this text in its buffer.
pub fn open(agent: &Agent, text: &str) -> (Nvim, Place) {
    let scratch = Scratch::new();
    let place = Place::new(agent, scratch.path(""));
    let own = (agent.variables)(&place).into_iter().chain((agent.login)(&place));
    let mut env: serde_json::Map<String, Value> =
        own.map(|(name, value)| (name.to_owned(), value.into())).collect();
    env.insert("PATH".to_owned(), (agent.search_path)().into());
    let mut entry = json!({"env": env});
    if let Some(model) = agent.model {
        entry["model"] = model.into();
    }
    let nvim = Builder::new(scratch)
        .option("agent", agent.name)
        .option("agents", json!({agent.name: entry}))
        .screen(100, 24)
        .start();
    nvim.edit("src/a.rs", text);
    (nvim, place)
}

/// The process that the host has started; what that starts itself comes later.
#[track_caller]
fn process(nvim: &Nvim, agent: &Agent) -> Process {
    // Not one that it has started itself.
    wait_some("the agent runs", || {
        let host = nvim.host()?;
        let is_agent = |found: &Process| {
            let status = std::fs::read_to_string(format!("/proc/{}/status", found.pid)).unwrap_or_default();
            found.command.contains(agent.program) && status.contains(&format!("PPid:\t{host}\n"))
        };
        process::of(&nvim.scratch).into_iter().find(is_agent)
    })
}

/// Scripts an answer that waits for its gate.
fn waits(place: &Place, name: &str, answer: &str) -> Gate {
    let gate = Gate::new();
    let message = vec![Block::Wait(gate.clone()), Block::Text(answer.to_owned())];
    place.api.script(name, [Reply::Message(message)]);
    gate
}

/// Keys from the selection to the answer, by the agent that was started meanwhile and its models offered; then a
/// follow-up, or why there is none.
pub fn its_name_is_all_it_takes(agent: &'static Agent) {
    let (nvim, place) = open(agent, TARGET);
    nvim.input("1GVG:Botglue<CR>");
    let prewarmed = process(&nvim, agent);
    if agent.offers_models {
        // No other agent is there, and this one has none in the options.
        let offers = || nvim.rows().concat().contains("<S-Tab> model");
        nvim.wait("the agent has said which models it offers", offers);
    }
    let gate = waits(&place, "keys", "fn target() {}");
    nvim.input("SCRIPT:keys<C-s>");
    nvim.wait("the request has arrived", || gate.is_reached());
    assert_eq!(process(&nvim, agent).pid, prewarmed.pid);
    gate.open();
    let job = nvim.finished(1);
    assert_eq!(job["status"], "done", "{job:#}");
    assert_eq!(job["landing"], "applied", "{job:#}");
    assert_eq!(nvim.lines(), ["fn target() {}"]);
    nvim.wait_for_no_agent();

    place.api.script("more", [says("fn other() {}")]);
    let asked = place.api.requests().len();
    if agent.goes_on {
        assert_eq!(follow_up(&nvim, 1, "SCRIPT:more")["landing"], "applied");
        assert_eq!(nvim.lines(), ["fn other() {}"]);
        nvim.wait_for_no_agent();
    } else {
        let followed = nvim.exec("return { pcall(require('botglue').followup, 1, 'SCRIPT:more') }");
        let why = followed[1].as_str().unwrap();
        assert!(why.contains("which cannot go on in a session"), "{why}");
        assert_eq!(place.api.requests().len(), asked);
    }
}

/// What was started for a prompt waits for it, asks nothing, and is gone with it.
pub fn it_ends_with_its_prompt(agent: &'static Agent) {
    let (nvim, place) = open(agent, TARGET);
    nvim.input("1GVG:Botglue<CR>");
    let stat = format!("/proc/{}/stat", process(&nvim, agent).pid);
    nvim.wait("it sleeps", || std::fs::read_to_string(&stat).unwrap_or_default().contains(") S "));
    nvim.input("<Esc><Esc>");
    nvim.wait_for_no_agent();
    assert_eq!(place.api.requests().len(), 0);
}

#[track_caller]
pub fn follow_up(nvim: &Nvim, id: u64, prompt: &str) -> Value {
    let id = nvim.exec_with("return require('botglue').followup(...)", &[id.into(), prompt.into()]);
    nvim.finished(id.as_u64().unwrap())
}

/// Each goes on in a fork of its own: of the same session, and of a fork. Without its session a job fails, and sends
/// nothing.
pub fn follow_ups_know_their_conversation_and_do_not_mix(agent: &'static Agent) {
    let (nvim, place) = open(agent, TARGET);
    nvim.finished(nvim.run("first ANSWER<<fn one() {}>>", (1, 3), json!({})));
    for (id, prompt) in [
        (1, "second ANSWER<<fn two() {}>>"),
        (1, "third ANSWER<<fn three() {}>>"),
        (2, "fourth ANSWER<<fn four() {}>>"),
    ] {
        let job = follow_up(&nvim, id, prompt);
        assert_eq!(job["landing"], "applied", "{job:#}");
    }
    assert_eq!(nvim.lines(), ["fn four() {}"]);
    let requests = place.api.requests();
    let said = |n: usize, words: &str| requests[n].body["messages"].to_string().contains(words);
    for (n, expected) in [(1, ["first", "second"]), (2, ["first", "third"]), (3, ["second", "fourth"])] {
        assert!(expected.iter().all(|words| said(n, &format!("{words} ANSWER"))), "{:#}", requests[n].body);
    }
    assert!(!said(2, "second ANSWER") && !said(3, "third ANSWER"), "they mix");
    assert!(said(3, "fn two() {}"), "what was answered before");
    std::fs::remove_dir_all(place.path(agent.sessions)).unwrap();
    let job = follow_up(&nvim, 1, "ANSWER<<fn lost() {}>>");
    assert_eq!(job["error"]["code"], "session_not_found", "{job:#}");
    assert_eq!((nvim.lines(), place.api.requests().len()), (vec!["fn four() {}".to_owned()], 4));
}
