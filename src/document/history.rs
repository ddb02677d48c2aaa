//! The texts that a document had, oldest first, each with what was known of it: which row is which, and how each range
//! stood in it.
//!
//! They are found by the hash of the whole text, so undo, redo and a reload are all the same: a text that was there
//! before. One text may have had different rows at different times (either of two equal rows was deleted): each is
//! kept. Nothing leads to a text inside of a step: those of a write are not recorded, those of an undo are later than
//! the same text at the end of its step.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::AnchorId;
use super::columns::Parts;
use super::rows::Rows;

/// The most texts that are remembered; the oldest go first.
const MAX_TEXTS: usize = 10_000;
/// Of how many of them the rows are remembered, beside those at the ends of steps.
const MAX_ROWS: usize = 1000;
/// How many of them are at the ends of steps: in most of these a range stands as in no other text.
const MAX_ENDS: usize = 100;

/// The number of a write of an answer. Later ones have higher numbers.
pub type WriteNumber = u64;

/// How all ranges stand in a text. Texts share it.
pub type Standings = Arc<BTreeMap<AnchorId, Standing>>;

/// How a range stands in a text.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    /// The last write to it that is in the text; none if none is.
    pub written: Option<WriteNumber>,
    /// It is unknown where one of its rows is.
    pub is_lost: bool,
    /// Of a part of a row, or of a block: its columns.
    pub parts: Parts,
}

/// A text that a document had.
#[derive(Debug)]
pub struct Text {
    /// Its hash.
    pub hash: u64,
    /// Its rows; none where they have the ids that those of the text before had.
    pub rows: Option<Rows>,
    /// How the ranges stood in it.
    pub standings: Standings,
    /// It is surely the end of a step: an answer was written right before or right after it, or a range was made in it.
    pub is_end: bool,
}

impl Text {
    /// How many of its rows are others than these, which read the same; none where its rows are not remembered.
    pub fn distance(&self, rows: &Rows) -> Option<usize> {
        Some(self.rows.as_ref()?.distance(rows))
    }
}

/// See the module.
#[derive(Debug, Default)]
pub struct History {
    texts: VecDeque<Text>,
    /// Of how many of them, not at an end of a step, the rows are there.
    with_rows: usize,
    /// How many are at an end of a step.
    ends: usize,
}

impl History {
    /// The text changes next.
    pub fn push(&mut self, text: Text) {
        let has_rows = |text: &Text| text.rows.is_some() && !text.is_end;
        self.with_rows += usize::from(has_rows(&text));
        self.ends += usize::from(text.is_end);
        self.texts.push_back(text);
        if self.with_rows > MAX_ROWS
            && let Some(oldest) = self.texts.iter_mut().find(|text| has_rows(text))
        {
            (oldest.rows, self.with_rows) = (None, self.with_rows - 1);
        }
        let oldest_end = || self.texts.iter().position(|text| text.is_end);
        let oldest = if self.ends > MAX_ENDS { oldest_end() } else { Some(0) };
        if self.ends > MAX_ENDS || self.texts.len() > MAX_TEXTS {
            let gone = oldest.and_then(|at| self.texts.remove(at));
            self.with_rows -= usize::from(gone.as_ref().is_some_and(has_rows));
            self.ends -= usize::from(gone.is_some_and(|text| text.is_end));
        }
    }

    /// The last text had these rows.
    pub fn complete(&mut self, rows: Rows) {
        if let Some(text) = self.texts.back_mut().filter(|text| text.rows.is_none()) {
            text.rows = Some(rows);
            self.with_rows += usize::from(!text.is_end);
        }
    }

    /// The texts that read like these rows; first those that are surely ends of steps, the newest of them, then the
    /// oldest of the others.
    pub fn same(&self, rows: &Rows) -> Vec<&Text> {
        let hash = rows.text_hash();
        let all = || self.texts.iter().filter(|text| text.hash == hash);
        all().rev().filter(|text| text.is_end).chain(all().filter(|text| !text.is_end)).collect()
    }

    /// The bytes of memory that it takes, roughly; `chunks` are those of a text.
    pub fn memory(&self, chunks: usize) -> usize {
        self.texts.len() * 120 + (self.with_rows + self.ends) * ((12 << 10) + chunks * 8)
    }
}
