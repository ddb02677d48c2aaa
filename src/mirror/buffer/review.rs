//! The reviews of the held answers in a buffer: their proposals, and taking and dropping their hunks.

use super::super::held::{HeldReview, ViewDue, chosen};
use super::super::intent::{Intent, SettledIntent, Settlement};
use super::super::order::{ContactScope, Order};
use super::super::query::{Findings, MirrorQuery, Obstacle};
use super::super::view::MirrorState;
use super::Buffer;
use crate::document::Located;
use crate::land::{Bytes, HeldFor};
use crate::review::EditId;

impl Buffer {
    /// Takes a query. Nothing is said of a text that is unsure before the editor was contacted.
    pub fn query(&mut self, token: u64, job: u64, question: MirrorQuery) {
        if self.text.state() == MirrorState::Unsure {
            self.contact(ContactScope::Marks);
        }
        if self.contacts > 0 {
            self.queries.push((token, job, question));
        } else {
            self.answer(token, job, &question);
        }
    }

    /// Follows what is proposed of a held answer.
    pub(super) fn watch(&mut self, job: u64, lines: &[Bytes], dropped: &[Vec<EditId>]) {
        if self.text.state() == MirrorState::Unsure {
            self.contact(ContactScope::Marks);
        }
        let held = self.jobs.entry(job).or_default().held.get_or_insert_default();
        held.set(lines, dropped);
        held.watch();
    }

    /// Does what is asked.
    pub(super) fn answer(&mut self, token: u64, job: u64, question: &MirrorQuery) {
        let findings = match question {
            MirrorQuery::Mirror => {
                let findings = Ok(Some(self.view()));
                return self.orders.push(Order::Reply { token, findings });
            }
            MirrorQuery::Take(hunks) | MirrorQuery::Both(hunks) => {
                let is_both = matches!(question, MirrorQuery::Both(_));
                return self.add_intent(job, Intent::Take { hunks: hunks.clone(), is_both, token });
            }
            MirrorQuery::Drop(ids) => match self.drop_hunks(job, ids.as_deref()) {
                Ok(Some(settlement)) => return self.report(SettledIntent::new(job, settlement), Some(token)),
                dropped => dropped.map(|_| None),
            },
            MirrorQuery::Undrop(ids) => self.undrop(job, ids).map(|()| None),
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
    fn drop_hunks(&mut self, job: u64, ids: Option<&[EditId]>) -> Result<Option<Settlement>, Obstacle> {
        self.text.known()?;
        let (Some(document), Some(tracked)) = (self.text.document_mut(), self.jobs.get_mut(&job)) else {
            return Err(HeldFor::RangeLost.into());
        };
        let column = tracked.column;
        let (anchor, located, review) = tracked.reviewed(document)?;
        let all = review.hunks(&located.now, column)?;
        let hunks = chosen(&all, ids).ok_or(Obstacle::Stale)?;
        review.drop(&hunks);
        if hunks.len() < all.len() {
            return Ok(None);
        }
        let pieces: Vec<Bytes> = located.now.pieces().into_iter().map(<[u8]>::to_vec).collect();
        let settlement = Settlement::from(review.end(0, &pieces));
        if settlement != Settlement::Rejected {
            let (written, sent) = review.landed(&located.now);
            document.rebased(anchor, written);
            tracked.before.get_or_insert(sent);
        }
        Ok(Some(settlement))
    }

    /// Proposes dropped hunks again.
    fn undrop(&mut self, job: u64, ids: &[EditId]) -> Result<(), Obstacle> {
        let document = self.text.known()?;
        let tracked = self.jobs.get_mut(&job).ok_or(HeldFor::RangeLost)?;
        let column = tracked.column;
        let (_, located, review) = tracked.reviewed(document)?;
        let gone = review.dropped_hunks(&located.now, column)?;
        review.undrop(&chosen(&gone, Some(ids)).ok_or(Obstacle::Stale)?);
        Ok(())
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
            MirrorState::Sure | MirrorState::TooLarge => true,
            MirrorState::Unknown => self.text.obstacle().is_some(),
            MirrorState::Unsure => false,
        };
        if !is_known && !jobs.is_empty() {
            return self.contact(ContactScope::Marks);
        }
        let (known, tick) = (self.text.known(), self.text.tick());
        for job in jobs {
            let Some(tracked) = self.jobs.get_mut(&job) else { continue };
            let column = tracked.column;
            let hunks = known.map_err(Obstacle::from).and_then(|document| {
                let (_, Located { now, .. }, review) = tracked.reviewed(document)?;
                Ok((review.hunks(&now, column)?, review.dropped_hunks(&now, column).unwrap_or_default()))
            });
            let hunks =
                hunks.map_err(|why| if let Obstacle::Held(why) = why { why } else { HeldFor::RangeLost });
            let Some(held) = &mut tracked.held else { continue };
            let (view, replies) = held.next(job, hunks, (known.ok(), tick));
            self.orders.extend(view.map(|view| Order::Review { buffer: self.number, view }));
            self.orders.extend(replies.into_iter().map(|(token, findings)| Order::Reply { token, findings }));
        }
    }
}
