//! Hunks for tests of what is drawn of them.

use std::ops::Range;

use super::hunk::{Hunk, Take};
use super::id::Hash;
use crate::land::Bytes;

impl Hunk {
    /// Rows that others take the place of.
    pub fn sample(rows: Range<usize>, lines: &[&str]) -> Self {
        let lines: Vec<Bytes> = lines.iter().map(|line| line.as_bytes().to_vec()).collect();
        let take = Take {
            edits: Vec::new(),
            base: rows.clone(),
            now: rows.clone(),
            come: lines.len(),
            differ: rows.clone(),
            pieces: lines.clone(),
        };
        let (conflict, column) = (None, None);
        let old = format!("{rows:?}");
        Self { id: Hash::new().id(), rows, lines, conflict, column, take }.named(&[old.as_bytes()])
    }
}
