//! Reports the events of one job: to the observers first, then to the host, and `Finished` only once.

use tokio::sync::mpsc;

use super::JobEvent;
use super::observers::Observers;
use crate::stream::{Outcome, Update, Usage};

/// See the module. Dropping it removes the observers, however the task ends.
pub(super) struct EventSink {
    id: u64,
    events: mpsc::UnboundedSender<(u64, JobEvent)>,
    observers: Observers,
    /// How many tools earlier runs of the job have called.
    tools: usize,
    /// What the job had cost in the last report.
    finished: Option<(Usage, Option<f64>)>,
}

impl EventSink {
    /// Of a run of the job with this number, which has called so many tools in earlier runs.
    pub(super) fn new(
        id: u64,
        events: mpsc::UnboundedSender<(u64, JobEvent)>,
        observers: Observers,
        tools: usize,
    ) -> Self {
        Self { id, events, observers, tools, finished: None }
    }

    /// The job's observers.
    pub(super) fn observers(&self) -> &Observers {
        &self.observers
    }

    /// Reports to the host.
    pub(super) fn report(&self, event: JobEvent) {
        // The host is gone only when it shuts down; then no event matters.
        let _ = self.events.send((self.id, event));
    }

    /// Reports an update to the observers, and to the host what concerns every job of that agent.
    pub(super) fn update(&self, update: &Update<'_>) {
        match update {
            Update::Malformed { line, reason, start } => {
                tracing::debug!(line, reason, start, "not a line of the protocol");
            }
            Update::Models { models } => self.report(JobEvent::Models(models.clone())),
            Update::Tool { index, tool } if self.tools > 0 => {
                return self
                    .observers
                    .update(&Update::Tool { index: index + self.tools, tool: tool.clone() });
            }
            _ => {}
        }
        self.observers.update(update);
    }

    /// The first outcome finishes the job; a later one can only bring further amounts.
    pub(super) fn finish(&mut self, outcome: Outcome) {
        let cost = (outcome.usage, outcome.cost_usd);
        match self.finished.replace(cost) {
            None => self.report(JobEvent::Finished(Box::new(outcome))),
            Some(before) if before != cost => self.report(JobEvent::Amended(Box::new(outcome))),
            Some(_) => {}
        }
    }

    /// Removes the observers.
    pub(super) fn close(&self) {
        self.observers.close();
    }
}

impl Drop for EventSink {
    /// On every way out, that of a task which is given up too.
    fn drop(&mut self) {
        self.close();
    }
}
