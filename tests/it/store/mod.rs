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

/// The jobs in the history, as the database has them once they are so.
#[track_caller]
pub fn history(nvim: &Nvim, what: &str, is_so: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    // A host that is asked takes up the journals of those before it.
    nvim.command("Botglue history");
    nvim.command("close");
    let jobs =
        "SELECT json_group_array(json_patch(json_patch(record, entry), json_object('error_code', error_code,
            'landing', landing, 'rows', json(landed_rows))))
         FROM jobs JOIN texts USING (uuid) WHERE ended_ms IS NOT NULL";
    let mut found = Vec::new();
    nvim.wait(what, || {
        let Some(jobs) = stored(&database(nvim), jobs) else { return false };
        found = serde_json::from_str(&jobs).unwrap();
        is_so(&found)
    });
    found
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
