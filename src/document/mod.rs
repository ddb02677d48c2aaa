//! A document: the text of a buffer, in which every row has an identity.
//!
//! The mirror passes each change as the editor reports it (rows of a range were replaced by others), and the document
//! finds out which row is which: by aligning old and new rows (`align`), by the rows that were deleted (`deleted`), by
//! earlier texts (`snapshots`). A range is known by the ids of its rows (`anchor`), so its place follows from them, or
//! it is lost. Where identity is uncertain, nothing is guessed.
//!
//! Pure: it knows no editor, no clock and no file, and never reads the text by itself.

mod align;
mod anchor;
mod columns;
mod deleted;
mod passage;
mod rows;
mod snapshots;

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

pub use align::{rising, unchanged};
pub use anchor::Place;
pub use columns::shifted;
pub use passage::Passage;
pub use rows::{Row, RowId, Rows};

use align::{Origin, align, is_related};
use anchor::Anchor;
use deleted::Deleted;
use rows::Hasher;
use snapshots::Snapshots;

/// The most rows of a text that is mirrored.
pub const MAX_ROWS: usize = 100_000;
/// The most bytes of a text that is mirrored.
pub const MAX_BYTES: usize = 16 << 20;
/// The most bytes of one row of it.
pub const MAX_ROW_BYTES: usize = 256 << 10;

/// The most texts of which it is known which row had them: more than a text may have rows.
const MAX_TEXTS: usize = 4 * MAX_ROWS;

/// What an anchor is called in its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AnchorId(u64);

/// A range: the rows that were sent and the present ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// When it was made or, once its answer was written, as that was written.
    pub base: Passage,
    /// Now.
    pub now: Passage,
}

/// The rows of a text, by identity, through all its changes.
#[derive(Debug)]
pub struct Document {
    rows: Rows,
    hasher: Hasher,
    next_id: RowId,
    deleted: Deleted,
    snapshots: Snapshots,
    /// The row that had a text at any time, by its hash without white space; none where several had: then it identifies
    /// none of them.
    owners: HashMap<u64, Option<RowId>>,
    bytes: usize,
    /// The rows before the last change, if that was an edit of one row.
    before_edit: Option<Rows>,
    /// The rows that the last change put in, if it did nothing else: what is deleted next may have been moved there.
    put_in: Option<Range<usize>>,
    /// Rows whose ids a snapshot may know better came in since the last undo or redo.
    is_unsettled: bool,
    anchors: BTreeMap<AnchorId, Anchor>,
    next_anchor: u64,
    /// The range whose answer is being written: [`Document::landed`] then says where it is.
    writing: Option<AnchorId>,
}

impl Document {
    /// A text without a history.
    pub fn new<R: AsRef<[u8]>>(text: impl IntoIterator<Item = R>) -> Self {
        let mut document = Self {
            rows: Rows::default(),
            hasher: Hasher::default(),
            next_id: 1,
            deleted: Deleted::default(),
            snapshots: Snapshots::default(),
            owners: HashMap::new(),
            bytes: 0,
            before_edit: None,
            put_in: None,
            is_unsettled: false,
            anchors: BTreeMap::new(),
            next_anchor: 1,
            writing: None,
        };
        let mut rows = document.unknown(text);
        if rows.is_empty() {
            rows = document.unknown([""]);
        }
        document.name(&mut rows);
        document.splice(0..0, &rows);
        document
    }

    /// The rows as they are.
    pub fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Whether the text, or one of these rows, is too large to be mirrored.
    pub fn is_too_large<R: AsRef<[u8]>>(&self, rows: &[R]) -> bool {
        self.rows.len() > MAX_ROWS
            || self.bytes > MAX_BYTES
            || rows.iter().any(|row| row.as_ref().len() > MAX_ROW_BYTES)
    }

    /// The bytes of memory that it takes, roughly.
    pub fn memory(&self) -> usize {
        const ROW: usize = 96;
        const SNAPSHOT: usize = 12 << 10;
        const CHUNK: usize = 8;
        const TEXT: usize = 32;
        let snapshots = self.snapshots.len() * (SNAPSHOT + self.rows.chunks() * CHUNK);
        self.bytes + self.rows.len() * ROW + self.owners.len() * TEXT + snapshots
    }

    /// Rows `range` were replaced by others, by anything but an answer of ours.
    pub fn apply<R: AsRef<[u8]>>(&mut self, range: Range<usize>, new: &[R]) {
        self.change(range, new, None);
    }

    /// Rows `range` were replaced by others while the answer of an anchor was written: those that are new are the
    /// answer's, whatever they read.
    pub fn apply_answer<R: AsRef<[u8]>>(&mut self, anchor: AnchorId, range: Range<usize>, new: &[R]) {
        self.change(range, new, Some(anchor));
    }

    /// An undo or a redo is complete: the text has the rows that it had.
    pub fn settle(&mut self) {
        self.put_in = None;
        if std::mem::take(&mut self.is_unsettled) {
            self.recall_closest();
        }
        let text = self.rows.text_hash();
        for anchor in self.anchors.values_mut().filter(|anchor| anchor.has_columns()) {
            anchor.recall_columns(text);
        }
    }

    /// Follows a range from now on.
    pub fn anchor(&mut self, place: &Place) -> AnchorId {
        let id = AnchorId(self.next_anchor);
        self.next_anchor += 1;
        // What is selected now is what it is, wherever its rows came from.
        self.put_in = None;
        self.snapshots.pin(&self.rows);
        self.anchors.insert(id, Anchor::new(place, &self.rows, self.next_id));
        id
    }

    /// A range was this when it was sent, though its rows read otherwise by the time it was known where it is. Those of
    /// them that are there unchanged are the same rows; the others are rows that it has no more.
    pub fn rebase<R: AsRef<[u8]>>(&mut self, anchor: AnchorId, place: Place, base: &[R]) {
        let Some(known) = self.anchors.get(&anchor).map(|anchor| anchor.base().rows.clone()) else { return };
        if known.iter().map(|row| &row.text[..]).eq(base.iter().map(AsRef::as_ref)) {
            // Its text is what was sent, so its rows are those that were sent, also among equal ones.
            return;
        }
        let mut rows = self.unknown(base);
        for (at, origin) in known.iter().zip(unchanged(base, &known)) {
            if let Some(row) = origin.and_then(|origin| rows.get_mut(origin)) {
                (row.id, row.split_from) = (at.id, at.split_from);
            }
        }
        self.name(&mut rows);
        if let Some(anchor) = self.anchors.get_mut(&anchor) {
            anchor.rebase(Passage { place, rows });
        }
    }

    /// Follows it no more.
    pub fn forget(&mut self, anchor: AnchorId) {
        if let Some(anchor) = self.anchors.remove(&anchor) {
            self.snapshots.unpin(anchor.at());
        }
    }

    /// The text when an anchor was made.
    pub fn text_at(&self, anchor: AnchorId) -> Option<&Rows> {
        self.anchors.get(&anchor).map(Anchor::at)
    }

    /// The answer of an anchor was written, and is here now. Those bytes are no part of another range.
    pub fn landed(&mut self, anchor: AnchorId, place: &Place) {
        self.writing = None;
        self.before_edit = None;
        // It is one step of undo, however many changes it took.
        self.snapshots.remember(&self.rows);
        for (id, other) in &mut self.anchors {
            if *id == anchor {
                other.set(place, &self.rows);
                other.keep_columns(self.rows.text_hash());
            } else {
                other.cede(place, &self.rows);
            }
        }
    }

    /// What was written to a range is not all of its answer: it is merged with this still.
    pub fn rebased(&mut self, anchor: AnchorId, base: Passage) {
        if let Some(anchor) = self.anchors.get_mut(&anchor) {
            anchor.rebase(base);
        }
    }

    /// Where a range is; none if that is unknown. `mark` is where the editor's own mark of it is now: it decides
    /// where a part of a row may have several places.
    pub fn place(&self, anchor: AnchorId, mark: Option<&Place>) -> Option<Place> {
        self.anchors.get(&anchor)?.place(&self.rows, mark)
    }

    /// Whether all rows of a range were deleted, so that there is nothing of it left to be found.
    pub fn is_gone(&self, anchor: AnchorId) -> bool {
        self.anchors.get(&anchor).is_some_and(|anchor| anchor.is_gone(&self.rows))
    }

    /// Whether the rows of a range are there, though only the editor's mark can say which part of them it is.
    pub fn needs_mark(&self, anchor: AnchorId) -> bool {
        self.anchors.get(&anchor).is_some_and(|anchor| anchor.needs_mark(&self.rows))
    }

    /// A range with its rows, as `land::merge_rows` takes them; none if it is unknown where
    /// it is.
    pub fn locate(&self, anchor: AnchorId, mark: Option<&Place>) -> Option<Located> {
        let now = Passage::new(self.place(anchor, mark)?, &self.rows);
        Some(Located { base: self.anchors.get(&anchor)?.base().clone(), now })
    }

    fn change<R: AsRef<[u8]>>(&mut self, range: Range<usize>, new: &[R], by: Option<AnchorId>) {
        let last = range.end.min(self.rows.len());
        let range = range.start.min(last)..last;
        let mut new = self.unknown(new);
        let old = self.rows.slice(range.clone());
        self.remember_columns(by);
        if by.is_some() {
            // An answer moves no row of others.
            self.put_in = None;
        }
        if let ([old], [new]) = (&old[..], &mut new[..]) {
            (new.id, new.split_from) = (old.id, old.split_from);
            let new = vec![new.clone()];
            self.put_in = None;
            self.edit_columns(&new);
            if self.before_edit.replace(self.rows.clone()).is_none() || by.is_some() {
                self.snapshots.remember(&self.rows);
            }
            self.splice(range, &new);
            return;
        }
        // Joining rows edits one and deletes the next; undo takes back both at once.
        if let Some(rows) = self.before_edit.take() {
            self.snapshots.remember(&rows);
        }
        self.snapshots.remember(&self.rows);
        let is_emptied =
            old.len() == self.rows.len() && new.iter().all(|row| row.text.is_empty()) && new.len() < 2;
        if is_emptied {
            // An empty buffer has one row, which has no history.
            self.put_in = None;
            let mut rows = self.unknown([""]);
            self.name(&mut rows);
            self.splice(range, &rows);
            self.deleted.put(old);
        } else if new.is_empty() {
            self.delete(range, old);
        } else {
            self.replace(range, &old, new, by);
        }
    }

    /// Rows went away. Editors move and filter rows by putting them in first and deleting them then.
    fn delete(&mut self, range: Range<usize>, mut gone: Vec<Row>) {
        self.splice(range.clone(), &[]);
        let Some(put_in) = self.put_in.take().filter(|put| put.end <= range.start || range.end <= put.start)
        else {
            self.deleted.put(gone);
            return;
        };
        let is_beside = put_in.end == range.start || range.end == put_in.start;
        let at = if range.start < put_in.start { put_in.start - range.len() } else { put_in.start };
        let copies = self.rows.slice(at..at + put_in.len());
        let is_whole =
            copies.len() == gone.len() && copies.iter().zip(&gone).all(|(copy, gone)| copy.hash == gone.hash);
        if is_beside || is_whole {
            let origins = align(&gone, &copies).origins;
            let mut moved = copies.clone();
            let mut came_back = Vec::new();
            for (copy, origin) in moved.iter_mut().zip(origins) {
                if let Some(own) = origin.row().map(|own| &gone[own]).filter(|own| is_related(own, copy)) {
                    // One that had come back just now is deleted still: another one was moved here.
                    came_back.push(copy.clone());
                    (copy.id, copy.split_from) = (own.id, own.split_from);
                }
            }
            gone.retain(|row| moved.iter().all(|copy| copy.id != row.id));
            self.edit_columns(&moved);
            self.splice(at..at + copies.len(), &moved);
            self.deleted.put(came_back);
        }
        self.deleted.put(gone);
    }

    fn replace(&mut self, range: Range<usize>, old: &[Row], mut new: Vec<Row>, by: Option<AnchorId>) {
        let alignment = align(old, &new);
        let born = self.next_id;
        let mut is_gone: Vec<bool> = alignment.in_doubt.iter().map(|in_doubt| !in_doubt).collect();
        for (row, origin) in new.iter_mut().zip(&alignment.origins) {
            match *origin {
                Origin::Same(own) | Origin::Edited(own) => {
                    (row.id, row.split_from, is_gone[own]) = (old[own].id, old[own].split_from, false);
                    if row.hash == old[own].hash {
                        row.text = old[own].text.clone();
                    }
                }
                Origin::Split(own) => row.split_from = old[own].split_from.or(Some(old[own].id)),
                Origin::Doubt => row.id = self.new_id(),
                Origin::New => {}
            }
        }
        if old.is_empty() && by.is_none() {
            self.deleted.give_back(&mut new, &self.owners);
        }
        self.name(&mut new);
        self.edit_columns(&new);
        let end = range.start + new.len();
        let gone = old.iter().zip(is_gone).filter(|(_, is_gone)| *is_gone).map(|(row, _)| row.clone());
        let gone: Vec<Row> = gone.collect();
        let ids: Vec<RowId> = new.iter().map(|row| row.id).filter(|id| *id >= born).collect();
        self.splice(range.clone(), &new);
        self.deleted.put(gone);
        let in_doubt = old.iter().zip(&alignment.in_doubt).filter(|(_, in_doubt)| **in_doubt);
        self.doubt(&in_doubt.map(|(row, _)| row.clone()).collect::<Vec<_>>());
        self.is_unsettled = true;
        self.put_in = (old.is_empty() && by.is_none()).then_some(range.start..end);
        match by.and_then(|by| self.anchors.get_mut(&by)) {
            Some(anchor) => anchor.adopt(ids.into_iter()),
            // Rows that are put in, and those of a split row, may be copies.
            None if old.len() < 2 => {}
            None => self.recall(range.start..end, &alignment.origins),
        }
    }

    /// A text that was seen before has the rows that it had, where that fits what is known: the rows outside of the
    /// change, and those in it with the same text.
    fn recall(&mut self, changed: Range<usize>, origins: &[Origin]) {
        let is_known = |at: usize| {
            let origin = at.checked_sub(changed.start).and_then(|at| origins.get(at));
            origin.is_none_or(|origin| matches!(origin, Origin::Same(_)))
        };
        let fits = |version: &&Rows| {
            let mut pairs = version.iter().zip(self.rows.iter()).enumerate();
            version.len() == self.rows.len()
                && pairs.all(|(at, (then, now))| then.id == now.id || !is_known(at))
        };
        let mut fitting = self.snapshots.versions(self.rows.text_hash()).filter(fits);
        let only = fitting.next().filter(|_| fitting.next().is_none()).cloned();
        drop(fitting);
        if let Some(rows) = only {
            self.restore(rows);
        }
    }

    /// The text has the rows that it had; where it had others at different times, those that are nearest to what is
    /// known. Where several of these differ, the row is in doubt.
    fn recall_closest(&mut self) {
        let mut closest: Vec<&Rows> = Vec::new();
        let mut least = usize::MAX;
        for version in self.snapshots.versions(self.rows.text_hash()) {
            let distance =
                version.iter().zip(self.rows.iter()).filter(|(then, now)| then.id != now.id).count();
            match distance.cmp(&least) {
                Ordering::Less => (closest, least) = (vec![version], distance),
                Ordering::Equal => closest.push(version),
                Ordering::Greater => {}
            }
        }
        let Some((first, others)) = closest.split_first() else { return };
        let mut rows: Vec<Row> = first.iter().cloned().collect();
        let mut lost = Vec::new();
        for (at, other) in others.iter().flat_map(|other| other.iter().enumerate()) {
            if rows[at].id != other.id {
                lost.extend([rows[at].clone(), other.clone()]);
                (rows[at].id, rows[at].split_from) = (0, None);
            }
        }
        if lost.is_empty() {
            let rows = (*first).clone();
            self.restore(rows);
        } else {
            self.name(&mut rows);
            self.restore(rows.into_iter().collect());
            self.doubt(&lost);
        }
    }

    /// Where these rows are, if they are anywhere, is not known.
    fn doubt(&mut self, rows: &[Row]) {
        for anchor in self.anchors.values_mut() {
            anchor.doubt(rows);
        }
    }

    /// The text has these rows, which read the same.
    fn restore(&mut self, rows: Rows) {
        let before = std::mem::replace(&mut self.rows, rows);
        let back: Vec<Row> = self.rows.apart(&before).cloned().collect();
        let ids: HashSet<RowId> = back.iter().map(|row| row.id).collect();
        let gone = before.apart(&self.rows).filter(|row| !ids.contains(&row.id)).cloned().collect();
        for row in &back {
            self.deleted.remove(row.id);
        }
        self.edit_columns(&back);
        self.deleted.put(gone);
    }

    /// The text changes next: by an answer, or by anything else.
    fn remember_columns(&mut self, by: Option<AnchorId>) {
        let was_writing = std::mem::replace(&mut self.writing, by);
        if !self.anchors.values().any(Anchor::has_columns) {
            return;
        }
        let text = self.rows.text_hash();
        for (id, anchor) in &mut self.anchors {
            if by != Some(*id) {
                anchor.remember_columns(text);
            } else if was_writing != by {
                anchor.remember_columns(text);
                anchor.keep_columns(text);
            }
        }
    }

    fn edit_columns(&mut self, rows: &[Row]) {
        for (id, anchor) in self.anchors.iter_mut().filter(|(_, anchor)| anchor.has_columns()) {
            if self.writing != Some(*id) {
                for row in rows {
                    anchor.edit_columns(row);
                }
            }
        }
    }

    fn splice(&mut self, range: Range<usize>, new: &[Row]) {
        self.bytes -= self.rows.slice(range.clone()).iter().map(|row| row.text.len()).sum::<usize>();
        self.bytes += new.iter().map(|row| row.text.len()).sum::<usize>();
        self.rows.splice(range, new);
        self.own(new);
    }

    /// These rows have these texts.
    fn own(&mut self, rows: &[Row]) {
        for row in rows {
            let owner = self.owners.entry(row.ink).or_insert(Some(row.id));
            *owner = owner.filter(|id| *id == row.id);
        }
        if self.owners.len() > MAX_TEXTS {
            // Without what is known of texts no deleted row may come back by its own.
            self.deleted = Deleted::default();
            self.owners.clear();
            self.own(&self.rows.slice(0..self.rows.len()));
        }
    }

    /// Rows that nothing is known of; their ids are 0.
    fn unknown<R: AsRef<[u8]>>(&self, text: impl IntoIterator<Item = R>) -> Vec<Row> {
        text.into_iter().map(|text| self.hasher.row(text.as_ref())).collect()
    }

    /// Gives new ids to the rows that have none.
    fn name(&mut self, rows: &mut [Row]) {
        for row in rows.iter_mut().filter(|row| row.id == 0) {
            row.id = self.new_id();
        }
    }

    fn new_id(&mut self) -> RowId {
        self.next_id += 1;
        self.next_id - 1
    }
}
