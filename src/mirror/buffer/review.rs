//! The reviews of the held answers in a buffer: what the plugin draws of their proposals, and when.

use super::super::held::{HeldReview, ViewDue};
use super::super::intent::{Findings, Obstacle};
use super::super::order::{ContactScope, Order};
use super::Buffer;
use super::text::MirrorState;
use crate::document::Located;
use crate::land::{Bytes, HeldFor};
use crate::review::EditId;

impl Buffer {
    /// Follows what is proposed of a held answer.
    pub(super) fn watch(&mut self, job: u64, lines: &[Bytes], dropped: &[Vec<EditId>]) {
        if self.text.state() == MirrorState::Unsure {
            self.contact(ContactScope::Marks);
        }
        let held = self.jobs.entry(job).or_default().held.get_or_insert_default();
        held.set(lines, dropped);
        held.is_watched = true;
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

    /// The plugin needs no more views of an answer.
    pub fn unwatch(&mut self, job: u64) {
        if let Some(held) = self.held(job) {
            held.is_watched = false;
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
