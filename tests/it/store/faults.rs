//! What is wrong with the store: jobs land all the same, the user is told once, and all is kept in the end. (More faults of the database are in `store/tests`, those of journals in `journal/tests`.)

use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::Value;

use super::{TEXT, database, history, hold, run, stored};
use crate::support::agents::Gated;
use crate::support::nvim::{Builder, Nvim};
use crate::support::scratch::Scratch;
use crate::support::{POLL, wait};

/// How long another program holds the store while Neovim ends: longer than a host waits that gives up, shorter than it
/// lives.
const HELD: Duration = Duration::from_millis(700);

fn open() -> (Nvim, Gated) {
    super::open(Scratch::new(), 4)
}

/// Keeps the store locked from now on.
pub(super) fn lock(nvim: &Nvim) -> Connection {
    let lock = Connection::open(database(nvim)).unwrap();
    lock.execute_batch("BEGIN EXCLUSIVE").unwrap();
    lock
}

/// Two jobs land in a Neovim over a database that was prepared, and one warning has these words.
fn lands_with_a_warning(prepare: impl FnOnce(&std::path::Path), words: &[&str]) -> Nvim {
    let scratch = Scratch::new();
    let data = scratch.path("data/nvim/botglue");
    std::fs::create_dir_all(&data).unwrap();
    prepare(&data.join("botglue.db"));
    let (nvim, gated) = super::open(scratch, 4);
    assert_eq!(run(&nvim, &gated, "one", 1, "local a = 10")["landing"], "applied");
    assert_eq!(run(&nvim, &gated, "two", 2, "local b = 20")["landing"], "applied");
    assert_eq!(nvim.lines(), ["local a = 10", "local b = 20", "local c = 3"]);
    let about_store =
        |note: &Value| note["message"].as_str().is_some_and(|message| message.contains("store"));
    nvim.wait("the user is told", || nvim.notes().iter().any(about_store));
    let told: Vec<_> = nvim.notes().into_iter().filter(about_store).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    let message = told[0]["message"].as_str().unwrap();
    assert!(words.iter().all(|word| message.contains(word)), "{message}");
    nvim
}

#[test]
fn no_database() {
    let nvim = lands_with_a_warning(
        |path| std::fs::write(path, [b'x'; 9000]).unwrap(),
        &["not a database", "botglue.db.old-20"],
    );
    assert_eq!(history(&nvim).len(), 2);
    let folder = std::fs::read_dir(nvim.scratch.path("data/nvim/botglue")).unwrap();
    let mut files = folder.map(|entry| entry.unwrap().path());
    let aside = files.find(|path| path.to_string_lossy().contains(".old-")).expect("it is kept");
    assert!(std::fs::read(aside).unwrap() == [b'x'; 9000], "it is as it was");
}

#[test]
fn locked() {
    let held = std::cell::OnceCell::new();
    let prepare = |path: &std::path::Path| {
        let connection = Connection::open(path).unwrap();
        connection.execute_batch("PRAGMA journal_mode = WAL; BEGIN IMMEDIATE").unwrap();
        held.set(connection).unwrap();
    };
    let nvim = lands_with_a_warning(prepare, &["locked", ":help botglue-store"]);
    held.get().unwrap().execute_batch("ROLLBACK").unwrap();
    let landings: Vec<_> = history(&nvim).iter().map(|job| job["landing"].clone()).collect();
    assert_eq!(landings, ["applied", "applied"]);
}

#[test]
fn cut_while_it_is_open() {
    let (nvim, gated) = open();
    hold(&nvim, &gated);
    let other = Connection::open(database(&nvim)).unwrap();
    other.query_row("PRAGMA wal_checkpoint", [], |_| Ok(())).unwrap();
    std::fs::OpenOptions::new().write(true).open(database(&nvim)).unwrap().set_len(0).unwrap();
    let nvim = Builder::new(nvim.quit_to()).start();
    drop(other);
    nvim.edit("a.lua", TEXT);
    nvim.command("Botglue review");
    nvim.shows_held(1);
    assert_eq!(nvim.exec("return require('botglue').job(1)")["text"], "local a = 10");
}

#[test]
fn locked_for_a_moment_while_neovim_ends() {
    let (nvim, gated) = open();
    run(&nvim, &gated, "one", 1, "local a = 10");
    let lock = lock(&nvim);
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
    let path = database(&nvim);
    let _scratch = nvim.quit_to();
    assert_eq!(stored(&path, "SELECT count(*) FROM jobs WHERE landing = 'applied'").as_deref(), Some("2"));
    assert_eq!(stored(&path, "SELECT text FROM unsent").as_deref(), Some("the last"));
}
