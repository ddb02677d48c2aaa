//! The observers that show a job in the editor. Each adds what it sees to what the writer sends next; they copy nothing
//! that the editor does not show.

use std::sync::Arc;

use super::frame::StateChange;
use super::pending::Pending;
use crate::job::Observer;
use crate::stream::Update;

/// The status line: what the agent does.
pub(super) struct StatusObserver {
    pub(super) id: u64,
    pub(super) pending: Arc<Pending>,
}

impl Observer for StatusObserver {
    fn update(&mut self, update: &Update<'_>) {
        self.pending.with(|updates| updates.frames.change(self.id, StateChange::Update(update)));
    }

    // It says that the agent thinks, not what.
    fn wants_thinking(&self) -> bool {
        true
    }
}

/// The preview: the newest lines of code.
pub(super) struct PreviewObserver {
    pub(super) id: u64,
    pub(super) pending: Arc<Pending>,
}

impl Observer for PreviewObserver {
    fn update(&mut self, update: &Update<'_>) {
        self.pending.with(|updates| updates.frames.write(self.id, update));
    }
}

/// The functions that users have registered.
pub(super) struct ForwardObserver {
    pub(super) id: u64,
    pub(super) pending: Arc<Pending>,
    pub(super) thinking: bool,
}

impl Observer for ForwardObserver {
    fn update(&mut self, update: &Update<'_>) {
        self.pending.with(|updates| updates.observed.add(self.id, update));
    }

    fn wants_thinking(&self) -> bool {
        self.thinking
    }
}
