//! The merge of texts of which no row has an identity: a comparison with the base says which row is which.

use botglue::document::Row;
use botglue::land::merge_rows;
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Merges two texts that both came of `base`; none where both changed the same place differently.
pub fn merge(base: &[String], ours: &[String], theirs: &[String]) -> Option<Vec<String>> {
    let row = |(id, text): (usize, &String)| Row {
        id: id as u64,
        split_from: None,
        hash: 0,
        nonblank_hash: 0,
        text: text.as_bytes().into(),
    };
    let rows: Vec<Row> = base.iter().enumerate().map(row).collect();
    let new = base.len()..;
    let ids = origins(base, ours).into_iter().zip(new).map(|(origin, new)| origin.unwrap_or(new));
    let current: Vec<Row> = ids.zip(ours).map(row).collect();
    let answer = theirs.iter().map(String::as_bytes).collect();
    let hunks = merge_rows(&rows, &current, answer, &origins(base, theirs));
    let mut lines = ours.to_vec();
    for hunk in hunks.into_iter().rev() {
        if hunk.is_conflict {
            return None;
        }
        lines.splice(hunk.current, theirs[hunk.answer].iter().cloned());
    }
    Some(lines)
}

/// For each row of a side, which row of the base it is.
fn origins(base: &[String], side: &[String]) -> Vec<Option<usize>> {
    let mut origins = vec![None; side.len()];
    for op in capture_diff_slices(Algorithm::Myers, base, side) {
        if let DiffOp::Equal { .. } = op {
            op.new_range().zip(op.old_range()).for_each(|(row, base)| origins[row] = Some(base));
        }
    }
    origins
}
