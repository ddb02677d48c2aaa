//! The reviews of the held answers in a buffer: their proposals, and taking and dropping their hunks.

use super::super::held::{HeldReview, ViewDue, chosen};
use super::super::intent::{Intent, SettledIntent, Settlement};
use super::super::order::{ContactScope, Order};
use super::super::query::{Findings, MirrorQuery, ReviewQuery};
use super::super::view::MirrorState;
use super::Buffer;
use crate::land::{Bytes, HeldFor};
use crate::review::EditId;

impl Buffer {
    /// Takes a query. Nothing is said of a text that is unsure before the editor was contacted.
    pub fn query(&mut self, token: u64, question: MirrorQuery) {
        let needs_marks = matches!(question, MirrorQuery::Review { job, .. } if self.needs_mark_of(job));
        if self.text.state() == MirrorState::Unsure || needs_marks {
            self.contact(ContactScope::Marks);
        }
        if self.contacts > 0 {
            self.queries.push((token, question));
        } else {
            self.answer(token, &question);
        }
    }

    pub(super) fn answer(&mut self, token: u64, question: &MirrorQuery) {
        let findings = match question {
            MirrorQuery::Review { job, asked } => return self.ask(token, *job, asked),
            MirrorQuery::Mirror => self.view(),
        };
        self.orders.push(Order::Reply { token, findings });
    }

    /// Whether only the editor's mark, as it is now, tells where the range of a job is.
    pub(super) fn needs_mark_of(&self, job: u64) -> bool {
        let tracked = self.jobs.get(&job).zip(self.text.sure());
        let needs_mark = tracked.is_some_and(|(tracked, document)| tracked.needs_mark(document));
        needs_mark && self.marks_tick != self.text.tick()
    }

    /// Does what is asked of a review.
    fn ask(&mut self, token: u64, job: u64, asked: &ReviewQuery) {
        let findings = match asked {
            ReviewQuery::Watch { lines, dropped } => {
                let held = self.jobs.entry(job).or_default().held.get_or_insert_default();
                held.set(lines, dropped);
                held.watch();
                Findings::Nothing
            }
            ReviewQuery::Take(hunks) | ReviewQuery::Both(hunks) => {
                let is_both = matches!(asked, ReviewQuery::Both(_));
                return self.add_intent(job, Intent::Take { hunks: hunks.clone(), is_both, token });
            }
            ReviewQuery::Drop(ids) => match self.drop_hunks(job, ids.as_deref()) {
                Ok((done, None)) => Findings::Done(done),
                Ok((done, Some(settlement))) => {
                    let settled = SettledIntent { taken: done, ..SettledIntent::new(job, settlement) };
                    return self.report(settled, Some(token));
                }
                Err(findings) => findings,
            },
            ReviewQuery::Undrop(ids) => {
                self.undrop(job, ids).map_or_else(|findings| findings, Findings::Done)
            }
        };
        self.reply(job, token, findings);
    }

    /// Replies with the next view, once the plugin has seen what there is now; at once where there is none.
    pub(super) fn reply(&mut self, job: u64, token: u64, findings: Findings) {
        match self.jobs.get_mut(&job).and_then(|tracked| tracked.held.as_mut()) {
            Some(held) => {
                held.replies.push((token, findings));
                held.due = ViewDue::Now;
            }
            None => self.orders.push(Order::Reply { token, findings }),
        }
    }

    /// Drops hunks, or all. Where nothing is left, what becomes of the answer.
    fn drop_hunks(
        &mut self,
        job: u64,
        ids: Option<&[EditId]>,
    ) -> Result<(Vec<EditId>, Option<Settlement>), Findings> {
        self.text.known().map_err(Findings::Unknown)?;
        let (tick, document) = (self.text.tick(), self.text.document_mut());
        let (Some(document), Some(tracked)) = (document, self.jobs.get_mut(&job)) else {
            return Err(Findings::Unknown(HeldFor::RangeLost));
        };
        let located = tracked.locate(document, tick);
        let (anchor, located) = located.ok_or(Findings::Unknown(HeldFor::RangeLost))?;
        let column = tracked.column;
        let review = tracked.review(&located.base).ok_or(Findings::Stale)?;
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
            tracked.before.get_or_insert(sent);
        }
        Ok((done, Some(settlement)))
    }

    /// Proposes dropped hunks again.
    fn undrop(&mut self, job: u64, ids: &[EditId]) -> Result<Vec<EditId>, Findings> {
        let (tick, document) = (self.text.tick(), self.text.known().map_err(Findings::Unknown)?);
        let tracked = self.jobs.get_mut(&job).ok_or(Findings::Unknown(HeldFor::RangeLost))?;
        let located = tracked.locate(document, tick);
        let (_, located) = located.ok_or(Findings::Unknown(HeldFor::RangeLost))?;
        let column = tracked.column;
        let review = tracked.review(&located.base).ok_or(Findings::Stale)?;
        let gone = review.dropped_hunks(&located.now, column).map_err(Findings::Unknown)?;
        review.undrop(&chosen(&gone, Some(ids)).ok_or(Findings::Stale)?);
        Ok(ids.to_vec())
    }

    /// The plugin needs no more views of an answer.
    pub fn unwatch(&mut self, job: u64) {
        if let Some(held) = self.held(job) {
            held.unwatch();
        }
    }

    /// The plugin has drawn what is proposed of an answer.
    pub fn drawn(&mut self, job: u64) {
        if let Some(held) = self.held(job) {
            held.is_under_way = false;
        }
    }

    fn held(&mut self, job: u64) -> Option<&mut HeldReview> {
        self.jobs.get_mut(&job)?.held.as_mut()
    }

    /// Whether views of reviews are due.
    pub fn is_view_due(&self, due: ViewDue) -> bool {
        self.jobs.values().filter_map(|tracked| tracked.held.as_ref()).any(|held| held.is_due(due))
    }

    /// Sends the views that are due, if they are known.
    pub fn send_views(&mut self, due: ViewDue) {
        let jobs = self
            .jobs
            .iter()
            .filter(|(_, tracked)| tracked.held.as_ref().is_some_and(|held| held.is_due(due)));
        let jobs: Vec<u64> = jobs.map(|(job, _)| *job).collect();
        let is_known = match self.text.state() {
            MirrorState::Sure => !jobs.iter().any(|job| self.needs_mark_of(*job)),
            MirrorState::TooLarge => true,
            MirrorState::Unknown => self.text.obstacle().is_some(),
            MirrorState::Unsure => false,
        };
        if !is_known && !jobs.is_empty() {
            return self.contact(ContactScope::Marks);
        }
        let (known, tick) = (self.text.known(), self.text.tick());
        for job in jobs {
            let Some(tracked) = self.jobs.get_mut(&job) else { continue };
            let located = known.and_then(|document| {
                let located = tracked.locate(document, tick);
                Ok(located.ok_or(HeldFor::RangeLost)?.1)
            });
            let column = tracked.column;
            let hunks = located.and_then(|located| {
                let review = tracked.review(&located.base).ok_or(HeldFor::RangeLost)?;
                let hunks = review.hunks(&located.now, column)?;
                Ok((hunks, review.dropped_hunks(&located.now, column).unwrap_or_default()))
            });
            let Some(held) = &mut tracked.held else { continue };
            let (view, replies) = held.next(job, hunks, (known.ok(), tick));
            self.orders.extend(view.map(|view| Order::Review { buffer: self.number, view }));
            self.orders.extend(replies.into_iter().map(|(token, findings)| Order::Reply { token, findings }));
        }
    }
}
