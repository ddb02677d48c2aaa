//! How soon a key is drawn while jobs run, and what it costs in a buffer that the host mirrors.

use serde_json::Value;

use super::editor::{Editor, paced, percentile, text};
use super::row::{Run, Sample};
use crate::support::agents::claude_is;
use crate::support::scratch::Scratch;

/// How many jobs run meanwhile, and how far apart their ranges are.
const JOBS: usize = 32;
const EVERY: usize = 30;
/// How many keys are typed, and for how long jobs run at least, in seconds.
const KEYS: u32 = 200;
const SECONDS: f64 = 4.0;

/// The time from a key to its being drawn for one of a hundred, while jobs run ÷ with none.
fn drawn(then: &'static str) -> Run {
    let scratch = Scratch::new();
    let agents = paced(&scratch, 80, SECONDS, then);
    let editor = Editor::new(scratch, agents);
    Box::new(move || {
        let other = typed(&editor);
        editor.start("D", JOBS, JOBS, EVERY);
        editor.nvim.wait("all run", || {
            let running =
                "return #vim.tbl_filter(function(job) return job.tools[1] end, require('botglue').jobs())";
            editor.nvim.exec(running).as_u64() >= Some(JOBS as u64)
        });
        let ours = typed(&editor);
        editor.ended();
        editor.reset();
        vec![Sample::Ratio { ours, other }]
    })
}

/// Leaves insert mode. Escape and the key behind it would be one, with Alt.
const LEAVE: &str = "\x1c\x0e";

/// Types below the last range, each key another character, so that it is known when it is drawn: a cell that has its
/// character already is not drawn again.
fn typed(editor: &Editor) -> f64 {
    editor.nvim.type_until(&format!("{LEAVE}Gzzo\u{3042}"), "\u{3042}");
    let mut first_in_row = '\u{3042}'..;
    let mut took: Vec<f64> = (0..KEYS)
        .map(|key| {
            let shown = char::from_u32(0x4e00 + key).unwrap().to_string();
            let took = editor.nvim.type_until(&shown, &shown).as_secs_f64() * 1e3;
            if key % 50 == 49 {
                first_in_row.next();
                let shown = first_in_row.start;
                editor.nvim.type_until(&format!("{LEAVE}S{shown}"), shown.encode_utf8(&mut [0; 4]));
            }
            took
        })
        .collect();
    editor.nvim.type_until(&format!("{LEAVE}:echo 654321*2\r"), "1308642");
    percentile(&mut took, 99)
}

pub fn while_jobs_stream() -> Run {
    drawn("linger")
}

pub fn while_agents_burn() -> Run {
    drawn("hold")
}

/// The microseconds that a key takes in a mirrored buffer of so many rows, beyond those in one that is not.
fn mirrored(rows: usize) -> Run {
    /// How many keys, and how many of them in one row: an event has the whole row.
    const TYPING: &str = "
        vim.cmd('execute \"buffer\" ' .. ... .. ' | normal! 500G')
        local function computed()
            local used = vim.uv.getrusage()
            return (used.utime.sec + used.stime.sec) * 1e6 + used.utime.usec + used.stime.usec
        end
        local start = computed()
        for _ = 1, 100 do
            vim.api.nvim_feedkeys('A' .. ('x'):rep(20) .. vim.keycode('<Esc>'), 'tx', false)
            vim.cmd('silent undo')
        end
        return (computed() - start) / 2000";
    let editor = Editor::new(Scratch::new(), claude_is(std::path::Path::new("cat")));
    let buffers = ["plain", "mirrored"].map(|name| {
        editor.nvim.edit(&format!("{name}.txt"), &text(rows));
        editor.nvim.exec("return vim.api.nvim_get_current_buf()")
    });
    editor.nvim.mirrored();
    Box::new(move || {
        let each =
            |buffer: &Value| editor.nvim.exec_with(TYPING, std::slice::from_ref(buffer)).as_f64().unwrap();
        let [plain, mirrored] = &buffers;
        let beyond = each(mirrored) - each(plain);
        vec![Sample::Value(beyond.max(0.0))]
    })
}

pub fn in_1000_rows() -> Run {
    mirrored(1000)
}

pub fn in_100_000_rows() -> Run {
    mirrored(100_000)
}
