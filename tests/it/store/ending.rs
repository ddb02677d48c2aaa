//! Neovim ends in good order, and what it said last is long, or the store is not to be written at once: it is kept all
//! the same.

use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};

use super::{history, run};
use crate::support::agents::Gated;
use crate::support::nvim::{Builder, Nvim};
use crate::support::process::{self, signal};
use crate::support::scratch::Scratch;
use crate::support::{POLL, wait};

/// How long somebody holds the store while Neovim ends: longer than a host waits that gives up, shorter than it lives.
const HELD: Duration = Duration::from_millis(700);
/// How long a host lives that was told to end by somebody else than its Neovim, on a busy machine too.
const ENDING: Duration = Duration::from_secs(10);

fn open(scratch: Scratch) -> (Nvim, Gated) {
    let gated = Gated::new(&scratch);
    let nvim = Builder::new(scratch).option("agents", gated.option()).start();
    nvim.edit("a.lua", "local a = 1\nlocal b = 2\n");
    (nvim, gated)
}

/// Runs Lua after which Neovim quits at once, and starts the next one. Lua finds its host as `host`.
fn say_last(nvim: Nvim, lua: &str, argument: &Value) -> Nvim {
    nvim.exec_with(
        &format!(
            "local argument = ...
             local host = require('botglue.host.connection').process
             vim.schedule(function()
               {lua}
               vim.cmd('qa!')
             end)"
        ),
        std::slice::from_ref(argument),
    );
    Builder::new(nvim.quit_to()).start()
}

/// Has an answer held, and returns its number.
fn hold(nvim: &Nvim, gated: &Gated) -> u64 {
    let range = json!({"kind": "line", "first": [1, 0], "last": [1, 0]});
    let options = json!({"prompt": "GATE:it", "range": range, "review": true});
    let id = nvim.exec_with("return require('botglue').run(...)", &[options]).as_u64().unwrap();
    gated.answer("it", "local a = 10");
    assert_eq!(nvim.finished(id)["landing"], "held");
    id
}

#[test]
fn a_long_prompt_is_kept_to_its_last_word() {
    let (nvim, gated) = open(Scratch::new());
    run(&nvim, &gated, "one", 1, "local a = 10");
    let typed = "if not host.ready then error() end
        local text = ('word '):rep(1024 * 1024 / 5)
        for _, last in ipairs({ '', 'the last' }) do
          host:notify('unsent', { id = 1, at_ms = os.time() * 1000, text = text .. last })
        end";
    let nvim = say_last(nvim, typed, &Value::Null);
    let kept = nvim.scratch.path("data/nvim/botglue/botglue.db");
    let end: String = Connection::open(kept)
        .unwrap()
        .query_row("SELECT substr(text, -8) FROM unsent", [], |row| row.get(0))
        .unwrap();
    assert_eq!(end, "the last");
}

#[test]
fn a_long_draft_is_kept() {
    let (nvim, gated) = open(Scratch::new());
    let id = hold(&nvim, &gated);
    nvim.command(&format!("Botglue edit {id}"));
    let drafted = "local lines = {}
        for i = 1, 60000 do lines[i] = 'local some_name_' .. i .. ' = ' .. i end
        vim.api.nvim_buf_set_lines(0, 0, -1, true, lines)
        vim.cmd.write()";
    let nvim = say_last(nvim, drafted, &Value::Null);
    nvim.edit("a.lua", "local a = 1\nlocal b = 2\n");
    nvim.command("Botglue review");
    nvim.shows_held(1);
    let drafted = nvim.exec(
        "vim.cmd('Botglue edit 1')
        return { vim.api.nvim_buf_line_count(0), vim.fn.getline(60000) }",
    );
    assert_eq!(drafted, json!([60_000, "local some_name_60000 = 60000"]));
}

#[test]
fn a_long_answer_that_has_landed_is_not_held_in_the_next() {
    let (nvim, gated) = open(Scratch::new());
    let lines: Vec<String> = (0..20_000).map(|i| format!("local some_name_{i} = {i}")).collect();
    let range = json!({"kind": "line", "first": [1, 0], "last": [1, 0]});
    nvim.exec(
        "vim.api.nvim_create_autocmd('User', { pattern = 'BotglueJobFinished', callback = function()
            vim.cmd('wqa!')
        end })",
    );
    nvim.exec_with("return require('botglue').run(...)", &[json!({"prompt": "GATE:it", "range": range})]);
    gated.answer("it", &lines.join("\n"));
    nvim.wait("Neovim ends", || nvim.host().is_none());
    let nvim = Builder::new(nvim.quit_to()).start();
    assert_eq!(
        std::fs::read_to_string(nvim.scratch.project().join("a.lua")).unwrap().lines().count(),
        20_001
    );
    assert_eq!(history(&nvim)[0]["landing"], "applied");
}

#[test]
fn a_store_that_is_locked_is_waited_for() {
    let (nvim, gated) = open(Scratch::new());
    run(&nvim, &gated, "one", 1, "local a = 10");
    let path = nvim.scratch.path("data/nvim/botglue/botglue.db");
    let lock = Connection::open(path).unwrap();
    lock.execute_batch("BEGIN EXCLUSIVE").unwrap();
    // The host has found it locked, and has stopped to wait for each write.
    run(&nvim, &gated, "two", 2, "local b = 20");
    let host = nvim.host().unwrap();
    let said = "require('botglue.host.connection').process:notify('unsent',
        { id = 1, at_ms = os.time() * 1000, text = 'the last' })
        vim.schedule(function() vim.cmd('qa!') end)";
    nvim.exec(said);
    let log = nvim.scratch.path("state/nvim/botglue.log");
    wait("the host ends", || std::fs::read_to_string(&log).unwrap().contains("ending"));
    let since = Instant::now();
    while since.elapsed() < HELD {
        assert!(nvim.host() == Some(host), "it has given up after {:?}", since.elapsed());
        std::thread::sleep(POLL);
    }
    lock.execute_batch("ROLLBACK").unwrap();
    let _scratch = nvim.quit_to();
    let count = |sql: &str| lock.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count("SELECT count(*) FROM jobs WHERE landing = 'applied'"), 2);
    assert_eq!(count("SELECT count(*) FROM unsent WHERE text = 'the last'"), 1);
}

/// Keeps the store locked from now on.
fn lock(nvim: &Nvim) -> Connection {
    let lock = Connection::open(nvim.scratch.path("data/nvim/botglue/botglue.db")).unwrap();
    lock.execute_batch("BEGIN EXCLUSIVE").unwrap();
    lock
}

#[test]
fn what_a_store_that_stays_locked_keeps_out_is_taken_up_by_the_next() {
    let (nvim, gated) = open(Scratch::new());
    run(&nvim, &gated, "one", 1, "local a = 10");
    let lock = lock(&nvim);
    run(&nvim, &gated, "two", 2, "local b = 20");
    hold(&nvim, &gated);
    let scratch = nvim.quit_to();
    let log = std::fs::read_to_string(scratch.path("state/nvim/botglue.log")).unwrap();
    assert!(log.contains("database is locked"), "{log}");
    assert!(log.contains("the host ends"), "it was killed: {log}");
    lock.execute_batch("ROLLBACK").unwrap();
    let nvim = Builder::new(scratch).start();
    let jobs = history(&nvim);
    let found: Vec<_> = jobs.iter().map(|job| (&job["prompt"], &job["landing"])).collect();
    let [applied, held] = ["applied", "held"].map(Value::from);
    let [it, one, two] = ["GATE:it", "GATE:one", "GATE:two"].map(Value::from);
    assert_eq!(found, [(&it, &held), (&two, &applied), (&one, &applied)]);
    nvim.edit("a.lua", "local a = 1\nlocal b = 2\n");
    nvim.command("Botglue review");
    nvim.shows_held(1);
    assert_eq!(nvim.exec("return require('botglue').job(1)")["text"], "local a = 10");
}

#[test]
fn a_host_that_somebody_else_ends_while_neovim_lives_ends_in_time() {
    let (nvim, gated) = open(Scratch::new());
    let range = json!({"kind": "line", "first": [1, 0], "last": [1, 0]});
    let options = json!({"prompt": "GATE:it", "range": range});
    let id = nvim.exec_with("return require('botglue').run(...)", &[options]).as_u64().unwrap();
    let _run = gated.run("it");
    let host = nvim.host().unwrap();
    let since = Instant::now();
    signal(host, "TERM");
    wait("the host has ended", || !process::of(&nvim.scratch).iter().any(|found| found.pid == host));
    assert!(since.elapsed() < ENDING, "{:?}", since.elapsed());
    assert_eq!(nvim.finished(id)["status"], "failed");
}

#[test]
fn a_write_of_the_file_is_followed_to_its_last_row() {
    let (nvim, gated) = open(Scratch::new());
    run(&nvim, &gated, "one", 1, "local a = 10");
    // A change that takes the host a while to follow.
    let written = "local lines = {}
        for i = 1, 60000 do lines[i] = ('%d = %d'):format(i * 7919 % 1000, i % 7) end
        vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'local a = 11' })
        vim.api.nvim_buf_set_lines(0, 2, -1, true, lines)
        vim.api.nvim_buf_set_lines(0, 2, -1, true, vim.fn.reverse(lines))
        vim.cmd.write()";
    let nvim = say_last(nvim, written, &Value::Null);
    assert_eq!(history(&nvim)[0]["rows"], json!(["local a = 11"]));
}
