//! A job for each quickfix item, and the list of what became of them; a prompt that proposes to fix a diagnostic.

use super::picture::{expect, gated, on_screen};
use crate::support::agents::Gated;
use crate::support::nvim::Builder;
use crate::support::scratch::Scratch;

#[test]
fn the_results_of_each_item() {
    let scratch = Scratch::new();
    let gated = Gated::new(&scratch);
    let nvim = on_screen(Builder::new(scratch).option("agents", gated.option()).option("max_parallel", 2));
    nvim.edit("a.lua", "one()\n\nthree()\n\nfive()\n");
    nvim.exec(
        "local items = {}
         for i, text in ipairs({ 'GATE:short', 'GATE:misspelt', 'GATE:unused' }) do
           items[i] = { bufnr = 1, lnum = 2 * i - 1, text = text, type = 'W' }
         end
         vim.fn.setqflist(items)",
    );
    nvim.command("Botglue each mend what it says");
    gated.answer("short", "one(1)");
    nvim.finished(1);
    gated.answer("misspelt", "```\na\n```\n\n```\nb\n```");
    nvim.finished(2);
    nvim.wait("the third is running", || gated.has_started("unused"));
    nvim.command("copen 4");
    expect("each", &nvim, "the results", |rows| {
        let has = |part: &str| rows.iter().any(|row| row.contains(part));
        has("| running") && !has("○")
    });
}

#[test]
fn a_prompt_on_a_line_with_a_diagnostic() {
    let (nvim, _) = gated();
    nvim.edit("a.txt", "one\ntwo\nthree\n");
    nvim.exec(
        "vim.diagnostic.config({ virtual_text = false, signs = false, underline = false })
         vim.diagnostic.set(vim.api.nvim_create_namespace('test'), 0, {
           { lnum = 1, col = 0, end_lnum = 1, end_col = 3, message = 'cannot find `two` here' },
         })",
    );
    nvim.input("2G:Botglue<CR>");
    expect("proposal", &nvim, "the proposal", |rows| rows.iter().any(|row| row.contains("fix: cannot find")));
}
