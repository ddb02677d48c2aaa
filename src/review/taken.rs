//! Hunks are taken: their rows are the base's from then on.

use std::collections::HashSet;
use std::ops::Range;

use super::base::{Base, TakenRows};
use super::id::EditId;
use crate::document::Row;
use crate::land::Bytes;

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

impl Base {
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
