//! How long an answer takes from the agent's result line to the buffer, and what many and long ones cost the editor.

use std::fs;
use std::path::{Path, PathBuf};

use super::editor::{Editor, paced, percentile};
use super::row::Run;
use crate::support::scratch::Scratch;
use crate::support::{stream, wait};

/// As many jobs as give a percentile, and how far apart their ranges are.
const JOBS: usize = 100;
const EVERY: usize = 9;
/// Pieces of text a second, and for how long.
const PIECES: u32 = 80;
const SECONDS: f64 = 0.25;

/// The time from the result line to the text in the buffer in milliseconds, at the median and for one of a hundred,
/// where the database is locked or free. Four jobs write at a time; their agents have started before, since a start takes
/// a processor for longer than what is measured.
pub fn to_the_buffer(is_locked: bool) -> Run {
    let scratch = Scratch::new();
    let agents = paced(&scratch, PIECES, SECONDS, "turn");
    let editor = Editor::new(scratch, agents);
    let notes = editor.nvim.scratch.path("run/notes");
    let gate = gate(&editor);
    let lock = is_locked.then(|| {
        let database = editor.nvim.scratch.path("data/nvim/botglue/botglue.db");
        let lock = rusqlite::Connection::open(database).unwrap();
        lock.execute_batch("BEGIN IMMEDIATE").unwrap();
        lock
    });
    Box::new(move || {
        let _locked = &lock;
        _ = fs::remove_file(&notes);
        editor.nvim.exec("D.note_writes()");
        editor.start("D", JOBS, JOBS, EVERY);
        open_once_all_wait(&editor, &gate, JOBS);
        editor.ended();
        editor.nvim.wait_for_no_agent();
        let mut took = took(&editor, &notes, EVERY);
        assert_eq!(took.len(), JOBS);
        editor.reset();
        [50, 99].map(|percent| percentile(&mut took, percent)).to_vec()
    })
}

/// The milliseconds from each job's result line to the first row of its range in the buffer.
fn took(editor: &Editor, notes: &Path, every: usize) -> Vec<f64> {
    let written = "local written = vim.empty_dict()
        for row, at in pairs(D.written) do written[tostring(row)] = at end
        return written";
    let written = editor.nvim.exec(written);
    let printed = fs::read_to_string(notes).unwrap();
    let took = printed.lines().map(|line| {
        let (job, at) = line.split_once(' ').unwrap();
        let row = (job.parse::<usize>().unwrap() - 1) * every + 1;
        let written: i64 = written[row.to_string()].as_str().unwrap().parse().unwrap();
        #[expect(clippy::cast_precision_loss, reason = "some milliseconds")]
        let took = (written - at.parse::<i64>().unwrap()) as f64 / 1e6;
        took
    });
    took.collect()
}

/// The pipe for which agents wait.
fn gate(editor: &Editor) -> PathBuf {
    let gate = editor.nvim.scratch.path("run/gate");
    assert!(std::process::Command::new("mkfifo").arg(&gate).status().unwrap().success());
    gate
}

/// Opens it once all of so many jobs wait for it. Returns what Neovim has used by then.
fn open_once_all_wait(editor: &Editor, gate: &Path, jobs: usize) -> f64 {
    // It opens once they read from it; all of them do when each has shown its tool.
    let open = fs::File::options().write(true).open(gate).unwrap();
    wait("all wait", || {
        let tools = "return #vim.tbl_filter(function(job)
            return job.status == 'running' and job.tools[1] ~= nil
        end, require('botglue').jobs())";
        editor.nvim.exec(tools) == jobs
    });
    let before = editor.cpu();
    drop(open);
    before
}

/// The CPU of Neovim for 32 answers that come at once, in milliseconds.
pub fn at_once() -> Run {
    const JOBS: usize = 32;
    let scratch = Scratch::new();
    let agents = paced(&scratch, 1, 0.0, "gate");
    let editor = Editor::new(scratch, agents);
    let gate = gate(&editor);
    Box::new(move || {
        editor.start("D", JOBS, JOBS, 30);
        let before = open_once_all_wait(&editor, &gate, JOBS);
        editor.ended();
        let used = editor.cpu() - before;
        editor.reset();
        vec![used]
    })
}

/// An answer of 2,000 rows for as many of 20,000, each tenth of them changed: milliseconds from the result line to the
/// buffer.
pub fn long_answer() -> Run {
    const ALL: usize = 20_000;
    const SENT: usize = 2000;
    let row = |at: usize| format!("    let value_{at} = compute({at});");
    let rows: Vec<String> = (0..ALL).map(row).collect();
    let scratch = Scratch::new();
    let changed =
        |at: usize| if at.is_multiple_of(10) { row(at).replace("compute", "take") } else { row(at) };
    let answer: Vec<String> = (0..SENT).map(changed).collect();
    let agents = paced(&scratch, 1, 0.0, "file");
    let lines = stream::answer(&answer.join("\n"));
    fs::write(scratch.path("run/answer"), lines).unwrap();
    let editor = Editor::new(scratch, agents);
    editor.nvim.edit("long.txt", &(rows.join("\n") + "\n"));
    editor.nvim.mirrored();
    let notes = editor.nvim.scratch.path("run/notes");
    Box::new(move || {
        _ = fs::remove_file(&notes);
        editor.nvim.exec("D.note_writes()");
        editor.nvim.exec_with("D.run({ jobs = 1, at_once = 1, every = 1, rows = ... })", &[SENT.into()]);
        editor.ended();
        editor.nvim.wait_for_no_agent();
        let took = took(&editor, &notes, 1);
        editor.nvim.command("silent undo");
        editor.nvim.mirrored();
        took
    })
}
