//! A document: the text of a buffer, in which every row has an identity.
//!
//! The mirror passes each change as the editor reports it (rows of a range were replaced by others), and the document
//! finds out which row is which, by aligning old and new rows (`align`). A range is known by the ids of its rows
//! (`anchor`), and a part of a row by its columns (`columns`), so its place follows from them, or it is lost. Where identity
//! is uncertain, nothing is guessed. Undo and redo lead to an earlier text, with all that was known of it (`history`).
//!
//! Pure: it knows no editor, no clock and no file, and never reads the text by itself.

mod align;
mod anchor;
mod change;
mod columns;
mod history;
mod passage;
mod rows;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

pub use align::{is_telling, rising};
pub use anchor::Place;
pub use columns::shifted;
pub use history::WriteNumber;
pub use passage::Passage;
pub use rows::{Row, RowId, Rows};

use align::align;
use anchor::Anchor;
use history::{History, Standing, Standings};
use rows::Hasher;

/// The most rows of a text that is mirrored.
pub const MAX_ROWS: usize = 100_000;
/// The most bytes of a text that is mirrored.
pub const MAX_BYTES: usize = 16 << 20;
/// The most bytes of one row of it.
pub const MAX_ROW_BYTES: usize = 256 << 10;

/// The id of an anchor in its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AnchorId(u64);

/// A range: the rows that were sent and the present ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// The range as sent or, once its answer has been written, the rows that were written.
    pub base: Passage,
    /// The range in the current text.
    pub now: Passage,
}

/// The rows of a text, by identity, through all its changes.
#[derive(Debug, Default)]
pub struct Document {
    rows: Rows,
    hasher: Hasher,
    next_id: RowId,
    /// The earlier texts.
    history: History,
    /// How the ranges stand in this one.
    standings: Standings,
    writes: WriteNumber,
    /// This text is surely the end of a step.
    is_end: bool,
    bytes: usize,
    /// The rows before the last change, if that was an edit of one row.
    before_edit: Option<Rows>,
    /// The rows that the last change put in, if it did nothing else: rows that the next change deletes may have been
    /// moved there.
    put_in: Option<Range<usize>>,
    /// The rows that were deleted last, which may be put back.
    deleted: Vec<Row>,
    anchors: BTreeMap<AnchorId, Anchor>,
    next_anchor: u64,
    /// The range whose answer is being written: [`Document::landed`] then says where it is.
    written_anchor: Option<AnchorId>,
}

impl Document {
    /// A document with this text and no history.
    pub fn new<R: AsRef<[u8]>>(text: impl IntoIterator<Item = R>) -> Self {
        let mut document = Self { next_id: 1, next_anchor: 1, ..Self::default() };
        let mut rows = document.rows_without_ids(text);
        if rows.is_empty() {
            rows = document.rows_without_ids([""]);
        }
        document.assign_ids(&mut rows);
        document.splice(0..0, &rows);
        document
    }

    /// The current rows.
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
        self.bytes + self.rows.len() * 96 + self.history.memory(self.rows.chunks())
    }

    /// Replaces the rows of `range`, for a change that is not the write of an answer.
    pub fn apply<R: AsRef<[u8]>>(&mut self, range: Range<usize>, new: &[R]) {
        self.change(range, new, None);
    }

    /// Replaces the whole text by what was read again.
    pub fn reload<R: AsRef<[u8]>>(&mut self, text: &[R]) {
        self.apply(0..self.rows.len(), text);
        self.settle();
    }

    /// Replaces the rows of `range`, for a change that writes the answer of `anchor`: new rows belong to the answer,
    /// whatever their text is.
    pub fn apply_answer<R: AsRef<[u8]>>(&mut self, anchor: AnchorId, range: Range<usize>, new: &[R]) {
        self.change(range, new, Some(anchor));
    }

    /// Handles the end of an undo or a redo: restores the row ids, the answers and the columns that this text had before.
    pub fn settle(&mut self) {
        self.put_in = None;
        self.deleted.clear();
        self.restore();
    }

    /// Follows a range from now on.
    pub fn anchor(&mut self, place: &Place) -> AnchorId {
        let id = AnchorId(self.next_anchor);
        self.next_anchor += 1;
        // The rows of this range keep their ids: a later deletion must not identify them as moved rows.
        self.put_in = None;
        self.is_end = true;
        self.anchors.insert(id, Anchor::new(place, &self.rows, self.next_id));
        let mut standing = Standing::default();
        standing.parts.set(&place.bounds(), &self.rows);
        Arc::make_mut(&mut self.standings).insert(id, standing);
        id
    }

    /// Sets the base of a range to the rows that were sent, if the text had changed before the range was located. Sent
    /// rows that are still there unchanged get the ids of the current rows; the others get new ids.
    pub fn set_sent_base<R: AsRef<[u8]>>(&mut self, anchor: AnchorId, place: Place, base: &[R]) {
        let Some(known) = self.anchors.get(&anchor).map(|anchor| anchor.base().rows.clone()) else { return };
        if known.iter().map(|row| &row.text[..]).eq(base.iter().map(AsRef::as_ref)) {
            // The text is what was sent, so the rows are the sent ones, also where several have equal text.
            return self.rebased(anchor, Passage { place, rows: known });
        }
        let mut rows = self.rows_without_ids(base);
        for (at, origin) in known.iter().zip(align(&rows, &known).origins) {
            if let Some(row) =
                origin.row().and_then(|row| rows.get_mut(row)).filter(|row| row.hash == at.hash)
            {
                (row.id, row.split_from) = (at.id, at.split_from);
            }
        }
        self.assign_ids(&mut rows);
        self.rebased(anchor, Passage { place, rows });
    }

    /// Stops following a range.
    pub fn forget(&mut self, anchor: AnchorId) {
        self.anchors.remove(&anchor);
        Arc::make_mut(&mut self.standings).remove(&anchor);
    }

    /// Sets the place of an anchor whose answer was written. The written bytes are no longer part of any other range.
    pub fn landed(&mut self, anchor: AnchorId, place: &Place) {
        // The write is one undo step, however many changes it took.
        (self.written_anchor, self.before_edit, self.is_end) = (None, None, true);
        self.writes += 1;
        for (id, standing) in Arc::make_mut(&mut self.standings) {
            if *id == anchor {
                standing.parts.set(&place.bounds(), &self.rows);
                standing.written = Some(self.writes);
            } else {
                standing.parts.yield_to(&place.bounds(), &self.rows);
            }
        }
        if let Some(anchor) = self.anchors.get_mut(&anchor) {
            anchor.set(place, &self.rows);
        }
    }

    /// Sets the base of a range of whose held answer a part was written.
    pub fn rebased(&mut self, anchor: AnchorId, base: Passage) {
        if let Some(anchor) = self.anchors.get_mut(&anchor) {
            anchor.rebase(base);
        }
    }

    /// Where a range is; none if that is unknown.
    pub fn place(&self, anchor: AnchorId) -> Option<Place> {
        self.known(anchor)?.place(&self.standings.get(&anchor)?.parts, &self.rows)
    }

    /// Whether the answer to a range was written, and undo has led to a text without it.
    pub fn is_undone(&self, anchor: AnchorId) -> bool {
        let is_written = self.anchors.get(&anchor).is_some_and(Anchor::is_written);
        is_written && self.last_write(anchor).is_none()
    }

    /// The last write to a range that is in the current text; none if none is.
    pub fn last_write(&self, anchor: AnchorId) -> Option<WriteNumber> {
        self.standings.get(&anchor)?.written
    }

    /// Whether all rows of a range were deleted, so that there is nothing of it left to be found.
    pub fn is_gone(&self, anchor: AnchorId) -> bool {
        self.known(anchor).is_some_and(|anchor| anchor.is_gone(&self.rows))
    }

    /// Whether only the editor's mark can say which part of its rows a range is.
    pub fn needs_mark(&self, anchor: AnchorId) -> bool {
        self.standings.get(&anchor).is_some_and(|standing| standing.parts.is_in_doubt())
    }

    /// The editor's mark of a range is here in this text: that decides where a part of a row may have several places; if
    /// it has none of them, or there is none, the range is lost.
    pub fn decide(&mut self, anchor: AnchorId, mark: Option<&Place>) {
        if self.needs_mark(anchor)
            && let Some(standing) = Arc::make_mut(&mut self.standings).get_mut(&anchor)
        {
            standing.parts.decide(&mark.map(Place::bounds).unwrap_or_default(), &self.rows);
        }
    }

    /// An anchor; none if a row that it needs is in doubt, or if none of its rows is there, though that answer is undone
    /// which had deleted them.
    fn known(&self, anchor: AnchorId) -> Option<&Anchor> {
        let (id, anchor) = (anchor, self.anchors.get(&anchor)?);
        let is_lost = self.standings.get(&id).is_some_and(|standing| standing.is_lost);
        let is_deleted = anchor.is_emptied() && self.is_undone(id) && !anchor.has_rows(&self.rows);
        (!is_deleted && !is_lost).then_some(anchor)
    }

    /// A range with its rows, as `review::merge` takes them; none if its place is unknown.
    pub fn locate(&self, anchor: AnchorId) -> Option<Located> {
        let now = Passage::new(self.place(anchor)?, &self.rows);
        Some(Located { base: self.anchors.get(&anchor)?.base().clone(), now })
    }
}
