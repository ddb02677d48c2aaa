//! What many agents that print much cost the editor, beside the way without a host.

use super::editor::{Editor, paced, printing};
use super::row::Run;
use super::streams::tool_heavy;
use crate::support::agents::claude_is;
use crate::support::scratch::Scratch;

/// How many jobs print at once, and how far apart their ranges are.
const JOBS: usize = 32;
const EVERY: usize = 30;
/// How long the editor is left alone where it is idle.
const IDLE: std::time::Duration = std::time::Duration::from_secs(1);

fn editor() -> Editor {
    let scratch = Scratch::new();
    let agent = printing(&scratch, &tool_heavy());
    Editor::new(scratch, claude_is(&agent))
}

/// The CPU of Neovim for all jobs, ours ÷ in-process.
pub fn cpu() -> Run {
    let scratch = Scratch::new();
    let agent = printing(&scratch, &tool_heavy());
    let (ours, other) = (editor(), Editor::in_process(scratch, &agent));
    Box::new(move || {
        let used = |editor: &Editor, driver| {
            let before = editor.cpu();
            editor.run(driver, JOBS, JOBS, EVERY);
            editor.cpu() - before
        };
        let ratio = used(&ours, "D") / used(&other, "P");
        ours.reset();
        vec![ratio]
    })
}

/// The longest time in which Neovim's loop did not run, beyond that of an idle one.
pub fn stall() -> Run {
    let editor = editor();
    Box::new(move || {
        let longest = |work: &dyn Fn()| {
            editor.nvim.exec("D.probe()");
            work();
            editor.nvim.exec("return D.stall()").as_f64().unwrap()
        };
        let idle = longest(&|| std::thread::sleep(IDLE));
        let busy = longest(&|| editor.run("D", JOBS, JOBS, EVERY));
        editor.reset();
        vec![(busy - idle).max(0.0)]
    })
}

/// How many pieces of text a job streams a second.
const PIECES: u32 = 80;

/// The share of a core that Neovim takes while so many jobs stream, after this command.
pub fn share(jobs: usize, command: &'static str) -> Run {
    let scratch = Scratch::new();
    let agents = paced(&scratch, PIECES, 60.0, "linger");
    let editor = Editor::new(scratch, agents);
    editor.start("D", jobs, jobs, 10);
    editor.nvim.wait("all stream", || {
        let shown =
            "return #vim.tbl_filter(function(job) return job.tools[1] end, require('botglue').jobs())";
        editor.nvim.exec(shown) == jobs
    });
    if !command.is_empty() {
        editor.nvim.command(command);
        editor.nvim.wait("all are listed", || editor.nvim.exec("return vim.fn.line('$')") == jobs);
    }
    Box::new(move || {
        let before = editor.cpu();
        std::thread::sleep(2 * IDLE);
        let share = (editor.cpu() - before) / (2 * IDLE).as_secs_f64() / 1e3;
        vec![share * 100.0]
    })
}

/// The CPU of Neovim for a job where 128 run at once ÷ where 8 do.
pub fn cost_of_128() -> Run {
    let editor = Editor::small_jobs();
    Box::new(move || {
        let each = |jobs: u32, at_once: usize| {
            let before = editor.cpu();
            editor.run("D", jobs as usize, at_once, 7);
            let used = editor.cpu() - before;
            editor.reset();
            used / f64::from(jobs)
        };
        let other = each(32, 8);
        vec![each(128, 128) / other]
    })
}
