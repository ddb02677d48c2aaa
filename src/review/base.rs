//! The base of the merge: the rows that were sent, with the taken edits in them, and the edits that are not taken.

use std::collections::HashMap;
use std::ops::Range;

use super::id::{EditId, Hash};
use super::shape::Shape;
use crate::document::Row;
use crate::land::{Bytes, changes, keeps_ends, merge_rows};

/// See the module. For a part of a row, or a block, a row is the piece of it that was selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    /// The rows.
    pub rows: Vec<Row>,
    /// The edits that are not taken, ascending and apart from each other.
    pub groups: Vec<Group>,
    /// How many edits are taken.
    pub taken: usize,
    /// What the taken edits have replaced, ascending and apart from each other.
    pub replaced: Vec<TakenRows>,
}

/// Rows of the base that were taken from the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenRows {
    /// The rows.
    pub rows: Range<usize>,
    /// What the text had in their place: where they were taken against a change of the user's, that.
    pub before: Vec<Bytes>,
}

/// Edits between which there are only rows of which the merge does not know which line of the answer they are: a change
/// of the user's in any of its rows makes it a conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The rows of the base that it is about.
    pub rows: Range<usize>,
    /// The edits, ascending.
    pub edits: Vec<Edit>,
}

/// One difference between the answer and what was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What it is known by.
    pub id: EditId,
    /// The rows of the base that it replaces.
    pub rows: Range<usize>,
    /// The lines of the answer that come.
    pub lines: Range<usize>,
}

impl Base {
    /// The rows, and all differences of the answer to them.
    pub fn new(rows: Vec<Row>, answer: &[Bytes], shape: Shape) -> Self {
        let mut groups = match shape {
            Shape::Block => by_row(&rows, answer),
            Shape::Rows | Shape::Part => by_merge(&rows, answer),
        };
        let (old, new) = (rows.len(), answer.len());
        let mut edits = groups.iter().flat_map(|group| &group.edits);
        if shape == Shape::Part && !edits.all(|edit| keeps_ends(&edit.rows, old, &edit.lines, new)) {
            groups = vec![Group::one(0..old, 0..new)];
        }
        name(&mut groups, &rows, answer);
        Self { rows, groups, taken: 0, replaced: Vec::new() }
    }

    /// The same rows with the differences of another answer.
    pub fn with_answer(&self, answer: &[Bytes], shape: Shape) -> Self {
        let (taken, replaced) = (self.taken, self.replaced.clone());
        Self { taken, replaced, ..Self::new(self.rows.clone(), answer, shape) }
    }

    /// The same where its rows are what was `sent` with edits in it that were taken in an earlier session. What these
    /// have replaced is what was sent.
    pub fn resumed(self, sent: &[Bytes]) -> Self {
        let old: Vec<&[u8]> = sent.iter().map(Vec::as_slice).collect();
        let new: Vec<&[u8]> = self.rows.iter().map(|row| &row.text[..]).collect();
        let taken = changes(&old, &new).into_iter();
        let replaced: Vec<TakenRows> =
            taken.map(|(old, new)| TakenRows { rows: new, before: sent[old].to_vec() }).collect();
        Self { taken: replaced.len(), replaced, ..self }
    }

    /// All edits that are not taken.
    pub fn edits(&self) -> impl Iterator<Item = &Edit> {
        self.groups.iter().flat_map(|group| &group.edits)
    }

    /// The rows as they were before any edit was taken.
    pub fn before(&self) -> Vec<Bytes> {
        let bytes = |rows: &[Row]| rows.iter().map(|row| row.text.to_vec()).collect::<Vec<_>>();
        let (mut before, mut from) = (Vec::new(), 0);
        for taken in &self.replaced {
            before.extend(bytes(&self.rows[from..taken.rows.start]));
            before.extend_from_slice(&taken.before);
            from = taken.rows.end;
        }
        before.extend(bytes(&self.rows[from..]));
        before
    }

    /// These pieces without the edits that were taken; none where they have been changed since.
    pub fn without_taken(&self, current: &[Row], shape: Shape) -> Option<Vec<Bytes>> {
        let before = self.before();
        let mut pieces: Vec<Bytes> = current.iter().map(|row| row.text.to_vec()).collect();
        if shape == Shape::Block {
            for ((piece, base), before) in pieces.iter_mut().zip(&self.rows).zip(before) {
                if base.text[..] != before[..] {
                    *piece = (base.text[..] == piece[..]).then_some(before)?;
                }
            }
            return Some(pieces);
        }
        for hunk in merge_rows(&self.rows, current, &before).into_iter().rev() {
            if hunk.is_conflict {
                return None;
            }
            pieces.splice(hunk.current, before[hunk.answer].iter().cloned());
        }
        Some(pieces)
    }
}

impl Group {
    fn one(rows: Range<usize>, lines: Range<usize>) -> Self {
        Self { rows: rows.clone(), edits: vec![Edit { id: Hash::new().id(), rows, lines }] }
    }
}

/// The rows of a block stand each for itself.
fn by_row(rows: &[Row], answer: &[Bytes]) -> Vec<Group> {
    let differs = |at: &usize| rows[*at].text[..] != answer[*at][..];
    (0..rows.len().min(answer.len())).filter(differs).map(|at| Group::one(at..at + 1, at..at + 1)).collect()
}

fn by_merge(rows: &[Row], answer: &[Bytes]) -> Vec<Group> {
    let hunks = merge_rows(rows, rows, answer).into_iter();
    let groups = hunks.map(|hunk| {
        let old: Vec<&[u8]> = rows[hunk.base.clone()].iter().map(|row| &row.text[..]).collect();
        let new: Vec<&[u8]> = answer[hunk.answer.clone()].iter().map(Vec::as_slice).collect();
        let edit = |(rows, lines): (Range<usize>, Range<usize>)| {
            let (rows, lines) = (shift(rows, hunk.base.start), shift(lines, hunk.answer.start));
            Edit { id: Hash::new().id(), rows, lines }
        };
        Group { rows: hunk.base.clone(), edits: changes(&old, &new).into_iter().map(edit).collect() }
    });
    groups.collect()
}

fn shift(range: Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

/// Gives each edit its id: what it replaces by what, and how many such there are before it.
fn name(groups: &mut [Group], rows: &[Row], answer: &[Bytes]) {
    let mut seen: HashMap<EditId, u64> = HashMap::new();
    for edit in groups.iter_mut().flat_map(|group| &mut group.edits) {
        let mut hash = Hash::new();
        hash.rows(rows[edit.rows.clone()].iter());
        hash.rows(answer[edit.lines.clone()].iter());
        let before = seen.entry(hash.id()).or_default();
        hash.number(*before);
        *before += 1;
        edit.id = hash.id();
    }
}
