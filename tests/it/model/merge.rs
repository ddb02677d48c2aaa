//! The merge of texts of which no row has an identity: a comparison with the base says which row is which.

use botglue::document::{Passage, Place, Row};
use botglue::review;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Merges two texts that both came of `base`; none where both changed the same place differently.
pub fn merge(base: &[String], ours: &[String], theirs: &[String]) -> Option<Vec<String>> {
    let passage = |ids: Vec<u64>, text: &[String]| {
        let row = |(id, text): (u64, &String)| Row {
            id,
            split_from: None,
            hash: 0,
            nonblank_hash: 0,
            text: text.as_bytes().into(),
        };
        Passage { place: Place::Lines(0..text.len()), rows: ids.into_iter().zip(text).map(row).collect() }
    };
    let mut ids: Vec<u64> = (base.len() as u64..).take(ours.len()).collect();
    for op in capture_diff_slices(Algorithm::Myers, base, ours) {
        if let DiffOp::Equal { .. } = op {
            op.new_range().zip(op.old_range()).for_each(|(row, base)| ids[row] = base as u64);
        }
    }
    let (sent, now) = (passage((0..).take(base.len()).collect(), base), passage(ids, ours));
    let answer: Vec<Vec<u8>> = theirs.iter().map(|line| line.clone().into_bytes()).collect();
    let (merged, _) = review::merge(&sent, &now, &answer).ok()?;
    merged.into_iter().map(|line| String::from_utf8(line).ok()).collect()
}
