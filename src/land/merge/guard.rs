//! The guard of a merge: a row that both sides bring is not written twice.

use std::collections::HashMap;

use super::{Difference, MergeHunk};
use crate::document::is_telling;

/// How often a row occurs on either side beside those that both have of the base, and how often the clean hunks add and
/// remove it.
#[derive(Default)]
struct RowCount {
    current: usize,
    answer: usize,
    come: usize,
    gone: usize,
}

impl RowCount {
    fn is_doubled(&self) -> bool {
        self.current + self.come > self.current.max(self.answer) + self.gone
    }
}

/// Makes each clean hunk a conflict that brings a row which would occur more often in the result than on either side.
/// Only rows that are new, or new in their place, on both sides can: so those count that are in a difference. Rows
/// without a word, as brackets, may: they belong to their neighbours.
pub fn guard<'a>(
    current: &[&'a [u8]],
    answer: &[&'a [u8]],
    differences: &[Difference],
    hunks: &mut [MergeHunk],
) {
    // Of no other rows a hunk can bring one too many.
    let brought = hunks.iter().filter(|hunk| !hunk.is_conflict).flat_map(|hunk| &answer[hunk.answer.clone()]);
    let brought = brought.filter(|row| is_telling(row));
    let mut counts: HashMap<&[u8], RowCount> = brought.map(|row| (*row, RowCount::default())).collect();
    for difference in differences {
        for row in &current[difference.current.clone()] {
            counts.entry(row).and_modify(|count| count.current += 1);
        }
        for row in &answer[difference.answer.clone()] {
            counts.entry(row).and_modify(|count| count.answer += 1);
        }
    }
    let mut is_stable = false;
    while !is_stable {
        is_stable = true;
        for count in counts.values_mut() {
            (count.come, count.gone) = (0, 0);
        }
        for hunk in hunks.iter().filter(|hunk| !hunk.is_conflict) {
            let (come, gone) = (&answer[hunk.answer.clone()], &current[hunk.current.clone()]);
            for row in come {
                counts.entry(row).and_modify(|count| count.come += 1);
            }
            for row in gone {
                counts.entry(row).and_modify(|count| count.gone += 1);
            }
        }
        let is_doubled = |row: &&[u8]| counts.get(row).is_some_and(RowCount::is_doubled);
        for hunk in hunks.iter_mut().filter(|hunk| !hunk.is_conflict) {
            // What a hunk takes away that is not written stays.
            hunk.is_doubled = answer[hunk.answer.clone()].iter().any(is_doubled);
            hunk.is_conflict = hunk.is_doubled;
            is_stable &= !hunk.is_conflict;
        }
    }
}
