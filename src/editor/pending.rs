//! Updates that the host has not sent to the editor yet. The observers of all jobs add to them, in the tasks of their
//! jobs; the writer takes them out when it can send.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use super::frame::Frames;
use super::observed::Observed;
use crate::session::Patch;

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
    /// What is known of outcomes, by job: told with the call that writes the answer, or with what becomes of it.
    pub(super) outcomes: BTreeMap<u64, Patch>,
}

impl PendingUpdates {
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
