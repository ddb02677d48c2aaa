//! What must not be lost, whatever comes of an answer: what the user had stays, in order, and nothing stands twice.

use std::collections::HashMap;

use botglue::request::SelectionKind;

use super::expected::{Done, Expected, Record, Sent, expected, find, is_left, place, splice};

/// How an answer ended that ended well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Landing {
    /// As it should have.
    Right,
    /// It was held, and could have landed.
    Held,
}

/// Whether an answer's end is one that may be.
pub fn judge(sent: &Sent, record: &Record) -> Result<Landing, String> {
    told_as_written(record)?;
    if record.is_left {
        return Ok(Landing::Right);
    }
    let selection = &sent.request.selection;
    // An empty row that was deleted, and the one that an empty buffer keeps, are the same to everybody.
    let is_something = selection.rows.iter().any(|row| !row.trim().is_empty());
    let is_deleted = selection.kind != SelectionKind::Insert && is_something && record.user == Done::Deleted;
    if is_deleted && record.after.is_some() && !record.doubtful && !is_put_back(sent, record) {
        return Err(format!("the user deleted the range: {record:?}"));
    }
    let is_held = matches!(record.held_for.as_deref(), Some("range_lost" | "conflict"));
    let expected = expected(sent, record);
    if expected.as_ref().is_some_and(|expected| expected.is(record)) {
        return Ok(Landing::Right);
    } else if is_held {
        let could_land = matches!(expected, Some(Expected::Written(..) | Expected::Unchanged));
        return Ok(if could_land { Landing::Held } else { Landing::Right });
    } else if record.storms > sent.storms && is_found_again(sent, record) {
        return Ok(Landing::Right);
    }
    let is_exact = matches!(expected, Some(Expected::Written(..) | Expected::Unchanged))
        && !is_doubled(sent, record)
        && !meets_another(sent, record)
        && record.storms == sent.storms;
    match expected {
        Some(expected) if is_exact && !expected.reads(record) => {
            Err(format!("expected {expected:?}\ngot {record:?}"))
        }
        _ => nothing_lost(sent, record).map(|()| Landing::Right),
    }
}

/// Whether text was written where that is what was told, and only there.
pub fn told_as_written(record: &Record) -> Result<(), String> {
    let is_written = record.after.is_some();
    if is_written == ["applied", "merged"].contains(&record.landing.as_str()) {
        return Ok(());
    }
    Err(format!("it was told: {}; written: {is_written}", record.landing))
}

/// Whether lines were written where their text stood, or an insertion between the lines that it was between, and those
/// stood only once: copies of parts of them are no matter then.
fn is_found_again(sent: &Sent, record: &Record) -> bool {
    let (selection, before) = (&sent.request.selection, &record.before);
    let (text, replaced) = match selection.kind {
        SelectionKind::Line => (selection.rows.clone(), 0..selection.rows.len()),
        SelectionKind::Insert => {
            let below = usize::from(selection.beside.above.is_some());
            (selection.beside.above.iter().chain(&sent.next).cloned().collect(), below..below)
        }
        SelectionKind::Char | SelectionKind::Block => return false,
    };
    let mut places = (0..before.len()).filter(|row| before[*row..].starts_with(&text));
    let (first, second) = (places.next(), places.next());
    let rows = first.filter(|_| second.is_none()).map(|row| row + replaced.start..row + replaced.end);
    let written = rows.map(|rows| splice(before, &rows, &sent.answer.lines));
    record.after.is_some() && written == record.after
}

/// Whether an answer adds rows where those of another one stand next to the range: if that was to the same lines both
/// stand at one place, and are the same or a conflict.
fn meets_another(sent: &Sent, record: &Record) -> bool {
    let (base, answer) = (&sent.request.selection.rows, &sent.answer.lines);
    if sent.request.selection.kind != SelectionKind::Line {
        return false;
    }
    let Some(rows) = find(&sent.ids, base, record) else { return false };
    // The words of answers begin so, and those that are typed otherwise.
    let is_answers = |row: Option<&String>| {
        row.is_some_and(|row| row.split_whitespace().any(|word| word.starts_with('a')))
    };
    answer.first() != base.first() && is_answers(rows.start.checked_sub(1).map(|row| &record.before[row]))
        || answer.last() != base.last() && is_answers(record.before.get(rows.end))
}

/// Whether all of its rows stand there again, whatever came next to them or between; or something of its text next to
/// the row above or below it, also where more was typed right beside it, or a part with all of its row on one side of
/// it.
fn is_put_back(sent: &Sent, record: &Record) -> bool {
    let (request, lines) = (&sent.request, &record.before);
    let base = &request.selection.rows;
    let mut rest = lines.iter();
    if base.iter().all(|row| rest.any(|line| line == row)) {
        return true;
    }
    let is_in = |nth: usize, line: &String| {
        is_left(&base[nth], line) || line.contains(base[nth].as_str()) || has_part(sent, nth, line)
    };
    (0..lines.len()).any(|row| {
        let above = row.checked_sub(1).map(|row| &lines[row]);
        (above == request.before.last() && is_in(0, &lines[row]))
            || (lines.get(row + 1) == request.after.first() && is_in(base.len() - 1, &lines[row]))
    })
}

/// Whether a row has a part with all that stood in front of it, or all that stood behind it.
fn has_part(sent: &Sent, nth: usize, line: &str) -> bool {
    let selection = &sent.request.selection;
    if !matches!(selection.kind, SelectionKind::Char | SelectionKind::Block) || selection.text[nth].is_empty()
    {
        return false;
    }
    let (row, start) = (&selection.rows[nth], usize::try_from(selection.cols[nth]).unwrap());
    line.starts_with(&row[..start + selection.text[nth].len()]) || line.ends_with(&row[start..])
}

/// Whether an end of the range stands next to its like, or to a row that reads as it did, or any row of a block: which
/// of both it is makes no difference to anybody.
fn is_doubled(sent: &Sent, record: &Record) -> bool {
    let (selection, lines) = (&sent.request.selection, &record.before);
    let is_end =
        |row: &usize| selection.kind == SelectionKind::Block || *row == 0 || row + 1 == sent.ids.len();
    (0..sent.ids.len()).filter(is_end).any(|nth| {
        let Some(row) = place(sent.ids[nth], record) else { return false };
        let is_like = |other: &String| *other == lines[row] || selection.rows.get(nth) == Some(other);
        (row > 0 && is_like(&lines[row - 1])) || lines.get(row + 1).is_some_and(is_like)
    })
}

fn nothing_lost(sent: &Sent, record: &Record) -> Result<(), String> {
    let Some(after) = &record.after else {
        let may_be = match record.held_for.as_deref() {
            None => record.landing == "unchanged",
            Some("not_modifiable") => !record.modifiable,
            Some(reason) => ["conflict", "range_lost"].contains(&reason),
        };
        return if may_be { Ok(()) } else { Err(format!("this cannot be: {record:?}")) };
    };
    let (before, text, answer) = (&record.before, &sent.request.selection.text, &sent.answer.lines);
    let is_it = match sent.request.selection.kind {
        SelectionKind::Line => {
            return rows_kept(sent, before, after).map_err(|what| format!("{what}: {record:?}"));
        }
        SelectionKind::Char => {
            is_replaced(&before.join("\n"), &text.join("\n"), &answer.join("\n"), &after.join("\n"))
        }
        SelectionKind::Block => is_block(text, answer, before, after),
        SelectionKind::Insert => {
            (0..=before.len()).any(|at| splice(before, &(at..at), answer) == *after)
                || (*before == [""] && after == answer)
        }
    };
    if is_it { Ok(()) } else { Err(format!("something else was written: {record:?}")) }
}

/// Whether `after` is `before` with `old` replaced by `new` in one place.
fn is_replaced(before: &str, old: &str, new: &str, after: &str) -> bool {
    (0..=before.len()).filter(|at| before.is_char_boundary(*at)).any(|at| {
        before[at..].starts_with(old)
            && after.strip_prefix(&before[..at]).and_then(|rest| rest.strip_prefix(new))
                == Some(&before[at + old.len()..])
    })
}

/// Whether each row of a block was replaced in its row, filled up with blanks where that was too short.
fn is_block(old: &[String], new: &[String], before: &[String], after: &[String]) -> bool {
    let is_row = |(row, (old, new)): (usize, (&String, &String))| {
        let filled = after[row].strip_prefix(&before[row]).filter(|_| old.is_empty());
        filled.is_some_and(|filled| filled.trim_start() == new.trim_start())
            || is_replaced(&before[row], old, new, &after[row])
    };
    before.len() == after.len()
        && (0..=before.len().saturating_sub(old.len())).any(|first| {
            let rows = first..first + old.len();
            rows.clone().zip(old.iter().zip(new)).all(is_row)
                && (0..before.len()).all(|row| rows.contains(&row) || before[row] == after[row])
        })
}

/// Only words that the answer takes away are gone, only those that it brings are new, and all other lines are as and
/// where they were.
fn rows_kept(sent: &Sent, before: &[String], after: &[String]) -> Result<(), String> {
    let (base, answer) = (&sent.request.selection.rows, &sent.answer.lines);
    let (taken, brought) = (less(&words(base), &words(answer)), less(&words(answer), &words(base)));
    let (lost, new) = (less(&words(before), &words(after)), less(&words(after), &words(before)));
    if let Some((word, _)) = less(&lost, &taken).iter().next() {
        return Err(format!("{word} is lost"));
    }
    if let Some((word, _)) = less(&new, &brought).iter().next() {
        return Err(format!("{word} stands there too often"));
    }
    let is_single = |line: &&String| {
        [before, after, base, answer].iter().all(|all| all.iter().filter(|other| other == line).count() < 2)
    };
    let is_other = |line: &&String| base.contains(line) == answer.contains(line);
    let others = |all: &[String]| -> Vec<String> {
        let own = |line: &&String| !line.trim().is_empty() && is_single(line) && is_other(line);
        all.iter().filter(own).cloned().collect()
    };
    if others(before) == others(after) {
        return Ok(());
    }
    Err("the lines are others, or in another order".to_owned())
}

type Counts = HashMap<String, i64>;

fn words(lines: &[String]) -> Counts {
    let mut counts = HashMap::new();
    for word in lines.iter().flat_map(|line| line.split_whitespace()) {
        *counts.entry(word.to_owned()).or_insert(0) += 1;
    }
    counts
}

/// What there is more often in the one than in the other, and by how much.
fn less(one: &Counts, other: &Counts) -> Counts {
    let rest = |(word, count): (&String, &i64)| (word.clone(), count - other.get(word).unwrap_or(&0));
    one.iter().map(rest).filter(|(_, count)| *count > 0).collect()
}
