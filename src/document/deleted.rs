//! Rows that were deleted, by their text, so that rows which come back are known again; each once.
//!
//! Rows that were deleted together are a block: of rows that come in, one with a text that no other row ever had is
//! known again, and its neighbours in the block with it. Every other row is new: a pasted copy is a copy.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::align::is_telling;
use super::rows::{Id, Row};

/// The most rows that are kept; the oldest blocks go first.
const MAX_ROWS: usize = 50_000;

/// A block's number, and a row in it.
type Spot = (u64, usize);

/// The deleted rows of a document.
#[derive(Debug, Default)]
pub struct Deleted {
    blocks: BTreeMap<u64, Vec<Option<Row>>>,
    by_ink: HashMap<u64, Vec<Spot>>,
    by_id: HashMap<Id, Spot>,
    next: u64,
    rows: usize,
}

impl Deleted {
    /// Keeps rows that were deleted together.
    pub fn put(&mut self, rows: Vec<Row>) {
        if rows.is_empty() {
            return;
        }
        let block = self.next;
        self.next += 1;
        self.rows += rows.len();
        for (at, row) in rows.iter().enumerate() {
            self.by_ink.entry(row.ink).or_default().push((block, at));
            self.by_id.insert(row.id, (block, at));
        }
        self.blocks.insert(block, rows.into_iter().map(Some).collect());
        while self.rows > MAX_ROWS
            && let Some((block, rows)) = self.blocks.pop_first()
        {
            self.rows -= rows.len();
            for (at, row) in rows.into_iter().enumerate() {
                if let Some(row) = row {
                    self.forget(&row, (block, at));
                }
            }
        }
    }

    /// The row lives again.
    pub fn remove(&mut self, id: Id) {
        if let Some(spot) = self.by_id.get(&id).copied()
            && let Some(row) = self.blocks.get_mut(&spot.0).and_then(|rows| rows.get_mut(spot.1)?.take())
        {
            self.forget(&row, spot);
        }
    }

    /// Whether a deleted row has this text, by its hash without white space.
    pub fn has(&self, ink: u64) -> bool {
        self.by_ink.contains_key(&ink)
    }

    /// Gives rows without an id, which are 0, the ids that they had when they were deleted. `twins` are the texts that
    /// more than one row had.
    pub fn give_back(&mut self, new: &mut [Row], twins: &HashSet<u64>) {
        if self.by_id.is_empty() {
            return;
        }
        let mut counts: HashMap<u64, usize> = HashMap::new();
        for row in new.iter() {
            *counts.entry(row.ink).or_default() += 1;
        }
        for at in 0..new.len() {
            let row = &new[at];
            let spot = match self.by_ink.get(&row.ink).map(Vec::as_slice) {
                Some([spot]) if row.id == 0 && is_telling(&row.text) => *spot,
                _ => continue,
            };
            if counts.get(&row.ink) == Some(&1)
                && !twins.contains(&row.ink)
                && self.get(spot).is_some_and(|kept| kept.hash == row.hash)
            {
                self.give_back_around(new, at, spot);
            }
        }
    }

    fn give_back_around(&mut self, new: &mut [Row], at: usize, (block, row): Spot) {
        let above = (1..=at.min(row)).map(|by| (at - by, row - by));
        let below = (1..new.len() - at).map(|by| (at + by, row + by));
        let is_same = |deleted: &Self, (at, row): (usize, usize), new: &[Row]| {
            new[at].id == 0 && deleted.get((block, row)).is_some_and(|kept| kept.hash == new[at].hash)
        };
        let above = above.take_while(|pair| is_same(self, *pair, new)).collect::<Vec<_>>();
        let below = below.take_while(|pair| is_same(self, *pair, new)).collect::<Vec<_>>();
        for (at, row) in above.into_iter().chain(below).chain([(at, row)]) {
            if let Some(kept) = self.get((block, row)).cloned() {
                self.remove(kept.id);
                new[at] = kept;
            }
        }
    }

    fn get(&self, (block, row): Spot) -> Option<&Row> {
        self.blocks.get(&block)?.get(row)?.as_ref()
    }

    fn forget(&mut self, row: &Row, spot: Spot) {
        self.by_id.remove(&row.id);
        if let Some(spots) = self.by_ink.get_mut(&row.ink) {
            spots.retain(|other| *other != spot);
            if spots.is_empty() {
                self.by_ink.remove(&row.ink);
            }
        }
    }
}
