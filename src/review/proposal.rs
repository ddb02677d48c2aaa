//! Computes the proposal: a three-way merge of the base, the current text, and the base with the open edits. Each
//! difference between the current text and the proposal is a hunk; a hunk without a conflict is one edit.

use std::ops::Range;

use super::base::{Base, Edit};
use super::hunk::{Conflict, Hunk, Take};
use super::id::EditId;
use super::shape::{Shape, pieces};
use crate::document::{Passage, Row};
use crate::land::{self, Bytes, HeldFor, MergeHunk, keeps_ends, merge_known};

/// The input from which a proposal is computed.
pub struct ProposalInput<'a> {
    /// The rows as sent, with the taken edits.
    pub base: &'a Base,
    /// The answer.
    pub answer: &'a [Bytes],
    /// Whether an edit is open: neither taken nor dropped.
    pub is_open: &'a dyn Fn(EditId) -> bool,
    /// The range in the current text.
    pub now: &'a Passage,
    /// The screen column at which the block begins; none if it is unknown.
    pub column: Option<usize>,
}

impl ProposalInput<'_> {
    /// Returns the hunks in ascending order; no two overlap.
    ///
    /// # Errors
    /// The reason why the answer cannot be merged with the text: it is held for that.
    pub fn hunks(&self) -> Result<Vec<Hunk>, HeldFor> {
        let current = pieces(self.now);
        let current = land::recognized(&self.base.rows, &current);
        let own: Vec<&[u8]> = current.iter().map(|piece| &piece.text[..]).collect();
        let takes = match Shape::of(&self.now.place) {
            Shape::Block => self.of_block(&own)?,
            Shape::Rows => self.of_rows(&current, &own, |_, _| true),
            Shape::Part => {
                let takes = self.of_rows(&current, &own, |change, lines| {
                    keeps_ends(&change.0, own.len(), &change.1, lines)
                });
                self.keep_ends(takes, &own)
            }
        };
        let hunks = takes.into_iter().map(|(take, conflict)| self.hunk(take, conflict, &own));
        Ok(hunks.collect())
    }

    /// The takes of a block. Each row is compared alone; adjacent rows of the same kind are joined to one take.
    fn of_block(&self, own: &[&[u8]]) -> Result<Vec<(Take, Option<Conflict>)>, HeldFor> {
        let rows = &self.base.rows;
        if self.answer.len() != rows.len() || own.len() != rows.len() {
            return Err(HeldFor::BlockRows);
        }
        let is_short = |at: usize| self.filled_up(at, own).is_some();
        let mut takes: Vec<(Take, Option<Conflict>)> = Vec::new();
        for edit in self.base.edits().filter(|edit| (self.is_open)(edit.id)) {
            let (at, piece) = (edit.rows.start, self.answer[edit.lines.start].clone());
            if own[at] == piece {
                continue;
            }
            let is_own = own[at] != &rows[at].text[..];
            let conflict = is_own.then_some(Conflict::Changed { is_one: true });
            match takes.last_mut() {
                Some((last, of_last))
                    if last.now.end == at
                        && of_last.is_some() == is_own
                        && is_short(at - 1) == is_short(at) =>
                {
                    last.edits.push(edit.id);
                    last.pieces.push(piece);
                    last.come += 1;
                    for range in [&mut last.base, &mut last.now, &mut last.differ] {
                        range.end += 1;
                    }
                    *of_last = of_last.map(|_| Conflict::Changed { is_one: false });
                }
                _ => {
                    let (rows, edits) = (at..at + 1, vec![edit.id]);
                    let take = Take {
                        edits,
                        base: rows.clone(),
                        now: rows.clone(),
                        come: 1,
                        differ: rows,
                        pieces: vec![piece],
                    };
                    takes.push((take, conflict));
                }
            }
        }
        Ok(takes)
    }

    /// The takes of rows, or of a part of a row: merges by the ids of the rows.
    fn of_rows(
        &self,
        current: &[Row],
        own: &[&[u8]],
        may_trim: impl Fn(&land::RowChange, usize) -> bool,
    ) -> Vec<(Take, Option<Conflict>)> {
        let ProposedBase { rows, origins } = self.target();
        let mut open = self.base.edits().filter(|edit| (self.is_open)(edit.id)).peekable();
        let mut takes = Vec::new();
        for hunk in merge_known(&self.base.rows, current, rows, &origins) {
            // Hunks and edits are both ascending. An edit in no hunk is skipped: the text has its lines already.
            while open.next_if(|edit| edit.rows.start < hunk.base.start).is_some() {}
            let within = |edit: &&Edit| edit.rows.end <= hunk.base.end;
            let edits: Vec<&Edit> = std::iter::from_fn(|| open.next_if(within)).collect();
            if hunk.is_conflict {
                takes.extend(self.conflict(&edits, hunk, current, own, &may_trim));
                continue;
            }
            let by = |rows: &Range<usize>| {
                hunk.current.start + rows.start - hunk.base.start
                    ..hunk.current.start + rows.end - hunk.base.start
            };
            takes.extend(edits.into_iter().map(|edit| {
                let pieces = self.answer[edit.lines.clone()].to_vec();
                let (now, come) = (by(&edit.rows), pieces.len());
                let (base, edits) = (edit.rows.clone(), vec![edit.id]);
                (Take { edits, base, differ: now.clone(), now, come, pieces }, None)
            }));
        }
        takes
    }

    /// The take for a conflict: it replaces some of the current rows by the edits and the rows between them. It leaves
    /// out rows around the edits that the answer does not change and that the user deleted or put in. Returns none if
    /// the text has its lines already.
    fn conflict(
        &self,
        edits: &[&Edit],
        MergeHunk { current: mut now, is_doubled, .. }: MergeHunk,
        current: &[Row],
        own: &[&[u8]],
        may_trim: &impl Fn(&land::RowChange, usize) -> bool,
    ) -> Option<(Take, Option<Conflict>)> {
        let (first, last) = edits.first().zip(edits.last())?;
        let base = first.rows.start..last.rows.end;
        let find = |row: usize| {
            let id = self.base.rows.get(row)?.id;
            now.clone().find(|at| current[*at].id == id)
        };
        let above = || first.rows.start.checked_sub(1).and_then(find).map(|at| at + 1);
        let from = if first.rows.is_empty() { above() } else { find(base.start) };
        let to = if last.rows.is_empty() { find(base.end) } else { find(base.end - 1).map(|at| at + 1) };
        let (from, to) = (from.unwrap_or(now.start), to.unwrap_or(now.end));
        if from <= to {
            now = from..to;
        }
        let mut lines: Vec<Bytes> = Vec::new();
        let mut above = base.start;
        for edit in edits {
            let groups = &self.base.groups;
            let group = groups.partition_point(|group| group.rows.end < edit.rows.end);
            // It is unknown whether the text still has the rows of a group.
            let from = groups
                .get(group)
                .map_or(edit.rows.start, |group| group.rows.start)
                .clamp(above, edit.rows.start);
            lines.extend(self.base.rows[from..edit.rows.start].iter().map(|row| row.text.to_vec()));
            lines.extend_from_slice(&self.answer[edit.lines.clone()]);
            above = edit.rows.end;
        }
        if own[now.clone()].iter().copied().eq(lines.iter().map(Vec::as_slice)) {
            return None;
        }
        let count = own.len() - now.len() + lines.len();
        let conflict = self.conflict_of(&base, &own[now.clone()], is_doubled);
        let ids = edits.iter().map(|edit| edit.id).collect();
        Some((Take::new(ids, base, now, own, lines, |change| may_trim(change, count)), Some(conflict)))
    }

    /// Replaces all takes by one conflict for the whole part, if one of them would move the first or last piece away
    /// from its end of the part.
    fn keep_ends(
        &self,
        takes: Vec<(Take, Option<Conflict>)>,
        own: &[&[u8]],
    ) -> Vec<(Take, Option<Conflict>)> {
        let fits = |(take, _): &(Take, Option<Conflict>)| {
            let lines = own.len() - take.differ.len() + take.pieces.len();
            let new = take.differ.start..take.differ.start + take.pieces.len();
            keeps_ends(&take.differ, own.len(), &new, lines)
        };
        if takes.iter().all(fits) {
            return takes;
        }
        let rows: Vec<Bytes> = self.target().rows.iter().map(|row| row.to_vec()).collect();
        let ids = takes.into_iter().flat_map(|(take, _)| take.edits).collect();
        let (base, now) = (0..self.base.rows.len(), 0..own.len());
        let conflict = Conflict::Changed { is_one: own.len() == 1 };
        vec![(Take::new(ids, base, now, own, rows, |_| false), Some(conflict))]
    }

    /// The base with the open edits applied, and for each of its rows the row of the base that it is, if that is
    /// certain.
    fn target(&self) -> ProposedBase<'_> {
        let base = &self.base.rows;
        let mut target = ProposedBase { rows: Vec::new(), origins: Vec::new() };
        let mut above = 0;
        for group in &self.base.groups {
            let mut edits = group.edits.iter().filter(|edit| (self.is_open)(edit.id)).peekable();
            if edits.peek().is_none() {
                continue;
            }
            target.copy(base, above..group.rows.start, true);
            let mut from = group.rows.start;
            for edit in edits {
                target.copy(base, from..edit.rows.start, false);
                target.rows.extend(self.answer[edit.lines.clone()].iter().map(Vec::as_slice));
                target.origins.resize(target.rows.len(), None);
                from = edit.rows.end;
            }
            target.copy(base, from..group.rows.end, false);
            above = group.rows.end;
        }
        target.copy(base, above..base.len(), true);
        target
    }

    /// The kind of a conflict: what the user did to these rows of the base.
    fn conflict_of(&self, base: &Range<usize>, now: &[&[u8]], is_doubled: bool) -> Conflict {
        let base = self.base.rows[base.clone()].iter().map(|row| &row.text[..]);
        if base.clone().eq(now.iter().copied()) {
            return if is_doubled { Conflict::Doubled } else { Conflict::Beside };
        }
        match (base.len(), now.len()) {
            (0, _) => Conflict::PutIn,
            (_, 0) => Conflict::Deleted,
            (_, count) => Conflict::Changed { is_one: count == 1 },
        }
    }

    fn hunk(&self, take: Take, conflict: Option<Conflict>, own: &[&[u8]]) -> Hunk {
        let first = self.now.place.rows().start;
        let rows = first + take.differ.start..first + take.differ.end;
        let shape = Shape::of(&self.now.place);
        let mut lines = take.pieces.clone();
        let around = |at: usize| self.now.around(at, own);
        match shape {
            Shape::Rows => {}
            Shape::Block => {
                for (line, at) in lines.iter_mut().zip(take.differ.clone()) {
                    let (head, tail) = around(at);
                    *line = [head, line, tail].concat();
                }
            }
            Shape::Part => {
                if let (Some(line), 0) = (lines.first_mut(), take.differ.start) {
                    *line = [around(0).0, line].concat();
                }
                if let (Some(line), true) = (lines.last_mut(), take.differ.end == own.len()) {
                    *line = [&line[..], around(own.len() - 1).1].concat();
                }
            }
        }
        let column = (shape == Shape::Block).then(|| self.filled_up(take.now.start, own)).flatten();
        let old: Vec<&[u8]> = self.now.rows[take.differ.clone()].iter().map(|row| &row.text[..]).collect();
        let id = super::id::Hash::new().id();
        Hunk { id, rows, lines, conflict, column, take }.named(&old)
    }

    /// The screen column up to which a row is padded with spaces, if it ends before the block begins.
    fn filled_up(&self, at: usize, own: &[&[u8]]) -> Option<usize> {
        let is_at_end = own[at].is_empty() && self.now.around(at, own).1.is_empty();
        self.column.filter(|_| is_at_end && !self.answer[at].is_empty())
    }
}

/// Returns the pieces of a range after these hunks are taken, and the changes from the current pieces.
pub fn with(now: &Passage, hunks: &[Hunk]) -> (Vec<Bytes>, Vec<land::RowChange>) {
    let own = now.pieces();
    let copy = |rows: Range<usize>| own[rows].iter().map(|piece| piece.to_vec());
    let (mut all, mut changes, mut above) = (Vec::with_capacity(own.len()), Vec::new(), 0);
    for (Take { differ, pieces, .. }, conflict) in hunks.iter().map(|hunk| (&hunk.take, hunk.conflict)) {
        all.extend(copy(above..differ.start));
        let shift = |rows: Range<usize>, by: usize| rows.start + by..rows.end + by;
        // A conflict has rows between its edits that stay.
        let parts = match conflict {
            Some(_) if now.is_of_rows() => {
                let lines: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
                land::changes(&own[differ.clone()], &lines)
            }
            _ => vec![(0..differ.len(), 0..pieces.len())],
        };
        let line = all.len();
        changes
            .extend(parts.into_iter().map(|(rows, lines)| (shift(rows, differ.start), shift(lines, line))));
        all.extend_from_slice(pieces);
        above = differ.end;
    }
    all.extend(copy(above..own.len()));
    (all, changes)
}

/// The base with the open edits applied. `origins` has for each row the index of the base row that it is.
struct ProposedBase<'a> {
    rows: Vec<&'a [u8]>,
    origins: Vec<Option<usize>>,
}

impl<'a> ProposedBase<'a> {
    fn copy(&mut self, base: &'a [Row], range: Range<usize>, is_certain: bool) {
        self.rows.extend(base[range.clone()].iter().map(|row| &row.text[..]));
        self.origins.extend(range.map(|at| is_certain.then_some(at)));
    }
}
