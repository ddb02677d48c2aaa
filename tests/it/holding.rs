//! Held answers: each survives whatever ends, is found again, and is decided. Landed ones are taken back. (Merging
//! itself is tested beside the code, keys and windows in the specs.)

use serde_json::{Value, json};

use crate::support::agents::Gated;
use crate::support::nvim::{Builder, Nvim};
use crate::support::scratch::Scratch;
use crate::support::wait;

const TEXT: &str = "local a = 1\nlocal b = 2\nlocal c = 3\nlocal d = 4\nlocal e = 5\n";

fn open(scratch: Scratch) -> (Nvim, Gated) {
    let gated = Gated::new(&scratch);
    let nvim = Builder::new(scratch).option("agents", gated.option()).start();
    nvim.edit("held.lua", TEXT);
    (nvim, gated)
}

/// The next Neovim in the same home and project; it has opened nothing.
fn next(scratch: Scratch) -> Nvim {
    Builder::new(scratch).start()
}

fn start(nvim: &Nvim, name: &str, lines: (u64, u64), review: bool) -> u64 {
    let id = nvim.run(&format!("GATE:{name}"), lines, json!({"review": review}));
    nvim.mirrored();
    id
}

/// A job whose answer for lines 2 to 4 is held.
fn held(nvim: &Nvim, gated: &Gated, answer: &str) -> u64 {
    let id = start(nvim, "it", (2, 4), true);
    gated.answer("it", answer);
    let job = nvim.finished(id);
    assert_eq!((&job["landing"], &job["held_for"]), (&json!("held"), &json!("review")), "{job}");
    id
}

/// Decides by the Lua API and gives back what became of it.
fn decide(nvim: &Nvim, what: &str, id: u64) -> Value {
    nvim.exec_with(
        "local what, id = ...
         require('botglue')[what](id)
         return require('botglue').wait(id, 30000)",
        &[json!(what), json!(id)],
    )["landing"]
        .clone()
}

/// The buffers of the current tab page's windows.
fn sides(nvim: &Nvim) -> Vec<Vec<String>> {
    let lines = nvim.exec(
        "return vim.tbl_map(function(win)
           return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, true)
         end, vim.api.nvim_tabpage_list_wins(0))",
    );
    serde_json::from_value(lines).unwrap()
}

/// Shows the held answer beside its buffer, and waits for it: gives the buffer, and then the proposal.
fn review(nvim: &Nvim) -> Vec<Vec<String>> {
    nvim.command("Botglue review");
    nvim.shows_held(1);
    nvim.command("Botglue diff");
    nvim.wait("the proposal is beside the buffer", || {
        nvim.exec("return vim.wo.winbar:find('if accepted', 1, true) ~= nil") == true
    });
    // The window in which the user was comes last, where it shows another buffer.
    sides(nvim).into_iter().take(2).collect()
}

#[test]
fn bytes_that_are_no_text_survive_the_end_of_neovim() {
    let (nvim, gated) = open(Scratch::new());
    let rows = "{ 'x \\xe9 1', 'same', 'x \\xe9 2', 'same', 'x \\xe9 3' }";
    nvim.exec(&format!("vim.fn.writefile({rows}, 'bytes.txt')"));
    nvim.command("edit ++enc=utf-8 ++bad=keep bytes.txt");
    let id = start(&nvim, "it", (4, 4), true);
    gated.answer("it", "other");
    nvim.finished(id);
    let nvim = next(nvim.quit_to());
    nvim.command("edit ++enc=utf-8 ++bad=keep bytes.txt");
    nvim.command("Botglue review");
    wait_for_hunks(&nvim, &json!([[4, 4, false]]));
    assert_eq!(decide(&nvim, "accept", 1), "applied");
    let expected = "{ 'x \\xe9 1', 'same', 'x \\xe9 2', 'other', 'x \\xe9 3' }";
    let same = format!("return vim.deep_equal(vim.api.nvim_buf_get_lines(0, 0, -1, true), {expected})");
    assert_eq!(nvim.exec(&same), true);
}

fn assert_nothing_held(nvim: &Nvim) {
    nvim.command("Botglue review");
    let tells = |note: &Value| note["message"].as_str().unwrap().contains("no answer is held");
    nvim.wait("the user is told that nothing is held", || nvim.notes().iter().any(tells));
    assert_eq!(sides(nvim).len(), 1);
}

/// Waits until these are the hunks of the held answer: the first line of each, the last one, whether it is a conflict.
fn wait_for_hunks(nvim: &Nvim, expected: &Value) {
    let hunks = "local is_known, hunks = pcall(require('botglue').hunks, 1)
        return vim.tbl_map(function(hunk) return { hunk.first, hunk.last, hunk.conflict } end,
            is_known and vim.list_slice(hunks) or {})";
    nvim.wait("the hunks are as expected", || nvim.exec(hunks) == *expected);
}

#[test]
fn what_the_user_changes_in_a_taken_hunk_is_theirs_in_the_next_neovim_too() {
    let (nvim, gated) = open(Scratch::new());
    held(&nvim, &gated, "local b = 20\nlocal c = 3\nlocal d = 40");
    wait_for_hunks(&nvim, &json!([[2, 2, false], [4, 4, false]]));
    nvim.exec(
        "local botglue = require('botglue') botglue.accept(1, { hunk = 1, tick = select(2, botglue.hunks(1)) })",
    );
    wait_for_hunks(&nvim, &json!([[4, 4, false]]));
    nvim.command("write");
    let nvim = next(nvim.quit_to());
    nvim.command("edit held.lua");
    assert_eq!(nvim.lines()[1], "local b = 20");
    nvim.command("Botglue review");
    wait_for_hunks(&nvim, &json!([[4, 4, false]]));
    nvim.exec("vim.api.nvim_buf_set_lines(0, 1, 2, true, { 'local b = 20 -- mine' })");
    wait_for_hunks(&nvim, &json!([[4, 4, false]]));
    assert_eq!(decide(&nvim, "accept", 1), "merged");
    let merged = ["local a = 1", "local b = 20 -- mine", "local c = 3", "local d = 40", "local e = 5"];
    assert_eq!(nvim.lines(), merged);
}

#[test]
fn a_held_answer_is_shown_in_the_next_neovim_once_its_file_is_read() {
    let (nvim, gated) = open(Scratch::new());
    held(&nvim, &gated, "local b = 20");
    let nvim = next(nvim.quit_to());
    nvim.command("edit held.lua");
    let drawn = "local namespace = vim.api.nvim_create_namespace('botglue.status')
        local marks = vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })
        return marks[1] and { marks[1][2], vim.inspect(marks[1][4].virt_lines):find('held') ~= nil }";
    nvim.wait("its line is below its range", || nvim.exec(drawn) == json!([3, true]));
}

#[test]
fn a_job_that_neovim_was_left_with_is_announced_until_a_host_has_taken_it_up() {
    for end in [Nvim::quit_to, Nvim::crash] {
        is_announced_until_it_is_taken_up(end);
    }
}

fn is_announced_until_it_is_taken_up(end: fn(Nvim) -> Scratch) {
    let (nvim, gated) = open(Scratch::new());
    held(&nvim, &gated, "local b = 20");
    start(&nvim, "more", (5, 5), false);
    nvim.wait("it runs", || gated.has_started("more"));
    let mut scratch = end(nvim);
    let said = "botglue: an answer held: :Botglue review, a job interrupted: :Botglue history";
    for _ in 0..2 {
        let nvim = next(scratch);
        nvim.wait("it is announced", || nvim.notes().iter().any(|note| note["message"] == said));
        assert_eq!(nvim.host(), None);
        scratch = nvim.quit_to();
    }
    let nvim = next(scratch);
    nvim.command("Botglue review");
    nvim.shows_held(1);
    assert_eq!(decide(&nvim, "reject", 1), "rejected");
    let scratch = nvim.quit_to();
    let journals = scratch.path("data/nvim/botglue/journal");
    wait("nothing is left of it", || std::fs::read_dir(&journals).unwrap().next().is_none());
}

#[test]
fn answers_of_a_neovim_that_lives_are_left_alone() {
    let (nvim, gated) = open(Scratch::new());
    held(&nvim, &gated, "local b = 20");
    let data = nvim.scratch.path("data/nvim/botglue");
    let other = Builder::new(Scratch::new()).option("data_dir", data.to_str().unwrap()).start();
    assert_nothing_held(&other);
}

/// The answer as the next Neovim has it in its buffer, and as it lands once it is written there.
fn assert_kept(nvim: &Nvim) {
    review(nvim);
    nvim.command("Botglue edit 1");
    assert_eq!(nvim.lines(), ["local b = 20 -- mine"]);
    assert_eq!(nvim.exec("return vim.bo.modified"), true);
    nvim.command("write");
    assert_eq!(decide(nvim, "accept", 1), "applied");
    nvim.command("buffer held.lua");
    assert_eq!(nvim.lines(), ["local a = 1", "local b = 20 -- mine", "local e = 5"]);
}

/// An answer in whose buffer something was typed, and not written.
fn typed(nvim: &Nvim, gated: &Gated) {
    held(nvim, gated, "local b = 20");
    nvim.command("Botglue edit 1");
    nvim.input("A -- mine<Esc>");
    nvim.wait("it is in the journal", || {
        let journals = nvim.scratch.journals();
        journals
            .lines()
            .any(|line| line.contains(r#""what":"draft""#) && line.contains("local b = 20 -- mine"))
    });
}

#[test]
fn what_was_typed_in_an_answer_survives_a_crash_of_neovim() {
    let (nvim, gated) = open(Scratch::new());
    typed(&nvim, &gated);
    assert_kept(&next(nvim.crash()));
}
