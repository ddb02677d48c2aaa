//! The intents for the ranges of a buffer: what the host has to do next for those that wait, and what a write call and
//! its reply change.

use super::super::intent::{Intent, SettledIntent};
use super::super::plan::DecidedText;
use super::super::reviews::ViewDue;
use super::super::write::{WriteCall, WriteReply};
use super::{Buffer, MirrorState};
use crate::land::HeldFor;

/// What the host has to do next for the waiting intents of a buffer.
#[derive(Debug, PartialEq, Eq)]
pub enum Need {
    /// Nothing: no intent waits, or all that waited are settled without a write.
    Nothing,
    /// To get its text.
    Text,
    /// To get its changedtick, and where the display marks are.
    Marks,
    /// To get its changedtick, where the display marks are, and the text at them.
    Excerpts,
    /// To write this.
    Write(WriteCall),
}

impl Buffer {
    /// Whether an intent waits.
    pub fn is_waiting(&self) -> bool {
        self.answers.is_waiting()
    }

    /// The jobs whose intent waits.
    pub fn waiting(&self) -> &[u64] {
        self.answers.waiting()
    }

    /// Adds an intent for the range of a job.
    pub fn add_intent(&mut self, job: u64, intent: Intent) {
        self.answers.add_intent(job, intent);
    }

    /// Returns what the host has to do next for the waiting intents, and those that are settled without a write.
    pub fn next(&mut self, attempts: &mut u64) -> (Need, Vec<SettledIntent>) {
        if !self.answers.is_waiting() {
            return (Need::Nothing, Vec::new());
        }
        if let Some(why) = self.text.obstacle() {
            return (Need::Nothing, self.answers.deny(why));
        }
        match self.text.state() {
            MirrorState::TooLarge => self.next_in_large(attempts),
            MirrorState::Unsure => (Need::Marks, Vec::new()),
            MirrorState::Unknown => (Need::Text, Vec::new()),
            MirrorState::Sure => self.next_in_document(attempts),
        }
    }

    fn next_in_large(&mut self, attempts: &mut u64) -> (Need, Vec<SettledIntent>) {
        let Some(excerpts) = self.marks.take_excerpts(self.answers.needs_excerpts()) else {
            return (Need::Excerpts, Vec::new());
        };
        let (call, settled) = self.answers.next_by_marks(&self.ranges, &excerpts, self.text.tick(), attempts);
        (call.map_or(Need::Nothing, Need::Write), settled)
    }

    fn next_in_document(&mut self, attempts: &mut u64) -> (Need, Vec<SettledIntent>) {
        let Some((document, tick)) = self.text.sure_mut() else { return (Need::Text, Vec::new()) };
        if !self.marks.is_of(tick) && self.answers.needs_marks(document, &self.ranges) {
            return (Need::Marks, Vec::new());
        }
        let (ranges, marks, reviews) = (&mut self.ranges, self.marks.places(), &mut self.reviews);
        let (call, settled) =
            self.answers.next(DecidedText { document, ranges, marks, reviews, tick }, attempts);
        self.shown.invalidate();
        (call.map_or(Need::Nothing, Need::Write), settled)
    }

    /// Settles a written step. The document has all changes of the step, and no later ones.
    pub fn written(&mut self, step: usize) -> Option<SettledIntent> {
        let document = self.text.document_mut()?;
        let (settled, mark) = self.answers.written(document, &mut self.ranges, &mut self.reviews, step)?;
        self.reviews.invalidate(ViewDue::Now);
        self.shown.set(settled.job, Some(&mark));
        Some(settled)
    }

    /// Handles the reply to a write call. The document has all changes that came before the reply.
    pub fn replied(&mut self, reply: Option<&WriteReply>) -> Vec<SettledIntent> {
        if let Some(WriteReply::Stale { tick } | WriteReply::Done { tick, .. }) = reply {
            self.text.raise(*tick);
        }
        if reply.is_some_and(WriteReply::differs) {
            self.text.distrust();
        }
        self.answers.replied(reply, self.text.document_mut(), &self.ranges)
    }

    /// Ends the mirror, and denies every intent that waits.
    pub fn give_up(&mut self, reply: Option<&WriteReply>) -> Vec<SettledIntent> {
        let mut settled = self.answers.replied(reply, None, &self.ranges);
        settled.extend(self.answers.deny(HeldFor::BufferGone));
        settled
    }
}
