//! What a family of sessions cost, by the real CLI: the sum over all jobs is what the service was asked for.

use rusqlite::Connection;
use serde_json::json;

use crate::support::agents::{claude_is, write_script};
use crate::support::api::{Api, calls, says};
use crate::support::cli;
use crate::support::nvim::{Builder, Nvim};
use crate::support::scratch::Scratch;

/// What one request to the loopback service costs, at the price that the CLI knows for its default model, and its
/// tokens: sent, received, read from the cache, put into it.
const PRICE: f64 = 0.000_91;
const TOKENS: [i64; 4] = [25, 15, 50, 100];

/// How often the family asks the service.
const REQUESTS: i32 = 6;

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

/// A first job, two forks of it, a fork of a fork that uses a tool, and a fork that goes back.
#[track_caller]
fn assert_sum_is_what_was_spent(nvim: &Nvim) {
    nvim.edit("src/a.rs", "fn target() {}\n");
    let range = json!({"kind": "line", "first": [1, 0], "last": [1, 0]});
    let first = json!({"prompt": "ANSWER<<fn one() {}>>", "range": range});
    nvim.finished(nvim.exec_with("return require('botglue').run(...)", &[first]).as_u64().unwrap());
    let second = follow_up(nvim, 1, "ANSWER<<fn two() {}>>");
    follow_up(nvim, 1, "ANSWER<<fn three() {}>>");
    follow_up(nvim, second, "SCRIPT:read");
    nvim.exec("vim.ui.select = function(items, _, callback) callback(items[1], 1) end");
    nvim.command("Botglue rewind");
    nvim.wait("the prompt is open", || nvim.exec("return vim.bo.filetype") == "botglue-prompt");
    nvim.input("ANSWER<lt><lt>fn five() {}>><C-s>");
    let job = nvim.finished(5);
    assert_eq!(job["landing"], "applied", "{job:#}");

    let (jobs, cost, tokens, turns) = sums(nvim);
    assert_eq!((jobs, tokens), (5, TOKENS.map(|each| each * i64::from(REQUESTS))));
    assert!((cost - f64::from(REQUESTS) * PRICE).abs() < 1e-9, "{cost}");
    assert_eq!(turns, i64::from(REQUESTS));
    for (id, asked) in [(1, 1.0), (2, 1.0), (3, 1.0), (4, 2.0), (5, 1.0)] {
        let job = nvim.exec(&format!("return require('botglue').job({id})"));
        let cost = job["cost_usd"].as_f64().unwrap();
        assert!((cost - asked * PRICE).abs() < 1e-9, "{job:#}");
    }
}

/// The real CLI, and then what it printed without the share of each job, as older versions printed it.
#[test]
fn the_sum_over_a_family_of_sessions_is_what_was_spent_also_where_no_share_is_printed() {
    let scratch = Scratch::new();
    let api = Api::start();
    let path = scratch.write("b.rs", "fn in_b() {}\n");
    api.script("read", [calls("", &[("Read", json!({"file_path": path}))]), says("fn four() {}")]);
    let printed = tempfile::tempdir().unwrap();
    let recorder = scratch.path("recorder");
    let body = format!(
        "message=$(cat)\ncd '{}'\nn=$(ls | wc -l)\ncd - >/dev/null\n\
         printf '%s' \"$message\" | '{}' \"$@\" | tee \"{0}/$((n + 1))\"\n",
        printed.path().display(),
        cli::program("claude").display(),
    );
    write_script(&recorder, &body);
    let mut agents = cli::claude(&api);
    agents["claude"]["command"] = json!([recorder]);
    let nvim = Builder::new(scratch).option("agents", agents).start();
    assert_sum_is_what_was_spent(&nvim);
    assert_eq!(i32::try_from(api.requests().len()).unwrap(), REQUESTS);

    let scratch = Scratch::new();
    let (older, played) = (scratch.path("older"), scratch.path("played"));
    std::fs::create_dir(&played).unwrap();
    let body = format!(
        "cat >/dev/null\nn=$(($(ls '{played}' | wc -l) + 1))\n: >'{played}'/$n\n\
         sed 's/\"model_usage_since_last_result\"/\"unknown\"/' '{}'/$n\n",
        printed.path().display(),
        played = played.display(),
    );
    write_script(&older, &body);
    assert_sum_is_what_was_spent(&Builder::new(scratch).option("agents", claude_is(&older)).start());
}
