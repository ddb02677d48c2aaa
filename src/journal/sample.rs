//! Jobs for tests, in the words of a journal.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;

use super::{Amounts, Change, Draft, Landed, Line, Record, RowsOnDisk};
use crate::request::Accepted;

/// How long anything may take before a test says that it hangs.
pub const DEADLINE: Duration = Duration::from_secs(60);
/// How long `append` may keep the host, on a machine with much else to do.
pub const HELD_UP: Duration = Duration::from_secs(5);

/// Waits until it is so.
///
/// # Panics
/// Where that lasts longer than [`DEADLINE`].
pub fn until(mut is_so: impl FnMut() -> bool, what: &str) {
    let since = Instant::now();
    while !is_so() {
        assert!(since.elapsed() < DEADLINE, "it never became so: {what}");
        std::thread::yield_now();
    }
}

/// Lines of a session, each of the job with that number.
pub fn lines(session: &str, changes: impl IntoIterator<Item = (u64, Change)>) -> Vec<Line> {
    changes.into_iter().map(|(id, change)| Line::new(format!("{session}-{id}"), change)).collect()
}

/// A journal with these lines.
pub fn bytes(lines: &[Line]) -> Vec<u8> {
    lines.iter().flat_map(Line::bytes).collect()
}

/// A job that was accepted.
pub fn accepted(id: u64) -> Accepted {
    let rows = ["local a = 1"];
    let selection = json!({ "kind": "line", "first_line": 3, "last_line": 3, "text": rows, "rows": rows, "cols": [0], "beside": {} });
    let job = json!({
        "id": id, "agent": "claude", "protocol": "claude", "model": "opus", "project": "/project",
        "path": "/project/a.lua", "filetype": "lua", "prompt": "shorter", "question": false, "review": false,
        "selection": selection, "started_ms": 1000,
    });
    serde_json::from_value(job).unwrap()
}

/// The same when it has ended: with an answer where `text` is one.
pub fn record(id: u64, text: Option<&str>) -> Record {
    let amounts = json!({
        "cost_usd": 0.25, "num_turns": 1, "duration_ms": 700, "input_tokens": 10, "output_tokens": 5,
        "cache_read_input_tokens": 100, "cache_creation_input_tokens": 1,
    });
    let mut record = json!(accepted(id));
    record["ended_ms"] = json!(2000 + id);
    (record["text"], record["lines"]) = (json!(text), json!(text.map(|text| [text])));
    (record["share"], record["counted"]) = (amounts.clone(), amounts);
    serde_json::from_value(record).unwrap()
}

/// That it was accepted, as a change.
pub fn accept(id: u64, started_ms: i64) -> (u64, Change) {
    (id, Change::Accepted(Box::new(Accepted { started_ms, ..accepted(id) })))
}

/// What the user made of its answer.
pub fn draft(text: &str) -> Change {
    Change::Draft(Some(Draft { lines: Some(vec![text.to_owned()]), ..Draft::default() }))
}

/// Its end, as a change.
pub fn ended(id: u64, text: &str) -> Change {
    Change::Ended(Arc::new(record(id, Some(text))))
}

/// What became of its answer.
pub fn landed(landing: &str, held_for: Option<&str>) -> Change {
    let (landing, held_for) = (landing.to_owned(), held_for.map(str::to_owned));
    Change::Landed(Landed { landing, held_for, ..Landed::default() })
}

/// The first line of a file of that session.
pub fn begin(session: &str, neovim: &str) -> Change {
    Change::Begin { session: session.to_owned(), neovim: neovim.to_owned(), is_start: true }
}

/// A recorded run of the session `s` with every change that there is but a new number: one host is lost while it runs the
/// job 2, which the next one ends; the job 7 has not ended. The answers 2 and 3 are undecided.
pub fn run(neovim: &str) -> Vec<Line> {
    let unsent = |id, text: &str| (0, Change::Unsent { id, at_ms: 5, text: text.to_owned() });
    let question = Record { job: Accepted { question: true, ..accepted(5) }, ..record(5, Some("said")) };
    let error = Some(("exited".to_owned(), "it ended".to_owned()));
    let exited = Record { error, ..record(6, None) };
    let range = |place| Change::Range(RowsOnDisk { place, rows: vec!["é".to_owned()], base: None });
    let amounts = Amounts { cost_usd: Some(0.5), num_turns: Some(3), ..Amounts::default() };
    let rows = Some(vec!["x".to_owned()]);
    let merged = Landed { landing: "merged".to_owned(), place: Some((7, 8)), rows, held_for: None };
    let refused = Box::new(Line::new("s-8".to_owned(), ended(8, "eight")));
    let changes = [
        (0, begin("s", neovim)),
        unsent(1, "shorter\n"),
        unsent(2, "another"),
        accept(1, 1000),
        accept(2, 1000),
        (1, ended(1, "one")),
        (1, Change::Amended { share: amounts, counted: amounts }),
        (1, landed("held", Some("conflict"))),
        (1, Change::Path("/b.lua".to_owned())),
        (1, Change::Landed(merged)),
        (1, range(None)),
        (0, begin("s", neovim)),
        accept(2, 3000),
        accept(3, 3000),
        (2, ended(2, "two")),
        (2, landed("held", Some("conflict"))),
        (2, range(Some((7, 7)))),
        (3, ended(3, "three")),
        (2, draft("mine")),
        (3, Change::Path("/new.lua".to_owned())),
        (4, ended(4, "four")),
        (4, landed("held", Some("review"))),
        (5, Change::Ended(Arc::new(question))),
        accept(6, 3000),
        (6, Change::Ended(Arc::new(exited))),
        (6, Change::Interrupted),
        (4, landed("rejected", None)),
        (2, draft("mine, later")),
        (0, Change::Refused { why: String::new(), line: refused }),
        unsent(2, ""),
        unsent(3, "a third"),
        accept(7, 4000),
        (7, Change::Limited { started_ms: 4000, until: 9, share: amounts }),
    ];
    lines("s", changes)
}
