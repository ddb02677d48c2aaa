//! Neovim is left while much of what it has said is on its way, or another program ends the host: what was said is kept.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::store::{database, history, open, run, start, stored};
use crate::support::nvim::{Builder, Nvim};
use crate::support::process::{self, signal};
use crate::support::scratch::Scratch;
use crate::support::wait;

/// How long a host lives that was told to end by another program than its Neovim, on a busy machine too.
const ENDING: Duration = Duration::from_secs(10);

/// Runs Lua after which Neovim quits at once, and starts the next one. Lua finds its host as `host`.
fn say_last(nvim: Nvim, lua: &str) -> Nvim {
    nvim.exec(&format!(
        "local host = require('botglue.host.connection').process
         vim.schedule(function()
           {lua}
           vim.cmd('qa!')
         end)"
    ));
    Builder::new(nvim.quit_to()).start()
}

#[test]
fn a_long_prompt_is_kept_to_its_last_word() {
    let (nvim, gated) = open(Scratch::new(), 4);
    run(&nvim, &gated, "one", 1, "local a = 10");
    let typed = "if not host.ready then error() end
        local text = ('word '):rep(128 * 1024 / 5)
        for _, last in ipairs({ '', 'the last' }) do
          local typed = { tick = 1, text = text .. last, row = 0, column = 0, mode = 'i', width = 70 }
          host:notify('prompt', { id = 1, about = last == '' and { buffer = 1, project = '/p', cwd = '/p' } or nil, typed = typed })
        end";
    let nvim = say_last(nvim, typed);
    history(&nvim, "the next host has what was stored", |jobs| jobs.len() == 1);
    let end = || stored(&database(&nvim), "SELECT substr(text, -8) FROM unsent");
    nvim.wait("it is there to its end", || end().as_deref() == Some("the last"));
}

#[test]
fn a_long_answer_that_has_landed_is_not_held_in_the_next() {
    let (nvim, gated) = open(Scratch::new(), 4);
    let lines: Vec<String> = (0..20_000).map(|i| format!("local some_name_{i} = {i}")).collect();
    nvim.exec(
        "vim.api.nvim_create_autocmd('User', { pattern = 'BotglueJobFinished', callback = function()
            vim.cmd('wqa!')
        end })",
    );
    start(&nvim, "it", (1, 1), false);
    gated.answer("it", &lines.join("\n"));
    nvim.wait("Neovim ends", || nvim.host().is_none());
    let nvim = Builder::new(nvim.quit_to()).start();
    let written = std::fs::read_to_string(nvim.scratch.project().join("a.lua")).unwrap();
    assert_eq!(written.lines().count(), 20_002);
    history(&nvim, "it has landed", |jobs| jobs.iter().any(|job| job["landing"] == "applied"));
}

#[test]
fn a_write_of_the_file_is_followed_to_its_last_row() {
    let (nvim, gated) = open(Scratch::new(), 4);
    run(&nvim, &gated, "one", 1, "local a = 10");
    // A change that takes the host a while to follow.
    let written = "local lines = {}
        for i = 1, 4000 do lines[i] = ('%d = %d'):format(i * 7919 % 1000, i % 7) end
        vim.api.nvim_buf_set_lines(0, 0, 1, true, { 'local a = 11' })
        vim.api.nvim_buf_set_lines(0, 2, -1, true, lines)
        vim.api.nvim_buf_set_lines(0, 2, -1, true, vim.fn.reverse(lines))
        vim.cmd.write()";
    let nvim = say_last(nvim, written);
    history(&nvim, "it stands so", |jobs| jobs.iter().any(|job| job["rows"] == json!(["local a = 11"])));
}

#[test]
fn a_host_that_another_program_ends_while_neovim_lives_ends_in_time() {
    let (nvim, gated) = open(Scratch::new(), 4);
    let id = start(&nvim, "it", (1, 1), false);
    let _run = gated.run("it");
    let host = nvim.host().unwrap();
    let since = Instant::now();
    signal(host, "TERM");
    wait("the host has ended", || !process::of(&nvim.scratch).iter().any(|found| found.pid == host));
    assert!(since.elapsed() < ENDING, "{:?}", since.elapsed());
    assert_eq!(nvim.finished(id)["status"], "failed");
}
