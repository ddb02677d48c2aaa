//! A change of the rows of a document: which row is which afterwards, and what its anchors learn of it.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::align::{Origin, align, is_related, is_telling};
use super::rows::{Row, RowId, Rows};
use super::snapshots::Version;
use super::{AnchorId, Document, MAX_TEXTS};

/// Of how many of the rows that come in at once it is looked for the text that had them last.
const MAX_LOOKUPS: usize = 64;

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
        let is_inside = writer.is_some() && self.written_anchor == writer;
        self.written_anchor = writer;
        if !is_inside && !self.anchors.is_empty() {
            self.texts.change(self.rows.text_hash(), writer.is_some());
        }
        if writer.is_some() {
            // The write of an answer moves no rows outside of its range.
            self.put_in = None;
        }
        if let ([old], [new]) = (&old[..], &mut new[..]) {
            (new.id, new.split_from) = (old.id, old.split_from);
            let new = vec![new.clone()];
            self.put_in = None;
            self.edit_columns(&new);
            if self.before_edit.replace(self.rows.clone()).is_none() || writer.is_some() {
                self.snapshots.remember(&self.rows, &self.in_doubt);
            }
            self.splice(range, &new);
            return;
        }
        // To join rows, Neovim edits one and deletes the next; undo reverts both, to the text before the edit.
        if let Some(rows) = self.before_edit.take() {
            self.snapshots.remember(&rows, &self.in_doubt);
        }
        self.snapshots.remember(&self.rows, &self.in_doubt);
        let is_emptied =
            old.len() == self.rows.len() && new.iter().all(|row| row.text.is_empty()) && new.len() < 2;
        if is_emptied {
            // An empty buffer has one row, which has no history.
            self.put_in = None;
            let mut rows = self.rows_without_ids([""]);
            self.assign_ids(&mut rows);
            self.splice(range, &rows);
        } else if new.is_empty() {
            self.delete(range, &old);
        } else {
            self.replace(range, &old, new, writer);
        }
    }

    /// Deletes rows. To move or filter rows, Neovim first puts in the new ones and then deletes the old ones.
    fn delete(&mut self, range: Range<usize>, gone: &[Row]) {
        self.splice(range.clone(), &[]);
        let is_apart = |put_in: &Range<usize>| put_in.end <= range.start || range.end <= put_in.start;
        let Some(put_in) = self.put_in.take().filter(is_apart) else { return };
        let is_beside = put_in.end == range.start || range.end == put_in.start;
        let at = if range.start < put_in.start { put_in.start - range.len() } else { put_in.start };
        let copies = self.rows.slice(at..at + put_in.len());
        let is_whole = copies.iter().map(|row| row.hash).eq(gone.iter().map(|row| row.hash));
        if is_beside || is_whole {
            let origins = align(gone, &copies).origins;
            let mut moved = copies.clone();
            for (copy, origin) in moved.iter_mut().zip(origins) {
                if let Some(own) = origin.row().map(|own| &gone[own]).filter(|own| is_related(own, copy)) {
                    // The row here is the moved one; the row whose id it had until now stays deleted.
                    (copy.id, copy.split_from) = (own.id, own.split_from);
                }
            }
            self.edit_columns(&moved);
            self.splice(at..at + copies.len(), &moved);
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
            self.give_back(&mut new);
        }
        self.assign_ids(&mut new);
        self.edit_columns(&new);
        let end = range.start + new.len();
        let ids: Vec<RowId> = new.iter().map(|row| row.id).filter(|id| *id >= first_new_id).collect();
        self.splice(range.clone(), &new);
        let in_doubt = old.iter().zip(&alignment.in_doubt).filter(|(_, in_doubt)| **in_doubt);
        self.doubt(in_doubt.map(|(row, _)| row));
        self.put_in = (old.is_empty() && writer.is_none()).then_some(range.start..end);
        match writer.and_then(|writer| self.anchors.get_mut(&writer)) {
            Some(anchor) => anchor.adopt(ids.into_iter()),
            // Rows that are put in, and those of a split row, may be copies, so their ids are not restored.
            None if old.len() < 2 => {}
            None => self.restore_unique(range.start..end, &alignment.origins),
        }
    }

    /// Gives rows that come in, and have no id yet, the ids that they had when they were deleted. One with a text that
    /// no other row ever had is known again, and its neighbours with it as they were there then. Every other row is new:
    /// a pasted copy is a copy.
    fn give_back(&self, new: &mut [Row]) {
        let mut counts: HashMap<u64, usize> = HashMap::new();
        for row in new.iter() {
            *counts.entry(row.nonblank_hash).or_default() += 1;
        }
        let (mut given, mut lookups) = (HashSet::new(), MAX_LOOKUPS);
        for at in 0..new.len() {
            let row = &new[at];
            let owner = self.owners.get(&row.nonblank_hash).copied().flatten();
            let is_alone = row.id == 0 && is_telling(&row.text) && counts.get(&row.nonblank_hash) == Some(&1);
            let Some(owner) = owner.filter(|owner| is_alone && self.rows.find(*owner).is_none()) else {
                continue;
            };
            if lookups == 0 {
                return;
            }
            lookups -= 1;
            let Some((then, from)) = self.snapshots.last_with(owner) else { continue };
            let kept = |new: &[Row], (at, from): (usize, usize), given: &HashSet<RowId>| {
                let row = then.get(from).filter(|row| row.hash == new[at].hash && new[at].id == 0)?;
                let is_free = !given.contains(&row.id) && !self.in_doubt.has(row.id);
                (is_free && self.rows.find(row.id).is_none()).then(|| row.clone())
            };
            let above = (1..=at.min(from)).map(|by| (at - by, from - by));
            let below = (1..new.len() - at).map(|by| (at + by, from + by));
            let Some(own) = kept(new, (at, from), &given) else { continue };
            let above = above.map_while(|(at, from)| Some((at, kept(new, (at, from), &given)?)));
            let below = below.map_while(|(at, from)| Some((at, kept(new, (at, from), &given)?)));
            for (at, row) in above.chain(below).chain([(at, own)]).collect::<Vec<_>>() {
                given.insert(row.id);
                new[at] = row;
            }
        }
    }

    /// Restores the row ids of a snapshot of this text, if exactly one agrees with the known ids: those of the rows
    /// outside of the change, and of the rows in it whose text did not change.
    fn restore_unique(&mut self, changed: Range<usize>, origins: &[Origin]) {
        let is_known = |at: usize| {
            let origin = at.checked_sub(changed.start).and_then(|at| origins.get(at));
            origin.is_none_or(|origin| matches!(origin, Origin::Same(_)))
        };
        let fits = |version: &&Version| {
            let mut pairs = version.rows.iter().zip(self.rows.iter()).enumerate();
            version.rows.len() == self.rows.len()
                && pairs.all(|(at, (then, now))| then.id == now.id || !is_known(at))
        };
        let mut fitting = self.snapshots.versions(self.rows.text_hash()).filter(fits);
        let only = fitting.next().filter(|_| fitting.next().is_none());
        let only = only.map(|version| (version.rows.clone(), version.in_doubt.clone()));
        drop(fitting);
        if let Some((rows, in_doubt)) = only {
            self.in_doubt = in_doubt;
            self.replace_ids(rows);
        }
    }

    /// Restores the row ids of the snapshot of this text that differs least from the current ids. If several differ
    /// equally, a row for which they have different ids is in doubt.
    pub(super) fn restore_closest(&mut self) {
        let mut closest: Vec<&Version> = Vec::new();
        let mut least = usize::MAX;
        for version in self.snapshots.versions(self.rows.text_hash()) {
            let pairs = version.rows.iter().zip(self.rows.iter());
            let distance = pairs.filter(|(then, now)| then.id != now.id).count();
            match distance.cmp(&least) {
                Ordering::Less => (closest, least) = (vec![version], distance),
                Ordering::Equal => closest.push(version),
                Ordering::Greater => {}
            }
        }
        let Some((first, others)) = closest.split_first() else { return };
        let mut in_doubt = first.in_doubt.clone();
        if others.is_empty() {
            let rows = first.rows.clone();
            self.in_doubt = in_doubt;
            self.replace_ids(rows);
            return;
        }
        for other in others {
            in_doubt.add(&other.in_doubt);
        }
        let (mut rows, mut lost) = (first.rows.iter().cloned().collect::<Vec<_>>(), Vec::new());
        for (at, other) in others.iter().flat_map(|other| other.rows.iter().enumerate()) {
            if rows[at].id != other.id {
                lost.extend([rows[at].clone(), other.clone()]);
                (rows[at].id, rows[at].split_from) = (0, None);
            }
        }
        self.in_doubt = in_doubt;
        self.assign_ids(&mut rows);
        self.replace_ids(rows.into_iter().collect());
        self.doubt(lost.iter());
    }

    /// It is unknown where these rows are. This is kept with the text: where a snapshot tells which row is which, it
    /// tells which are not there, too.
    fn doubt<'a>(&mut self, rows: impl Iterator<Item = &'a Row>) {
        let anchors = &self.anchors;
        let is_needed = |row: &&Row| anchors.values().any(|anchor| anchor.needs(row.id, row.split_from));
        self.in_doubt.extend(rows.filter(is_needed).map(|row| (row.id, row.split_from)));
    }

    /// Replaces the ids of all rows: `rows` have the same text as the current ones.
    pub(super) fn replace_ids(&mut self, rows: Rows) {
        let before = std::mem::replace(&mut self.rows, rows);
        let back: Vec<Row> = self.rows.apart(&before).cloned().collect();
        self.edit_columns(&back);
    }

    pub(super) fn edit_columns(&mut self, rows: &[Row]) {
        let (current, written) = (self.texts.current(), self.written_anchor);
        let others = self.anchors.iter_mut().filter(|(id, _)| written != Some(**id));
        for (_, anchor) in others.filter(|(_, anchor)| anchor.has_columns()) {
            for row in rows {
                anchor.edit_columns(row, current);
            }
        }
    }

    pub(super) fn splice(&mut self, range: Range<usize>, new: &[Row]) {
        self.bytes -= self.rows.slice(range.clone()).iter().map(|row| row.text.len()).sum::<usize>();
        self.bytes += new.iter().map(|row| row.text.len()).sum::<usize>();
        self.rows.splice(range, new);
        self.record_owners(new);
    }

    /// Records these rows as owners of their texts.
    pub(super) fn record_owners(&mut self, rows: &[Row]) {
        for row in rows {
            let owner = self.owners.entry(row.nonblank_hash).or_insert(Some(row.id));
            *owner = owner.filter(|id| *id == row.id);
        }
        if self.owners.len() > MAX_TEXTS {
            // Without the owners of texts no deleted row can be identified by its text.
            self.owners.clear();
            self.record_owners(&self.rows.slice(0..self.rows.len()));
        }
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
