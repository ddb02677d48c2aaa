//! A job is in the store from the moment at which the host accepts it. What becomes of one whose Neovim or host is
//! killed before it ends.

use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};

use super::{ask, history};
use crate::support::agents::Gated;
use crate::support::nvim::{Builder, Nvim};
use crate::support::process::{self, signal};
use crate::support::scratch::Scratch;
use crate::support::wait;

const DATABASE: &str = "data/nvim/botglue/botglue.db";
const TEXT: &str = "local a = 1\nlocal b = 2\nlocal c = 3\n";

/// A Neovim with one job that runs and one that is queued behind it, both in the store.
fn two_jobs() -> (Nvim, Gated, Option<Connection>) {
    let (nvim, gated) = start();
    run_two(&nvim, &gated);
    // The store answers a question after it has written what came before it.
    ask(&nvim, "prompts", &json!({})).unwrap();
    (nvim, gated, None)
}

/// The same while another program has the store locked: both jobs are in the journal alone.
fn two_jobs_behind_a_lock() -> (Nvim, Gated, Option<Connection>) {
    let (nvim, gated) = start();
    // Begins a store.
    ask(&nvim, "prompts", &json!({})).unwrap();
    let lock = Connection::open(nvim.scratch.path(DATABASE)).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    run_two(&nvim, &gated);
    wait("both jobs are in the journal", || {
        let journals = nvim.scratch.journals();
        ["GATE:one", "GATE:two"].iter().all(|prompt| journals.contains(prompt))
    });
    (nvim, gated, Some(lock))
}

/// Kills Neovim and its host at once.
fn kill(nvim: Nvim) -> Scratch {
    signal(nvim.pid(), "STOP");
    signal(nvim.host().expect("a host"), "KILL");
    nvim.crash()
}

fn start() -> (Nvim, Gated) {
    let scratch = Scratch::new();
    let gated = Gated::new(&scratch);
    let nvim = Builder::new(scratch).option("agents", gated.option()).option("max_parallel", 1).start();
    nvim.edit("a.lua", TEXT);
    (nvim, gated)
}

fn run_two(nvim: &Nvim, gated: &Gated) {
    for (name, line) in [("one", 1), ("two", 2)] {
        let range = json!({"kind": "line", "first": [line, 0], "last": [line, 0]});
        let options = json!({"prompt": format!("GATE:{name}"), "range": range});
        nvim.exec_with("return require('botglue').run(...)", &[options]);
    }
    gated.stdin("one");
    nvim.wait("Neovim knows that it runs", || {
        nvim.exec("return require('botglue').job(1).status") == "running"
    });
}

#[track_caller]
fn assert_interrupted(nvim: &Nvim) {
    let jobs = history(nvim);
    let mut found: Vec<_> = jobs
        .iter()
        .map(|job| (job["prompt"].as_str().unwrap(), job["error_code"].as_str().unwrap()))
        .collect();
    found.sort_unstable();
    assert_eq!(found, [("GATE:one", "host_lost"), ("GATE:two", "host_lost")]);
}

/// Asks for the queued job again, from the history.
fn retry(nvim: &Nvim, gated: &Gated) {
    nvim.edit("a.lua", TEXT);
    nvim.be_patient();
    nvim.command("Botglue history");
    let row = |prompt: &str| format!("return vim.fn.search('{prompt}', 'cw')");
    nvim.wait("the history shows the job", || nvim.exec(&row("GATE:two .*interrupted")) != 0);
    nvim.input("R");
    gated.answer("two", "local b = 20");
    nvim.wait("the answer has landed", || nvim.lines().contains(&"local b = 20".to_owned()));
    assert_eq!(nvim.lines(), ["local a = 1", "local b = 20", "local c = 3"]);
}

#[test]
fn whoever_ends_the_jobs_are_interrupted_in_the_next_neovim() {
    let ends: [fn(Nvim) -> Scratch; 4] = [Nvim::crash, Nvim::quit_to, kill, kill];
    for (end, is_locked) in ends.into_iter().zip([false, false, false, true]) {
        let (nvim, gated, lock) = if is_locked { two_jobs_behind_a_lock() } else { two_jobs() };
        let scratch = end(nvim);
        drop(lock);
        let nvim = Builder::new(scratch).option("agents", gated.option()).start();
        assert_interrupted(&nvim);
        retry(&nvim, &gated);
    }
}

#[test]
fn a_job_that_was_accepted_and_has_ended_while_somebody_locked_the_store_is_there_once() {
    let (nvim, gated, lock) = two_jobs_behind_a_lock();
    gated.answer("one", "local a = 10");
    assert_eq!(nvim.finished(1)["landing"], "applied");
    wait("that it has landed is in the journal", || {
        nvim.scratch.journals().contains(r#""landing":"applied""#)
    });
    let scratch = kill(nvim);
    drop(lock);
    let nvim = Builder::new(scratch).start();
    let jobs = history(&nvim);
    let mut found: Vec<_> =
        jobs.iter().map(|job| (&job["prompt"], &job["error_code"], &job["landing"])).collect();
    found.sort_by_key(|(prompt, ..)| prompt.to_string());
    let expected = [
        (json!("GATE:one"), Value::Null, json!("applied")),
        (json!("GATE:two"), json!("host_lost"), Value::Null),
    ];
    assert_eq!(
        found,
        expected.iter().map(|(prompt, status, landing)| (prompt, status, landing)).collect::<Vec<_>>()
    );
}

#[test]
fn a_job_whose_agent_ended_before_the_host_knew_that_neovim_is_left_is_interrupted() {
    let (nvim, ..) = two_jobs();
    let go = nvim.scratch.path("go");
    // After the plugin's own. A terminal that goes away ends its agents before the host knows.
    nvim.exec_with(
        "local go = ...
         vim.api.nvim_create_autocmd('VimLeavePre', { callback = function()
           vim.fn.writefile({}, go .. '.left')
           while not vim.uv.fs_stat(go) do vim.uv.sleep(5) end
         end })
         vim.schedule(function() vim.cmd('qa!') end)",
        &[json!(go)],
    );
    wait("Neovim is left", || go.with_extension("left").exists());
    let is_agent = |found: &&process::Process| {
        !["nvim", "botglue serve"].iter().any(|other| found.command.contains(other))
    };
    let agent = process::of(&nvim.scratch).iter().find(is_agent).expect("an agent").pid;
    signal(agent, "TERM");
    let path = nvim.scratch.path(DATABASE);
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let failed = "SELECT count(*) FROM jobs WHERE error_code IS NOT NULL";
    wait("the end of the agent is stored", || {
        connection.query_row(failed, [], |row| row.get::<_, u32>(0)).unwrap() == 1
    });
    std::fs::write(&go, "").unwrap();
    let nvim = Builder::new(nvim.quit_to()).start();
    assert_interrupted(&nvim);
}

#[test]
fn jobs_of_a_killed_host_are_interrupted_in_the_same_neovim() {
    let (nvim, ..) = two_jobs();
    signal(nvim.host().expect("a host"), "KILL");
    nvim.finished(1);
    nvim.finished(2);
    assert_interrupted(&nvim);
}

#[test]
fn jobs_that_have_not_ended_are_not_in_the_history() {
    let (nvim, gated, _) = two_jobs();
    assert_eq!(history(&nvim), Vec::<Value>::new());
    let prompts = ask(&nvim, "prompts", &json!({})).unwrap();
    assert_eq!(prompts["prompts"].as_array().unwrap().len(), 2, "their prompts can be recalled: {prompts}");
    for (id, name) in [(1, "one"), (2, "two")] {
        gated.answer(name, "local x = 0");
        nvim.finished(id);
    }
    assert_eq!(history(&nvim).len(), 2);
}
