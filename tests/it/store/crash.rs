//! The host is killed at each step from "the answer is stored" to "its landing is stored", and Neovim after it: the next
//! Neovim finds the answer held.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags};
use serde_json::json;

use super::ask;
use crate::support::agents::Gated;
use crate::support::nvim::{Builder, Nvim};
use crate::support::process::signal;
use crate::support::scratch::Scratch;
use crate::support::wait;

/// A Neovim with a job on its second line, and the gate of its agent.
struct Scene {
    nvim: Nvim,
    gated: Gated,
    host: u32,
    id: u64,
}

fn scene(review: bool) -> Scene {
    let scratch = Scratch::new();
    let gated = Gated::new(&scratch);
    let nvim = Builder::new(scratch).option("agents", gated.option()).start();
    nvim.edit("a.lua", "local a = 1\nlocal b = 2\nlocal c = 3\n");
    let id = run(&nvim, "it", review);
    gated.stdin("it");
    let host = nvim.host().expect("a host");
    Scene { nvim, gated, host, id }
}

fn run(nvim: &Nvim, name: &str, review: bool) -> u64 {
    let range = json!({"kind": "line", "first": [2, 0], "last": [2, 0]});
    let options = json!({"prompt": format!("GATE:{name}"), "range": range, "review": review});
    nvim.exec_with("return require('botglue').run(...)", &[options]).as_u64().unwrap()
}

fn database(nvim: &Nvim) -> PathBuf {
    nvim.scratch.path("data/nvim/botglue/botglue.db")
}

/// What the store says of the job's answer; without Neovim, which may be stopped.
pub(super) fn stored(path: &Path) -> Option<String> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).ok()?;
    let landing = "SELECT coalesce(landing, 'undecided') FROM jobs WHERE has_answer";
    connection.query_row(landing, [], |row| row.get(0)).ok()
}

impl Scene {
    fn answer(&self) {
        self.gated.answer("it", "local b = 20");
    }

    fn kill_host(&self) {
        signal(self.host, "KILL");
    }

    /// The host dies with nothing stored but the answer, and Neovim lives on.
    fn lose_host(self) -> Self {
        assert_eq!(stored(&database(&self.nvim)).as_deref(), Some("undecided"));
        self.kill_host();
        let gone = "return require('botglue.client').connection().process == nil";
        self.nvim.wait("the editor has noticed", || self.nvim.exec(gone) == true);
        self
    }

    /// Neovim dies too; the next one finds the answer, and it lands once.
    fn assert_found(self, held_for: &str) {
        let nvim = Builder::new(self.nvim.crash()).start();
        nvim.edit("a.lua", "local a = 1\nlocal b = 2\nlocal c = 3\n");
        nvim.command("Botglue review");
        nvim.wait("the review is open", || nvim.exec("return #vim.api.nvim_tabpage_list_wins(0)") == 2);
        let job = nvim.exec("return require('botglue').job(1)");
        assert_eq!((&job["landing"], &job["held_for"]), (&json!("held"), &json!(held_for)), "{job}");
        assert_eq!((&job["text"], &job["prompt"]), (&json!("local b = 20"), &json!("GATE:it")));
        nvim.input("a");
        nvim.wait("it is accepted", || nvim.exec("return require('botglue').job(1).landing") == "applied");
        let history = ask(&nvim, "history", &json!({})).unwrap();
        assert_eq!(history["jobs"].as_array().map(Vec::len), Some(1), "{history}");
        assert_eq!(history["jobs"][0]["landing"], "applied");
    }
}

#[test]
fn stored_and_the_editor_does_not_know_of_it() {
    let scene = scene(false);
    let (pid, path) = (scene.nvim.pid(), database(&scene.nvim));
    signal(pid, "STOP");
    scene.answer();
    wait("the answer is stored", || stored(&path).as_deref() == Some("undecided"));
    scene.kill_host();
    scene.assert_found("buffer_gone");
}

/// The answer is in the editor, where the user is in the middle of something.
fn waiting() -> Scene {
    let scene = scene(false);
    scene.nvim.input("v");
    scene.answer();
    scene.nvim.wait("it is ready", || {
        scene.nvim.exec_with("return require('botglue').job(...).status", &[json!(scene.id)]) == "ready"
    });
    scene
}

#[test]
fn told_and_waiting_for_its_moment() {
    waiting().lose_host().assert_found("buffer_gone");
}

/// Stops the host while its answer waits in the editor, which then goes on with it.
fn deaf_host() -> Scene {
    let scene = waiting();
    signal(scene.host, "STOP");
    scene
}

fn landed_with_a_deaf_host() -> Scene {
    let scene = deaf_host();
    scene.nvim.input("<Esc>");
    assert_eq!(scene.nvim.finished(scene.id)["landing"], "applied");
    assert_eq!(scene.nvim.lines()[1], "local b = 20");
    scene.lose_host()
}

#[test]
fn landed_in_the_buffer_and_not_stored_as_landed() {
    landed_with_a_deaf_host().assert_found("buffer_gone");
}

#[test]
fn landed_in_the_buffer_and_the_next_host_is_told() {
    let scene = landed_with_a_deaf_host();
    let path = database(&scene.nvim);
    ask(&scene.nvim, "prompts", &json!({})).unwrap();
    wait("the landing is stored", || stored(&path).as_deref() == Some("applied"));
    let nvim = Builder::new(scene.nvim.quit_to()).start();
    nvim.command("Botglue review");
    let tells = |note: &serde_json::Value| note["message"].as_str().unwrap().contains("no answer is held");
    nvim.wait("nothing is held", || nvim.notes().iter().any(tells));
}

#[test]
fn held_and_not_stored_as_held() {
    let scene = deaf_host();
    scene.nvim.exec("vim.bo.modifiable = false");
    scene.nvim.input("<Esc>");
    let job = scene.nvim.finished(scene.id);
    assert_eq!(job["held_for"], "not_modifiable", "it is told after a while all the same: {job}");
    scene.lose_host().assert_found("buffer_gone");
}

#[test]
fn stored_as_held_and_the_editor_does_not_know_of_it() {
    let scene = scene(true);
    let (pid, path) = (scene.nvim.pid(), database(&scene.nvim));
    scene.answer();
    wait("it is stored as held", || stored(&path).as_deref() == Some("held"));
    signal(pid, "STOP");
    scene.kill_host();
    scene.assert_found("review");
}

#[test]
fn a_hunk_that_was_taken_into_the_file_is_known_there_or_nothing_is_put_in() {
    let written = "local a = 1\nlocal b = 2\nlocal more = 4\nlocal c = 3\n";
    let accepted = written.replace("local b", "local first = 0\nlocal b");
    let changed = written.replace("local more", "\nlocal more");
    for (text, landing, after) in [(written, "merged", &accepted), (&changed, "held", &changed)] {
        let Scene { nvim, gated, .. } = scene(true);
        gated.answer("it", "local first = 0\nlocal b = 2\nlocal more = 4");
        nvim.finished(1);
        for keys in [":Botglue review<CR>", "/more<CR>", "dp", "q", ":write<CR>"] {
            nvim.input(keys);
        }
        let path = database(&nvim);
        let taken = "SELECT count(*) FROM texts WHERE draft LIKE '%\"disk_base\":[%'";
        wait("what was taken is stored", || {
            let connection = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
            connection.query_row(taken, [], |row| row.get::<_, u32>(0)).unwrap() == 1
        });
        let nvim = Builder::new(nvim.crash()).start();
        nvim.edit("a.lua", text);
        nvim.command("Botglue review");
        nvim.wait("the review is open", || nvim.exec("return #vim.api.nvim_tabpage_list_wins(0)") == 2);
        nvim.input("a");
        if landing == "held" {
            let says =
                |note: &serde_json::Value| note["message"].as_str().unwrap().contains("place is not known");
            nvim.wait("that is told", || nvim.notes().iter().any(says));
        }
        nvim.wait("it is decided", || nvim.exec("return require('botglue').job(1).landing") == landing);
        let lines = nvim.exec("return vim.api.nvim_buf_get_lines(vim.fn.bufnr('a.lua'), 0, -1, true)");
        let after: Vec<_> = after.lines().collect();
        assert_eq!(lines, json!(after));
    }
}
