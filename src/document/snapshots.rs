//! Texts that a document had, each with the rows that it had then.
//!
//! They are found by the hash of the whole text, so that undo, redo, a reload and a formatter that changes nothing
//! are all the same: a text seen before. One text may have had different rows at different times (either of two equal
//! rows was deleted): each is kept.

use std::collections::VecDeque;

use super::rows::Rows;

/// The most versions that are kept beside the pinned ones; the oldest go first.
const MAX_VERSIONS: usize = 1000;

/// The snapshots of a document, oldest first.
#[derive(Debug, Default)]
pub struct Snapshots(VecDeque<Version>);

#[derive(Debug)]
struct Version {
    /// The hashes of its text and of its ids.
    key: (u64, u64),
    rows: Rows,
    /// How many anchors were made here: as long it stays.
    pins: usize,
}

impl Snapshots {
    /// Keeps the rows that a text has.
    pub fn remember(&mut self, rows: &Rows) {
        let key = key(rows);
        if self.version(key).is_some() {
            return;
        }
        self.0.push_back(Version { key, rows: rows.clone(), pins: 0 });
        if self.0.len() > MAX_VERSIONS
            && let Some(oldest) = self.0.iter().position(|version| version.pins == 0)
        {
            self.0.remove(oldest);
        }
    }

    /// Keeps them until they are unpinned.
    pub fn pin(&mut self, rows: &Rows) {
        self.remember(rows);
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

    /// The rows that this text had, oldest first.
    pub fn versions(&self, text: u64) -> impl Iterator<Item = &Rows> {
        self.0.iter().filter(move |version| version.key.0 == text).map(|version| &version.rows)
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
