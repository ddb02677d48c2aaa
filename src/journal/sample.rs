//! Jobs for tests, in the words of a journal.

use super::{Accepted, Amounts, Change, Landed, Record, Tokens};
use crate::request::{Beside, Selection, SelectionKind};

/// A job that was accepted.
pub fn accepted(id: u64) -> Accepted {
    let rows = vec!["local a = 1".to_owned()];
    Accepted {
        id,
        agent: "claude".to_owned(),
        protocol: "claude".to_owned(),
        model: Some("opus".to_owned()),
        resumed: None,
        project: "/project".to_owned(),
        path: "/project/a.lua".to_owned(),
        filetype: "lua".to_owned(),
        prompt: "shorter".to_owned(),
        question: false,
        review: false,
        selection: Selection {
            kind: SelectionKind::Line,
            first_line: 3,
            last_line: 3,
            text: rows.clone(),
            rows,
            cols: vec![0],
            column: None,
            beside: Beside::default(),
        },
        started_ms: 1000,
    }
}

/// The same when it has ended: with an answer where `text` is one.
pub fn record(id: u64, text: Option<&str>) -> Record {
    let amounts = Amounts {
        cost_usd: Some(0.25),
        tokens: Tokens { input: 10, output: 5, cache_read: 100, cache_creation: 1 },
        num_turns: Some(1),
        duration_ms: Some(700),
    };
    Record {
        job: accepted(id),
        answered_by: None,
        session_id: None,
        ended_ms: 2000 + i64::try_from(id).unwrap_or_default(),
        error: None,
        text: text.map(str::to_owned),
        lines: text.map(|text| vec![text.to_owned()]),
        held_for: None,
        share: amounts,
        counted: amounts,
        checkpoints: Vec::new(),
        transcript: None,
    }
}

/// Its end, as a change.
pub fn ended(id: u64, text: &str) -> Change {
    Change::Ended(Box::new(record(id, Some(text))))
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
