//! The base of the merge: the rows that were sent, with the taken edits in them, and the edits that are not taken.

use std::collections::HashMap;
use std::ops::Range;

use super::id::{EditId, Hash};
use crate::document::{Row, rising, unchanged};
use crate::land::{Bytes, changes};

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
    /// Whether the range is of whole rows.
    is_of_rows: bool,
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
    /// The rows, and all differences of the answer to them: in whole rows each by itself, else all as one.
    pub fn new(rows: Vec<Row>, answer: &[Bytes], is_of_rows: bool) -> Self {
        let is_same = || rows.iter().map(|row| &row.text[..]).eq(answer.iter().map(Vec::as_slice));
        let mut groups = match is_of_rows {
            true => by_row(&rows, answer),
            false if is_same() => Vec::new(),
            false => {
                let (rows, lines) = (0..rows.len(), 0..answer.len());
                vec![Group { rows: rows.clone(), edits: vec![Edit { id: Hash::new().id(), rows, lines }] }]
            }
        };
        name(&mut groups, &rows, answer);
        Self { rows, groups, taken: 0, replaced: Vec::new(), is_of_rows }
    }

    /// The same rows with the differences of another answer.
    pub fn with_answer(&self, answer: &[Bytes]) -> Self {
        let (taken, replaced) = (self.taken, self.replaced.clone());
        Self { taken, replaced, ..Self::new(self.rows.clone(), answer, self.is_of_rows) }
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
}

/// The differences between rows and an answer to them, each between two rows of which it is certain which line they are.
fn by_row(rows: &[Row], answer: &[Bytes]) -> Vec<Group> {
    let origins = unchanged(rows, answer).into_iter().enumerate();
    let pairs: Vec<(usize, usize)> = origins.filter_map(|(line, row)| Some((line, row?))).collect();
    let kept = rising(&pairs).into_iter().map(|at| pairs[at]);
    let (mut groups, mut above) = (Vec::new(), (0, 0));
    for (line, row) in kept.chain([(answer.len(), rows.len())]) {
        let old: Vec<&[u8]> = rows[above.1..row].iter().map(|row| &row.text[..]).collect();
        let new: Vec<&[u8]> = answer[above.0..line].iter().map(Vec::as_slice).collect();
        let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
        let (old, new, from) = (&old[head..], &new[head..], (above.0 + head, above.1 + head));
        let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
        let changes = changes(&old[..old.len() - tail], &new[..new.len() - tail]).into_iter();
        let edits: Vec<Edit> = changes
            .map(|(rows, lines)| {
                let (rows, lines) = (shift(rows, from.1), shift(lines, from.0));
                Edit { id: Hash::new().id(), rows, lines }
            })
            .collect();
        if !edits.is_empty() {
            groups.push(Group { rows: from.1..row - tail, edits });
        }
        above = (line + 1, row + 1);
    }
    groups
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
