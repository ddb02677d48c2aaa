//! Each real agent in a real Neovim: its name is all that an option says.

use serde_json::{Value, json};

use super::{Agent, Place, says};
use crate::support::nvim::{Builder, Nvim};
use crate::support::scratch::Scratch;

/// A Neovim with this agent, which has three lines to write.
fn open(agent: &Agent) -> (Nvim, Place) {
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
    nvim.edit("src/a.rs", "fn target() {\n    todo!()\n}\n");
    (nvim, place)
}

/// Keys from the selection to the answer, with the agent started meanwhile and its models offered; then a follow-up, or
/// why there is none.
pub fn its_name_is_all_it_takes(agent: &'static Agent) {
    let (nvim, place) = open(agent);
    nvim.input("1GVG:Botglue<CR>");
    if agent.offers_models {
        // No other agent is there, and this one has none in the options.
        let offers = || nvim.rows().concat().contains("<S-Tab> model");
        nvim.wait("the agent has said which models it offers", offers);
    }
    place.api.script("keys", [says("fn target() {}")]);
    nvim.input("SCRIPT:keys<C-s>");
    let job = nvim.finished(1);
    assert_eq!(job["status"], "done", "{job:#}");
    assert_eq!(job["landing"], "applied", "{job:#}");
    assert_eq!(nvim.lines(), ["fn target() {}"]);
    nvim.wait_for_no_agent();

    place.api.script("more", [says("fn other() {}")]);
    let asked = place.api.requests().len();
    let followed = nvim.exec(
        "local ok, id = pcall(require('botglue').followup, 1, 'SCRIPT:more')
         return { ok, id }",
    );
    if agent.goes_on {
        let second = nvim.finished(followed[1].as_u64().unwrap());
        assert_eq!(second["landing"], "applied", "{second:#}");
        assert_eq!(nvim.lines(), ["fn other() {}"]);
        nvim.wait_for_no_agent();
    } else {
        let why = followed[1].as_str().unwrap();
        assert!(why.contains("this agent cannot go on in a session"), "{why}");
        assert_eq!(place.api.requests().len(), asked);
    }
}
