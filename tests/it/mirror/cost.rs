//! What a mirrored buffer costs the editor, as ratios within one run: `make bench` runs it, no test does.

use std::io::Write;

use super::editor::Editor;

const TURNS: usize = 7;
/// How many keys are typed in a turn.
const KEYS: u32 = 2000;
/// How many of them in one go: an event has the whole row, and Neovim itself takes longer for a key in a longer one.
const AT_ONCE: u32 = 20;

/// The time in milliseconds for which Neovim computes to run Lua; the median of some turns.
fn median(editor: &Editor, lua: &str) -> f64 {
    let code = format!(
        "local function computed()
           local used = vim.uv.getrusage()
           return (used.utime.sec + used.stime.sec) * 1e3 + (used.utime.usec + used.stime.usec) / 1e3
         end
         local start = computed() {lua} return computed() - start"
    );
    let mut times: Vec<f64> = (0..TURNS).map(|_| editor.nvim.exec(&code).as_f64().unwrap()).collect();
    times.sort_by(f64::total_cmp);
    times[TURNS / 2]
}

fn text(rows: usize) -> String {
    "a row of a file that is not so short\n".repeat(rows)
}

fn say(line: &str) {
    // A closed output has nobody to tell.
    _ = writeln!(std::io::stdout(), "{line}");
}

#[test]
#[ignore = "measures: make bench"]
fn a_key_in_a_mirrored_buffer() {
    for rows in [1000, 100_000 - 1] {
        let mut editor = Editor::new(text(rows));
        // Two whose texts are the same: what they differ in is that one is mirrored.
        editor.nvim.exec(
            "_G.mirrored = vim.api.nvim_get_current_buf()
             local rows = vim.api.nvim_buf_get_lines(0, 0, -1, true)
             vim.cmd('silent write! plain.txt | edit plain.txt | normal! 500G')
             _G.plain = vim.api.nvim_get_current_buf()
             vim.cmd('buffer ' .. mirrored .. ' | normal! 500G')",
        );
        let typing = format!(
            "for _ = 1, {KEYS} / {AT_ONCE} do
               vim.api.nvim_feedkeys('A' .. ('x'):rep({AT_ONCE}) .. vim.keycode('<Esc>'), 'tx', false)
               vim.cmd('silent undo')
             end"
        );
        let each = |buffer: &str| {
            editor.nvim.command(&format!("execute 'buffer' luaeval('{buffer}')"));
            median(&editor, &typing) * 1000.0 / f64::from(KEYS)
        };
        let (plain, mirrored) = (each("plain"), each("mirrored"));
        editor.is_mirrored();
        say(&format!(
            "one key in a buffer of {rows} rows: plain {plain:.1} µs, mirrored {mirrored:.1} µs: {:.2} of it",
            mirrored / plain
        ));
    }
}

#[test]
#[ignore = "measures: make bench"]
fn the_first_contact_with_a_large_buffer() {
    let mut editor = Editor::new("");
    editor.nvim.scratch.write("large.txt", text(100_000 - 1));
    let (mut stalls, mut times, mut reads) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        editor.nvim.command("silent! bwipeout! large.txt");
        let reading = "vim.cmd('edit large.txt')";
        reads.push(editor.nvim.exec(&format!(
            "local start = vim.uv.hrtime() {reading} return (vim.uv.hrtime() - start) / 1e6"
        )));
        // The longest time in which a timer of a millisecond was not heard is the longest stall.
        editor.nvim.exec(
            "_G.longest, _G.heard = 0, vim.uv.hrtime()
             _G.timer = vim.uv.new_timer()
             timer:start(0, 1, function()
               local now = vim.uv.hrtime()
               longest, heard = math.max(longest, now - heard), now
             end)",
        );
        let start = std::time::Instant::now();
        editor.want();
        let compared = editor.compare();
        times.push(start.elapsed().as_secs_f64() * 1000.0);
        assert!(compared.fault().is_none() && compared.count == 100_000 - 1, "{:?}", compared.link);
        stalls.push(editor.nvim.exec("timer:close() return longest / 1e6"));
    }
    let middle = |values: &[serde_json::Value]| {
        let mut values: Vec<f64> = values.iter().filter_map(serde_json::Value::as_f64).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    times.sort_by(f64::total_cmp);
    let (stall, read) = (middle(&stalls), middle(&reads));
    say(&format!(
        "first contact with 100,000 rows, text compared in Lua included: {:.0} ms in all, longest stall {stall:.0} ms; \
         reading the file {read:.0} ms: {:.2} of it",
        times[TURNS / 2],
        stall / read
    ));
}
