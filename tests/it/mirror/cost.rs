//! What the first contact with a large buffer costs the editor: `make bench-parts` runs it, no test does.

use std::io::Write;

use super::editor::Editor;

const TURNS: usize = 7;

fn text(rows: usize) -> String {
    "a row of a file that is not so short\n".repeat(rows)
}

fn say(line: &str) {
    // A closed output has no reader.
    _ = writeln!(std::io::stdout(), "{line}");
}

#[test]
#[ignore = "measures: make bench-parts"]
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
