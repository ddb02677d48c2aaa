//! The review of a held answer: what it would change, drawn in its buffer.

use super::picture::{expect, gated};
use crate::support::nvim::Nvim;

const CODE: &str = "fn load(path: &Path) -> Config {
    let text = fs::read_to_string(path).unwrap();
    let mut config = Config::default();
    toml::from_str(&text).unwrap_or_default()
}
";

/// Holds an answer for what a command runs on, types keys, and opens the review.
fn review(text: &str, command: &str, keys: &str, answer: &str) -> Nvim {
    let run = |nvim: &Nvim| {
        nvim.command("set number");
        nvim.command(&format!("{command} GATE:it return errors instead of panicking"));
    };
    review_of(text, run, keys, answer)
}

/// The same for a range as the Lua API takes one.
fn review_in(text: &str, range: &str, keys: &str, answer: &str) -> Nvim {
    let job = format!("{{ prompt = 'GATE:it more', review = true, range = {range} }}");
    review_of(text, |nvim| _ = nvim.exec(&format!("require('botglue').run({job})")), keys, answer)
}

fn review_of(text: &str, run: impl FnOnce(&Nvim), keys: &str, answer: &str) -> Nvim {
    let (nvim, gated) = gated();
    nvim.edit("a.txt", text);
    run(&nvim);
    nvim.mirrored();
    nvim.input(keys);
    gated.answer("it", answer);
    nvim.finished(1);
    nvim.input(":Botglue review 1<CR>");
    nvim
}

#[test]
fn changed_words_and_a_conflict() {
    let answer = "fn load(path: &Path) -> Result<Config, Error> {
let text = fs::read_to_string(path)?;
let mut config = Config::default();
toml::from_str(&text).map_err(Error::Parse)
}";
    let keys = "4GA // mine<Esc>3GO// my own comment, typed meanwhile<Esc>gg";
    let nvim = review(CODE, "1,5Botglue! run", keys, answer);
    expect("review", &nvim, "the hunks", |rows| {
        let all = rows.concat();
        all.contains("do take") && all.contains("conflict") && all.contains("map_err")
    });
}

#[test]
fn rows_above_the_first_one_below_the_last_one_and_rows_that_go() {
    let text = "one\ntwo\n\nfour\nfive\n";
    let answer = "above\n\tindented\none\ntwo\nfive\nbelow";
    let nvim = review(text, "1,5Botglue! run", "gg", answer);
    expect("review-edges", &nvim, "the hunks", |rows| rows.concat().contains("below"));
}

#[test]
fn more_rows_than_the_window_has() {
    let answer: Vec<_> = (1..=60).map(|row| format!("row {row} of the answer")).collect();
    let nvim = review("one\ntwo\nthree\n", "2Botglue! run", "gg", &answer.join("\n"));
    expect("review-tall", &nvim, "the hunk", |rows| rows.concat().contains("more rows"));
}

#[test]
fn a_part_of_a_row_and_a_row_wider_than_the_window() {
    let range = "{ kind = 'char', first = { 1, 10 }, last = { 1, 12 } }";
    let answer = format!("add_all({})", ["value"; 20].join(", "));
    let nvim = review_in("let sum = add(a, b);\nend\n", range, "", &answer);
    expect("review-part", &nvim, "the hunk", |rows| rows.concat().contains("add_all"));
}

#[test]
fn a_block_of_which_the_user_changed_a_row_too() {
    let text = "int one;\nint two;\nint six;\nend\n";
    let range = "{ kind = 'block', first = { 1, 0 }, last = { 3, 2 } }";
    let nvim = review_in(text, range, "3Gcwlong<Esc>gg", "unsigned\nunsigned\nunsigned");
    expect("review-block", &nvim, "the hunks", |rows| rows.concat().contains("unsigned two"));
}

#[test]
fn an_insertion_where_the_user_put_a_row_in_too() {
    let range = "{ kind = 'insert', first = { 1, 0 } }";
    let nvim = review_in("first\nlast\n", range, "ggomine<Esc>gg", "second\nthird");
    expect("review-insertion", &nvim, "the hunk", |rows| rows.concat().contains("third"));
}

#[test]
fn an_answer_that_deletes_all_of_the_text_of_which_the_user_changed_a_row() {
    let nvim = review("one\ntwo\n", "%Botglue! run", "2GA mine<Esc>gg", "```\n```");
    expect("review-nothing", &nvim, "the hunk", |rows| rows.concat().contains("conflict"));
}

#[test]
fn the_blocks_of_an_answer() {
    let answer = "Either this:\n```rust\nfirst()\n```\nor that:\n```\nsecond()\nthird()\n```\nas you like.";
    let (nvim, gated) = gated();
    nvim.edit("a.rs", "one();\ntwo();\n");
    // Neovim 0.12 has another one.
    nvim.command("set statusline=%f");
    nvim.command("1Botglue run GATE:it shorter");
    gated.answer("it", answer);
    nvim.finished(1);
    nvim.input(":Botglue review<CR>");
    expect("review-blocks", &nvim, "the blocks", |rows| rows.concat().contains("2 of 2"));
}

#[test]
fn an_answer_that_has_no_place() {
    let nvim = review("one\ntwo\nthree\n", "1,2Botglue! run", "gg2dd", "ONE\nTWO");
    nvim.command("setglobal statusline=botglue://answer | setlocal statusline=botglue://answer");
    expect("review-lost", &nvim, "the answer", |rows| {
        let all = rows.concat();
        all.contains("ONE") && all.contains("select lines")
    });
}
