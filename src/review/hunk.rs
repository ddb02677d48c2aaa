//! A hunk: what is shown, taken and dropped as one.

use std::ops::Range;

use super::id::{EditId, Hash};
use crate::land::Bytes;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The hash of all that is shown of it but where it is: as long as that is the same it is the same hunk.
    pub id: EditId,
    /// The rows of the text that go; where there are none, the row above which others come.
    pub rows: Range<usize>,
    /// The whole rows that come.
    pub lines: Vec<Bytes>,
    /// What the user changed in the same place, if they did.
    pub conflict: Option<Conflict>,
    /// For a block: the screen column up to which those of its rows are filled up that end before it.
    pub column: Option<usize>,
    /// How it is taken.
    pub(super) take: Take,
}

/// What the user did where an answer changes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflict {
    /// They changed rows.
    Changed {
        /// Only one.
        is_one: bool,
    },
    /// They deleted the rows.
    Deleted,
    /// They put rows in where the answer does.
    PutIn,
    /// They changed the row beside it, or deleted it.
    Beside,
    /// The rows that come are in the text already.
    Doubled,
}

impl Conflict {
    /// In the user's words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Changed { is_one: true } => "conflict: this row was changed, too",
            Self::Changed { is_one: false } => "conflict: these rows were changed, too",
            Self::Deleted => "conflict: the rows of this hunk were deleted",
            Self::PutIn => "conflict: rows were added here, too",
            Self::Beside => "conflict: the row next to this was changed",
            Self::Doubled => "conflict: the same row was added elsewhere",
        }
    }
}

/// How a hunk is taken. Pieces count within the range: the rows of it, or what of them is its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Take {
    /// The edits that it consists of.
    pub edits: Vec<EditId>,
    /// The rows of the base that are replaced.
    pub base: Range<usize>,
    /// The pieces that they are now, and by how many they are replaced.
    pub now: Range<usize>,
    pub come: usize,
    /// The pieces that differ, and what they become.
    pub differ: Range<usize>,
    pub pieces: Vec<Bytes>,
}

impl Hunk {
    /// Names it by its rows of the text and all that is known of it.
    pub(super) fn named(mut self, old: &[&[u8]]) -> Self {
        let mut hash = Hash::new();
        for edit in &self.take.edits {
            hash.rows(std::iter::once(edit.to_string()));
        }
        hash.rows(old.iter());
        hash.rows(self.lines.iter());
        hash.number(u64::from(self.conflict.is_some()));
        self.id = hash.id();
        self
    }

    /// Whether rows come, as they are and not parts of them.
    pub fn has_whole_rows(&self) -> bool {
        !self.lines.is_empty() && self.take.pieces == self.lines
    }

    /// The rows of the text stay, and those of the answer come behind them: whether there are any. `own` are the pieces
    /// of the range.
    pub fn keep_both(&mut self, own: &[&[u8]]) -> bool {
        let Take { now, differ, pieces, come, .. } = &mut self.take;
        let copy = |rows: Range<usize>| own[rows].iter().map(|piece| piece.to_vec());
        let (head, tail) = (copy(now.start..differ.start), copy(differ.end..now.end));
        *pieces = head.chain(std::mem::take(pieces)).chain(tail).collect();
        *come = now.len() + pieces.len();
        *differ = now.end..now.end;
        !pieces.is_empty()
    }
}

impl Take {
    /// These pieces in place of others; those at its ends that are the same stay.
    pub fn new(
        edits: Vec<EditId>,
        base: Range<usize>,
        now: Range<usize>,
        own: &[&[u8]],
        mut pieces: Vec<Bytes>,
    ) -> Self {
        let come = pieces.len();
        let old = &own[now.clone()];
        let is_same = |(old, new): &(&&[u8], &Bytes)| **old == new.as_slice();
        let head = old.iter().zip(&pieces).take_while(is_same).count();
        let left = old.len().min(come) - head;
        let tail = old.iter().rev().zip(pieces.iter().rev()).take(left).take_while(is_same).count();
        let differ = now.start + head..now.end - tail;
        pieces.truncate(come - tail);
        pieces.drain(..head);
        Self { edits, base, now, come, differ, pieces }
    }
}
