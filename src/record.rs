//! A finished job in the words of the store.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::land::Landing;
use crate::request::{Kind, Request};
use crate::store::{Record, Selected};
use crate::stream::Outcome;

/// What is kept of a job that was asked for at `started_ms`.
pub fn of(request: &Request, outcome: &Outcome, landing: Option<&Landing>, started_ms: i64) -> Record {
    let selection = &request.selection;
    let held_for =
        outcome.held_for.map(name).or_else(|| landing.and_then(|landing| landing.held_for).map(name));
    Record {
        id: request.id,
        agent: request.agent.name.clone(),
        model: outcome.model.clone().or_else(|| request.agent.model.clone()),
        session_id: outcome.session_id.clone(),
        project: request.cwd.to_string_lossy().into_owned(),
        path: request.path.clone(),
        filetype: request.filetype.clone(),
        prompt: request.prompt.clone(),
        selection: Selected {
            kind: kind(selection.kind).to_owned(),
            first_line: selection.first_line,
            last_line: selection.last_line,
            text: selection.text.clone(),
            rows: selection.rows.clone(),
            cols: selection.cols.clone(),
            anchor: selection.anchor.clone(),
        },
        started_ms,
        ended_ms: now_ms(),
        error: outcome.error.as_ref().map(|error| (name(error.code), error.message.clone())),
        text: outcome.text.clone().filter(|_| outcome.error.is_none()),
        lines: landing.map(|landing| landing.lines.clone()),
        held_for,
        cost_usd: outcome.cost_usd,
        tokens: (outcome.usage.input_tokens, outcome.usage.output_tokens),
        num_turns: outcome.num_turns,
    }
}

/// Now, Unix time in milliseconds.
pub fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Line => "line",
        Kind::Char => "char",
        Kind::Block => "block",
        Kind::Insert => "insert",
    }
}

/// The public name of a variant, which is how serde writes it.
fn name(variant: impl Serialize) -> String {
    serde_json::to_value(variant).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
}
