//! What has to come of a decision of the user's: an answer accepted, rejected, or taken back.

use std::ops::Range;

use botglue::request::SelectionKind;

use super::expected::{Earlier, Expected, Record, Sent, expected, find, meant, splice};
use super::merge::merge;
use super::promise;

/// Rows that an answer has written, and what they were before.
#[derive(Debug)]
pub struct Written {
    pub ids: Vec<Option<u64>>,
    pub rows: Vec<String>,
    before: Vec<String>,
}

impl Written {
    /// What an answer has written, where that is known exactly and is whole rows.
    pub fn of(sent: &Sent, record: &Record) -> Option<Self> {
        let is_rows = matches!(sent.request.selection.kind, SelectionKind::Line | SelectionKind::Insert);
        match expected(sent, record)? {
            Expected::Written(_, old, rows) if is_rows && !rows.is_empty() && record.after.is_some() => {
                let ids = record.after_ids.as_ref()?[old.start..old.start + rows.len()].iter();
                Some(Self {
                    ids: ids.map(|id| Some(*id)).collect(),
                    rows,
                    before: record.before[old].to_vec(),
                })
            }
            _ => None,
        }
    }
}

/// Whether what came of a decision is what has to come of it: `was` is how the answer had ended, `written` what it
/// wrote, and `last` the record of that.
pub fn judge(
    was: &str,
    sent: &Sent,
    written: Option<&Written>,
    last: Option<&Record>,
    record: &Record,
) -> Result<(), String> {
    let is_taken_back = ["applied", "merged"].contains(&was);
    let expected = match record.landing.as_str() {
        "rejected" if !is_taken_back => Some(record.before.clone()),
        "reverted" if is_taken_back => reverted(written, last, record),
        "applied" | "merged" | "unchanged" if !is_taken_back => {
            promise::told_as_written(record)?;
            accepted(sent, record)
        }
        other => return Err(format!("{was} cannot come to be {other}")),
    };
    let is = record.after.as_ref().unwrap_or(&record.before);
    match expected {
        Some(expected) if expected != *is => Err(format!("expected {expected:?}\ngot {record:?}")),
        _ => Ok(()),
    }
}

/// The merge where it is clean; else the answer's rows are in the place of the user's where both changed the same ones.
fn accepted(sent: &Sent, record: &Record) -> Option<Vec<String>> {
    let (base, answer) = (&sent.request.selection.rows, &sent.answer.lines);
    if record.storms > sent.storms || record.doubtful {
        return None;
    } else if sent.request.selection.kind != SelectionKind::Line {
        return match meant(sent, record)? {
            Expected::Written(_, rows, lines) => Some(splice(&record.before, &rows, &lines)),
            _ => None,
        };
    }
    let rows = find(&sent.ids, base, record)?;
    let is = record.after.as_ref().unwrap_or(&record.before);
    let has_copy = has_copy(&sent.ids, base, record, &rows);
    if (has_twins(base, answer) || has_copy) && is_answered(&record.before, &rows, is, base, answer) {
        return Some(is.clone());
    }
    merged(record, &rows, base, answer)
}

/// Whether rows of the range are twins, or nothing, so that no text tells which of them a line of the answer is. The
/// user was shown one conflict then, with all rows between them, and has accepted that these go.
fn has_twins(base: &[String], answer: &[String]) -> bool {
    let count = |rows: &[String], row: &String| rows.iter().filter(|other| *other == row).count();
    base.iter().any(|row| row.trim().is_empty() || count(base, row) > 1 || count(answer, row) > 1)
}

/// Whether the range has a row that reads as one that was sent, and is another: a merge of texts takes it for that.
fn has_copy(ids: &[Option<u64>], base: &[String], record: &Record, rows: &Range<usize>) -> bool {
    let mut all = record.before[rows.clone()].iter().zip(&record.ids[rows.clone()]);
    all.any(|(row, id)| base.contains(row) && !ids.contains(&Some(*id)))
}

/// Whether all lines that an answer brings are in its range, in their order, and nothing has changed beside it.
fn is_answered(
    before: &[String],
    rows: &Range<usize>,
    is: &[String],
    base: &[String],
    answer: &[String],
) -> bool {
    let (above, below) = (&before[..rows.start], &before[rows.end..]);
    let within = is.strip_prefix(above).and_then(|rest| rest.strip_suffix(below));
    within.is_some_and(|within| {
        let mut rest = within.iter();
        answer.iter().filter(|line| !base.contains(line)).all(|line| rest.any(|row| row == line))
    })
}

/// What was there before it, where nothing else has happened since; else the merge.
fn reverted(written: Option<&Written>, last: Option<&Record>, record: &Record) -> Option<Vec<String>> {
    if let Some(last) = last
        && record.before != [""]
    {
        let (is_there, is_gone) = (last.after.as_ref() == Some(&record.before), last.before == record.before);
        let is_undone = record.earlier == Earlier::Undone;
        if is_there && !is_undone {
            return Some(last.before.clone());
        } else if is_undone && !is_there {
            // Nothing of it is left to be taken back, whatever was typed since.
            return Some(record.before.clone());
        } else if is_there || is_gone {
            // Somebody typed what reads like it.
            return None;
        }
    }
    let written = written?;
    let rows = find(&written.ids, &written.rows, record)?;
    merged(record, &rows, &written.rows, &written.before)
}

fn merged(record: &Record, rows: &Range<usize>, base: &[String], other: &[String]) -> Option<Vec<String>> {
    merge(base, &record.before[rows.clone()], other).map(|lines| splice(&record.before, rows, &lines))
}
