//! The prompt beside its range.

use serde_json::json;

use super::picture::{expect, gated, on_screen};
use crate::support::agents;
use crate::support::nvim::{Builder, Nvim};
use crate::support::scratch::Scratch;

const TEXT: &str = "# Load\n\nfn load(path: &Path) -> Config {\n    let text = read(path).unwrap();\n    parse(&text)\n        .unwrap()\n}\n\nthe end\n";

const WORDS: &str = "return errors instead of panicking, and keep the signature as it is";

/// A file of a project with the prompt on four of its lines.
fn open() -> Nvim {
    let (nvim, _gated) = gated();
    for name in ["src/config.rs", "src/lib.rs", "src/library.rs"] {
        nvim.scratch.write(name, "");
    }
    nvim.scratch.write(".git/HEAD", "");
    nvim.edit("src/config.rs", TEXT);
    ask(&nvim, 3, 7);
    nvim
}

/// Opens the prompt without a trace on the command line.
fn ask(nvim: &Nvim, first: u64, last: u64) {
    let range = json!({"kind": "line", "first": [first], "last": [last]});
    nvim.exec_with("require('botglue').run({ range = ... })", &[range]);
}

fn is_open(rows: &[String]) -> bool {
    rows.iter().any(|row| row.contains("─") && row.contains("claude"))
}

#[test]
fn some_words_and_another_model() {
    let nvim = open();
    nvim.input(WORDS);
    nvim.input("<S-Tab>");
    expect("prompt", &nvim, "the words", |rows| {
        is_open(rows)
            && rows.iter().any(|row| row.contains("as it is"))
            && rows.concat().contains("claude opus")
    });
}

#[test]
fn files_of_the_project() {
    let nvim = open();
    nvim.input("as in @li");
    expect("prompt-files", &nvim, "the files", |rows| rows.concat().contains("src/library.rs"));
}

#[test]
fn earlier_prompts() {
    let nvim = open();
    nvim.input("make it shorter<Esc><Esc>");
    let split = "split this function where it does two things, and name both";
    for (line, prompt) in [(8, "add a test<CR>and run it"), (9, split)] {
        ask(&nvim, line, line);
        nvim.input(prompt);
        nvim.input("<Esc><Esc>");
    }
    ask(&nvim, 1, 1);
    nvim.input("<C-f>");
    expect("prompt-earlier", &nvim, "the list", |rows| rows.concat().contains("make it shorter"));
}

#[test]
fn an_answer_that_comes_while_it_is_typed() {
    let (nvim, gated) = gated();
    nvim.edit("a.txt", "one\ntwo\nthree\nfour\n");
    nvim.command("1Botglue run GATE:it longer");
    ask(&nvim, 3, 3);
    nvim.input("shorter");
    gated.answer("it", "1\n1\n1");
    expect("prompt-moved", &nvim, "the answer", |rows| {
        rows[0] == "1" && rows[5] == "three" && rows.concat().contains("a.txt:5")
    });
}

#[test]
fn an_agent_that_is_not_logged_in() {
    let scratch = Scratch::new();
    let failed = r#"{"type":"result","subtype":"success","is_error":true,"result":"Not logged in · Please run /login"}"#;
    let agent = agents::fault(&scratch, "", &format!("echo '{failed}'"));
    let nvim = on_screen(Builder::new(scratch).option("agents", agent));
    nvim.edit("a.txt", "one\ntwo\n");
    nvim.exec("require('botglue').setup({ notify = 'none', status = { outcome = 0 } })");
    nvim.command("2Botglue run it");
    assert_eq!(nvim.finished(1)["error"]["code"], "not_logged_in");
    ask(&nvim, 1, 1);
    expect("prompt-no-login", &nvim, "what to do", |rows| rows.concat().contains("/login"));
}

#[test]
fn a_draft_of_six_rows_below_a_line() {
    let (nvim, _gated) = gated();
    nvim.edit("a.txt", "one\ntwo\nthree\n");
    let open = || nvim.exec("require('botglue').run({ range = { kind = 'insert', first = { 2 } } })");
    open();
    nvim.input("1<CR>2<CR>3<CR>4<CR>5<CR>6<Esc><Esc>");
    open();
    expect("prompt-draft", &nvim, "the draft", |rows| rows.iter().any(|row| row.contains("│ 6")));
}
