//! A store that is damaged, locked or of another version: jobs land all the same, and the user is told once.

use rusqlite::Connection;
use serde_json::{Value, json};

use super::{history, run};
use crate::support::agents::Gated;
use crate::support::nvim::{Builder, Nvim};
use crate::support::scratch::Scratch;

/// A Neovim over a data directory that was prepared.
fn open(prepare: impl FnOnce(&std::path::Path)) -> (Nvim, Gated) {
    let scratch = Scratch::new();
    let data = scratch.path("data/nvim/botglue");
    std::fs::create_dir_all(&data).unwrap();
    prepare(&data.join("botglue.db"));
    let gated = Gated::new(&scratch);
    let nvim = Builder::new(scratch).option("agents", gated.option()).start();
    nvim.edit("a.lua", "local a = 1\nlocal b = 2\n");
    (nvim, gated)
}

/// Two jobs land, and one warning has these words.
fn assert_lands_with_a_warning(nvim: &Nvim, gated: &Gated, words: &[&str]) {
    assert_eq!(run(nvim, gated, "one", 1, "local a = 10")["landing"], "applied");
    assert_eq!(run(nvim, gated, "two", 2, "local b = 20")["landing"], "applied");
    assert_eq!(nvim.lines(), ["local a = 10", "local b = 20"]);
    let about_store =
        |note: &Value| note["message"].as_str().is_some_and(|message| message.contains("store"));
    nvim.wait("the user is told", || nvim.notes().iter().any(about_store));
    let told: Vec<_> = nvim.notes().into_iter().filter(about_store).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    let message = told[0]["message"].as_str().unwrap();
    assert!(words.iter().all(|word| message.contains(word)), "{message}");
}

#[test]
fn a_store_that_is_no_database_is_put_aside() {
    let (nvim, gated) = open(|path| std::fs::write(path, [b'x'; 9000]).unwrap());
    assert_lands_with_a_warning(&nvim, &gated, &["not a database", "botglue.db.old-20"]);
    assert_eq!(history(&nvim).len(), 2);
    let folder = std::fs::read_dir(nvim.scratch.path("data/nvim/botglue")).unwrap();
    let mut files = folder.map(|entry| entry.unwrap().path());
    let aside = files.find(|path| path.to_string_lossy().contains(".old-")).expect("it is kept");
    assert!(std::fs::read(aside).unwrap() == [b'x'; 9000], "it is as it was");
}

#[test]
fn a_store_that_is_locked_gets_what_waited_when_it_is_free() {
    let lock = std::cell::OnceCell::new();
    let (nvim, gated) = open(|path| {
        let connection = Connection::open(path).unwrap();
        connection.pragma_update(None, "journal_mode", "WAL").unwrap();
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        lock.set(connection).unwrap();
    });
    assert_lands_with_a_warning(&nvim, &gated, &["locked", ":help botglue-store"]);
    lock.get().unwrap().execute_batch("ROLLBACK").unwrap();
    let landings: Vec<_> = history(&nvim).iter().map(|job| job["landing"].clone()).collect();
    assert_eq!(landings, ["applied", "applied"]);
}

#[test]
fn held_answers_survive_that_the_database_is_cut_while_it_is_open() {
    let (nvim, gated) = open(|_| {});
    let range = json!({"kind": "line", "first": [1, 0], "last": [1, 0]});
    let options = json!({"prompt": "GATE:it", "range": range, "review": true});
    let id = nvim.exec_with("return require('botglue').run(...)", &[options]).as_u64().unwrap();
    gated.answer("it", "local a = 10");
    assert_eq!(nvim.finished(id)["landing"], "held");
    let path = nvim.scratch.path("data/nvim/botglue/botglue.db");
    let other = Connection::open(&path).unwrap();
    other.query_row("PRAGMA wal_checkpoint", [], |_| Ok(())).unwrap();
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(0).unwrap();
    let nvim = Builder::new(nvim.quit_to()).start();
    drop(other);
    nvim.edit("a.lua", "local a = 1\nlocal b = 2\n");
    nvim.command("Botglue review");
    nvim.shows_held(1);
    assert_eq!(nvim.exec("return require('botglue').job(1)")["text"], "local a = 10");
}
