//! The agent that is started while the prompt is typed: it is the one that answers, there is never a second one, and
//! it outlives neither its prompt nor the host. Agents are shell scripts here; `agents` has the same with the real ones.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::agents::{self, Gated};
use crate::support::nvim::{Builder, Nvim};
use crate::support::process;
use crate::support::scratch::Scratch;
use crate::support::stream;
use crate::support::wait_some;

/// A Neovim whose agent is a script, and its notes: the script finds their directory in `$DIR`.
struct Desk {
    nvim: Nvim,
    notes: PathBuf,
}

impl Desk {
    fn new(script: &str) -> Self {
        Self::with(script, |builder| builder)
    }

    fn with(script: &str, configure: impl FnOnce(Builder) -> Builder) -> Self {
        let scratch = Scratch::new();
        let notes = scratch.path("notes");
        std::fs::create_dir(&notes).unwrap();
        let program = scratch.path("agent");
        std::fs::write(notes.join("answer"), stream::answer("new")).unwrap();
        agents::write_script(&program, &format!("DIR='{}'\n{script}\n", notes.display()));
        let builder = Builder::new(scratch).option("agents", agents::claude_is(&program));
        let nvim = configure(builder).start();
        nvim.edit("a.txt", "old\n");
        Self { nvim, notes }
    }

    /// Opens the prompt for the line.
    fn open(&self) {
        open(&self.nvim);
    }

    fn send(&self) {
        self.nvim.input("it<C-s>");
    }

    /// Sends the prompt and waits for the end of its job.
    #[track_caller]
    fn answer(&self) -> Value {
        self.send();
        let job = self.nvim.finished(1);
        assert_eq!(self.nvim.lines(), ["new"], "{job:#}");
        job
    }

    /// What the script has written into a note, once it is there: the shell makes the file before it writes the line.
    #[track_caller]
    fn note(&self, name: &str) -> String {
        wait_some(&format!("the note {name:?}"), || {
            std::fs::read_to_string(self.notes.join(name)).ok().filter(|note| note.ends_with('\n'))
        })
    }
}

fn open(nvim: &Nvim) {
    let range = json!({"kind": "line", "first": [1], "last": [1]});
    nvim.exec_with("require('botglue').run({ range = ... })", &[range]);
}

#[test]
fn its_time_begins_when_it_is_sent() {
    let script = r#"sleep 0.6; echo >"$DIR/started"; message=$(cat); cat "$DIR/answer""#;
    let desk = Desk::with(script, |builder| builder.option("timeout", 0.5));
    desk.open();
    desk.note("started");
    desk.answer();
}

#[test]
fn one_that_died_is_replaced_silently() {
    let script = r#"echo $$ >>"$DIR/started"
        if mkdir "$DIR/first" 2>/dev/null; then echo oh >&2; exit 1; fi
        cat >/dev/null; cat "$DIR/answer""#;
    let desk = Desk::new(script);
    desk.open();
    let pid = desk.note("started").trim().to_owned();
    // The host reaps it: then it knows that it is gone.
    desk.nvim.wait("the host knows that it is gone", || !Path::new("/proc").join(&pid).exists());
    desk.answer();
    assert_eq!(desk.note("started").lines().count(), 2);
    assert_eq!(desk.nvim.notes(), Vec::<Value>::new());
}

#[test]
fn one_that_is_not_what_the_job_needs_is_replaced() {
    let script = r#"case "$*" in *" --model haiku "*) echo haiku;; *) echo another;; esac >>"$DIR/started"
        cat >/dev/null; cat "$DIR/answer""#;
    let desk = Desk::new(script);
    desk.open();
    desk.note("started");
    // As if another model were chosen in the moment before the prompt is sent.
    desk.nvim.exec(
        "require('botglue.ui.start').on(require('botglue.editor.selection').lines(vim.api.nvim_get_current_buf(), 1, 1), { prompt = 'it', model = 'haiku', prewarmed = require('botglue.host.connection').prompt.id })",
    );
    desk.nvim.finished(1);
    assert_eq!(desk.nvim.lines(), ["new"]);
    assert_eq!(desk.note("started"), "another\nhaiku\n");
    desk.nvim.wait_for_no_agent();
}

#[test]
fn never_more_than_one_waits() {
    // Each agent holds a lock while it lives; the trap comes first, so that none leaves its lock behind.
    let script = r#"trap 'rmdir "$DIR/lock"; exit' TERM
        mkdir "$DIR/lock" || echo two >>"$DIR/overlap"
        echo "$@" >"$DIR/started.part"; mv "$DIR/started.part" "$DIR/started"
        while :; do sleep 0.01; done"#;
    let desk = Desk::new(script);
    desk.open();
    desk.note("started");
    for model in ["opus", "sonnet"] {
        desk.nvim.input("<S-Tab>");
        desk.nvim.wait("the one with this model is there", || desk.note("started").contains(model));
    }
    assert!(!desk.notes.join("overlap").exists(), "two at a time");
}

#[test]
fn a_job_that_has_to_queue_keeps_none() {
    let scratch = Scratch::new();
    let gated = Gated::new(&scratch);
    let builder = Builder::new(scratch).option("agents", gated.option()).option("max_parallel", 1);
    let nvim = builder.start();
    nvim.edit("a.txt", "old\n");
    open(&nvim);
    let agent = process::wait_for(&nvim.scratch, "stream-json");
    let range = json!({"kind": "line", "first": [1], "last": [1]});
    nvim.exec_with("require('botglue').run({ prompt = 'GATE:first', range = ... })", &[range]);
    let _holds_the_place = gated.run("first");
    nvim.input("GATE:second<C-s>");
    nvim.wait("its agent is gone", || !process::of(&nvim.scratch).iter().any(|found| found.pid == agent.pid));
    assert!(!gated.has_started("second"));
}

#[test]
fn the_end_of_the_host_is_its_end_and_that_of_its_children() {
    let desk = Desk::new(r#"sleep 1000 & echo >"$DIR/started"; cat >/dev/null"#);
    desk.open();
    desk.note("started");
    process::signal(desk.nvim.host().unwrap(), "KILL");
    // The next host starts one for the prompt that is still open.
    desk.nvim.input("<Esc><Esc>");
    desk.nvim.wait_for_no_agent();
}

#[test]
fn none_is_started_where_the_option_says_so_and_for_an_agent_that_may_act_by_itself() {
    for (name, value) in [("prewarm", json!(false)), ("agent", json!("mine"))] {
        let script = r#"echo >>"$DIR/started"; cat >/dev/null; cat "$DIR/answer""#;
        let desk = Desk::with(script, |builder| builder.option(name, value.clone()));
        if name == "agent" {
            desk.nvim.exec("local agent = vim.g.botglue.agents.claude.command
                require('botglue').setup({ agent = 'mine', agents = { mine = { protocol = 'text', command = agent } } })");
        }
        desk.open();
        desk.nvim.wait("the host is there", || {
            desk.nvim.exec("return (require('botglue.host.connection').process or {}).ready") == true
        });
        // What the host was told before a job, it has done before the job starts.
        desk.send();
        desk.nvim.finished(1);
        assert_eq!(desk.note("started").lines().count(), 1, "{name}");
        desk.nvim.wait_for_no_agent();
    }
}
