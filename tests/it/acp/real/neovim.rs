//! Each real agent in a real Neovim: its name is all that an option says, and what its jobs took is in the store.

use rusqlite::Connection;
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

/// The sums over all jobs in the store: how many, their cost, their tokens as sent, received, read from a cache, put
/// into it.
fn sums(nvim: &Nvim) -> (i64, Option<f64>, [i64; 4]) {
    let store = Connection::open(nvim.scratch.path("data/nvim/botglue/botglue.db")).unwrap();
    let sql = "SELECT count(*), sum(cost_usd), sum(input_tokens), sum(output_tokens), sum(cache_read_tokens),
               sum(cache_creation_tokens) FROM jobs";
    store
        .query_row(sql, [], |row| {
            Ok((row.get(0)?, row.get(1)?, [row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?]))
        })
        .unwrap()
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

    let jobs = if agent.goes_on { 2 } else { 1 };
    let (count, cost, tokens) = sums(&nvim);
    let usage = agent.usage;
    let each = [
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_read_input_tokens,
        usage.cache_creation_input_tokens,
    ];
    assert_eq!((count, tokens), (jobs, each.map(|each| i64::try_from(each).unwrap() * jobs)));
    // Some count what they ask for themselves, a title for example, and some do not.
    let requests = place.api.requests().len();
    let times = |price: f64, times: i64| price * f64::from(i32::try_from(times).unwrap());
    let is_price = match (cost, agent.price) {
        (Some(cost), Some(price)) => {
            let all = times(price, i64::try_from(requests).unwrap());
            times(price, jobs) - 1e-9 < cost && cost < all + 1e-9
        }
        (cost, price) => cost.is_none() && price.is_none(),
    };
    assert!(is_price, "{jobs} jobs with {requests} requests cost {cost:?}, each {:?}", agent.price);
}
