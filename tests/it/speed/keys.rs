//! What a key costs in a buffer that the host mirrors.

use serde_json::Value;

use super::editor::{Editor, text};
use super::row::{Run, Sample};
use crate::support::agents::claude_is;
use crate::support::scratch::Scratch;

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
