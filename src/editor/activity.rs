//! The states of running jobs for the editor: one small state for each job, of which only the newest is sent.
//!
//! Pure: updates go in, and a frame with everything that changed comes out. However much the agents print, and however
//! long the editor is blocked, this holds one `state` a job.

mod state;

use std::collections::BTreeMap;
use std::time::Duration;

use rmpv::Value;

use crate::land::Capture;
use crate::stream::{ToolCall, ToolStatus, Update};
pub(super) use state::JobState;

/// The least time from one frame to the next.
const BETWEEN: Duration = Duration::from_millis(100);

/// What can happen to a job's state besides what its stream says.
#[derive(Debug, Clone, Copy)]
pub enum StateChange<'a> {
    /// It waits for others to end, or for a limit of its agent until then, Unix time in seconds.
    Queued(Option<i64>),
    /// Its agent runs.
    Started,
    /// Its stream said something.
    Update(&'a Update),
    /// Nothing of its agent is left.
    Gone,
}

/// The states of all jobs, with what changed since the last frame.
#[derive(Debug, Default)]
pub struct Frames {
    jobs: BTreeMap<u64, JobState>,
    /// Whether a job may have changed; looked at with every word that an agent says.
    is_changed: bool,
}

impl Frames {
    /// Shows the newest lines that the job writes from now on.
    pub fn preview(&mut self, id: u64, capture: Capture) {
        self.jobs.entry(id).or_default().preview(capture);
    }

    /// Folds a change in.
    pub fn change(&mut self, id: u64, change: StateChange<'_>) {
        let state = self.jobs.entry(id).or_default();
        state.fold(change);
        self.is_changed |= state.is_changed();
    }

    /// The tools of a job where they have changed since the last frame, and from now on nothing is told of it: what else
    /// there was goes with what becomes of it.
    pub fn finish(&mut self, id: u64) -> Option<Value> {
        self.jobs.get_mut(&id)?.finish()
    }

    /// The calls of a job that have not come back, as ones that will not.
    pub fn unfinished(&self, id: u64) -> Vec<(usize, ToolCall)> {
        let unfinished = |tool: &ToolCall| ToolCall { status: ToolStatus::Unfinished, ..tool.clone() };
        let running = self.jobs.get(&id).map(|job| job.running().map(|(at, tool)| (at, unfinished(tool))));
        running.into_iter().flatten().collect()
    }

    /// The state of a job.
    pub(super) fn job(&self, id: u64) -> Option<&JobState> {
        self.jobs.get(&id)
    }

    /// How long after the last frame the next one goes out; none if nothing waits.
    pub fn due(&self) -> Option<Duration> {
        self.is_changed.then_some(BETWEEN)
    }

    /// Everything that changed, as the argument of `apply.jobs`; jobs that are over are forgotten.
    pub fn take(&mut self) -> Option<Value> {
        self.is_changed = false;
        let frame: Vec<Value> = self.jobs.iter_mut().filter_map(|(&id, state)| state.take(id)).collect();
        self.jobs.retain(|_, state| !state.is_over());
        if frame.is_empty() { None } else { Some(Value::Array(frame)) }
    }
}

#[cfg(test)]
mod tests;
