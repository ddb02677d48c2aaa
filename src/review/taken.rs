//! Hunks are taken: their rows are the base's from then on. One pass over the base, however many hunks there are.

use std::collections::HashSet;
use std::ops::Range;

use super::base::{Base, Edit, Group, TakenRows};
use super::id::EditId;
use crate::document::Row;
use crate::land::Bytes;

/// A hunk that is taken.
#[derive(Debug)]
pub struct TakenHunk<'a> {
    /// The rows of the base that it replaces.
    pub rows: Range<usize>,
    /// The rows that are there instead, of which it is known what they are.
    pub new: &'a [Row],
    /// Its edits.
    pub edits: &'a [EditId],
    /// What the text had in their place.
    pub before: Vec<Bytes>,
}

/// What is between hunks that are taken, above the first one and below the last one: the number of each says how many
/// of the hunks are above it.
struct Gaps<'a> {
    taken: &'a [TakenHunk<'a>],
    /// For each, how many rows came above it, and how many went.
    moved: Vec<(usize, usize)>,
    next: usize,
}

impl<'a> Gaps<'a> {
    fn new(taken: &'a [TakenHunk<'a>]) -> Self {
        let mut moved = vec![(0, 0)];
        moved.extend(taken.iter().scan((0, 0), |(come, gone), hunk| {
            (*come, *gone) = (*come + hunk.new.len(), *gone + hunk.rows.len());
            Some((*come, *gone))
        }));
        Self { taken, moved, next: 0 }
    }

    /// The gap in which these rows of the base are; none where a hunk replaces some of them. The rows that are looked
    /// for ascend.
    fn find(&mut self, rows: &Range<usize>) -> Option<usize> {
        let is_above = |hunk: &TakenHunk<'_>| rows.end > hunk.rows.start && hunk.rows.end <= rows.start;
        while self.taken.get(self.next).is_some_and(is_above) {
            self.next += 1;
        }
        let below = self.taken.get(self.next);
        below.is_none_or(|hunk| rows.end <= hunk.rows.start).then_some(self.next)
    }

    /// What of these rows of the base is in a gap, in the rows that there are then.
    fn within(&self, gap: usize, rows: &Range<usize>) -> Range<usize> {
        let above = gap.checked_sub(1).map_or(0, |above| self.taken[above].rows.end);
        let below = self.taken.get(gap).map_or(rows.end, |below| below.rows.start);
        self.shifted(gap, rows.start.max(above)..rows.end.min(below))
    }

    /// Rows of a gap in the rows that there are then.
    fn shifted(&self, gap: usize, rows: Range<usize>) -> Range<usize> {
        let (come, gone) = self.moved[gap];
        rows.start + come - gone..rows.end + come - gone
    }
}

impl Base {
    /// Hunks are taken, ascending and apart from each other. No edit of the rows that are gone is left, also not one
    /// that was dropped.
    pub fn take(&mut self, taken: &[TakenHunk<'_>]) {
        self.take_edits(taken);
        self.take_rows(taken);
        self.taken += taken.iter().map(|hunk| hunk.edits.len()).sum::<usize>();
    }

    fn take_edits(&mut self, taken: &[TakenHunk<'_>]) {
        let ids: HashSet<EditId> = taken.iter().flat_map(|hunk| hunk.edits).copied().collect();
        let mut gaps = Gaps::new(taken);
        let mut groups: Vec<Group> = Vec::new();
        for Group { rows, edits } in self.groups.drain(..) {
            let mut above = None;
            for edit in edits.into_iter().filter(|edit| !ids.contains(&edit.id)) {
                let Some(gap) = gaps.find(&edit.rows) else { continue };
                if above.replace(gap) != Some(gap) {
                    groups.push(Group { rows: gaps.within(gap, &rows), edits: Vec::new() });
                }
                if let Some(group) = groups.last_mut() {
                    group.edits.push(Edit { rows: gaps.shifted(gap, edit.rows), ..edit });
                }
            }
        }
        self.groups = groups;
    }

    fn take_rows(&mut self, taken: &[TakenHunk<'_>]) {
        let mut gaps = Gaps::new(taken);
        let earlier = self.replaced.drain(..).filter_map(|earlier| {
            let gap = gaps.find(&earlier.rows)?;
            Some((gap, TakenRows { rows: gaps.shifted(gap, earlier.rows), ..earlier }))
        });
        let mut earlier = earlier.collect::<Vec<_>>().into_iter().peekable();
        let (mut rows, mut above) = (Vec::with_capacity(self.rows.len()), 0);
        for (gap, hunk) in taken.iter().enumerate() {
            let in_gap = std::iter::from_fn(|| earlier.next_if(|(of, _)| *of == gap));
            self.replaced.extend(in_gap.map(|(_, earlier)| earlier));
            rows.extend_from_slice(&self.rows[above..hunk.rows.start]);
            let own = rows.len()..rows.len() + hunk.new.len();
            rows.extend_from_slice(hunk.new);
            self.replaced.push(TakenRows { rows: own, before: hunk.before.clone() });
            above = hunk.rows.end;
        }
        rows.extend_from_slice(&self.rows[above..]);
        self.replaced.extend(earlier.map(|(_, earlier)| earlier));
        self.rows = rows;
    }
}
