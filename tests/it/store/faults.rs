//! What is wrong with the store: jobs land all the same, the user is told once, and all is kept in the end. (The table of
//! faults of the database is in `store/tests`, that of journals in `journal/tests`.)

use rusqlite::Connection;
use serde_json::Value;

use super::{TEXT, database, history, run};
use crate::support::agents::{Gated, write_script};
use crate::support::nvim::{Builder, Nvim};
use crate::support::scratch::Scratch;

/// Keeps the store locked from now on.
pub(super) fn lock(nvim: &Nvim) -> Connection {
    let lock = Connection::open(database(nvim)).unwrap();
    lock.execute_batch("BEGIN EXCLUSIVE").unwrap();
    lock
}

/// A Neovim with this option, and the gates of its agents.
fn with_option(scratch: Scratch, name: &str, value: Option<&str>) -> (Nvim, Gated) {
    let gated = Gated::new(&scratch);
    let nvim = Builder::new(scratch).option("agents", gated.option()).option(name, value).start();
    nvim.edit("a.lua", TEXT);
    (nvim, gated)
}

/// Two jobs land, and one warning has these words.
fn assert_lands(nvim: &Nvim, gated: &Gated, words: &[&str]) {
    assert_eq!(run(nvim, gated, "one", 1, "local a = 10")["landing"], "applied");
    assert_eq!(run(nvim, gated, "two", 2, "local b = 20")["landing"], "applied");
    assert_eq!(nvim.lines(), ["local a = 10", "local b = 20", "local c = 3"]);
    let about_store =
        |note: &Value| note["message"].as_str().is_some_and(|message| message.contains("store"));
    nvim.wait("the user is told", || nvim.notes().iter().any(about_store));
    let told: Vec<_> = nvim.notes().into_iter().filter(about_store).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    let message = told[0]["message"].as_str().unwrap();
    assert!(words.iter().all(|word| message.contains(word)), "{message}");
}

#[test]
fn a_full_disk() {
    let scratch = Scratch::new();
    let host = scratch.path("limited-host");
    // No file may have more than 24 kB.
    let program = env!("CARGO_BIN_EXE_botglue");
    write_script(&host, &format!("ulimit -f 48\nexec '{program}' \"$@\"\n"));
    let (nvim, gated) = with_option(scratch, "host", host.to_str());
    assert_lands(&nvim, &gated, &["the store failed", ":help botglue-store"]);
    let has_landed = |job: &Value| job["landing"] == "applied";
    let next = Builder::new(nvim.quit_to()).start();
    history(&next, "both have landed", |jobs| jobs.len() == 2 && jobs.iter().all(has_landed));
}

#[test]
#[cfg(target_os = "linux")]
fn a_folder_that_is_read_only() {
    // Nobody can make a file there, not even the administrator.
    let (nvim, gated) = with_option(Scratch::new(), "data_dir", Some("/sys/botglue"));
    assert_lands(&nvim, &gated, &["the store cannot be written (/sys/botglue: ", "set it to another folder"]);
}
