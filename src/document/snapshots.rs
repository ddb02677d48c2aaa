//! Texts that a document had, each with the rows that it had then, what was unknown of them, and which answers were in it.
//!
//! They are found by the hash of the whole text, so that undo, redo, a reload and a formatter that changes nothing
//! are all the same: a text seen before. One text may have had different rows at different times (either of two equal
//! rows was deleted): each is kept.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use super::AnchorId;
use super::rows::{RowId, Rows};

/// The most versions that are kept beside the pinned ones; the oldest go first.
const MAX_VERSIONS: usize = 1000;

/// The snapshots of a document, oldest first.
#[derive(Debug, Default)]
pub struct Snapshots(VecDeque<Version>);

/// What is known of a text beside its rows.
#[derive(Debug, Clone, Default)]
pub struct TextState {
    /// The rows of which it is unknown whether they are in it, and where; each with the row that it was split from.
    in_doubt: Arc<BTreeMap<RowId, Option<RowId>>>,
    /// The ranges whose answers are in it.
    written: Arc<BTreeSet<AnchorId>>,
}

impl TextState {
    /// It is unknown of these rows, too, where they are.
    pub fn doubt(&mut self, rows: impl Iterator<Item = (RowId, Option<RowId>)>) {
        let mut rows = rows.peekable();
        if rows.peek().is_some() {
            Arc::make_mut(&mut self.in_doubt).extend(rows);
        }
    }

    /// The rows in doubt, each with the one that it was split from.
    pub fn in_doubt(&self) -> impl Iterator<Item = (RowId, Option<RowId>)> {
        self.in_doubt.iter().map(|(id, split_from)| (*id, *split_from))
    }

    /// The answer to a range was written. Of the others those are kept that are followed.
    pub fn write(&mut self, anchor: AnchorId, is_followed: impl Fn(AnchorId) -> bool) {
        let written = Arc::make_mut(&mut self.written);
        written.retain(|other| is_followed(*other));
        written.insert(anchor);
    }

    /// Whether the answer to a range is in the text.
    pub fn is_written(&self, anchor: AnchorId) -> bool {
        self.written.contains(&anchor)
    }

    /// The text may be this one, or the other.
    pub fn join(&mut self, other: &Self) {
        self.join_doubt(other);
        if !self.written.is_subset(&other.written) {
            Arc::make_mut(&mut self.written).retain(|anchor| other.is_written(*anchor));
        }
    }

    fn join_doubt(&mut self, other: &Self) {
        if !Arc::ptr_eq(&self.in_doubt, &other.in_doubt)
            && !other.in_doubt.keys().all(|row| self.in_doubt.contains_key(row))
        {
            self.doubt(other.in_doubt());
        }
    }
}

/// A text that a document had.
#[derive(Debug)]
pub struct Version {
    /// The hashes of its text and of its ids.
    key: (u64, u64),
    /// Its rows.
    pub rows: Rows,
    /// What else was known of it.
    pub state: TextState,
    /// How many anchors were made here: as long it stays.
    pins: usize,
}

impl Snapshots {
    /// Keeps the rows that a text has, and its state. Which answers are in it is what was known first: an undo or a redo
    /// may pass.
    pub fn remember(&mut self, rows: &Rows, state: &TextState) {
        let key = key(rows);
        if let Some(version) = self.version(key) {
            version.state.join_doubt(state);
            return;
        }
        self.0.push_back(Version { key, rows: rows.clone(), state: state.clone(), pins: 0 });
        if self.0.len() > MAX_VERSIONS
            && let Some(oldest) = self.0.iter().position(|version| version.pins == 0)
        {
            self.0.remove(oldest);
        }
    }

    /// Keeps them, where it is certain which answers are in the text: right before or right after one is written.
    pub fn keep(&mut self, rows: &Rows, state: &TextState) {
        self.remember(rows, state);
        if let Some(version) = self.version(key(rows)) {
            version.state.written = Arc::clone(&state.written);
        }
    }

    /// Keeps them until they are unpinned.
    pub fn pin(&mut self, rows: &Rows, state: &TextState) {
        self.remember(rows, state);
        if let Some(version) = self.version(key(rows)) {
            version.pins += 1;
        }
    }

    /// Keeps them no longer than others.
    pub fn unpin(&mut self, rows: &Rows) {
        if let Some(version) = self.version(key(rows)) {
            version.pins = version.pins.saturating_sub(1);
        }
    }

    /// The versions of this text, oldest first.
    pub fn versions(&self, text: u64) -> impl Iterator<Item = &Version> {
        self.0.iter().filter(move |version| version.key.0 == text)
    }

    /// How many versions there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    fn version(&mut self, key: (u64, u64)) -> Option<&mut Version> {
        self.0.iter_mut().rfind(|version| version.key == key)
    }
}

fn key(rows: &Rows) -> (u64, u64) {
    (rows.text_hash(), rows.id_hash())
}
