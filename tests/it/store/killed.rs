//! The host alone is killed at each step of a landing and of a revert, while the
//! user goes on typing: the next host goes on, nothing is lost and nothing is written twice.

use std::time::Duration;

use serde_json::json;

use super::crash::{Scene, When, assert_nothing_held, scene, stored};
use super::{database, history};

/// The steps of a landing and of a revert in which the host calls Neovim.
const STEPS: [(&str, When); 5] = [
    ("write", When::Called),
    ("write", When::Done),
    ("landed", When::Called),
    ("landed", When::Done),
    ("stored", When::Called),
];

impl Scene {
    /// The user types above the range and below it.
    fn type_around(&self, words: &str) {
        self.nvim.input(&format!("ggO{words}<Esc>Go{words}<Esc>"));
    }

    fn landing(&self) -> String {
        let job = self.nvim.exec_with("return require('botglue').job(...)", &[json!(self.id)]);
        job["landing"].as_str().unwrap_or_default().to_owned()
    }

    /// Ends the host in a call, while the user types, and waits for the next one.
    fn interrupt(&mut self, (name, when): (&str, When), begin: impl FnOnce(&Self)) {
        self.fault(name, when, None);
        begin(self);
        self.nvim.wait("it was called", || self.nvim.exec("return _G.met == true") == true);
        self.nvim.exec("_G.met = nil");
        self.type_around("meanwhile");
        self.host = self.next_host();
        self.type_around("afterwards");
    }

    /// The text is what it was but for what the user typed, with this row in the place of the range.
    #[track_caller]
    fn assert_text(&self, row: &str, typed: &[&str]) {
        let mut expected: Vec<&str> = typed.iter().rev().copied().collect();
        expected.extend(["local a = 1", row, "local c = 3"]);
        expected.extend(typed);
        assert_eq!(self.nvim.lines(), expected);
    }

    /// The store has this landing, also after the end of Neovim.
    #[track_caller]
    fn assert_stored(self, landing: &str) {
        let path = database(&self.nvim);
        self.nvim.wait("the landing is stored", || stored(&path).as_deref() == Some(landing));
        assert_eq!(history(&self.nvim).len(), 1);
        self.nvim.command("silent write");
        assert_nothing_held(self.nvim.quit_to());
    }

    fn revert(&self) {
        self.nvim.exec_with("require('botglue').revert(...)", &[json!(self.id)]);
    }
}

const TYPED: [&str; 3] = ["before", "meanwhile", "afterwards"];

#[test]
fn in_a_landing() {
    for step in STEPS {
        let mut scene = scene(false);
        scene.type_around("before");
        scene.interrupt(step, Scene::answer);
        assert_eq!(scene.nvim.finished(scene.id)["landing"], "applied");
        scene.assert_text("local b = 20", &TYPED);
        scene.assert_stored("applied");
    }
}

#[test]
fn at_any_moment_of_a_landing() {
    for delay in [0, 3, 6, 9, 12, 24] {
        let mut scene = scene(false);
        scene.type_around("before");
        scene.answer();
        std::thread::sleep(Duration::from_millis(delay));
        scene.kill_host();
        scene.type_around("meanwhile");
        scene.host = scene.next_host();
        scene.type_around("afterwards");
        let job = scene.nvim.finished(scene.id);
        if job["landing"] != "applied" {
            assert_eq!(job["error"]["code"], "host_lost", "after {delay} ms: {job}");
            scene.assert_text("local b = 2", &TYPED);
            if stored(&database(&scene.nvim)).is_none() {
                // The agent had not answered.
                continue;
            }
            let landing = |landing: &str| {
                scene.nvim.exec("return (require('botglue').job(2) or {}).landing") == landing
            };
            scene.nvim.wait("it is held as a job of its own", || landing("held"));
            scene.nvim.exec("require('botglue').accept(2)");
            scene.nvim.wait("it is accepted", || landing("applied"));
        }
        scene.assert_text("local b = 20", &TYPED);
        scene.assert_stored("applied");
    }
}

#[test]
fn in_a_revert() {
    for step in STEPS {
        let mut scene = scene(false);
        scene.answer();
        scene.nvim.finished(scene.id);
        // The call that ends the host must be one of the revert, not the last one of the landing.
        scene.nvim.wait("the landing is confirmed", || {
            scene.nvim.exec("return next(require('botglue.editor.write').landings()) == nil") == true
        });
        scene.type_around("before");
        scene.interrupt(step, Scene::revert);
        scene.nvim.wait("it is decided", || {
            scene.nvim.exec("return not require('botglue.host.client').job(1).deciding") == true
        });
        assert_eq!(scene.landing(), "reverted", "it was written");
        scene.assert_text("local b = 2", &TYPED);
        scene.assert_stored("reverted");
    }
}

#[test]
fn what_it_had_not_begun_of_a_revert_is_asked_for_again() {
    let mut scene = scene(false);
    scene.answer();
    scene.nvim.finished(scene.id);
    scene.type_around("before");
    // It does not read what it is asked for.
    crate::support::process::signal(scene.host, "STOP");
    scene.revert();
    scene.type_around("meanwhile");
    scene.kill_host();
    scene.host = scene.next_host();
    let says =
        |note: &serde_json::Value| note["message"].as_str().unwrap().contains("again: the host is gone");
    scene.nvim.wait("the user is told", || scene.nvim.notes().iter().any(says));
    assert_eq!(scene.landing(), "applied");
    scene.type_around("afterwards");
    scene.revert();
    scene.nvim.wait("it is reverted", || scene.landing() == "reverted");
    scene.assert_text("local b = 2", &TYPED);
    scene.assert_stored("reverted");
}

#[test]
fn an_answer_that_waits_for_its_moment_is_held_and_lands_by_the_next_one() {
    let mut scene = scene(false);
    scene.type_around("before");
    scene.nvim.input("v");
    scene.answer();
    let status = "return require('botglue').job(...).status";
    scene.nvim.wait("it is ready", || scene.nvim.exec_with(status, &[json!(scene.id)]) == "ready");
    scene.kill_host();
    scene.host = scene.next_host();
    scene.nvim.input("<Esc>");
    assert_eq!(scene.nvim.finished(scene.id)["landing"], "held");
    scene.type_around("afterwards");
    scene.nvim.exec("require('botglue').accept(1)");
    scene.nvim.wait("it is accepted", || scene.landing() == "applied");
    scene.assert_text("local b = 20", &["before", "afterwards"]);
    scene.assert_stored("applied");
}
