//! Texts that a document had, each with the rows that it had then.
//!
//! They are found by the hash of the whole text, so that undo, redo, a reload and a formatter that changes nothing
//! are all the same: a text seen before. One text may have had different rows at different times (either of two equal
//! rows was deleted): each is kept.

use std::collections::{HashMap, VecDeque};

use super::rows::Rows;

/// The most versions that are kept beside the pinned ones; the oldest go first.
const MAX_VERSIONS: usize = 1000;

/// The snapshots of a document.
#[derive(Debug, Default)]
pub struct Snapshots {
    by_text: HashMap<u64, Vec<Version>>,
    /// The hashes of texts and ids, oldest first.
    order: VecDeque<(u64, u64)>,
}

#[derive(Debug)]
struct Version {
    ids: u64,
    rows: Rows,
    /// How many anchors were made here: as long it stays.
    pins: usize,
}

impl Snapshots {
    /// Keeps the rows that a text has.
    pub fn remember(&mut self, rows: &Rows) {
        let (text, ids) = (rows.text_hash(), rows.id_hash());
        let versions = self.by_text.entry(text).or_default();
        if versions.iter().any(|version| version.ids == ids) {
            return;
        }
        versions.push(Version { ids, rows: rows.clone(), pins: 0 });
        self.order.push_back((text, ids));
        if self.order.len() > MAX_VERSIONS {
            self.evict();
        }
    }

    /// Keeps them until they are unpinned.
    pub fn pin(&mut self, rows: &Rows) {
        self.remember(rows);
        self.each(rows, |version| version.pins += 1);
    }

    /// Keeps them no longer than others.
    pub fn unpin(&mut self, rows: &Rows) {
        self.each(rows, |version| version.pins = version.pins.saturating_sub(1));
    }

    /// The rows that this text had, oldest first.
    pub fn versions(&self, text: u64) -> impl Iterator<Item = &Rows> {
        self.by_text.get(&text).into_iter().flatten().map(|version| &version.rows)
    }

    /// How many versions there are.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    fn each(&mut self, rows: &Rows, change: impl Fn(&mut Version)) {
        let ids = rows.id_hash();
        let versions = self.by_text.get_mut(&rows.text_hash()).into_iter().flatten();
        versions.filter(|version| version.ids == ids).for_each(change);
    }

    /// Drops the oldest version that is not pinned.
    fn evict(&mut self) {
        let is_pinned = |(text, ids): &(u64, u64)| {
            let versions = self.by_text.get(text).into_iter().flatten();
            versions.into_iter().any(|version| version.ids == *ids && version.pins > 0)
        };
        let Some(oldest) = self.order.iter().position(|key| !is_pinned(key)) else { return };
        let Some((text, ids)) = self.order.remove(oldest) else { return };
        if let Some(versions) = self.by_text.get_mut(&text) {
            versions.retain(|version| version.ids != ids);
            if versions.is_empty() {
                self.by_text.remove(&text);
            }
        }
    }
}
