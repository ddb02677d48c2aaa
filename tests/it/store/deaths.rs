//! Who dies when: the host, Neovim, or both, at each moment from the request to what is decided in the end. Nothing that
//! was complete is lost, and nothing is there twice. (The machine's death is in `journal/tests`.)

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::{TEXT, database, history, open, start, stored};
use crate::support::agents::Gated;
use crate::support::nvim::{Builder, Nvim};
use crate::support::process::{self, signal};
use crate::support::scratch::Scratch;
use crate::support::{stream, wait};

/// Where in a call of the host's it is ended: it has made the call, and Neovim has done nothing yet.
const CALLED: &str = "called";
/// Neovim has done what was asked, and the host has not read the reply.
const DONE: &str = "done";

/// The steps of a landing and of a revert in which the host calls Neovim.
const STEPS: [(&str, &str); 5] =
    [("write", CALLED), ("write", DONE), ("landed", CALLED), ("landed", DONE), ("stored", CALLED)];

/// Has a signal end the host in the next call of a function of `botglue.apply`, or, as `landed`, in the one that
/// tells what became of an answer. Then Neovim stands still until
/// there is the file `go`, if one is named: it does not notice that the host is gone.
const FAULT: &str = "local name, when, pid, go = ...
    local apply = require('botglue.apply')
    local is_telling = name == 'landed'
    name = is_telling and 'jobs' or name
    local call = apply[name]
    apply[name] = function(argument)
      local function is_of_landing(patch) return (patch.set or {}).landing end
      if is_telling and not vim.iter(argument):any(is_of_landing) then return call(argument) end
      apply[name] = call
      if when == 'called' then vim.uv.kill(pid, 'sigkill') end
      local reply = call(argument)
      if when == 'done' then vim.uv.kill(pid, 'sigkill') end
      _G.met = true
      if go ~= vim.NIL then vim.fn.writefile({}, go .. '.met') end
      while go ~= vim.NIL and not vim.uv.fs_stat(go) do vim.uv.sleep(5) end
      return reply
    end";

/// The file once the answer is in it.
const LANDED: [&str; 3] = ["local a = 1", "local b = 20", "local c = 3"];
/// What the store says of an answer.
const LANDING: &str = "SELECT coalesce(landing, 'undecided') FROM jobs WHERE entry ->> 'has_answer'";

/// A Neovim with a job on its second line, and the gate of its agent.
struct Scene {
    nvim: Nvim,
    gated: Gated,
    host: u32,
    id: u64,
}

fn scene(review: bool) -> Scene {
    let (nvim, gated) = open(Scratch::new(), 4);
    let id = start(&nvim, "it", (2, 2), review);
    nvim.mirrored();
    gated.stdin("it");
    let host = nvim.host().expect("a host");
    Scene { nvim, gated, host, id }
}

fn job(nvim: &Nvim, id: u64) -> Value {
    nvim.exec_with("return require('botglue').job(...)", &[json!(id)])
}

fn is_told(nvim: &Nvim, words: &str) -> bool {
    nvim.notes().iter().any(|note| note["message"].as_str().unwrap().contains(words))
}

impl Scene {
    fn answer(&self) {
        self.gated.answer("it", "local b = 20");
    }

    /// The host is killed in its next call of this name.
    fn fault(&self, name: &str, when: &str, go: Option<&Path>) {
        self.nvim.exec_with(FAULT, &[json!(name), json!(when), json!(self.host), json!(go)]);
    }

    /// The host is killed in its next call of this name, and Neovim before it can notice that.
    fn kill_both(self, name: &str, when: &str) -> Scratch {
        let go = self.nvim.scratch.path("go");
        self.fault(name, when, Some(&go));
        self.answer();
        let met = go.with_extension("met");
        wait("the host is killed", || met.exists());
        process::wait_for_end(self.host);
        self.nvim.crash()
    }

    /// Waits for the host that is started in the place of the one that was killed, or for what is asked next.
    #[track_caller]
    fn next_host(&mut self) {
        let other = || {
            self.nvim.exec("require('botglue.host.client').connect()");
            self.nvim.host().filter(|host| *host != self.host)
        };
        self.nvim.wait("there is another host", || other().is_some());
        self.host = other().unwrap();
    }

    /// Ends the host in a call, while the user types, and waits for the next one.
    fn interrupt(&mut self, (name, when): (&str, &str), begin: impl FnOnce(&Self)) {
        self.fault(name, when, None);
        begin(self);
        self.nvim.wait("it was called", || self.nvim.exec("return _G.met == true") == true);
        self.nvim.exec("_G.met = nil");
        self.type_around("meanwhile");
        self.next_host();
        self.type_around("afterwards");
    }

    /// The user types above the range and below it.
    fn type_around(&self, words: &str) {
        self.nvim.input(&format!("ggO{words}<Esc>Go{words}<Esc>"));
    }

    /// The text is what it was but for what the user typed, with this row in the place of the range; the store has this
    /// landing, also after the end of Neovim.
    #[track_caller]
    fn assert_is(self, landing: &str, row: &str, typed: &[&str]) {
        self.assert_text(row, typed);
        let path = database(&self.nvim);
        self.nvim.wait("the landing is stored", || stored(&path, LANDING).as_deref() == Some(landing));
        assert_eq!(stored(&path, "SELECT count(*) FROM jobs").as_deref(), Some("1"));
        self.nvim.command("silent write");
        assert_nothing_held(self.nvim.quit_to());
    }

    #[track_caller]
    fn assert_text(&self, row: &str, typed: &[&str]) {
        let mut expected: Vec<&str> = typed.iter().rev().copied().collect();
        expected.extend(["local a = 1", row, "local c = 3"]);
        expected.extend(typed);
        assert_eq!(self.nvim.lines(), expected);
    }
}

/// The next Neovim finds the answer held for this reason, and it lands once.
fn assert_found(scratch: Scratch, held_for: &str) {
    let nvim = Builder::new(scratch).start();
    nvim.edit("a.lua", TEXT);
    review(&nvim);
    assert_lands(&nvim, 1, held_for);
}

/// The answer is held as this job for this reason, and lands once.
#[track_caller]
fn assert_lands(nvim: &Nvim, id: u64, held_for: &str) {
    let held = job(nvim, id);
    assert_eq!((&held["landing"], &held["held_for"]), (&json!("held"), &json!(held_for)), "{held}");
    assert_eq!((&held["text"], &held["prompt"]), (&json!("local b = 20"), &json!("GATE:it")));
    accept(nvim, id, "applied");
    assert_eq!(file(nvim), json!(LANDED));
    let jobs = history(nvim, "it has landed", |jobs| jobs.iter().any(|job| job["landing"] == "applied"));
    assert_eq!((jobs.len(), &jobs[0]["prompt"]), (1, &json!("GATE:it")), "{jobs:?}");
}

fn accept(nvim: &Nvim, id: u64, landing: &str) {
    nvim.exec_with("require('botglue').accept(...)", &[json!(id)]);
    nvim.wait("it is accepted", || job(nvim, id)["landing"] == landing);
}

/// Asks for the held answers of Neovims that are gone, which another host reads at first, and shows the only one.
fn review(nvim: &Nvim) {
    let turn = std::fs::File::open(database(nvim).with_file_name("journal")).unwrap();
    turn.lock().unwrap();
    let before = nvim.scratch.journals();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            wait("the next host begins a journal", || nvim.scratch.journals() != before);
            drop(turn);
        });
        nvim.command("Botglue review");
    });
    nvim.shows_held(1);
}

/// The lines of the file in its buffer.
fn file(nvim: &Nvim) -> Value {
    nvim.exec("return vim.api.nvim_buf_get_lines(vim.fn.bufnr('a.lua'), 0, -1, true)")
}

/// The next Neovim has nothing that is held.
#[track_caller]
fn assert_nothing_held(scratch: Scratch) {
    let nvim = Builder::new(scratch).start();
    nvim.command("Botglue review");
    nvim.wait("nothing is held", || is_told(&nvim, "no answer is held"));
}

const TYPED: [&str; 3] = ["before", "meanwhile", "afterwards"];

#[test]
fn the_host_in_a_call_of_a_landing_or_a_revert() {
    for step in STEPS {
        let mut landing = scene(false);
        landing.type_around("before");
        landing.interrupt(step, Scene::answer);
        assert_eq!(landing.nvim.finished(landing.id)["landing"], "applied");
        landing.assert_is("applied", "local b = 20", &TYPED);

        let mut revert = scene(false);
        revert.answer();
        revert.nvim.finished(revert.id);
        // The call that ends the host must be one of the revert, not the last one of the landing.
        revert.nvim.wait("the landing is confirmed", || {
            revert.nvim.exec("return next(require('botglue.editor.write').landings()) == nil") == true
        });
        revert.type_around("before");
        revert.interrupt(step, |scene| _ = scene.nvim.exec("require('botglue').revert(1)"));
        revert.nvim.wait("it is decided", || {
            revert.nvim.exec("return not require('botglue.host.connection').jobs[1].deciding") == true
        });
        revert.assert_is("reverted", "local b = 2", &TYPED);
    }
}

#[test]
fn the_host_at_any_moment_of_a_landing() {
    let runs = std::env::var("BOTGLUE_DEATHS").map_or(6, |runs| runs.parse().unwrap());
    for run in 0..runs {
        let moment = Duration::from_micros(run * 7919 % 25_000);
        let mut scene = scene(false);
        scene.type_around("before");
        scene.answer();
        std::thread::sleep(moment);
        signal(scene.host, "KILL");
        scene.type_around("meanwhile");
        scene.next_host();
        scene.type_around("afterwards");
        let ended = scene.nvim.finished(scene.id);
        if ended["landing"] != "applied" {
            assert_eq!(ended["error"]["code"], "host_lost", "after {moment:?}: {ended}");
            scene.assert_text("local b = 2", &TYPED);
            if stored(&database(&scene.nvim), LANDING).is_none() {
                // The agent had not answered.
                continue;
            }
            scene.nvim.wait("it is held as a job of its own", || job(&scene.nvim, 2)["landing"] == "held");
            accept(&scene.nvim, 2, "applied");
        }
        scene.assert_is("applied", "local b = 20", &TYPED);
    }
}

#[test]
fn both_in_a_call_of_a_landing() {
    assert_found(scene(false).kill_both("write", CALLED), "buffer_gone");
    assert_found(scene(false).kill_both("write", DONE), "buffer_gone");
    assert_nothing_held(scene(false).kill_both("landed", DONE));
}

#[test]
fn the_host_once_an_answer_is_stored_and_not_told() {
    let scene = scene(false);
    let go = scene.nvim.scratch.path("go");
    // While Neovim is in this function the host can tell it nothing else.
    scene.nvim.exec_with(
        "local id, go = ...
         require('botglue').on(id, function(update)
           if update.kind == 'text' then vim.fn.writefile({}, go .. '.met') end
           while update.kind == 'text' and not vim.uv.fs_stat(go) do vim.uv.sleep(5) end
         end)
         -- The host knows of it before the agent says anything.
         require('botglue.host.ask').open('settled', {}, { within = 60000 })",
        &[json!(scene.id), json!(go)],
    );
    let mut agent = scene.gated.run("it");
    agent.print(&[stream::init("test"), stream::text("local b = 20")].concat());
    wait("Neovim is in it", || go.with_extension("met").exists());
    agent.print(&stream::result("local b = 20"));
    drop(agent);
    let path = database(&scene.nvim);
    wait("the answer is stored", || stored(&path, LANDING).as_deref() == Some("undecided"));
    signal(scene.host, "KILL");
    std::fs::write(&go, "").unwrap();
    let nvim = &scene.nvim;
    assert_eq!(nvim.finished(scene.id)["error"]["code"], "host_lost");
    nvim.wait("it is told of", || is_told(nvim, "which was stored"));
    nvim.command("Botglue review 2");
    nvim.shows_held(2);
    assert_lands(nvim, 2, "review");
}

#[test]
fn both_once_an_answer_is_written_to_the_file_and_not_stored_as_landed() {
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
    let nvim = Builder::new(scene.kill_both("write", DONE)).start();
    nvim.command("edit a.lua");
    assert_eq!(nvim.lines(), LANDED);
    review(&nvim);
    let held = job(&nvim, 1);
    assert_eq!((&held["landing"], &held["text"]), (&json!("held"), &json!("local b = 20")), "{held}");
    nvim.input(":Botglue accept 1<CR>");
    nvim.wait("the user is told why not", || is_told(&nvim, "its place is not known"));
    assert_eq!((&job(&nvim, 1)["landing"], file(&nvim)), (&json!("held"), json!(LANDED)));
}

#[test]
fn neovim_once_the_rows_of_a_held_answer_were_edited_and_written() {
    let (nvim, gated) = open(Scratch::new(), 4);
    let id = start(&nvim, "three", (1, 3), true);
    gated.answer("three", "local a = 10\nlocal b = 2\nlocal c = 3");
    nvim.finished(id);
    nvim.input("3GA -- mine<Esc>");
    nvim.command("silent write");
    let (path, saved) = (database(&nvim), "SELECT 1 FROM texts WHERE landed_rows LIKE '%-- mine%'");
    wait("how it stands in the file is stored", || stored(&path, saved).as_deref() == Some("1"));
    // In another file it may stand otherwise.
    nvim.input("3GA, later<Esc>");
    nvim.command("silent write other.lua");
    nvim.exec("require('botglue').hunks(1)");
    let nvim = Builder::new(nvim.crash()).start();
    // Another program has changed the file.
    nvim.edit("a.lua", "local top = 0\nlocal a = 1\nlocal b = 2\nlocal c = 3 -- mine\n");
    review(&nvim);
    accept(&nvim, 1, "merged");
    assert_eq!(nvim.lines(), ["local top = 0", "local a = 10", "local b = 2", "local c = 3 -- mine"]);
}

/// A Neovim with one job that runs and one that is queued behind it; both in the store, or, where another program has
/// that locked, in the journal alone.
fn two_jobs(is_locked: bool) -> (Nvim, Gated, Option<rusqlite::Connection>) {
    let (nvim, gated) = open(Scratch::new(), 1);
    history(&nvim, "there is a store", <[_]>::is_empty);
    let lock = is_locked.then(|| super::faults::lock(&nvim));
    for (name, line) in [("one", 1), ("two", 2)] {
        start(&nvim, name, (line, line), false);
    }
    gated.stdin("one");
    nvim.wait("Neovim knows that it runs", || job(&nvim, 1)["status"] == "running");
    if is_locked {
        let journals = || nvim.scratch.journals();
        wait("both are in the journal", || ["GATE:one", "GATE:two"].iter().all(|it| journals().contains(it)));
    } else {
        let open = "SELECT count(*) FROM jobs WHERE ended_ms IS NULL";
        wait("both are in the store", || stored(&database(&nvim), open).as_deref() == Some("2"));
    }
    (nvim, gated, lock)
}

/// Kills Neovim and its host at once.
fn kill(nvim: Nvim) -> Scratch {
    signal(nvim.pid(), "STOP");
    signal(nvim.host().expect("a host"), "KILL");
    nvim.crash()
}

#[track_caller]
fn assert_interrupted(nvim: &Nvim) {
    let jobs = history(nvim, "both have ended", |jobs| jobs.len() == 2);
    assert!(jobs.iter().all(|job| job["error_code"] == "host_lost"), "{jobs:?}");
}

#[test]
fn whoever_ends_jobs_that_run_or_wait_are_interrupted() {
    let ends: [fn(Nvim) -> Scratch; 5] = [Nvim::crash, Nvim::quit_to, kill, kill, Nvim::quit_to];
    for (end, is_locked) in ends.into_iter().zip([false, false, false, true, true]) {
        let (nvim, gated, lock) = two_jobs(is_locked);
        let scratch = end(nvim);
        drop(lock);
        let nvim = Builder::new(scratch).option("agents", gated.option()).start();
        assert_interrupted(&nvim);
        // The queued one is asked for again, from the history.
        nvim.edit("a.lua", TEXT);
        nvim.command("Botglue history");
        let row = "return vim.fn.search('GATE:two .*interrupted', 'cw')";
        nvim.wait("the history shows the job", || nvim.exec(row) != 0);
        nvim.input("R");
        gated.answer("two", "local b = 20");
        nvim.wait("it has landed", || nvim.lines() == LANDED);
    }
    let (nvim, ..) = two_jobs(false);
    signal(nvim.host().expect("a host"), "KILL");
    nvim.finished(1);
    nvim.finished(2);
    assert_interrupted(&nvim);
}

#[test]
fn an_agent_that_ends_before_the_host_knows_that_neovim_is_left_was_interrupted() {
    let (nvim, ..) = two_jobs(false);
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
    // The agent of the first job waits at its gate.
    signal(process::wait_for(&nvim.scratch, "one.pipe").pid, "TERM");
    let (path, failed) = (database(&nvim), "SELECT count(*) FROM jobs WHERE error_code IS NOT NULL");
    wait("the end of the agent is stored", || stored(&path, failed).as_deref() == Some("1"));
    std::fs::write(&go, "").unwrap();
    assert_interrupted(&Builder::new(nvim.quit_to()).start());
}
