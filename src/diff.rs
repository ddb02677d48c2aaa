//! Compares two lists. Their elements are numbered first, so that each algorithm is compiled once, whatever they are.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;
use std::time::{Duration, Instant};

pub use similar::DiffOp;
use similar::algorithms::{Capture, Compact, Replace, myers, patience};
use similar::group_diff_ops;

/// How many rows stand around what has changed.
const AROUND: usize = 3;

/// The fewest changes.
pub fn fewest<T: Eq + Hash>(old: &[T], new: &[T]) -> Vec<DiffOp> {
    compare(old, new, false, None)
}

/// The changes that keep what stands once on both sides, as what goes and what comes. One that reads the same right below
/// the one above it is part of that.
pub fn patient<T: Eq + Hash>(old: &[T], new: &[T]) -> Vec<(Range<usize>, Range<usize>)> {
    let ops = compare(old, new, true, None).into_iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
    let mut changes: Vec<_> = ops.map(|op| (op.old_range(), op.new_range())).collect();
    changes.dedup_by(|(gone, come), (above, come_above)| {
        let by = gone.start - above.end;
        let repeats = |all: &[T], of: &Range<usize>| all[of.start - by..of.start] == all[of.end - by..of.end];
        let is_part =
            (Range::is_empty(come) && repeats(old, gone)) || (Range::is_empty(gone) && repeats(new, come));
        if is_part {
            (above.end, come_above.end) = (gone.end - by, come.end - by);
        }
        is_part
    });
    changes
}

/// The changes of a text as `diff -u` prints them, without the names of files. After `within` it may be more than the
/// fewest.
pub fn unified(old: &str, new: &str, within: Duration) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    let mut text = String::new();
    for group in group_diff_ops(compare(&old, &new, false, Some(within)), AROUND) {
        let rows = |of: fn(&DiffOp) -> Range<usize>| {
            let first = group.first().map_or(0, |op| of(op).start);
            let past = group.last().map_or(first, |op| of(op).end);
            format!("{},{}", first + usize::from(past > first), past - first)
        };
        let (gone, come) = (rows(DiffOp::old_range), rows(DiffOp::new_range));
        text.extend(["@@ -", &gone, " +", &come, " @@\n"]);
        for op in &group {
            let is_same = matches!(op, DiffOp::Equal { .. });
            let gone = old[op.old_range()].iter().map(|row| (if is_same { ' ' } else { '-' }, row));
            let come = new[op.new_range()].iter().filter(|_| !is_same).map(|row| ('+', row));
            gone.chain(come).for_each(|(sign, row)| text.extend([sign.to_string().as_str(), row, "\n"]));
        }
    }
    text
}

fn compare<T: Eq + Hash>(old: &[T], new: &[T], is_patient: bool, within: Option<Duration>) -> Vec<DiffOp> {
    let mut known = HashMap::new();
    let mut number = |item| {
        let next = known.len();
        *known.entry(item).or_insert(next)
    };
    let old: Vec<usize> = old.iter().map(&mut number).collect();
    let new: Vec<usize> = new.iter().map(&mut number).collect();
    numbered(&old, &new, is_patient, within.map(|within| Instant::now() + within))
}

fn numbered(old: &[usize], new: &[usize], is_patient: bool, until: Option<Instant>) -> Vec<DiffOp> {
    let mut changes = Compact::new(Replace::new(Capture::new()), old, new);
    let (rows_old, rows_new) = (0..old.len(), 0..new.len());
    let Ok(()) = if is_patient {
        patience::diff_deadline(&mut changes, old, rows_old, new, rows_new, until)
    } else {
        myers::diff_deadline(&mut changes, old, rows_old, new, rows_new, until)
    };
    changes.into_inner().into_inner().into_ops()
}
