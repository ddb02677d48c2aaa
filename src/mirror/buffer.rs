//! The mirror of one buffer, as its events change it: its text (`text`), the ranges in it, and what the plugin says of
//! their display marks (`marks`). What is asked of a mirror is in the files beside: `intents` for the answers to write,
//! `review` for held answers, `places` for where the ranges are, `on_disk` for where they are in the file.

mod intents;
mod marks;
mod on_disk;
mod places;
mod review;
mod text;

use std::ops::Range;

pub use intents::Need;
pub use on_disk::RangeOnDisk;
pub use text::MirrorState;

use super::answers::Answers;
use super::event::{Mark, Notice};
use super::query::Findings;
use super::ranges::Ranges;
use super::reviews::{Reviews, ViewDue};
use super::selected::SavedRows;
use super::sent::Sent;
use super::shown::ShownMarks;
use crate::document::Document;
use marks::ReportedMarks;
use text::MirroredText;

/// See the module.
#[derive(Debug, Default)]
pub struct Buffer {
    name: Vec<u8>,
    text: MirroredText,
    ranges: Ranges,
    answers: Answers,
    reviews: Reviews,
    marks: ReportedMarks,
    shown: ShownMarks,
    /// The file was written, and the host has not reported the ranges in it yet.
    is_written: bool,
}

impl Buffer {
    /// What the mirror knows of its buffer.
    pub fn state(&self) -> MirrorState {
        self.text.state()
    }

    /// Whether the buffer has a text that the mirror does not know and could get.
    pub fn needs_text(&self) -> bool {
        self.text.is_missing()
    }

    /// Whether the host follows the buffer. If so, the plugin reports every reload (`:edit`) of it.
    pub fn is_followed(&self) -> bool {
        self.state() != MirrorState::Unknown
    }

    /// The bytes of memory that it takes, roughly.
    pub fn memory(&self) -> usize {
        self.text.document().map_or(0, Document::memory)
    }

    /// The name of the buffer.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// The jobs whose ranges are in this buffer.
    pub fn jobs(&self) -> impl Iterator<Item = u64> + '_ {
        self.ranges.jobs()
    }

    /// Whether the range of a job is in this buffer.
    pub fn has(&self, job: u64) -> bool {
        self.ranges.has(job)
    }

    /// Replaces the whole document by the text that Neovim sends after an attach.
    pub fn whole(&mut self, tick: Option<u64>, rows: &[Vec<u8>]) {
        match self.text.document_mut() {
            Some(document) => {
                document.reload(rows);
                self.follow_reviews();
            }
            None => self.text.begin(rows),
        }
        self.reviews.invalidate(ViewDue::Now);
        self.text.complete(tick);
        self.shown.lose_track();
        self.check_size(rows);
    }

    /// Applies a change of rows. `step` is the step of the last write call that made the change; none for any other.
    pub fn lines(&mut self, tick: Option<u64>, range: Range<usize>, rows: &[Vec<u8>], step: Option<usize>) {
        let Some(document) = self.text.changed(tick, &range) else { return };
        self.shown.change(&range, rows.len());
        self.reviews.invalidate(ViewDue::AtPause);
        match step.and_then(|step| self.answers.anchor(step)) {
            Some(anchor) => document.apply_answer(anchor, range, rows),
            None => document.apply(range, rows),
        }
        self.check_size(rows);
    }

    /// Handles the end of an undo or a redo.
    pub fn settle(&mut self, tick: u64) {
        if self.text.settle(tick) {
            self.follow_reviews();
            self.reviews.invalidate(ViewDue::Now);
            self.shown.invalidate();
        }
    }

    /// The text may have other writes in it.
    fn follow_reviews(&mut self) {
        let (ranges, document) = (&self.ranges, self.text.document());
        self.reviews.follow(|job| document?.last_write(ranges.anchor(job)?));
    }

    /// Handles a detach: Neovim sends no more events.
    pub fn detach(&mut self) {
        self.text.detach();
    }

    /// Applies the state of the buffer that the plugin reports.
    pub fn notice(&mut self, mut notice: Notice) {
        self.text.load(&notice);
        self.is_written = self.text.is_loaded() && (self.is_written || notice.is_written);
        self.shown.contacted();
        self.reviews.invalidate(ViewDue::Now);
        if !self.text.is_loaded() {
            // The notice's name is not adopted: it may belong to the text that Neovim reads next.
            return;
        }
        if !self.is_followed() && self.name != notice.name {
            // If the name differs from that of the last notice, Neovim has used the buffer number for another file. The
            // ranges are lost: a display mark that still exists is in another text.
            self.text.forget();
            self.ranges.lose();
        }
        self.name = std::mem::take(&mut notice.name);
        self.text.compare(&notice);
        match self.text.state() {
            MirrorState::Sure => self.marked(notice.tick, notice.marks),
            MirrorState::TooLarge => {
                notice.marks.iter().for_each(|mark| self.ranges.offered(mark));
                self.marks.report_excerpts(notice.marks);
            }
            MirrorState::Unknown | MirrorState::Unsure => {}
        }
    }

    /// Takes what the plugin reports of its display marks in a text that is known.
    fn marked(&mut self, tick: u64, marks: Vec<Mark>) {
        let Some(document) = self.text.document_mut() else { return };
        self.marks.report(tick, &marks);
        for mut mark in marks {
            self.shown.set(mark.job, mark.place.as_ref());
            if let Some(before) = mark.before.take() {
                self.answers.remember(mark.job, before);
            }
            if let (Some(sent), Some(SavedRows { base: Some(_), .. })) = (&mark.sent, &mark.saved) {
                self.reviews.resume(mark.job, sent.selected.pieces());
            }
            self.ranges.marked(mark, document, tick);
        }
        self.shown.keep(|job| self.ranges.has(job));
    }

    /// Whether the plugin has to say where its marks are.
    pub fn needs_marks(&self) -> bool {
        self.text.is_fed() && self.ranges.needs_marks()
    }

    /// The plugin has said where all its marks are.
    pub fn marks_complete(&mut self) {
        if let Some((document, tick)) = self.text.sure_mut() {
            self.ranges.marks_complete(document, tick);
            self.shown.invalidate();
        }
        self.marks.complete();
    }

    /// Follows the range of a request from now on.
    pub fn sent(&mut self, sent: Sent) {
        let (job, document) = (sent.job, self.text.sure_mut());
        let is_of_this_text = document.as_ref().is_some_and(|(_, tick)| sent.tick == Some(*tick));
        self.ranges.sent(sent, document);
        if is_of_this_text {
            // The plugin set the display mark at the place that the request names.
            let place = self.place(job, None);
            self.shown.set(job, place.as_ref());
        }
        self.shown.invalidate();
    }

    /// Handles the end of a job whose answer is not held: ends its review, and returns the replies to the queries that
    /// still wait for that review.
    pub fn ended(&mut self, job: u64) -> Vec<(u64, Findings)> {
        self.ranges.ended(job, self.text.document_mut());
        self.answers.keep(&self.ranges);
        self.shown.keep(|job| self.ranges.has(job));
        self.reviews.forget(job)
    }

    /// Forgets the document if it is too large, and with it the ranges. `rows` are the rows that the last change put
    /// in.
    fn check_size(&mut self, rows: &[Vec<u8>]) {
        if self.text.drop_if_too_large(rows) {
            self.ranges.lose();
        }
    }
}
