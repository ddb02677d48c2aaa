//! Where the ranges in a buffer are: for queries, for the store, and for the editor's display marks, which Neovim moves
//! by itself. It is told the places again where a mark may be elsewhere.

use std::ops::Range;

use serde_json::json;

use super::super::order::{ContactScope, Order, RangeOnDisk};
use super::Buffer;
use super::text::MirrorState;
use crate::document::{Passage, Place};
use crate::fields::bytes;

/// What the editor was told of the places of its marks.
#[derive(Debug, Default)]
pub struct MarkSync {
    /// A range may be elsewhere than its mark.
    pub may_differ: bool,
    /// The changedtick for which it was told places, until it has taken them.
    under_way: Option<u64>,
    /// It takes no places before it says how the buffer is.
    pub is_refused: bool,
}

impl Buffer {
    /// The range of a job as it is now; none if that is unknown.
    pub fn passage(&self, job: u64) -> Option<Passage> {
        let (tracked, document) = (self.jobs.get(&job)?, self.text.document()?);
        let place = tracked.place(document)?;
        Some(Passage::new(place, document.rows()))
    }

    /// Takes a query. Nothing is said of a text that is unsure before the editor was contacted.
    pub fn query(&mut self, token: u64) {
        if self.text.state() == MirrorState::Unsure {
            self.contact(ContactScope::Marks);
        }
        if self.contacts > 0 { self.queries.push(token) } else { self.tell_view(token) }
    }

    /// Replies with the state, the changedtick and the text.
    pub(super) fn tell_view(&mut self, token: u64) {
        let rows = self.text.document().map(|document| document.rows().clone()).unwrap_or_default();
        let rows: Vec<_> = rows.iter().map(|row| bytes::escape(&row.text)).collect();
        let view = json!({ "link": self.text.state(), "tick": self.text.tick(), "rows": rows });
        self.orders.push(Order::Reply { token, findings: Ok(view) });
    }

    /// Reports the ranges in a file that was written, once for each write, as soon as the text is known. A range that is
    /// lost but may still exist is left out.
    pub fn report_ranges_on_disk(&mut self) {
        let Some(document) = self.text.sure().filter(|_| self.text.is_written) else { return };
        for (job, tracked) in &self.jobs {
            let Some(anchor) = tracked.anchor() else { continue };
            let place = document.place(anchor);
            if place.is_some() || document.is_gone(anchor) {
                self.orders.push(Order::RangeOnDisk(RangeOnDisk {
                    job: *job,
                    path: self.name.clone(),
                    passage: place.map(|place| Passage::new(place, document.rows())),
                    base: tracked.taken_base(),
                }));
            }
        }
        self.text.is_written = false;
    }

    /// Tells the editor the places of its marks, none where a range is lost, after a change that may have moved one.
    pub fn send_places(&mut self) {
        let (tick, Some(document)) = (self.text.tick(), self.text.sure()) else { return };
        if !self.sync.may_differ || self.sync.under_way.is_some() || self.sync.is_refused {
            return;
        }
        self.sync.may_differ = false;
        let mut places = Vec::new();
        for (job, tracked) in self.jobs.iter_mut().filter(|(_, tracked)| tracked.is_decided()) {
            tracked.mark = tracked.anchor().and_then(|anchor| document.place(anchor));
            places.push((*job, tracked.mark.clone()));
        }
        if !places.is_empty() {
            self.sync.under_way = Some(tick);
            self.orders.push(Order::Places { buffer: self.number, tick, places });
        }
    }

    /// Handles the editor's reply to places: its changedtick when it got them, none if it took none. It has put its marks
    /// there only if that is the one that it was told of.
    pub fn placed(&mut self, tick: Option<u64>) {
        if let Some(tick) = tick {
            self.text.raise(tick);
        }
        let told = self.sync.under_way.take();
        self.sync.is_refused = tick.is_none();
        self.sync.may_differ |= tick != told;
    }

    /// Rows were replaced by so many others. Only what an edit of one row cannot have moved is taken to be where it was.
    pub fn move_marks(&mut self, rows: &Range<usize>, len: usize) {
        let is_edit = rows.len() == 1 && len == 1;
        let mut marks = self.jobs.values().filter_map(|tracked| tracked.mark.as_ref());
        self.sync.may_differ |= !is_edit || marks.any(|mark| !is_apart(rows.start, mark));
    }
}

/// Whether the edit of a row cannot have moved a mark. A line that is set again moves one at the start of the next, too.
fn is_apart(row: usize, place: &Place) -> bool {
    let rows = place.rows();
    let first = if rows.is_empty() { rows.start.saturating_sub(1) } else { rows.start };
    row < first || row > rows.start.max(rows.end.saturating_sub(1))
}
