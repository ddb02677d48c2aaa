//! Follow-ups in sessions of the real CLI, each in a fork, and what they cost together.

use rusqlite::Connection;
use serde_json::json;

use crate::support::cli::Cli;
use crate::support::fixture::Fixture;

#[test]
fn follow_ups_know_the_conversation_and_their_tokens_add_up() {
    let fixture = Fixture::new(Cli::Droid);
    let nvim = &fixture.nvim;
    fixture.ask("first ANSWER<<fn one() {}>>");
    let follow_up = |id: u64, prompt: &str| {
        let id = nvim.exec_with("return require('botglue').followup(...)", &[id.into(), prompt.into()]);
        let job = nvim.finished(id.as_u64().unwrap());
        assert_eq!(job["landing"], "applied", "{job:#}");
        job
    };
    let second = follow_up(1, "second ANSWER<<fn two() {}>>");
    // A fork of the same session, and a fork of a fork.
    let third = follow_up(1, "third ANSWER<<fn three() {}>>");
    let fourth = follow_up(2, "fourth ANSWER<<fn four() {}>>");
    assert_eq!(nvim.lines()[2], "fn four() {}");

    let requests = fixture.api.requests();
    assert_eq!(requests.len(), 4);
    let said = |n: usize, words: &str| requests[n].body["messages"].to_string().contains(words);
    for (n, expected) in [(1, ["first", "second"]), (2, ["first", "third"]), (3, ["second", "fourth"])] {
        assert!(expected.iter().all(|words| said(n, &format!("{words} ANSWER"))), "{:#}", requests[n].body);
    }
    assert!(!said(2, "second ANSWER") && !said(3, "third ANSWER"), "they mix");
    assert!(said(3, "fn two() {}"), "what was answered before");

    let store = Connection::open(nvim.scratch.path("data/nvim/botglue/botglue.db")).unwrap();
    let sums: [i64; 5] = store
        .query_row(
            "SELECT sum(input_tokens), sum(output_tokens), sum(cache_read_tokens), sum(cache_creation_tokens),
             sum(num_turns) FROM jobs",
            [],
            |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?]),
        )
        .unwrap();
    assert_eq!(sums, [25, 15, 50, 100, 1].map(|each| each * 4));
    for job in [second, third, fourth] {
        assert_eq!((&job["input_tokens"], &job["num_turns"]), (&json!(25), &json!(1)), "{job:#}");
    }
    // Without its session a job fails, and sends nothing.
    std::fs::remove_dir_all(nvim.scratch.path("home/.factory/sessions")).unwrap();
    let id = nvim.exec("return require('botglue').followup(1, 'ANSWER<<fn lost() {}>>')").as_u64().unwrap();
    let job = nvim.finished(id);
    assert_eq!(job["error"]["code"], "session_not_found", "{job:#}");
    assert_eq!((nvim.lines()[2].as_str(), fixture.api.requests().len()), ("fn four() {}", 4));
}
