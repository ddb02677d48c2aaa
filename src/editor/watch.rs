//! The observer that shows a job in the editor. It adds what it sees to what the writer sends next, and copies nothing that
//! the editor does not show.

use std::sync::Arc;

use super::pending::Pending;
use crate::job::Observer;
use crate::stream::Update;

/// See the module.
pub(super) struct JobObserver {
    pub(super) id: u64,
    pub(super) pending: Arc<Pending>,
}

impl Observer for JobObserver {
    fn update(&mut self, update: &Update<'_>) {
        self.pending.with(|updates| updates.update(self.id, update));
    }
}
