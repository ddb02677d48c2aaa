//! Computes the proposal: a three-way merge of the base, the current text, and the base with the open edits. Each
//! difference between the current text and the proposal is a hunk; a hunk without a conflict is one edit.

use std::ops::Range;

use super::base::{Base, Edit};
use super::hunk::{Conflict, Hunk, Take};
use super::id::EditId;
use crate::document::{Passage, Place, Row};
use crate::land::{self, Bytes, HeldFor, MergeHunk, Replaced, merge_rows};

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
    /// Its pieces, each with the identity of its row.
    pub current: &'a [Row],
    /// The screen column at which the block begins; none if it is unknown.
    pub column: Option<usize>,
}

impl ProposalInput<'_> {
    /// Returns the hunks in ascending order; no two overlap.
    ///
    /// # Errors
    /// The reason why the answer cannot be merged with the text: it is held for that.
    pub fn hunks(&self) -> Result<Vec<Hunk>, HeldFor> {
        let takes = if self.now.is_of_rows() {
            self.of_rows(self.current)
        } else {
            self.whole(self.current)?.into_iter().collect()
        };
        Ok(takes.into_iter().map(|(take, conflict)| self.hunk(take, conflict)).collect())
    }

    /// The take of a part of a row, or of a block: all of it, and a conflict where anything in it was changed. None if
    /// the text has the answer already.
    fn whole(&self, current: &[Row]) -> Result<Option<(Take, Option<Conflict>)>, HeldFor> {
        let (base, come) = (&self.base.rows, self.answer.len());
        let is_block = matches!(self.now.place, Place::Block { .. });
        if is_block {
            if current.len() != base.len() {
                return Err(HeldFor::Conflict);
            } else if come != base.len() {
                return Err(HeldFor::BlockRows);
            }
        }
        let edits: Vec<EditId> =
            self.base.edits().map(|edit| edit.id).filter(|edit| (self.is_open)(*edit)).collect();
        let mut pieces = self.answer.to_vec();
        if is_block {
            // What the user typed in a row that the answer leaves stays.
            for ((piece, base), own) in pieces.iter_mut().zip(base).zip(current) {
                if base.text[..] == piece[..] {
                    *piece = own.text.to_vec();
                }
            }
        }
        let texts = || current.iter().map(|piece| &piece.text[..]);
        if edits.is_empty() || texts().eq(pieces.iter().map(Vec::as_slice)) {
            return Ok(None);
        }
        let changed = current.iter().zip(base).filter(|(own, base)| own.text != base.text).count();
        let changed = changed + current.len().abs_diff(base.len());
        let conflict = (changed > 0).then_some(Conflict::Changed { is_one: changed == 1 });
        let now = 0..current.len();
        Ok(Some((Take { edits, base: 0..base.len(), differ: now.clone(), now, come, pieces }, conflict)))
    }

    /// The takes of whole rows: merges by the ids of the rows.
    fn of_rows(&self, current: &[Row]) -> Vec<(Take, Option<Conflict>)> {
        let own: Vec<&[u8]> = current.iter().map(|row| &row.text[..]).collect();
        let ProposedBase { rows, origins } = self.target();
        let mut open = self.base.edits().filter(|edit| (self.is_open)(edit.id)).peekable();
        let mut takes = Vec::new();
        for hunk in merge_rows(&self.base.rows, current, rows, &origins) {
            // Hunks and edits are both ascending. An edit in no hunk is skipped: the text has its lines already.
            while open.next_if(|edit| edit.rows.start < hunk.base.start).is_some() {}
            let within = |edit: &&Edit| edit.rows.end <= hunk.base.end;
            let edits: Vec<&Edit> = std::iter::from_fn(|| open.next_if(within)).collect();
            if hunk.is_conflict {
                takes.extend(self.conflict(&edits, hunk, current, &own));
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
        let conflict = self.conflict_of(&base, &own[now.clone()], is_doubled);
        let ids = edits.iter().map(|edit| edit.id).collect();
        Some((Take::new(ids, base, now, own, lines), Some(conflict)))
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

    fn hunk(&self, take: Take, conflict: Option<Conflict>) -> Hunk {
        let (first, is_of_rows) = (self.now.place.rows().start, self.now.is_of_rows());
        let rows = first + take.differ.start..first + take.differ.end;
        let lines = if is_of_rows { take.pieces.clone() } else { Replaced::new(self.now, &take.pieces).rows };
        let old: Vec<&[u8]> = self.now.rows[take.differ.clone()].iter().map(|row| &row.text[..]).collect();
        let (id, column) = (super::id::Hash::new().id(), self.column.filter(|_| !is_of_rows));
        Hunk { id, rows, lines, conflict, column, take }.named(&old)
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
