//! Updates that the host has not sent to the editor yet. The observers of all jobs add to them, in the tasks of their
//! jobs; the writer takes them out when it can send.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rmpv::Value;
use tokio::sync::Notify;

use super::activity::{JobState, StateChange};
use super::observed::Observed;
use crate::land::Capture;
use crate::session::Patch;
use crate::stream::Update;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Pending {
    updates: Mutex<PendingUpdates>,
    changed: Notify,
}

/// What waits to be sent.
#[derive(Debug, Default)]
pub(super) struct PendingUpdates {
    /// The states of all jobs, for the next frame.
    jobs: BTreeMap<u64, JobState>,
    /// Whether one may have changed since the last frame; looked at with every word that an agent says.
    pub(super) is_changed: bool,
    /// For users' functions, as soon as possible.
    pub(super) observed: Observed,
    /// What is known of outcomes, by job: told with the call that writes the answer, or with what becomes of it.
    pub(super) outcomes: BTreeMap<u64, Patch>,
}

impl PendingUpdates {
    /// Shows a job from now on.
    pub(super) fn watch(&mut self, id: u64, preview: Option<Capture>, is_heard: bool) {
        self.jobs.entry(id).or_default().watch(preview, is_heard);
    }

    /// Users' functions hear a job that is shown from now on.
    pub(super) fn forward(&mut self, id: u64) {
        self.jobs.entry(id).and_modify(|job| job.is_heard = true);
    }

    /// A job is shown no more, and what it has said last is void.
    pub(super) fn void(&mut self, id: u64) {
        if let Some(job) = self.jobs.get_mut(&id)
            && std::mem::take(&mut job.is_watched)
            && job.is_heard
        {
            self.observed.add(id, &Update::Restart);
        }
    }

    /// A job says something: copies nothing of it that the editor does not show.
    pub(super) fn update(&mut self, id: u64, update: &Update) {
        let Some(job) = self.jobs.get_mut(&id).filter(|job| job.is_watched) else { return };
        let is_known = match update {
            Update::Tool { index, tool } => job.tool_status(*index) == Some(tool.status),
            _ => false,
        };
        job.update(update);
        self.is_changed |= job.is_changed();
        if job.is_heard && !is_known {
            self.observed.add(id, update);
        }
    }

    /// Folds a change of a job in.
    pub(super) fn change(&mut self, id: u64, change: StateChange) {
        if matches!(change, StateChange::Queued(_)) {
            self.end_tools(id);
        }
        let job = self.jobs.entry(id).or_default();
        job.fold(change);
        self.is_changed |= job.is_changed();
    }

    /// A job has its outcome: returns its tools, where they have changed since the last frame. One that still runs is
    /// `unfinished`: the outcome may be decided before the stream's end, which would say so.
    pub(super) fn ended(&mut self, id: u64) -> Option<Value> {
        self.end_tools(id);
        self.jobs.get_mut(&id)?.finish()
    }

    fn end_tools(&mut self, id: u64) {
        for (index, tool) in self.job(id).map(JobState::unfinished).unwrap_or_default() {
            self.update(id, &Update::Tool { index, tool });
        }
    }

    /// The state of a job.
    pub(super) fn job(&self, id: u64) -> Option<&JobState> {
        self.jobs.get(&id)
    }

    /// A frame: everything that changed since the last one, as the argument of `apply.jobs`. Jobs that are over are
    /// forgotten.
    pub(super) fn frame(&mut self) -> Option<Value> {
        self.is_changed = false;
        let frame: Vec<Value> = self.jobs.iter_mut().filter_map(|(id, job)| job.take(*id)).collect();
        self.jobs.retain(|_, job| !job.is_over());
        (!frame.is_empty()).then_some(Value::Array(frame))
    }

    fn changed(&self) -> (bool, bool) {
        (self.is_changed, self.observed.is_waiting())
    }
}

impl Pending {
    /// Adds to the updates, and wakes the writer if that changes what is due.
    pub(super) fn with<T>(&self, change: impl FnOnce(&mut PendingUpdates) -> T) -> T {
        let mut updates = self.lock();
        let before = updates.changed();
        let result = change(&mut updates);
        if updates.changed() != before {
            self.changed.notify_one();
        }
        result
    }

    /// To read what waits, and for the writer.
    pub(super) fn lock(&self) -> MutexGuard<'_, PendingUpdates> {
        // A poisoned sheet does not matter: a panic ends the host.
        self.updates.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Resolves once something is new.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }
}

#[cfg(test)]
mod tests;
