//! A change of the rows of a document: which row is which afterwards, and what its anchors learn of it.

use std::ops::Range;
use std::sync::Arc;

use super::align::{Origin, align, is_telling};
use super::history::Text;
use super::rows::{Row, RowId};
use super::{AnchorId, Document};

impl Document {
    /// Replaces the rows of a range. `writer` is the anchor whose answer makes the change, if any.
    pub(super) fn change<R: AsRef<[u8]>>(
        &mut self,
        range: Range<usize>,
        new: &[R],
        writer: Option<AnchorId>,
    ) {
        let last = range.end.min(self.rows.len());
        let range = range.start.min(last)..last;
        let mut new = self.rows_without_ids(new);
        let old = self.rows.slice(range.clone());
        if old.iter().map(|row| row.hash).eq(new.iter().map(|row| row.hash)) {
            // Neovim reports rows as changed that read as before: nothing has happened to them.
            return;
        }
        let is_edit = old.len() == 1 && new.len() == 1;
        if writer.is_none() || writer != self.written_anchor {
            self.remember(is_edit, writer.is_some());
        }
        self.written_anchor = writer;
        let put_in = self.put_in.take();
        if is_edit {
            (new[0].id, new[0].split_from) = (old[0].id, old[0].split_from);
            self.edit_parts(&new);
            return self.splice(range, &new);
        }
        let is_emptied =
            old.len() == self.rows.len() && new.iter().all(|row| row.text.is_empty()) && new.len() < 2;
        if is_emptied {
            // An empty buffer has one row, which has no history.
            let mut rows = self.rows_without_ids([""]);
            self.assign_ids(&mut rows);
            self.splice(range, &rows);
        } else if new.is_empty() {
            // The write of an answer moves no rows outside of its range.
            self.delete(range.clone(), &old, put_in.filter(|_| writer.is_none()));
            let above = range.start.checked_sub(1).and_then(|above| self.rows.get(above));
            // What was joined to the row above is there still, so what is put in later is not that.
            let is_joined = above.is_some_and(|above| above.text.ends_with(old[0].text.trim_ascii()));
            self.deleted = if writer.is_none() && !is_joined { old } else { Vec::new() };
        } else {
            self.replace(range, &old, new, writer);
        }
    }

    /// The text changes next: what is known of it. `is_write` says whether an answer is written.
    fn remember(&mut self, is_edit: bool, is_write: bool) {
        let is_end = std::mem::take(&mut self.is_end) || is_write;
        let before_edit = self.before_edit.take();
        // Edits of single rows change no ids, so the rows are needed before the first and the last of several: to join
        // rows, Neovim edits one and deletes the next; undo reverts both, to the text before the edit.
        let has_rows = !is_edit || is_end || before_edit.is_none();
        if let Some(before) = before_edit.filter(|_| !is_edit) {
            self.history.complete(before);
        }
        self.before_edit = is_edit.then(|| self.rows.clone());
        let (hash, standings) = (self.rows.text_hash(), Arc::clone(&self.standings));
        let rows = has_rows.then(|| self.rows.clone());
        self.history.push(Text { hash, rows, standings, is_end });
    }

    /// Deletes rows. To move or filter rows, Neovim first puts in the new ones, here `put_in`, and then deletes the old
    /// ones.
    fn delete(&mut self, range: Range<usize>, gone: &[Row], put_in: Option<Range<usize>>) {
        self.splice(range.clone(), &[]);
        let is_apart = |put_in: &Range<usize>| put_in.end <= range.start || range.end <= put_in.start;
        if let Some(put_in) = put_in.filter(is_apart) {
            let is_beside = put_in.end == range.start || range.end == put_in.start;
            let at = if range.start < put_in.start { put_in.start - range.len() } else { put_in.start };
            let copies = self.rows.slice(at..at + put_in.len());
            if is_beside || reads_like(&copies, gone) {
                let mut moved = copies.clone();
                for (copy, origin) in moved.iter_mut().zip(align(gone, &copies).origins) {
                    if let Some(own) = origin.row().map(|own| &gone[own]) {
                        (copy.id, copy.split_from) = (own.id, own.split_from);
                    }
                }
                self.edit_parts(&moved);
                self.splice(at..at + copies.len(), &moved);
            }
        }
    }

    fn replace(&mut self, range: Range<usize>, old: &[Row], mut new: Vec<Row>, writer: Option<AnchorId>) {
        let alignment = align(old, &new);
        let first_new_id = self.next_id;
        for (row, origin) in new.iter_mut().zip(&alignment.origins) {
            match *origin {
                Origin::Same(own) | Origin::Edited(own) => {
                    (row.id, row.split_from) = (old[own].id, old[own].split_from);
                    if row.hash == old[own].hash {
                        row.text = old[own].text.clone();
                    }
                }
                Origin::Split(own) => row.split_from = old[own].split_from.or(Some(old[own].id)),
                Origin::Doubt => row.id = self.new_id(),
                Origin::New => {}
            }
        }
        if old.is_empty() && writer.is_none() {
            self.put_back(&mut new);
        }
        self.assign_ids(&mut new);
        self.edit_parts(&new);
        let end = range.start + new.len();
        self.splice(range.clone(), &new);
        let in_doubt = old.iter().zip(&alignment.in_doubt).filter(|(_, in_doubt)| **in_doubt);
        self.lose(&in_doubt.map(|(row, _)| row).collect::<Vec<_>>());
        // Rows that were put back are known, and those that are deleted next are others.
        let is_unknown = new.iter().all(|row| row.id >= first_new_id);
        self.put_in = (old.is_empty() && writer.is_none() && is_unknown).then_some(range.start..end);
        if let Some(anchor) = writer.and_then(|writer| self.anchors.get_mut(&writer)) {
            anchor.adopt(new.iter().map(|row| row.id).filter(|id| *id >= first_new_id));
        }
    }

    /// Rows that come in are those that were deleted last, if they read like them and one of them is nowhere else; else
    /// they are new: a pasted copy is a copy.
    fn put_back(&mut self, new: &mut [Row]) {
        let is_only = |gone: &Row| {
            is_telling(&gone.text) && !self.rows.iter().any(|row| row.nonblank_hash == gone.nonblank_hash)
        };
        if reads_like(new, &self.deleted) && self.deleted.iter().any(is_only) {
            let gone = std::mem::take(&mut self.deleted);
            if !gone.iter().any(|row| self.rows.find(row.id).is_some()) {
                new.clone_from_slice(&gone);
            }
        }
    }

    /// Restores what was known of this text: the rows, and how the ranges stood. A range that was made since is followed
    /// to it by the rows. Where the text had different rows at different times, and the events do not tell which of them
    /// are there now, these are in doubt.
    pub(super) fn restore(&mut self) {
        let same = self.history.same(&self.rows);
        let least = same.iter().filter_map(|text| text.distance(&self.rows)).min();
        let closest: Vec<&Text> =
            same.iter().copied().filter(|text| text.distance(&self.rows) == least).collect();
        let Some(then) = closest.first() else { return };
        let mut versions = closest.iter().filter_map(|text| text.rows.as_ref());
        let rows = versions.next().unwrap_or(&self.rows).clone();
        let mut lost: Vec<(usize, Row, Row)> = Vec::new();
        for other in versions.filter(|other| rows.distance(other) > 0) {
            let pairs = rows.iter().zip(other.iter()).enumerate();
            let differ = pairs.filter(|(_, (row, other))| row.id != other.id);
            lost.extend(differ.map(|(at, (row, other))| (at, row.clone(), other.clone())));
        }
        let mut standings = (*self.standings).clone();
        for (id, standing) in &mut standings {
            let stood = || same.iter().filter_map(|text| text.standings.get(id));
            match stood().next() {
                Some(stood) => standing.parts.clone_from(&stood.parts),
                None => standing.parts.follow(&rows),
            }
            stood().for_each(|stood| standing.parts.agree(&stood.parts));
            standing.written = then.standings.get(id).and_then(|stood| stood.written);
            if least.is_some() {
                // Else the rows are what the events made of them.
                let mut stood = closest.iter().filter_map(|text| text.standings.get(id));
                standing.is_lost = stood.any(|stood| stood.is_lost);
            }
        }
        (self.rows, self.standings) = (rows, Arc::new(standings));
        for (at, row, other) in lost {
            let id = self.new_id();
            self.lose(&[&row, &other]);
            self.rows.splice(at..at + 1, &[Row { id, split_from: None, ..row }]);
        }
    }

    /// It is unknown where these rows are.
    fn lose(&mut self, rows: &[&Row]) {
        for (id, anchor) in &self.anchors {
            if rows.iter().any(|row| anchor.needs(row.id, row.split_from)) {
                Arc::make_mut(&mut self.standings).entry(*id).or_default().is_lost = true;
            }
        }
    }

    fn edit_parts(&mut self, rows: &[Row]) {
        let written = self.written_anchor;
        let is_edited = |(id, standing): (&AnchorId, &super::history::Standing)| {
            written != Some(*id) && rows.iter().any(|row| standing.parts.is_edited(row))
        };
        if !self.standings.iter().any(is_edited) {
            return;
        }
        let standings = Arc::make_mut(&mut self.standings).iter_mut();
        for (_, standing) in standings.filter(|(id, _)| written != Some(**id)) {
            for row in rows {
                standing.parts.edit(row);
            }
        }
    }

    pub(super) fn splice(&mut self, range: Range<usize>, new: &[Row]) {
        self.bytes -= self.rows.slice(range.clone()).iter().map(|row| row.text.len()).sum::<usize>();
        self.bytes += new.iter().map(|row| row.text.len()).sum::<usize>();
        self.rows.splice(range, new);
    }

    /// Makes rows that have no identity yet: their ids are 0.
    pub(super) fn rows_without_ids<R: AsRef<[u8]>>(&self, text: impl IntoIterator<Item = R>) -> Vec<Row> {
        text.into_iter().map(|text| self.hasher.row(text.as_ref())).collect()
    }

    /// Gives new ids to the rows that have none.
    pub(super) fn assign_ids(&mut self, rows: &mut [Row]) {
        for row in rows.iter_mut().filter(|row| row.id == 0) {
            row.id = self.new_id();
        }
    }

    pub(super) fn new_id(&mut self) -> RowId {
        self.next_id += 1;
        self.next_id - 1
    }
}

/// Whether rows have the same texts as others.
fn reads_like(rows: &[Row], others: &[Row]) -> bool {
    rows.iter().map(|row| row.hash).eq(others.iter().map(|row| row.hash))
}
