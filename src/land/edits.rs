//! The smallest line edits that make one text out of another.
//!
//! What does not differ is not touched, so that marks, folds and the ranges of other jobs stay.

use serde::Serialize;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// One replacement of whole rows; offsets are into the text before any edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Edit {
    /// The first row replaced, from 0; where nothing is replaced, the row above which the lines go.
    pub first: usize,
    /// The row after the last one replaced.
    pub last: usize,
    /// The new rows.
    pub lines: Vec<String>,
}

/// The edits that turn `base` into `answer`: ascending, apart from each other, none where both are equal.
///
/// Myers' algorithm here bounds its search by the size of the input, as git does, so that long texts which
/// share little take no longer than they are worth; the result is then right, but not always the smallest.
pub fn between(base: &[String], answer: &[String]) -> Vec<Edit> {
    let ops = capture_diff_slices(Algorithm::Myers, base, answer);
    ops.iter().filter_map(|op| edit(op, answer)).collect()
}

fn edit(op: &DiffOp, answer: &[String]) -> Option<Edit> {
    if matches!(op, DiffOp::Equal { .. }) {
        return None;
    }
    let (rows, lines) = (op.old_range(), op.new_range());
    Some(Edit { first: rows.start, last: rows.end, lines: answer[lines].to_vec() })
}

#[cfg(test)]
mod tests;
