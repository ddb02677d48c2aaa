//! What a family of sessions cost, by the real CLI: the sum over all jobs is what the service was asked for.

use rusqlite::Connection;
use serde_json::json;

use crate::support::agents::write_script;
use crate::support::api::Api;
use crate::support::api::{calls, says};
use crate::support::cli::{self, Cli};
use crate::support::fixture::Fixture;
use crate::support::nvim::{Builder, Nvim};
use crate::support::scratch::Scratch;

/// What one request to the loopback service costs, at the price that the CLI knows for its default model, and its
/// tokens: sent, received, read from the cache, put into it.
const PRICE: f64 = 0.000_91;
const TOKENS: [i64; 4] = [25, 15, 50, 100];

/// The sums over all jobs in the store, once the editor knows that the last one is in it.
fn sums(nvim: &Nvim) -> (i64, f64, [i64; 4], i64) {
    let store = Connection::open(nvim.scratch.path("data/nvim/botglue/botglue.db")).unwrap();
    let sql = "SELECT count(*), sum(cost_usd), sum(input_tokens), sum(output_tokens), sum(cache_read_tokens),
               sum(cache_creation_tokens), sum(num_turns) FROM jobs";
    store
        .query_row(sql, [], |row| {
            Ok((row.get(0)?, row.get(1)?, [row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?], row.get(6)?))
        })
        .unwrap()
}

#[track_caller]
fn follow_up(nvim: &Nvim, id: u64, prompt: &str) -> u64 {
    let id = nvim.exec_with("return require('botglue').followup(...)", &[id.into(), prompt.into()]);
    let id = id.as_u64().unwrap();
    nvim.finished(id);
    id
}

/// A first job, two forks of it at once, a fork of a fork that uses a tool, and a fork that goes back; one more that
/// fails after it has cost something.
#[track_caller]
fn assert_sum_is_what_was_spent(nvim: &Nvim, api: &Api) {
    let path = nvim.scratch.write("b.rs", "fn in_b() {}\n");
    api.script("read", [calls("", &[("Read", json!({"file_path": path}))]), says("fn four() {}")]);
    nvim.edit("src/a.rs", "fn target() {}\n");
    let range = json!({"kind": "line", "first": [1, 0], "last": [1, 0]});
    let first = json!({"prompt": "ANSWER<<fn one() {}>>", "range": range});
    nvim.finished(nvim.exec_with("return require('botglue').run(...)", &[first]).as_u64().unwrap());
    let second = follow_up(nvim, 1, "ANSWER<<fn two() {}>>");
    follow_up(nvim, 1, "ANSWER<<fn three() {}>>");
    follow_up(nvim, second, "SCRIPT:read");
    nvim.exec(
        "vim.ui.select = function(items, _, callback) callback(items[1], 1) end
         vim.ui.input = function(_, callback) callback('ANSWER<<fn five() {}>>') end
         require('botglue').setup({ prompt = 'ui' })",
    );
    nvim.command("Botglue rewind");
    let job = nvim.finished(5);
    assert_eq!(job["landing"], "applied", "{job:#}");

    let requests = i32::try_from(api.requests().len()).unwrap();
    assert_eq!(requests, 6);
    let (jobs, cost, tokens, turns) = sums(nvim);
    assert_eq!((jobs, tokens), (5, TOKENS.map(|each| each * i64::from(requests))));
    assert!((cost - f64::from(requests) * PRICE).abs() < 1e-9, "{cost}");
    assert_eq!(turns, i64::from(requests));
    for (id, asked) in [(1, 1.0), (2, 1.0), (3, 1.0), (4, 2.0), (5, 1.0)] {
        let job = nvim.exec(&format!("return require('botglue').job({id})"));
        let cost = job["cost_usd"].as_f64().unwrap();
        assert!((cost - asked * PRICE).abs() < 1e-9, "{job:#}");
    }
}

#[test]
fn the_sum_over_a_family_of_sessions_is_what_was_spent() {
    let fixture = Fixture::new(Cli::Claude);
    assert_sum_is_what_was_spent(&fixture.nvim, &fixture.api);
}

#[test]
fn the_sum_is_right_without_the_share_that_older_versions_do_not_print() {
    let scratch = Scratch::new();
    let api = Api::start();
    let script = scratch.path("older");
    let claude = cli::program("claude");
    let body =
        format!("'{}' \"$@\" | sed 's/\"model_usage_since_last_result\"/\"unknown\"/'\n", claude.display());
    write_script(&script, &body);
    let mut agents = cli::claude(&api);
    agents["claude"]["command"] = json!([script]);
    let nvim = Builder::new(scratch).option("agents", agents).start();
    assert_sum_is_what_was_spent(&nvim, &api);
}
