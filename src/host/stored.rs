//! Translates a job into the records of the store.

use std::path::Path;

use crate::document::Passage;
use crate::fields::bytes;
use crate::journal::{self, Amounts, CountedBefore, Landed, Record, RowsOnDisk};
use crate::land::{self, Landing};
use crate::mirror::{RangeOnDisk, Settlement};
use crate::request::Request;
use crate::stream::Outcome;

/// What is kept of a finished job; `amounts` are those of [`amounts()`].
pub fn of(
    request: &Request,
    outcome: &Outcome,
    landing: Option<&Landing>,
    (share, counted): (Amounts, Amounts),
    transcript: Option<&Path>,
) -> Record {
    Record {
        job: request.job.clone(),
        answered_by: outcome.model.clone(),
        session_id: outcome.session_id.clone(),
        ended_ms: journal::now_ms(),
        error: outcome.error.as_ref().map(|error| (error.code.name().to_owned(), error.message.clone())),
        text: outcome.text.clone().filter(|_| outcome.error.is_none()),
        lines: landing.map(|landing| landing.lines.clone()),
        held_for: land::held(outcome.held_for, landing).map(|why| why.name().to_owned()),
        held_why: outcome.held_why.map(str::to_owned),
        share,
        counted,
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
    }
}

/// The range of a job in its file, and the file's name.
pub fn on_disk(on_disk: &RangeOnDisk) -> (RowsOnDisk, String) {
    let place = on_disk.passage.as_ref().map(lines);
    let rows = on_disk.passage.as_ref().map(rows).unwrap_or_default();
    let base = on_disk.base.as_ref().map(|rows| rows.iter().map(|row| bytes::escape(row)).collect());
    (RowsOnDisk { place, rows, base }, path(&on_disk.path))
}

/// A buffer's file; empty where it has none on this machine.
pub fn path(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    let is_scheme = |scheme: &str| scheme.chars().all(|c| c.is_ascii_alphanumeric() || "_+.-".contains(c));
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
    passage.rows.iter().map(|row| bytes::escape(&row.text)).collect()
}

/// What a job alone cost, and what its session has counted by now, see [`Amounts::shared`]. `before` is what the session
/// that it goes on from had counted, where that is known, `earlier` what earlier runs of the job cost.
pub fn amounts(
    request: &Request,
    outcome: &Outcome,
    before: Option<CountedBefore>,
    earlier: &Amounts,
) -> (Amounts, Amounts) {
    let resumed = request.start.resume.as_ref().map(|resume| &resume.session_id);
    let is_same = outcome.session_id.is_none() || outcome.session_id.as_ref() == resumed;
    let (share, counted) = outcome.amounts.shared(outcome.scopes, before, is_same);
    (earlier.plus(&share), counted)
}
