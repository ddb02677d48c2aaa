//! Jobs for tests: one that has ended, and one that has not.

use rusqlite::Connection;

use super::StoreError;
use super::amounts::{Amounts, Tokens};
use super::known::KnownJob;
use super::queries::keep;
use super::record::{Accepted, Record};
use crate::request::{Beside, Selection, SelectionKind};
use crate::stream::UsageScopes;

/// A job that was accepted, with the request of [`record`].
pub fn accepted(id: u64) -> Accepted {
    let Record { agent, project, path, filetype, prompt, selection, started_ms, .. } = record(id, None);
    Accepted {
        id,
        protocol: agent.clone(),
        agent,
        model: Some("opus".to_owned()),
        resumed: None,
        project,
        path,
        filetype,
        prompt,
        question: false,
        review: false,
        selection,
        started_ms,
    }
}

/// A job with an answer where `text` is one, else with none.
pub fn record(id: u64, text: Option<&str>) -> Record {
    let rows = vec!["local a = 1".to_owned()];
    Record {
        id,
        agent: "claude".to_owned(),
        protocol: Some("claude".to_owned()),
        model: Some("opus".to_owned()),
        session_id: None,
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
        ended_ms: 2000 + i64::try_from(id).unwrap(),
        error: None,
        text: text.map(str::to_owned),
        lines: text.map(|text| vec![text.to_owned()]),
        held_for: None,
        amounts: Amounts {
            cost_usd: Some(0.25),
            tokens: Tokens { input: 10, output: 5, cache_read: 100, cache_creation: 1 },
            num_turns: Some(1),
            duration_ms: Some(700),
        },
        scopes: UsageScopes::default(),
        checkpoints: Vec::new(),
        transcript: None,
    }
}

/// Keeps a finished job of `owner`, which resumed a session that had counted `parent`.
pub fn insert(
    connection: &Connection,
    owner: &str,
    record: &Record,
    parent: Option<Amounts>,
) -> Result<Amounts, StoreError> {
    keep::insert(connection, owner, &KnownJob { id: record.id, parent, ..KnownJob::default() }, record)
}
