//! Who hears what happens in a job: the editor, and what keeps the raw stream.

use crate::stream::Update;

/// Receives the updates of a job, in the job's own task, as things happen and before the host hears of them: so it must not
/// wait. What an observer does not implement costs nothing.
pub trait Observer: Send {
    /// The agent printed this, unchanged from the pipe.
    fn printed(&mut self, _bytes: &[u8]) {}

    /// The agent was sent this.
    fn sent(&mut self, _bytes: &[u8]) {}

    /// The stream says something.
    fn update(&mut self, _update: &Update<'_>) {}
}
