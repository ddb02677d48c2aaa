//! The base of the merge: the rows that were sent, with the taken edits in them, and the edits that are not taken.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::id::{EditId, Hash};
use crate::document::Row;
use crate::land::{Bytes, RowChange, changes};

/// See the module. For a part of a row, or a block, a row is the piece of it that was selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    /// The rows.
    pub rows: Vec<Row>,
    /// The edits that are not taken, ascending and apart from each other.
    pub edits: Vec<Edit>,
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

/// A hunk that is taken.
#[derive(Debug)]
pub struct TakenHunk<'a> {
    /// The rows of the base that it replaces.
    pub rows: Range<usize>,
    /// The rows that are there instead, of which it is known what they are.
    pub new: &'a [Row],
    /// Its edits.
    pub edits: &'a [EditId],
    /// What the text had in their place.
    pub before: Vec<Bytes>,
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
        let old: Vec<&[u8]> = rows.iter().map(|row| &row.text[..]).collect();
        let new: Vec<&[u8]> = answer.iter().map(Vec::as_slice).collect();
        let changes = match is_of_rows {
            true => changes(&old, &new),
            false if old == new => Vec::new(),
            false => vec![(0..old.len(), 0..new.len())],
        };
        let mut seen: HashMap<EditId, u64> = HashMap::new();
        let edit = |(rows, lines): RowChange| {
            // Its id: what it replaces by what, and how many such there are before it.
            let mut hash = Hash::new();
            hash.rows(old[rows.clone()].iter());
            hash.rows(new[lines.clone()].iter());
            let before = seen.entry(hash.id()).or_default();
            hash.number(*before);
            *before += 1;
            Edit { id: hash.id(), rows, lines }
        };
        let edits = changes.into_iter().map(edit).collect();
        Self { rows, edits, taken: 0, replaced: Vec::new(), is_of_rows }
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

    /// Hunks are taken, ascending and apart from each other. No edit of the rows that are gone is left, also not one
    /// that was dropped.
    pub fn take(&mut self, taken: &[TakenHunk<'_>]) {
        let ids: HashSet<EditId> = taken.iter().flat_map(|hunk| hunk.edits).copied().collect();
        self.edits.retain(|edit| !ids.contains(&edit.id));
        // From the last one on: the rows above it keep their numbers.
        for hunk in taken.iter().rev() {
            self.take_rows(hunk);
        }
        self.taken += taken.iter().map(|hunk| hunk.edits.len()).sum::<usize>();
    }

    fn take_rows(&mut self, TakenHunk { rows, new, before, .. }: &TakenHunk<'_>) {
        let shift =
            |below: &Range<usize>| below.start + new.len() - rows.len()..below.end + new.len() - rows.len();
        let is_below = |other: &Range<usize>| rows.end <= other.start && rows.start < other.end;
        let is_apart = |other: &Range<usize>| other.end <= rows.start || is_below(other);
        self.edits.retain(|edit| is_apart(&edit.rows));
        for edit in self.edits.iter_mut().filter(|edit| is_below(&edit.rows)) {
            edit.rows = shift(&edit.rows);
        }
        let at = self.replaced.partition_point(|earlier| earlier.rows.end <= rows.start);
        let below = self.replaced.split_off(at);
        self.replaced.push(TakenRows { rows: rows.start..rows.start + new.len(), before: before.clone() });
        let below = below.into_iter().filter(|earlier| is_apart(&earlier.rows));
        self.replaced.extend(below.map(|earlier| TakenRows { rows: shift(&earlier.rows), ..earlier }));
        self.rows.splice(rows.clone(), new.iter().cloned());
    }
}
