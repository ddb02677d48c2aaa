//! Computes the proposal: a three-way merge of the base, the current text, and the base with the open edits. Each
//! difference between the current text and the proposal is a hunk; a hunk without a conflict is one edit.
//!
//! The ids say which current row is which row of the base. An edit is clean where the user changed neither its rows nor
//! the row on either side of it, as it is for git; where the user changed them in the same way there is no hunk; else it
//! is a conflict. So to write the clean hunks, the last one first, loses no row of the user and invents none. A row that
//! both sides bring, each at its own place, would be there twice: the hunk that brings it is a conflict.

use std::collections::HashMap;
use std::ops::Range;

use super::base::{Base, Edit};
use super::hunk::{Conflict, Hunk, Take};
use super::id::EditId;
use crate::document::{Passage, Place, Row, RowId, is_telling, rising};
use crate::land::{self, Bytes, HeldFor, Replaced};

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
        let edits: Vec<EditId> = self.open().map(|edit| edit.id).collect();
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
        let mut differences = self.differences(&own, &self.places(current));
        self.guard(&own, &mut differences);
        let mut takes = Vec::new();
        for difference in differences {
            if difference.kind != DifferenceKind::Clean {
                takes.extend(self.conflict(difference, current, &own));
                continue;
            }
            let by = |row: usize| difference.current.start + row - difference.base.start;
            takes.extend(difference.edits.into_iter().map(|edit| {
                let pieces = self.answer[edit.lines.clone()].to_vec();
                let (now, come) = (by(edit.rows.start)..by(edit.rows.end), pieces.len());
                let (base, edits) = (edit.rows.clone(), vec![edit.id]);
                (Take { edits, base, differ: now.clone(), now, come, pieces }, None)
            }));
        }
        takes
    }

    /// The open edits, in order; together where the user has left no row between them that both sides have. `places` says
    /// where the rows of the base are in the text. An edit whose lines the text has already is in none.
    fn differences(&self, own: &[&[u8]], places: &[Option<usize>]) -> Vec<Difference<'_>> {
        let base = &self.base.rows;
        let (mut replaced, mut open) = (self.open().peekable(), self.open().peekable());
        let on_both = |row: usize| {
            while replaced.next_if(|edit| edit.rows.end <= row).is_some() {}
            let is_kept = replaced.peek().is_none_or(|edit| row < edit.rows.start);
            Some((row, places[row].filter(|_| is_kept)?))
        };
        let is_same = |row: usize, at: usize| base[row].text[..] == *own[at];
        let end = (base.len(), own.len());
        let (mut differences, mut above, mut is_same_above) = (Vec::new(), (0, 0), true);
        for (row, at) in (0..base.len()).filter_map(on_both).chain([end]) {
            let (from, now) = (above.0..row, above.1..at);
            let is_same_below = row == base.len() || is_same(row, at);
            let edits: Vec<&Edit> =
                std::iter::from_fn(|| open.next_if(|edit| edit.rows.end <= row)).collect();
            if !edits.is_empty() && self.applied(&from, &edits, |_| true) != own[now.clone()] {
                let is_unchanged = from.len() == now.len()
                    && from
                        .clone()
                        .zip(now.clone())
                        .all(|(row, at)| places[row] == Some(at) && is_same(row, at));
                let is_clean = is_same_above && is_same_below && is_unchanged;
                let kind = if is_clean { DifferenceKind::Clean } else { DifferenceKind::Conflict };
                differences.push(Difference { edits, base: from, current: now, kind });
            }
            (above, is_same_above) = ((row + 1, at + 1), is_same_below);
        }
        differences
    }

    /// Rows of the base with edits of them applied, and of the others those that stay.
    fn applied<'b>(
        &'b self,
        rows: &Range<usize>,
        edits: &[&'b Edit],
        stays: impl Fn(&[u8]) -> bool,
    ) -> Vec<&'b [u8]> {
        let others = |rows: Range<usize>| self.base.rows[rows].iter().map(|row| &row.text[..]);
        let (mut applied, mut above) = (Vec::new(), rows.start);
        for edit in edits {
            applied.extend(others(above..edit.rows.start).filter(|row| stays(row)));
            applied.extend(self.lines(edit));
            above = edit.rows.end;
        }
        applied.extend(others(above..rows.end).filter(|row| stays(row)));
        applied
    }

    fn lines(&self, edit: &Edit) -> impl Iterator<Item = &[u8]> {
        self.answer[edit.lines.clone()].iter().map(Vec::as_slice)
    }

    /// The rows that an edit takes away, and those that it brings: by how much their number changes.
    fn changes(&self, edit: &Edit) -> impl Iterator<Item = (&[u8], isize)> {
        let gone = self.base.rows[edit.rows.clone()].iter().map(|row| (&row.text[..], -1));
        gone.chain(self.lines(edit).map(|row| (row, 1)))
    }

    fn open(&self) -> impl Iterator<Item = &Edit> {
        self.base.edits.iter().filter(|edit| (self.is_open)(edit.id))
    }

    /// For each row of the base, where it is in the text, if it is there and has not left its order. Most follow the row that
    /// the one above them is. Of the rows that one was moved past which an edit is about, it is unknown.
    fn places(&self, current: &[Row]) -> Vec<Option<usize>> {
        let base = &self.base.rows;
        let mut by_id: Vec<(RowId, usize)> = base.iter().enumerate().map(|(at, row)| (row.id, at)).collect();
        by_id.sort_unstable();
        let mut next = 0;
        let of_base = |row: &Row| {
            let at = match base.get(next) {
                Some(same) if same.id == row.id => Some(next),
                _ => by_id.binary_search_by_key(&row.id, |(id, _)| *id).ok().map(|found| by_id[found].1),
            };
            next = at.map_or(next, |at| at + 1);
            at
        };
        let origins = current.iter().map(of_base).enumerate();
        let pairs: Vec<(usize, usize)> = origins.filter_map(|(at, row)| Some((at, row?))).collect();
        let stay: Vec<(usize, usize)> = rising(&pairs).into_iter().map(|pair| pairs[pair]).collect();
        let mut places = vec![None; base.len()];
        for (at, row) in &stay {
            places[*row] = Some(*at);
        }
        let is_edited = |row: usize| self.open().any(|edit| edit.rows.contains(&row));
        let is_moved = |pair: &&(usize, usize)| stay.binary_search(pair).is_err() && is_edited(pair.1);
        for (at, row) in pairs.iter().filter(is_moved) {
            let from = stay.partition_point(|(other, _)| other < at);
            let to = stay.partition_point(|(_, other)| other < row);
            stay[from.min(to)..from.max(to)].iter().for_each(|(_, passed)| places[*passed] = None);
        }
        places
    }

    /// Makes each clean difference a conflict that brings a row which would occur more often in the result than on either
    /// side. Rows without a word, as brackets, may: they belong to their neighbours.
    fn guard(&self, own: &[&[u8]], differences: &mut [Difference<'_>]) {
        let clean = differences.iter().filter(|difference| difference.kind == DifferenceKind::Clean);
        let brought = clean.flat_map(|difference| &difference.edits).flat_map(|edit| self.lines(edit));
        // By row: how many more of it the result may have than the text, and how many come.
        let mut rows: HashMap<&[u8], (isize, isize)> =
            brought.filter(|row| is_telling(row)).map(|row| (row, (0, 0))).collect();
        let answered = self.open().flat_map(|edit| self.changes(edit));
        let base = self.base.rows.iter().map(|row| (&row.text[..], 1));
        for (row, by) in own.iter().map(|row| (*row, -1)).chain(base).chain(answered) {
            rows.entry(row).and_modify(|row| row.0 += by);
        }
        let mut is_stable = rows.is_empty();
        while !is_stable {
            is_stable = true;
            for row in rows.values_mut() {
                row.1 = 0;
            }
            let mut clean: Vec<_> = differences
                .iter_mut()
                .filter(|difference| difference.kind == DifferenceKind::Clean)
                .collect();
            let edits = clean.iter().flat_map(|difference| &difference.edits);
            for (row, by) in edits.flat_map(|edit| self.changes(edit)) {
                rows.entry(row).and_modify(|row| row.1 += by);
            }
            let is_doubled = |row| rows.get(row).is_some_and(|(room, come)| *come > (*room).max(0));
            for difference in &mut clean {
                // What a difference takes away that is not written stays.
                if difference.edits.iter().any(|edit| self.lines(edit).any(is_doubled)) {
                    (difference.kind, is_stable) = (DifferenceKind::Doubled, false);
                }
            }
        }
    }

    /// The take for a conflict: it replaces some of the current rows by the edits and the rows between them. It leaves
    /// out rows around the edits that the answer does not change and that the user deleted or put in. Returns none if
    /// the text has its lines already.
    fn conflict(
        &self,
        Difference { edits, base: around, current: mut now, kind }: Difference<'_>,
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
        // Where no row of the base is known beside the edits, those that read as it does stay.
        let is_same = |(row, at): &(usize, usize)| self.base.rows[*row].text[..] == *own[*at];
        let pairs = (around.start..base.start).zip(now.clone());
        let from = from.unwrap_or_else(|| now.start + pairs.take_while(is_same).count());
        let pairs = (base.end..around.end).rev().zip(now.clone().rev());
        let to = to.unwrap_or_else(|| now.end - pairs.take_while(is_same).count());
        if from < to || base.is_empty() {
            now = from..to;
        }
        // What the user has deleted between the edits does not come back.
        let stays = |row: &[u8]| own[now.clone()].contains(&row);
        let lines = self.applied(&base, &edits, stays).into_iter().map(<[u8]>::to_vec);
        let lines: Vec<Bytes> = lines.collect();
        if own[now.clone()].iter().copied().eq(lines.iter().map(Vec::as_slice)) {
            return None;
        }
        let conflict = self.conflict_of(&base, &own[now.clone()], kind == DifferenceKind::Doubled);
        let ids = edits.iter().map(|edit| edit.id).collect();
        Some((Take::new(ids, base, now, own, lines), Some(conflict)))
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

/// The pieces of a range once hunks are taken, and which of them differ.
pub fn replaced(now: &Passage, hunks: &[Hunk]) -> (Vec<Bytes>, Vec<land::RowChange>) {
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

/// Open edits, the rows of the base that they are about, and the current rows in their place.
struct Difference<'a> {
    edits: Vec<&'a Edit>,
    base: Range<usize>,
    current: Range<usize>,
    kind: DifferenceKind,
}

#[derive(PartialEq, Eq)]
enum DifferenceKind {
    /// The user made none, neither there nor in the row on either side.
    Clean,
    /// The user changed the same place differently.
    Conflict,
    /// It brings a row that the user has brought, too, at another place.
    Doubled,
}
