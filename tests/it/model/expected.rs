//! What has to come of an answer, told from what was sent and what stood in the buffer: the reference.
//!
//! Told exactly where the lines of the range are all known by identity. Where the user deleted, split or joined its
//! first or last line the meaning is ambiguous; then [`super::promise`] says what must not be lost.

use std::ops::Range;

use botglue::land::Landing;
use botglue::request::{Request, SelectionKind};
use serde::Deserialize;

use super::merge::merge;

/// What a user did to lines: an edit is one also there and back; lines that were deleted did not come back by undoing.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Done {
    Nothing,
    Edited,
    Deleted,
}

/// What has become of a landing, as Neovim's undo tree has it.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Earlier {
    Stands,
    Undone,
}

/// One answer's end, or what the user decided of it, as the editor recorded it.
#[derive(Debug, Clone, Deserialize)]
pub struct Record {
    pub id: u64,
    pub landing: String,
    pub held_for: Option<String>,
    /// The lines before the write, and which ones they are.
    pub before: Vec<String>,
    pub ids: Vec<u64>,
    /// The same after it; none where nothing was written.
    pub after: Option<Vec<String>>,
    pub after_ids: Option<Vec<u64>>,
    /// The fates of the answers that had landed before.
    pub earlier: Earlier,
    /// How often the whole buffer had been replaced.
    pub storms: u64,
    pub modifiable: bool,
    /// What the user did to the lines of the range since it was sent.
    pub user: Done,
    /// Whether any line of the range may be another one, that read the same and stood next to it.
    pub doubtful: bool,
    /// It waited for a moment when its host died: it is held, whatever it would have come to.
    #[serde(default)]
    pub is_left: bool,
}

/// A job as it was sent, and its answer.
#[derive(Debug)]
pub struct Sent {
    pub request: Request,
    /// The rows of the range by identity; of an insertion the line above and the line below.
    pub ids: Vec<Option<u64>>,
    pub storms: u64,
    /// The line below an insertion.
    pub next: Option<String>,
    pub answer: Landing,
}

/// What has to come of an answer.
#[derive(Debug, PartialEq)]
pub enum Expected {
    /// Written as this, and the rows then are these, in the place of those.
    Written(&'static str, Range<usize>, Vec<String>),
    Unchanged,
    Held(&'static [&'static str]),
}

impl Expected {
    /// Whether it is what has come.
    pub fn is(&self, record: &Record) -> bool {
        match self {
            Self::Written(..) if !record.modifiable => record.held_for.as_deref() == Some("not_modifiable"),
            Self::Written(landing, ..) => record.landing == *landing && self.reads(record),
            Self::Unchanged => record.landing == "unchanged",
            Self::Held(reasons) => record.held_for.as_deref().is_some_and(|reason| reasons.contains(&reason)),
        }
    }

    /// Whether the text that was written reads as it has to, whatever was told of it.
    pub fn reads(&self, record: &Record) -> bool {
        match self {
            Self::Written(_, rows, lines) => record.after == Some(splice(&record.before, rows, lines)),
            Self::Unchanged | Self::Held(_) => record.after.is_none(),
        }
    }
}

/// What has to come of an answer, if that can be told exactly.
pub fn expected(sent: &Sent, record: &Record) -> Option<Expected> {
    if sent.answer.held_for.is_some() {
        return Some(Expected::Held(&["block_rows", "ambiguous", "review"]));
    }
    meant(sent, record)
}

/// What an answer comes to where it lands, whether or not it may.
pub fn meant(sent: &Sent, record: &Record) -> Option<Expected> {
    if record.doubtful {
        return None;
    }
    match sent.request.selection.kind {
        SelectionKind::Line => lines(sent, record),
        SelectionKind::Insert => insertion(sent, record),
        SelectionKind::Char | SelectionKind::Block => parts(sent, record),
    }
}

/// Where rows are, if both their ends are still there, in their order and with something of their text.
pub fn find(ids: &[Option<u64>], text: &[String], record: &Record) -> Option<Range<usize>> {
    let places: Vec<Option<usize>> = ids.iter().map(|id| place(*id, record)).collect();
    let (first, last) = ((*places.first()?)?, (*places.last()?)?);
    let present: Vec<usize> = places.into_iter().flatten().collect();
    let is_left = is_left(&text[0], &record.before[first])
        && is_left(&text[text.len() - 1], &record.before[last])
        && text.iter().any(|row| !row.trim().is_empty());
    (is_left && present.is_sorted()).then_some(first..last + 1)
}

/// The record with rows of a range that were deleted and put right above the others, or right below, known as those
/// that they were: they still are rows of it. None where there are no such rows.
pub fn put_beside(ids: &[Option<u64>], rows: &[String], record: &Record) -> Option<Record> {
    // Of an insertion there are none, and of a buffer that is gone.
    if ids.len() != rows.len() || record.before.len() != record.ids.len() {
        return None;
    }
    let mut other = record.clone();
    let mut missing: Vec<usize> = (0..ids.len()).filter(|row| place(ids[*row], record).is_none()).collect();
    let present: Vec<usize> = ids.iter().filter_map(|id| place(*id, record)).collect();
    let (first, last) = (*present.iter().min()?, *present.iter().max()?);
    let mut take = |row: usize| {
        let own = missing.iter().position(|own| rows[*own] == record.before[row]);
        let id = own.and_then(|own| ids[missing.remove(own)]);
        other.ids[row] = id.unwrap_or(other.ids[row]);
        id.is_some()
    };
    let above = (0..first).rev().take_while(|row| take(*row)).count();
    let below = (last + 1..record.before.len()).take_while(|row| take(*row)).count();
    (above + below > 0).then_some(other)
}

/// Whether something of a row is left in another one.
pub fn is_left(was: &str, is: &str) -> bool {
    was == is || was.split_whitespace().any(|word| is.split_whitespace().any(|other| other == word))
}

/// Where a line is now.
pub fn place(id: Option<u64>, record: &Record) -> Option<usize> {
    record.ids.iter().position(|other| Some(*other) == id)
}

/// The lines with some of them replaced; a buffer keeps one empty line.
pub fn splice(lines: &[String], rows: &Range<usize>, new: &[String]) -> Vec<String> {
    let mut lines = lines.to_vec();
    lines.splice(rows.clone(), new.iter().cloned());
    if lines.is_empty() { vec![String::new()] } else { lines }
}

fn lines(sent: &Sent, record: &Record) -> Option<Expected> {
    let (base, answer) = (&sent.request.selection.rows, &sent.answer.lines);
    let rows = find(&sent.ids, base, record)?;
    let current = &record.before[rows.clone()];
    let written = |landing, lines: &[String]| {
        let is_same = splice(&record.before, &rows, lines) == record.before;
        if is_same { Expected::Unchanged } else { Expected::Written(landing, rows.clone(), lines.to_vec()) }
    };
    Some(match merge(base, current, answer) {
        _ if current == base => written("applied", answer),
        Some(merged) => written("merged", &merged),
        None => Expected::Held(&["conflict", "range_lost"]),
    })
}

fn parts(sent: &Sent, record: &Record) -> Option<Expected> {
    let (selection, answer) = (&sent.request.selection, &sent.answer.lines);
    let rows = find(&sent.ids, &selection.rows, record)?;
    // Each row of a block has marks of its own.
    let is_whole =
        selection.kind == SelectionKind::Char || sent.ids.iter().all(|id| place(*id, record).is_some());
    if !is_whole || record.user != Done::Nothing || record.before[rows.clone()] != selection.rows {
        return None;
    }
    if *answer == selection.text {
        return Some(Expected::Unchanged);
    }
    let column = |row: usize| usize::try_from(selection.cols[row]).unwrap();
    let head = |row: usize| &selection.rows[row][..column(row)];
    let tail = |row: usize| &selection.rows[row][column(row) + selection.text[row].len()..];
    let new: Vec<String> = if selection.kind == SelectionKind::Char {
        let text = format!("{}{}{}", head(0), answer.join("\n"), tail(selection.rows.len() - 1));
        text.split('\n').map(str::to_owned).collect()
    } else if (0..answer.len()).any(|row| head(row).len() == selection.rows[row].len()) {
        // A row that is too short for the block is filled up; by how much is not the model's business.
        return None;
    } else {
        answer.iter().enumerate().map(|(row, text)| format!("{}{text}{}", head(row), tail(row))).collect()
    };
    Some(Expected::Written("applied", rows, new))
}

/// An insertion goes below its line, or above the line that was below it. Where neither reads as it did, or there is
/// something new between, it may be held or go to one of both.
fn insertion(sent: &Sent, record: &Record) -> Option<Expected> {
    let answer = &sent.answer.lines;
    if answer.is_empty() {
        return Some(Expected::Unchanged);
    }
    let below_anchor = place(sent.ids[0], record).map(|row| row + 1);
    let above_next = place(sent.ids[1], record);
    let at = match (below_anchor, above_next, &*sent.ids) {
        (Some(at), Some(next), _) if at == next => at,
        (Some(at), None, [_, None]) if at == record.before.len() => at,
        (None, Some(0), [None, _]) => 0,
        _ => return None,
    };
    let above = at.checked_sub(1).map(|row| &record.before[row]);
    let is_next = sent.next.is_some() && record.before.get(at) == sent.next.as_ref();
    let is_as_sent = is_next || above == sent.request.selection.beside.above.as_ref();
    (is_as_sent && record.before != [""]).then(|| Expected::Written("applied", at..at, answer.clone()))
}
