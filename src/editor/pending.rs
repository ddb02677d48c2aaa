//! Updates that the host has not sent to the editor yet. The observers of all jobs add to them, in the tasks of their
//! jobs; the writer takes them out when it can send.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmpv::Value;
use tokio::sync::Notify;

use super::activity::{Frames, StateChange};
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
    /// For the next frame.
    pub(super) frames: Frames,
    /// For users' functions, as soon as possible.
    pub(super) observed: Observed,
    /// The jobs that are shown, each with whether users' functions hear it.
    watched: BTreeMap<u64, bool>,
    /// What is known of outcomes, by job: told with the call that writes the answer, or with what becomes of it.
    pub(super) outcomes: BTreeMap<u64, Patch>,
}

impl PendingUpdates {
    /// Shows a job from now on.
    pub(super) fn watch(&mut self, id: u64, preview: Option<Capture>, is_heard: bool) {
        self.watched.insert(id, is_heard);
        if let Some(capture) = preview {
            self.frames.preview(id, capture);
        }
    }

    /// Users' functions hear a job that is shown from now on.
    pub(super) fn forward(&mut self, id: u64) {
        self.watched.entry(id).and_modify(|is_heard| *is_heard = true);
    }

    /// A job is shown no more, and what it has said last is void.
    pub(super) fn void(&mut self, id: u64) {
        if self.watched.remove(&id) == Some(true) {
            self.observed.add(id, &Update::Restart);
        }
    }

    /// A job says something: copies nothing of it that the editor does not show.
    pub(super) fn update(&mut self, id: u64, update: &Update) {
        let Some(is_heard) = self.watched.get(&id) else { return };
        let is_known = match update {
            Update::Tool { index, tool } => {
                self.frames.job(id).and_then(|job| job.tool_status(*index)) == Some(tool.status)
            }
            _ => false,
        };
        self.frames.change(id, StateChange::Update(update));
        if *is_heard && !is_known {
            self.observed.add(id, update);
        }
    }

    /// Folds a change of a job in.
    pub(super) fn change(&mut self, id: u64, change: StateChange<'_>) {
        match change {
            StateChange::Gone => _ = self.watched.remove(&id),
            StateChange::Queued(_) => self.end_tools(id),
            _ => {}
        }
        self.frames.change(id, change);
    }

    /// A job has its outcome: returns its tools, where they have changed since the last frame. One that still runs is
    /// `unfinished`: the outcome may be decided before the stream's end, which would say so.
    pub(super) fn ended(&mut self, id: u64) -> Option<Value> {
        self.end_tools(id);
        self.frames.finish(id)
    }

    fn end_tools(&mut self, id: u64) {
        for (index, tool) in self.frames.unfinished(id) {
            self.update(id, &Update::Tool { index, tool });
        }
    }

    fn changed(&self) -> (Option<Duration>, bool) {
        (self.frames.due(), self.observed.is_waiting())
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

    /// For the writer alone.
    pub(super) fn lock(&self) -> MutexGuard<'_, PendingUpdates> {
        // A poisoned sheet does not matter: a panic ends the host.
        self.updates.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Resolves once something is new.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }
}
