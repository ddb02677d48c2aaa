//! Translates a job into the records of the store.

use std::path::Path;

use crate::document::Passage;
use crate::land::{self, HeldFor, Landing};
use crate::mirror::{RangeOnDisk, Settlement};
use crate::request::Request;
use crate::store::{self, Accepted, Amounts, Landed, OnDisk, Record, RowsOnDisk, Tokens};
use crate::stream::{Outcome, Usage};

/// What is kept of a job from the moment at which it is accepted.
pub fn accepted(request: &Request, started_ms: i64) -> Accepted {
    Accepted {
        id: request.id,
        agent: request.start.agent.name.clone(),
        protocol: request.start.agent.protocol.dialect().name.to_owned(),
        model: request.start.agent.model.clone(),
        resumed: request.start.resume.clone(),
        project: request.start.cwd.to_string_lossy().into_owned(),
        path: request.path.clone(),
        filetype: request.filetype.clone(),
        prompt: request.prompt.clone(),
        question: request.question,
        review: request.review,
        selection: request.selection.clone(),
        started_ms,
    }
}

/// What is kept of a finished job that was asked for at `started_ms`.
pub fn of(
    request: &Request,
    outcome: &Outcome,
    landing: Option<&Landing>,
    started_ms: i64,
    transcript: Option<&Path>,
) -> Record {
    let held_for = land::held(outcome.held_for, landing).map(HeldFor::name);
    Record {
        id: request.id,
        agent: request.start.agent.name.clone(),
        protocol: Some(request.start.agent.protocol.dialect().name.to_owned()),
        model: outcome.model.clone().or_else(|| request.start.agent.model.clone()),
        session_id: outcome.session_id.clone(),
        resumed: request.start.resume.clone(),
        project: request.start.cwd.to_string_lossy().into_owned(),
        path: request.path.clone(),
        filetype: request.filetype.clone(),
        prompt: request.prompt.clone(),
        question: request.question,
        review: request.review,
        selection: request.selection.clone(),
        started_ms,
        ended_ms: store::now_ms(),
        error: outcome.error.as_ref().map(|error| (error.code.name().to_owned(), error.message.clone())),
        text: outcome.text.clone().filter(|_| outcome.error.is_none()),
        lines: landing.map(|landing| landing.lines.clone()),
        held_for: held_for.map(str::to_owned),
        amounts: amounts(outcome),
        scopes: outcome.scopes,
        checkpoints: outcome.checkpoints.clone(),
        transcript: transcript.and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned()),
    }
}

/// What became of an answer, and of its range.
pub fn landed(settlement: Settlement, passage: Option<&Passage>) -> Landed {
    let held_for = match settlement {
        Settlement::Held(why) => Some(why.name().to_owned()),
        _ => None,
    };
    Landed {
        landing: settlement.landing().to_owned(),
        held_for,
        place: passage.map(lines),
        rows: passage.map(rows),
        path: None,
    }
}

/// The range of a job in its file.
pub fn on_disk(on_disk: &RangeOnDisk) -> OnDisk {
    let place = on_disk.passage.as_ref().map(lines);
    let rows = on_disk.passage.as_ref().map(rows).unwrap_or_default();
    let text = |row: &Vec<u8>| String::from_utf8_lossy(row).into_owned();
    let base = on_disk.base.as_ref().map(|rows| rows.iter().map(text).collect());
    OnDisk { range: Some(RowsOnDisk { place, rows, base }), path: Some(path(&on_disk.path)) }
}

/// The file of a job has this name.
pub fn renamed(name: &[u8]) -> OnDisk {
    OnDisk { range: None, path: Some(path(name)) }
}

/// A buffer's file; empty where it has none on this machine.
fn path(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    let is_scheme = |scheme: &str| {
        scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || "_+.-".contains(letter))
    };
    let is_elsewhere =
        name.split_once("://").is_some_and(|(scheme, _)| scheme.len() > 1 && is_scheme(scheme));
    if is_elsewhere { String::new() } else { name.into_owned() }
}

/// The first and the last line of a passage; an insertion is at the line that it goes below.
fn lines(passage: &Passage) -> (u64, u64) {
    let rows = passage.place.rows();
    let first = rows.start + usize::from(!rows.is_empty());
    (first as u64, rows.end as u64)
}

/// The whole rows of a passage.
fn rows(passage: &Passage) -> Vec<String> {
    passage.rows.iter().map(|row| String::from_utf8_lossy(&row.text).into_owned()).collect()
}

/// What a job cost, as its agent counts.
pub fn amounts(outcome: &Outcome) -> Amounts {
    Amounts {
        cost_usd: outcome.cost_usd,
        tokens: Tokens {
            input: outcome.usage.input_tokens,
            output: outcome.usage.output_tokens,
            cache_read: outcome.usage.cache_read_input_tokens,
            cache_creation: outcome.usage.cache_creation_input_tokens,
        },
        num_turns: outcome.num_turns,
        duration_ms: outcome.duration_ms,
    }
}

/// Sets the outcome's amounts to what the job itself used.
pub fn with_job_usage(outcome: &mut Outcome, job_usage: &Amounts) {
    outcome.cost_usd = job_usage.cost_usd;
    outcome.usage = Usage {
        input_tokens: job_usage.tokens.input,
        output_tokens: job_usage.tokens.output,
        cache_read_input_tokens: job_usage.tokens.cache_read,
        cache_creation_input_tokens: job_usage.tokens.cache_creation,
    };
    outcome.num_turns = job_usage.num_turns;
}
