//! The jobs of one Neovim: those that run, and those that wait for a free place, oldest first. It decides which job may
//! run next, and starts none itself.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use tokio::sync::oneshot;

use super::subscriptions::Subscriptions;
use crate::job::Job;
use crate::journal::CountedBefore;
use crate::request::Request;

/// A job that waits for a place.
pub(super) struct QueuedJob {
    pub(super) request: Arc<Request>,
    /// When it was accepted, in milliseconds since 1970.
    pub(super) since_ms: i64,
    pub(super) subscriptions: Subscriptions,
}

/// What was counted in the session that a job goes on from, before the job.
pub(super) enum Before {
    /// The database is asked.
    Asked(oneshot::Receiver<CountedBefore>),
    /// It has said so; or the job has a session of its own.
    Known(CountedBefore),
}

impl Before {
    /// Nothing where the database has not said it.
    pub(super) fn get(&mut self) -> Option<CountedBefore> {
        if let Self::Asked(asked) = self {
            *self = Self::Known(asked.try_recv().ok()?);
        }
        let Self::Known(counted) = self else { return None };
        Some(*counted)
    }
}

/// A job whose agent has not ended yet, decided or not.
pub(super) struct RunningJob {
    pub(super) request: Arc<Request>,
    /// When it was accepted, in milliseconds since 1970.
    pub(super) since_ms: i64,
    /// Where its raw stream is kept.
    pub(super) transcript: Option<PathBuf>,
    pub(super) subscriptions: Subscriptions,
    pub(super) before: Before,
    /// None once it was stopped.
    pub(super) job: Option<Job>,
}

/// See the module.
#[derive(Default)]
pub(super) struct Jobs {
    running: BTreeMap<u64, RunningJob>,
    queue: VecDeque<QueuedJob>,
}

impl Jobs {
    /// Adds a job at the end of the queue.
    pub(super) fn wait(&mut self, waiting: QueuedJob) {
        self.queue.push_back(waiting);
    }

    /// The one that has waited longest, where there is a place for it: it waits no more.
    pub(super) fn next_to_run(&mut self) -> Option<QueuedJob> {
        let next = self.queue.front()?;
        if self.running.len() < next.request.max_parallel.max(1) { self.queue.pop_front() } else { None }
    }

    /// Takes out a job that waits.
    pub(super) fn take_waiting(&mut self, id: u64) -> Option<QueuedJob> {
        let at = self.queue.iter().position(|waiting| waiting.request.id == id)?;
        self.queue.remove(at)
    }

    /// Adds a job that runs.
    pub(super) fn run(&mut self, running: RunningJob) {
        self.running.insert(running.request.id, running);
    }

    /// A job that runs.
    pub(super) fn running(&mut self, id: u64) -> Option<&mut RunningJob> {
        self.running.get_mut(&id)
    }

    /// Takes out a job whose agent is gone.
    pub(super) fn remove(&mut self, id: u64) -> Option<RunningJob> {
        self.running.remove(&id)
    }

    /// The subscriptions of a job, running or waiting.
    pub(super) fn subscriptions(&mut self, id: u64) -> Option<&mut Subscriptions> {
        if let Some(running) = self.running.get_mut(&id) {
            return Some(&mut running.subscriptions);
        }
        let waiting = self.queue.iter_mut().find(|waiting| waiting.request.id == id)?;
        Some(&mut waiting.subscriptions)
    }

    /// How many jobs start before this one, itself included, if it waits.
    pub(super) fn place_in_queue(&self, id: u64) -> Option<usize> {
        Some(self.queue.iter().position(|waiting| waiting.request.id == id)? + 1)
    }

    /// How many run, and how many wait.
    pub(super) fn count(&self) -> (usize, usize) {
        (self.running.len(), self.queue.len())
    }

    /// The handles of all running jobs, to end them; the queue is cleared.
    pub(super) fn hand_over(&mut self) -> Vec<Job> {
        self.queue.clear();
        self.running.values_mut().filter_map(|running| running.job.take()).collect()
    }
}
