//! The merge of texts of which no row has an identity: each side is compared with the base.
//!
//! It is there for the callers that have no document. It does not matter which side is which.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::{MergeSide, bytes, trimmed_hunks};

/// What came of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merge {
    /// Both sides' changes, together.
    Clean(Vec<String>),
    /// Both sides changed the same place differently.
    Conflict,
}

/// Merges two texts that both came of `base`.
pub fn merge(base: &[String], ours: &[String], theirs: &[String]) -> Merge {
    let hunks = trimmed_hunks(&bytes(base), &side(base, ours), &side(base, theirs));
    if hunks.iter().any(|hunk| hunk.is_conflict) {
        return Merge::Conflict;
    }
    let mut lines = ours.to_vec();
    for hunk in hunks.into_iter().rev() {
        lines.splice(hunk.current, theirs[hunk.answer].iter().cloned());
    }
    Merge::Clean(lines)
}

fn side<'a>(base: &[String], side: &'a [String]) -> MergeSide<'a> {
    let mut origins = vec![None; side.len()];
    for op in capture_diff_slices(Algorithm::Myers, base, side) {
        if let DiffOp::Equal { .. } = op {
            op.new_range().zip(op.old_range()).for_each(|(row, base)| origins[row] = Some(base));
        }
    }
    MergeSide::new(bytes(side), base.len(), origins.into_iter())
}

#[cfg(test)]
mod tests;
