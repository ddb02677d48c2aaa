//! Texts that a document had, each with the rows that it had then, and what was unknown of them.
//!
//! They are found by the hash of the whole text, so that undo, redo, a reload and a formatter that changes nothing
//! are all the same: a text seen before. One text may have had different rows at different times (either of two equal
//! rows was deleted): each is kept.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::rows::{RowId, Rows};

/// The most versions that are kept beside the pinned ones; the oldest go first.
const MAX_VERSIONS: usize = 1000;

/// The snapshots of a document, oldest first.
#[derive(Debug, Default)]
pub struct Snapshots(VecDeque<Version>);

/// The rows of which it is unknown whether they are in a text, and where; each with the row that it was split from.
#[derive(Debug, Clone, Default)]
pub struct InDoubt(Arc<BTreeMap<RowId, Option<RowId>>>);

impl InDoubt {
    /// Adds rows.
    pub fn extend(&mut self, rows: impl Iterator<Item = (RowId, Option<RowId>)>) {
        let mut rows = rows.peekable();
        if rows.peek().is_some() {
            Arc::make_mut(&mut self.0).extend(rows);
        }
    }

    /// Adds the rows that are in doubt in another text.
    pub fn add(&mut self, other: &Self) {
        let has_all = || other.0.keys().all(|row| self.0.contains_key(row));
        if !Arc::ptr_eq(&self.0, &other.0) && !has_all() {
            self.extend(other.iter());
        }
    }

    /// Whether a row is among them.
    pub fn has(&self, id: RowId) -> bool {
        self.0.contains_key(&id)
    }

    /// The rows, each with the one that it was split from.
    pub fn iter(&self) -> impl Iterator<Item = (RowId, Option<RowId>)> {
        self.0.iter().map(|(id, split_from)| (*id, *split_from))
    }
}

/// A text that a document had.
#[derive(Debug)]
pub struct Version {
    /// The hashes of its text and of its ids.
    key: (u64, u64),
    /// Its rows.
    pub rows: Rows,
    /// What was unknown of it.
    pub in_doubt: InDoubt,
    /// How many anchors were made here: as long it stays.
    pins: usize,
}

impl Snapshots {
    /// Keeps the rows that a text has, and what is unknown of it.
    pub fn remember(&mut self, rows: &Rows, in_doubt: &InDoubt) {
        let key = key(rows);
        if let Some(version) = self.version(key) {
            version.in_doubt.add(in_doubt);
            return;
        }
        self.0.push_back(Version { key, rows: rows.clone(), in_doubt: in_doubt.clone(), pins: 0 });
        if self.0.len() > MAX_VERSIONS
            && let Some(oldest) = self.0.iter().position(|version| version.pins == 0)
        {
            self.0.remove(oldest);
        }
    }

    /// Keeps them until they are unpinned.
    pub fn pin(&mut self, rows: &Rows, in_doubt: &InDoubt) {
        self.remember(rows, in_doubt);
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

    /// The rows of the newest version that has a row, and where that is.
    pub fn last_with(&self, id: RowId) -> Option<(&Rows, usize)> {
        self.0.iter().rev().find_map(|version| Some((&version.rows, version.rows.find(id)?)))
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
