//! Reports the events of one job: to its observer first, then to the host, and `Finished` only once.

use super::{Events, JobEvent, Observer};
use crate::stream::{Amounts, Outcome, Update};

/// See the module.
pub(super) struct EventSink {
    id: u64,
    events: Events,
    observer: Observer,
    /// How many tools earlier runs of the job have called.
    tools: usize,
    /// What the job had cost in the last report.
    finished: Option<Amounts>,
}

impl EventSink {
    /// Of a run of the job with this number, which has called so many tools in earlier runs.
    pub(super) fn new(id: u64, events: Events, observer: Observer, tools: usize) -> Self {
        Self { id, events, observer, tools, finished: None }
    }

    /// Reports to the host.
    pub(super) fn report(&self, event: JobEvent) {
        (self.events)(self.id, event);
    }

    /// Reports that nothing of the job is left, its observer neither.
    pub(super) fn report_gone(self) {
        let Self { id, events, observer, .. } = self;
        drop(observer);
        events(id, JobEvent::Gone);
    }

    /// Reports an update to the observer, and to the host what concerns every job of that agent.
    pub(super) fn update(&mut self, mut update: Update) {
        match &mut update {
            Update::Malformed { line, reason, start } => {
                tracing::debug!(line, reason, start, "not a line of the protocol");
            }
            Update::Models { models } => self.report(JobEvent::Models(models.clone())),
            Update::Tool { index, .. } => *index += self.tools,
            _ => {}
        }
        (self.observer)(&update);
    }

    /// The first outcome finishes the job; a later one can only bring further amounts.
    pub(super) fn finish(&mut self, outcome: Outcome) {
        let amounts = outcome.amounts;
        match self.finished.replace(amounts) {
            None => self.report(JobEvent::Finished(Box::new(outcome))),
            Some(before) if before != amounts => self.report(JobEvent::Amended(Box::new(outcome))),
            Some(_) => {}
        }
    }
}
