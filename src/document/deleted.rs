//! Rows that were deleted, by their text, so that rows which come back are known again; each once.
//!
//! Rows that were deleted together are a block: of rows that come in, one with a text that no other row ever had is
//! known again, and its neighbours in the block with it. Every other row is new: a pasted copy is a copy.

use std::collections::{BTreeMap, HashMap};

use super::align::is_telling;
use super::rows::{Row, RowId};

/// The most rows that are kept; the oldest blocks go first.
const MAX_ROWS: usize = 50_000;

/// A block's number, and a row in it.
type Spot = (u64, usize);

/// The deleted rows of a document.
#[derive(Debug, Default)]
pub struct Deleted {
    blocks: BTreeMap<u64, Vec<Option<Row>>>,
    by_id: HashMap<RowId, Spot>,
    rows: usize,
}

impl Deleted {
    /// Keeps rows that were deleted together.
    pub fn put(&mut self, rows: Vec<Row>) {
        if rows.is_empty() {
            return;
        }
        let block = self.blocks.last_key_value().map_or(0, |(last, _)| last + 1);
        self.rows += rows.len();
        self.by_id.extend(rows.iter().enumerate().map(|(at, row)| (row.id, (block, at))));
        self.blocks.insert(block, rows.into_iter().map(Some).collect());
        while self.rows > MAX_ROWS
            && let Some((_, rows)) = self.blocks.pop_first()
        {
            self.rows -= rows.len();
            for row in rows.into_iter().flatten() {
                self.by_id.remove(&row.id);
            }
        }
    }

    /// The row lives again.
    pub fn remove(&mut self, id: RowId) {
        if let Some((block, row)) = self.by_id.remove(&id)
            && let Some(row) = self.blocks.get_mut(&block).and_then(|rows| rows.get_mut(row))
        {
            *row = None;
        }
    }

    /// Gives rows without an id, which are 0, the ids that they had when they were deleted. `owners` has the only row
    /// that ever had a text.
    pub fn give_back(&mut self, new: &mut [Row], owners: &HashMap<u64, Option<RowId>>) {
        if self.by_id.is_empty() {
            return;
        }
        let mut counts: HashMap<u64, usize> = HashMap::new();
        for row in new.iter() {
            *counts.entry(row.nonblank_hash).or_default() += 1;
        }
        for at in 0..new.len() {
            let row = &new[at];
            let owner = owners.get(&row.nonblank_hash).copied().flatten();
            let Some(spot) = owner.and_then(|id| self.by_id.get(&id)).copied() else { continue };
            if row.id == 0
                && is_telling(&row.text)
                && counts.get(&row.nonblank_hash) == Some(&1)
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
}
