//! Rewinds in sessions of the real CLI: what the model is told.

use serde_json::json;

use super::api::Request;
use super::neovim::follow_up;
use super::{Agent, TEXT, open};
use crate::support::nvim::Nvim;

/// The texts of a request's conversation by role, but for what the CLI puts in by itself.
fn conversation(request: &Request) -> Vec<(String, String)> {
    let messages = request.body["messages"].as_array().unwrap().iter();
    let said = messages.filter(|message| message["role"] != "system").map(|message| {
        let blocks = message["content"].as_array().map_or(&[][..], Vec::as_slice);
        let texts = blocks.iter().filter_map(|block| block["text"].as_str());
        let whole = message["content"].as_str().into_iter().chain(texts).collect::<Vec<_>>().join("\n");
        (message["role"].as_str().unwrap().to_owned(), whole)
    });
    said.collect()
}

/// Whether a conversation goes like this: the role, and words that are said there.
#[track_caller]
fn assert_goes(request: &Request, expected: &[(&str, &str)]) {
    let said = conversation(request);
    assert_eq!(said.len(), expected.len(), "{said:#?}");
    for ((role, text), (wanted, words)) in said.iter().zip(expected) {
        assert!(role == wanted && text.contains(words), "{role} does not say {words:?}: {text}");
    }
}

/// Answers every choice with these numbers, one after another.
fn choose(nvim: &Nvim, choices: &[u64]) {
    nvim.exec_with(
        "local choices = ...
         vim.ui.select = function(items, options, callback)
           local index = table.remove(choices, 1)
           vim.schedule(function() callback(items[index], index) end)
         end",
        &[choices.into()],
    );
}

#[test]
fn a_rewind_goes_on_before_what_was_answered_then() {
    let (nvim, place) = open(Agent::named("claude"), TEXT);
    nvim.finished(nvim.run("first ANSWER<<fn one() {}>>", (3, 5), json!({})));
    follow_up(&nvim, 1, "second ANSWER<<fn two() {}>>");
    follow_up(&nvim, 2, "third ANSWER<<fn three() {}>>");
    assert_eq!(nvim.lines()[2], "fn three() {}");
    // From a fork of a fork, to a message that was said in the first session, on the text as it is.
    choose(&nvim, &[2]);
    nvim.command("3");
    nvim.command("Botglue rewind");
    nvim.wait("the prompt is open", || nvim.exec("return vim.bo.filetype") == "botglue-prompt");
    nvim.input("another ANSWER<lt><lt>fn other() {}>><C-s>");
    let job = nvim.finished(4);
    assert_eq!(job["landing"], "applied", "{job:#}");
    assert_eq!(nvim.lines(), ["fn above() {}", "", "fn other() {}", "", "fn below() {}"]);
    let requests = place.api.requests();
    let last = requests.last().unwrap();
    assert_goes(last, &[("user", "first"), ("assistant", "fn one() {}"), ("user", "another")]);
    let (_, told) = &conversation(last)[2];
    assert!(told.contains("second") && told.contains("was taken back"), "{told}");
    assert!(!told.contains("third"), "{told}");
    let (_, own) = told.split_once("was taken back").unwrap();
    assert!(own.contains("\nfn three() {}\n"), "the text as it is: {own}");

    // The fork can be gone back in, too: to its own message, and to those before it.
    nvim.exec(
        "vim.ui.select = function(items) _G.shown = vim.tbl_map(function(item) return item.text:gsub('^%S+%s+', '') end, items) end",
    );
    nvim.command("3");
    nvim.command("Botglue rewind");
    nvim.wait("the messages are shown", || nvim.exec("return shown ~= nil") == true);
    let prompts = nvim.exec("return shown");
    let prompts: Vec<&str> = prompts
        .as_array()
        .unwrap()
        .iter()
        .map(|prompt| prompt.as_str().unwrap().split(' ').next().unwrap())
        .collect();
    assert_eq!(prompts, ["first", "second", "another"]);
}
