//! How long the user waits for the host.

use serde_json::json;

use super::editor::{Editor, percentile};
use super::row::Run;
use crate::support::agents::Gated;
use crate::support::nvim::Builder;
use crate::support::scratch::Scratch;

/// How often each is asked for in a run.
const TIMES: usize = 200;

/// The milliseconds for a completion in the command line, and those from a key in a list to its rows, where the key has
/// other rows shown.
pub fn waited_for() -> Run {
    const TIMED: &str = "
        local times = ...
        local completed, drawn, buf, start = {}, {}, vim.api.nvim_get_current_buf(), nil
        for at = 1, times do
            start = vim.uv.hrtime()
            assert(#vim.fn.getcompletion('Botglue re', 'cmdline') > 0)
            completed[at] = (vim.uv.hrtime() - start) / 1e6
        end
        vim.api.nvim_buf_attach(buf, false, { on_lines = function()
            drawn[#drawn + 1] = start and (vim.uv.hrtime() - start) / 1e6
            start = nil
        end })
        for at = 1, times do
            start = vim.uv.hrtime()
            vim.api.nvim_feedkeys(at % 2 == 1 and 'F' or 'A', 'tx', false)
            assert(vim.wait(10000, function() return #drawn >= at end, 1), 'other rows')
        end
        return { completed, drawn }";
    let scratch = Scratch::new();
    let gated = Gated::new(&scratch);
    let editor = Editor::with(Builder::new(scratch).option("agents", gated.option()));
    let answered = |name: &str| {
        editor.nvim.run(&format!("GATE:{name}"), (1, 1), json!({}));
        gated.answer(name, "it");
        let is_over = || editor.nvim.exec("return require('botglue').statusline()") == "";
        editor.nvim.wait("it has landed", is_over);
    };
    answered("one");
    editor.nvim.edit("other.txt", "it\n");
    answered("two");
    editor.nvim.command("Botglue history");
    editor.nvim.wait("both are listed", || editor.nvim.lines().len() == 2);
    Box::new(move || {
        let times = editor.nvim.exec_with(TIMED, &[json!(TIMES)]);
        let mut times: Vec<Vec<f64>> = serde_json::from_value(times).expect("two lists of times");
        vec![percentile(&mut times[0], 50), percentile(&mut times[0], 99), percentile(&mut times[1], 50)]
    })
}

/// The milliseconds until the first prompt of a Neovim is drawn, with what it has to load.
pub fn first_prompt() -> Run {
    const TIMED: &str = "
        local start = vim.uv.hrtime()
        vim.cmd('Botglue')
        vim.cmd.redraw()
        return (vim.uv.hrtime() - start) / 1e6";
    Box::new(|| {
        let nvim = Builder::new(Scratch::new()).terminal(120, 40).start();
        let took = nvim.exec(TIMED).as_f64().expect("a time");
        vec![took]
    })
}
