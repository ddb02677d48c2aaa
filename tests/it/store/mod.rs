//! What is kept, whoever ends and whatever is wrong with the store, in a real Neovim: what it did is asked for in this
//! Neovim and in the next one.

mod deaths;
mod faults;

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};

use crate::support::agents::Gated;
use crate::support::nvim::{Builder, Nvim};
use crate::support::scratch::Scratch;

pub const TEXT: &str = "local a = 1\nlocal b = 2\nlocal c = 3\n";

/// Asks the store and waits for its answer.
#[track_caller]
pub fn ask(nvim: &Nvim, name: &str, args: &Value) -> Result<Value, String> {
    let answer = nvim.exec_with(
        "local name, args = ...
         local answer
         require('botglue.wiring')
         require('botglue.host.query').ask(name, args, function(result, err)
           answer = { result = result, err = err }
         end)
         vim.wait(30000, function() return answer ~= nil end, 5)
         return answer",
        &[json!(name), args.clone()],
    );
    match answer["err"].as_str() {
        Some(error) => Err(error.to_owned()),
        None => Ok(answer["result"].clone()),
    }
}

/// The jobs in the history, newest first, as the database has them.
#[track_caller]
pub fn history(nvim: &Nvim) -> Vec<Value> {
    // The store answers once it has everything.
    ask(nvim, "prompts", &json!({})).unwrap();
    let connection = Connection::open(database(nvim)).unwrap();
    let jobs = "SELECT json_patch(json_patch(record, entry), json_object('cost_usd', cost_usd, 'num_turns', num_turns,
            'input_tokens', input_tokens, 'output_tokens', output_tokens, 'model', model, 'error_code', error_code,
            'rows', json(landed_rows)))
         FROM jobs JOIN texts USING (uuid) WHERE ended_ms IS NOT NULL ORDER BY ended_ms DESC, uuid DESC";
    let mut statement = connection.prepare(jobs).unwrap();
    let jobs = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
    jobs.map(|job| serde_json::from_str(&job.unwrap()).unwrap()).collect()
}

/// What became of each, with their prompts in order.
#[track_caller]
fn landings(nvim: &Nvim) -> Vec<(String, Value)> {
    let job = |job: &Value| (job["prompt"].as_str().unwrap().to_owned(), job["landing"].clone());
    let mut jobs: Vec<_> = history(nvim).iter().map(job).collect();
    jobs.sort_by(|(one, _), (other, _)| one.cmp(other));
    jobs
}

pub fn database(nvim: &Nvim) -> PathBuf {
    nvim.scratch.path("data/nvim/botglue/botglue.db")
}

/// What the database has, as text; without Neovim, which may be stopped.
pub fn stored(path: &Path, sql: &str) -> Option<String> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).ok()?;
    connection.query_row(&format!("SELECT CAST(({sql}) AS TEXT)"), [], |row| row.get(0)).ok()?
}

pub fn open(scratch: Scratch, max_parallel: u32) -> (Nvim, Gated) {
    let gated = Gated::new(&scratch);
    let builder = Builder::new(scratch).option("agents", gated.option());
    let nvim = builder.option("max_parallel", max_parallel).start();
    nvim.edit("a.lua", TEXT);
    (nvim, gated)
}

/// Starts a job on lines.
pub fn start(nvim: &Nvim, name: &str, lines: (u64, u64), review: bool) -> u64 {
    nvim.run(&format!("GATE:{name}"), lines, json!({"review": review}))
}

pub fn run(nvim: &Nvim, gated: &Gated, name: &str, line: u64, answer: &str) -> Value {
    let id = start(nvim, name, (line, line), false);
    gated.answer(name, answer);
    nvim.finished(id)
}

/// Has an answer to the first line held, and returns its number.
pub fn hold(nvim: &Nvim, gated: &Gated) -> u64 {
    let id = start(nvim, "it", (1, 1), true);
    gated.answer("it", "local a = 10");
    assert_eq!(nvim.finished(id)["landing"], "held");
    id
}

#[test]
fn the_store_answers_in_this_neovim_and_in_the_next() {
    let (nvim, gated) = open(Scratch::new(), 4);
    let first = run(&nvim, &gated, "one", 1, "local a = 10\nlocal aa = 11");
    run(&nvim, &gated, "two", 3, "local b = 20");
    let path = nvim.scratch.project().join("a.lua");

    let jobs = history(&nvim);
    let prompts: Vec<_> = jobs.iter().map(|job| (&job["id"], &job["prompt"])).collect();
    assert_eq!(prompts, [(&json!(2), &json!("GATE:two")), (&json!(1), &json!("GATE:one"))]);
    let entry = &jobs[1];
    for field in ["cost_usd", "input_tokens", "output_tokens", "num_turns", "session_id", "model", "landing"]
    {
        assert_eq!(entry[field], first[field], "{field} of {entry}");
    }
    assert_eq!(entry["path"], path.to_str().unwrap());
    assert_eq!(
        (&entry["place"], &entry["rows"]),
        (&json!([1, 2]), &json!(["local a = 10", "local aa = 11"]))
    );
    assert_eq!((&jobs[0]["place"], &jobs[0]["rows"]), (&json!([3, 3]), &json!(["local b = 20"])));

    let nvim = Builder::new(nvim.quit_to()).start();
    assert_eq!(ask(&nvim, "prompts", &json!({})).unwrap()["prompts"][0], "GATE:two");
    assert!(ask(&nvim, "weather", &json!({})).unwrap_err().contains("name"));
}
