//! Three-way merge of rows: what the user changed and what the agent answered, over the rows that were sent.
//!
//! It takes the base (the rows as they were sent, see [`Located::base`](crate::document::Located)), the current rows of
//! the same range, and the answer. The ids say which current row is which row of the base; which line of the answer is
//! one, the caller does. A line in doubt is no row of the base.
//!
//! It gives hunks, each a difference that the answer makes, in order and apart from each other. The rows that both
//! sides still have are between them. A hunk is clean where the user changed neither its rows nor the row on either
//! side of it, as it is for git; where the user changed them in the same way there is no hunk; else it is a conflict.
//! So to write the clean hunks, the last one first, loses no row of the user and invents none. An answer may land where
//! all its hunks are clean: a row that it moves is in two of them.
//!
//! A row that both sides bring, each at its own place, would be there twice: the hunk that brings it is a conflict.
//!
//! Reverting is the same with other roles: the base is what was written, the answer is what was there before.

mod guard;

use std::ops::Range;

use crate::document::{Row, RowId, rising};

/// A difference that an answer makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeHunk {
    /// The rows of the base that it replaces; where there are none, it puts rows in above the first one.
    pub base: Range<usize>,
    /// The current rows in their place.
    pub current: Range<usize>,
    /// The lines of the answer that replace them.
    pub answer: Range<usize>,
    /// The user changed the same place differently, or the next one is true.
    pub is_conflict: bool,
    /// It brings a row that the user has brought, too, at another place.
    pub is_doubled: bool,
}

/// The differences that an answer makes to the current rows; see the module. `origins` says which row of the base each
/// line of the answer is, where that is certain.
pub fn merge_rows(
    base: &[Row],
    current: &[Row],
    answer: Vec<&[u8]>,
    origins: &[Option<usize>],
) -> Vec<MergeHunk> {
    let current = MergeSide::new(bytes(current), base.len(), places(base, current));
    let answer = MergeSide::new(answer, base.len(), origins.iter().copied());
    let differences = differences(&bytes(base), &current, &answer);
    let mut hunks = hunks(&differences);
    guard::guard(&current.rows, &answer.rows, &differences, &mut hunks);
    hunks
}

/// For each current row, which row of the base it is. Most follow the row that the one above them is.
fn places(base: &[Row], current: &[Row]) -> impl Iterator<Item = Option<usize>> {
    let mut by_id: Vec<(RowId, usize)> = base.iter().enumerate().map(|(at, row)| (row.id, at)).collect();
    by_id.sort_unstable();
    let mut next = 0;
    current.iter().map(move |row| {
        let at = match base.get(next) {
            Some(same) if same.id == row.id => Some(next),
            _ => by_id.binary_search_by_key(&row.id, |(id, _)| *id).ok().map(|found| by_id[found].1),
        };
        next = at.map_or(next, |at| at + 1);
        at
    })
}

fn bytes<R: AsRef<[u8]>>(rows: &[R]) -> Vec<&[u8]> {
    rows.iter().map(AsRef::as_ref).collect()
}

/// Whether two rows read the same. Most rows of the sides are those of the base, not copies of them: then there is
/// nothing to read.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    std::ptr::eq(one, other) || one == other
}

/// One side of a merge.
struct MergeSide<'a> {
    rows: Vec<&'a [u8]>,
    /// For each row of the base which of the rows it is, if it is one and has not left its order.
    known: Vec<Option<usize>>,
}

impl<'a> MergeSide<'a> {
    /// The rows of a side; for each, which row of the base it is.
    fn new(rows: Vec<&'a [u8]>, base: usize, origins: impl Iterator<Item = Option<usize>>) -> Self {
        let pairs: Vec<(usize, usize)> =
            origins.enumerate().filter_map(|(row, base)| Some((row, base?))).collect();
        let mut known = vec![None; base];
        for at in rising(&pairs) {
            known[pairs[at].1] = Some(pairs[at].0);
        }
        Self { rows, known }
    }

    /// Whether rows of the base are these rows, and read the same.
    fn is_unchanged(&self, base: &[&[u8]], mut from: Range<usize>, rows: Range<usize>) -> bool {
        from.len() == rows.len()
            && from
                .by_ref()
                .zip(rows)
                .all(|(from, row)| self.known[from] == Some(row) && is_same(base[from], self.rows[row]))
    }
}

/// A place where the two sides are not both the base: rows of which at most one side has those of the base, or one row
/// that both have, and the user has edited.
struct Difference {
    base: Range<usize>,
    current: Range<usize>,
    answer: Range<usize>,
    kind: DifferenceKind,
}

#[derive(PartialEq, Eq)]
enum DifferenceKind {
    /// The answer makes no difference there.
    User,
    /// The user made none, neither there nor in the row on either side.
    Answer,
    /// Both did.
    Both,
}

/// The places where the two sides are not both the base, in order. The rows between them are the same three times.
fn differences(base: &[&[u8]], current: &MergeSide, answer: &MergeSide) -> Vec<Difference> {
    let on_both = |row: usize| {
        let (ours, theirs) = (current.known[row]?, answer.known[row]?);
        is_same(answer.rows[theirs], base[row]).then_some((row, ours, theirs))
    };
    let end = (base.len(), current.rows.len(), answer.rows.len());
    let mut differences = Vec::new();
    let (mut above, mut is_same_above) = ((0, 0, 0), true);
    for row in (0..base.len()).filter_map(on_both).chain([end]) {
        let (from, ours, theirs) = (above.0..row.0, above.1..row.1, above.2..row.2);
        let is_same_below = row == end || is_same(base[row.0], current.rows[row.1]);
        if !(from.is_empty() && ours.is_empty() && theirs.is_empty()) {
            let is_answered = !answer.is_unchanged(base, from.clone(), theirs.clone())
                && current.rows[ours.clone()] != answer.rows[theirs.clone()];
            let is_clean =
                || is_same_above && is_same_below && current.is_unchanged(base, from.clone(), ours.clone());
            let kind = match is_answered {
                false => DifferenceKind::User,
                true if is_clean() => DifferenceKind::Answer,
                true => DifferenceKind::Both,
            };
            differences.push(Difference { base: from, current: ours, answer: theirs, kind });
        }
        if !is_same_below {
            let (base, current, answer) = (row.0..row.0 + 1, row.1..row.1 + 1, row.2..row.2 + 1);
            differences.push(Difference { base, current, answer, kind: DifferenceKind::User });
        }
        (above, is_same_above) = ((row.0 + 1, row.1 + 1, row.2 + 1), is_same_below);
    }
    differences
}

fn hunks(differences: &[Difference]) -> Vec<MergeHunk> {
    let answered = differences.iter().filter(|difference| difference.kind != DifferenceKind::User);
    let hunk = |Difference { base, current, answer, kind }: &Difference| MergeHunk {
        base: base.clone(),
        current: current.clone(),
        answer: answer.clone(),
        is_conflict: *kind == DifferenceKind::Both,
        is_doubled: false,
    };
    answered.map(hunk).collect()
}

#[cfg(test)]
mod tests;
