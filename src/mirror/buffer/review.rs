//! The reviews of the held answers in a buffer: their proposals, and taking and dropping their hunks.

use std::collections::BTreeMap;

use super::super::intent::{Intent, SettledIntent, Settlement};
use super::super::plan::locate;
use super::super::query::{Findings, MirrorQuery, ReviewQuery};
use super::super::reviews::{CurrentText, ReviewUpdate, ViewDue, chosen};
use super::{Buffer, MirrorState};
use crate::document::Place;
use crate::land::{Bytes, HeldFor};
use crate::review::EditId;

impl Buffer {
    /// Whether a question can only be answered by where the editor's marks are now.
    pub fn needs_marks_for(&self, question: &MirrorQuery) -> bool {
        let MirrorQuery::Review { job, .. } = question else { return false };
        self.needs_mark_of(*job)
    }

    /// Whether only the editor's mark, as it is now, tells where the range of a job is.
    fn needs_mark_of(&self, job: u64) -> bool {
        let anchor = self.ranges.anchor(job).zip(self.text.document());
        let needs_mark = anchor.is_some_and(|(anchor, document)| document.needs_mark(anchor));
        needs_mark && self.state() == MirrorState::Sure && !self.marks.is_of(self.text.tick())
    }

    /// Where the editor's marks are now, as far as that is known.
    fn current_marks(&self) -> BTreeMap<u64, Place> {
        if self.marks.is_of(self.text.tick()) { self.marks.places().clone() } else { BTreeMap::new() }
    }

    /// Does what is asked of a review. What is not replied at once is replied with the next view.
    pub fn ask(
        &mut self,
        token: u64,
        job: u64,
        asked: &ReviewQuery,
    ) -> (Option<Findings>, Option<SettledIntent>) {
        match asked {
            ReviewQuery::Watch { lines, dropped } => {
                self.reviews.set(job, lines, dropped.clone());
                self.reviews.watch(job);
                (self.reply(job, token, Findings::Nothing), None)
            }
            ReviewQuery::Take(hunks) => {
                self.add_intent(job, Intent::Take { hunks: hunks.clone(), token });
                (None, None)
            }
            ReviewQuery::Drop(ids) => match self.drop_hunks(job, ids.as_deref()) {
                Ok((done, None)) => (self.reply(job, token, Findings::Done(done)), None),
                Ok((done, Some(settlement))) => {
                    let reply = Some((token, Findings::Done(done)));
                    (None, Some(SettledIntent { reply, ..SettledIntent::new(job, settlement) }))
                }
                Err(findings) => (self.reply(job, token, findings), None),
            },
            ReviewQuery::Undrop(ids) => {
                let findings = self.undrop(job, ids).map_or_else(|findings| findings, Findings::Done);
                (self.reply(job, token, findings), None)
            }
        }
    }

    /// Replies with the next view; gives back what has to be replied at once, as there is none.
    pub fn reply(&mut self, job: u64, token: u64, findings: Findings) -> Option<Findings> {
        self.reviews.reply(job, token, findings).err()
    }

    /// Drops hunks, or all. Where nothing is left, what becomes of the answer.
    fn drop_hunks(
        &mut self,
        job: u64,
        ids: Option<&[EditId]>,
    ) -> Result<(Vec<EditId>, Option<Settlement>), Findings> {
        self.text.known().map_err(Findings::Unknown)?;
        let marks = self.current_marks();
        let Some(document) = self.text.document_mut() else { return Err(Findings::Stale) };
        let located = locate(document, &self.ranges, &marks, job);
        let (anchor, located) = located.ok_or(Findings::Unknown(HeldFor::RangeLost))?;
        let review = self.reviews.review(job, &located.base).ok_or(Findings::Stale)?;
        let column = self.ranges.column(job);
        let all = review.hunks(&located.now, column).map_err(Findings::Unknown)?;
        let hunks = chosen(&all, ids).ok_or(Findings::Stale)?;
        review.drop(&hunks);
        let done = hunks.iter().map(|hunk| hunk.id).collect();
        if hunks.len() < all.len() {
            return Ok((done, None));
        }
        let pieces: Vec<Bytes> = located.now.pieces().into_iter().map(<[u8]>::to_vec).collect();
        let settlement = Settlement::from(review.end(0, &pieces));
        if settlement != Settlement::Rejected {
            let (written, sent) = review.landed(&located.now);
            document.rebased(anchor, written);
            self.answers.remember(job, sent);
        }
        Ok((done, Some(settlement)))
    }

    /// Proposes dropped hunks again.
    fn undrop(&mut self, job: u64, ids: &[EditId]) -> Result<Vec<EditId>, Findings> {
        let (marks, document) = (self.current_marks(), self.text.known().map_err(Findings::Unknown)?);
        let located = locate(document, &self.ranges, &marks, job);
        let (_, located) = located.ok_or(Findings::Unknown(HeldFor::RangeLost))?;
        let review = self.reviews.review(job, &located.base).ok_or(Findings::Stale)?;
        let gone = review.dropped_hunks(&located.now, self.ranges.column(job)).map_err(Findings::Unknown)?;
        review.undrop(&chosen(&gone, Some(ids)).ok_or(Findings::Stale)?);
        Ok(ids.to_vec())
    }

    /// The plugin needs no more views of an answer.
    pub fn unwatch(&mut self, job: u64) {
        self.reviews.unwatch(job);
    }

    /// The plugin has drawn what is proposed of an answer.
    pub fn drawn(&mut self, job: u64) {
        self.reviews.drawn(job);
    }

    /// Whether views of reviews are due after a pause.
    pub fn waits_for_pause(&self) -> bool {
        self.reviews.waits_for_pause()
    }

    /// The updates of reviews for the plugin, if they are known; whether that needs a contact with it.
    pub fn views(&mut self, due: ViewDue) -> (Vec<ReviewUpdate>, bool) {
        let jobs = self.reviews.due(due);
        if jobs.is_empty() {
            return (Vec::new(), false);
        }
        let is_known = match self.state() {
            MirrorState::Sure => !jobs.iter().any(|job| self.needs_mark_of(*job)),
            MirrorState::TooLarge => true,
            MirrorState::Unknown => self.text.obstacle().is_some(),
            MirrorState::Unsure => false,
        };
        if !is_known {
            return (Vec::new(), true);
        }
        let marks = self.current_marks();
        let (ranges, tick) = (&self.ranges, self.text.tick());
        let views = jobs.into_iter().map(|job| match self.text.known() {
            Ok(document) => {
                let locate = |job| Some(locate(document, ranges, &marks, job)?.1);
                let now = CurrentText { document, locate: &locate, column: &|job| ranges.column(job) };
                self.reviews.next(job, Ok(&now), tick)
            }
            Err(why) => self.reviews.next(job, Err(why), tick),
        });
        (views.collect(), false)
    }
}
