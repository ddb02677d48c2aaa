//! The host is killed at each step from "the answer is stored" to "its landing is stored", and Neovim after it: the
//! next Neovim finds the answer held, nothing is lost, and nothing is written twice. Where only the host dies the next
//! one goes on: see [`super::killed`].

use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};

use super::{database, history};
use crate::support::agents::Gated;
use crate::support::nvim::{Builder, Nvim};
use crate::support::process::signal;
use crate::support::scratch::Scratch;
use crate::support::wait;

pub(super) const TEXT: &str = "local a = 1\nlocal b = 2\nlocal c = 3\n";

/// A Neovim with a job on its second line, and the gate of its agent.
pub(super) struct Scene {
    pub(super) nvim: Nvim,
    pub(super) gated: Gated,
    pub(super) host: u32,
    pub(super) id: u64,
}

/// Where in a call of the host's it is ended.
#[derive(Clone, Copy)]
pub(super) enum When {
    /// It has made the call, and Neovim has done nothing yet.
    Called,
    /// Neovim has done what was asked, and the host has not read the reply.
    Done,
}

/// Has a signal end the host in the next call of a function of `botglue.apply`, or, as `landed`, in the one that
/// tells what became of an answer. Then Neovim stands still until
/// there is the file `go`, if one is named: it does not notice that the host is gone.
const FAULT: &str = "local name, when, pid, go = ...
    local apply = require('botglue.apply')
    local is_telling = name == 'landed'
    name = is_telling and 'jobs' or name
    local call = apply[name]
    apply[name] = function(...)
      local patches = is_telling and ... or {}
      if is_telling and not vim.iter(patches):any(function(patch) return (patch.set or {}).landing end) then
        return call(...)
      end
      apply[name] = call
      if when == 'called' then vim.uv.kill(pid, 'sigkill') end
      local reply = call(...)
      if when == 'done' then vim.uv.kill(pid, 'sigkill') end
      _G.met = true
      if go ~= vim.NIL then vim.fn.writefile({}, go .. '.met') end
      while go ~= vim.NIL and not vim.uv.fs_stat(go) do vim.uv.sleep(5) end
      return reply
    end";

pub(super) fn scene(review: bool) -> Scene {
    let scratch = Scratch::new();
    let gated = Gated::new(&scratch);
    let nvim = Builder::new(scratch).option("agents", gated.option()).start();
    nvim.edit("a.lua", TEXT);
    let id = run(&nvim, "it", (2, 2), review);
    gated.stdin("it");
    let host = nvim.host().expect("a host");
    Scene { nvim, gated, host, id }
}

fn run(nvim: &Nvim, name: &str, (first, last): (u64, u64), review: bool) -> u64 {
    let range = json!({"kind": "line", "first": [first, 0], "last": [last, 0]});
    let options = json!({"prompt": format!("GATE:{name}"), "range": range, "review": review});
    let id = nvim.exec_with("return require('botglue').run(...)", &[options]).as_u64().unwrap();
    nvim.mirrored();
    id
}

/// What the store says of the job's answer; without Neovim, which may be stopped.
pub(super) fn stored(path: &Path) -> Option<String> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).ok()?;
    let landing = "SELECT coalesce(landing, 'undecided') FROM jobs WHERE entry ->> 'has_answer'";
    connection.query_row(landing, [], |row| row.get(0)).ok()
}

fn job(nvim: &Nvim, id: u64) -> Value {
    nvim.exec_with("return require('botglue').job(...)", &[json!(id)])
}

impl Scene {
    pub(super) fn answer(&self) {
        self.gated.answer("it", "local b = 20");
    }

    pub(super) fn kill_host(&self) {
        signal(self.host, "KILL");
    }

    /// The host is killed in its next call of this name.
    pub(super) fn fault(&self, name: &str, when: When, go: Option<&Path>) {
        let when = match when {
            When::Called => "called",
            When::Done => "done",
        };
        self.nvim.exec_with(FAULT, &[json!(name), json!(when), json!(self.host), json!(go)]);
    }

    /// The host is killed in its next call of this name, and Neovim before it can notice that.
    fn kill_both(self, name: &str, when: When, begin: impl FnOnce(&Self)) -> Scratch {
        let go = self.nvim.scratch.path("go");
        self.fault(name, when, Some(&go));
        begin(&self);
        let met = go.with_extension("met");
        wait("the host is killed", || met.exists());
        self.nvim.crash()
    }

    /// Waits for the host that is started in the place of the one that was killed.
    #[track_caller]
    pub(super) fn next_host(&self) -> u32 {
        let other = || self.nvim.host().filter(|host| *host != self.host);
        self.nvim.wait("there is another host", || other().is_some());
        other().unwrap()
    }
}

/// The next Neovim finds the answer held, and it lands once.
fn assert_found(scratch: Scratch, held_for: &str) {
    let nvim = Builder::new(scratch).start();
    nvim.edit("a.lua", TEXT);
    review(&nvim);
    let held = job(&nvim, 1);
    assert_eq!((&held["landing"], &held["held_for"]), (&json!("held"), &json!(held_for)), "{held}");
    assert_eq!((&held["text"], &held["prompt"]), (&json!("local b = 20"), &json!("GATE:it")));
    nvim.exec("require('botglue').accept(1)");
    nvim.wait("it is accepted", || job(&nvim, 1)["landing"] == "applied");
    assert_eq!(nvim.lines(), ["local a = 1", "local b = 20", "local c = 3"]);
    let landings: Vec<_> = history(&nvim).iter().map(|job| job["landing"].clone()).collect();
    assert_eq!(landings, ["applied"]);
}

/// Asks for the held answers of Neovims that are gone, and shows the only one.
fn review(nvim: &Nvim) {
    nvim.command("Botglue review");
    nvim.shows_held(1);
}

/// The answer is not accepted where it may be in the wrong place, and stays held.
#[track_caller]
fn assert_refused(nvim: &Nvim) {
    let words = "its place is not known";
    match nvim.try_call("nvim_exec_lua", &[json!("require('botglue').accept(1)"), json!([])]) {
        Err(error) => assert!(error.contains(words), "{error}"),
        Ok(_) => nvim.wait("the user is told that it is not", || {
            nvim.notes().iter().any(|note| note["message"].as_str().unwrap().contains(words))
        }),
    }
    assert_eq!(job(nvim, 1)["landing"], "held");
}

/// The lines of the file in its buffer.
fn file(nvim: &Nvim) -> Vec<String> {
    nvim.lines_of(nvim.exec("return vim.fn.bufnr('a.lua')").as_u64().unwrap())
}

/// The next Neovim has nothing that is held.
#[track_caller]
pub(super) fn assert_nothing_held(scratch: Scratch) {
    let nvim = Builder::new(scratch).start();
    nvim.command("Botglue review");
    let tells = |note: &Value| note["message"].as_str().unwrap().contains("no answer is held");
    nvim.wait("nothing is held", || nvim.notes().iter().any(tells));
}

#[test]
fn stored_and_the_editor_does_not_know_of_it() {
    let path = |scene: &Scene| database(&scene.nvim);
    let undecided = scene(false);
    signal(undecided.nvim.pid(), "STOP");
    undecided.answer();
    wait("the answer is stored", || stored(&path(&undecided)).as_deref() == Some("undecided"));
    let held = scene(true);
    held.answer();
    wait("it is stored as held", || stored(&path(&held)).as_deref() == Some("held"));
    signal(held.nvim.pid(), "STOP");
    for (scene, held_for) in [(undecided, "buffer_gone"), (held, "review")] {
        scene.kill_host();
        assert_found(scene.nvim.crash(), held_for);
    }
}

#[test]
fn in_a_call_of_its_landing() {
    assert_found(scene(false).kill_both("write", When::Called, Scene::answer), "buffer_gone");
    assert_found(scene(false).kill_both("write", When::Done, Scene::answer), "buffer_gone");
    assert_nothing_held(scene(false).kill_both("landed", When::Done, Scene::answer));
}

#[test]
fn told_and_waiting_for_its_moment() {
    let scene = scene(false);
    scene.nvim.input("v");
    scene.answer();
    scene.nvim.wait("it is ready", || job(&scene.nvim, scene.id)["status"] == "ready");
    scene.kill_host();
    scene.next_host();
    let taken_over = r#""landing":"held""#;
    wait("the next host has taken it over", || scene.nvim.scratch.journals().contains(taken_over));
    assert_found(scene.nvim.crash(), "review");
}

#[test]
fn written_to_the_file_and_not_stored_as_landed() {
    let scene = scene(false);
    scene.nvim.exec(
        "local apply = require('botglue.apply')
         local write = apply.write
         apply.write = function(...)
           local reply = write(...)
           vim.cmd('silent write')
           return reply
         end",
    );
    let nvim = Builder::new(scene.kill_both("write", When::Done, Scene::answer)).start();
    nvim.command("edit a.lua");
    let landed = ["local a = 1", "local b = 20", "local c = 3"];
    assert_eq!(nvim.lines(), landed);
    review(&nvim);
    let held = job(&nvim, 1);
    assert_eq!((&held["landing"], &held["text"]), (&json!("held"), &json!("local b = 20")), "{held}");
    assert_refused(&nvim);
    assert_eq!(file(&nvim), landed);
}

/// A file whose three lines were sent, and the last one edited and written since; their answer is held.
fn edited_and_written() -> Scratch {
    let Scene { nvim, gated, .. } = scene(true);
    let id = run(&nvim, "three", (1, 3), true);
    gated.answer("three", "local a = 10\nlocal b = 2\nlocal c = 3");
    nvim.finished(id);
    nvim.input("3GA -- mine<Esc>");
    nvim.command("silent write");
    let path = database(&nvim);
    let saved = "SELECT count(*) FROM texts WHERE landed_rows LIKE '%-- mine%'";
    wait("how it stands in the file is stored", || {
        let connection = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        connection.query_row(saved, [], |row| row.get::<_, u32>(0)).unwrap() == 1
    });
    nvim.crash()
}

#[test]
fn rows_that_were_edited_and_written_are_found_and_merged() {
    let nvim = Builder::new(edited_and_written()).start();
    let written = "local a = 1\nlocal b = 2\nlocal c = 3 -- mine\n";
    nvim.edit("a.lua", &format!("local top = 0\n{written}"));
    review(&nvim);
    nvim.exec("require('botglue').accept(1)");
    nvim.wait("it is merged", || job(&nvim, 1)["landing"] == "merged");
    let merged = ["local top = 0", "local a = 10", "local b = 2", "local c = 3 -- mine"];
    assert_eq!(nvim.lines(), merged);
}

#[test]
fn rows_that_were_changed_again_by_another_program_are_not_found() {
    let nvim = Builder::new(edited_and_written()).start();
    let changed = "local a = 1\nlocal b = 2\n\nlocal c = 3 -- mine\n";
    nvim.edit("a.lua", changed);
    review(&nvim);
    assert_refused(&nvim);
    assert_eq!(file(&nvim), changed.lines().collect::<Vec<_>>());
}
