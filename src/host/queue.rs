//! The jobs of one Neovim: those that run, and those that wait for a free place or for the end of a limit, oldest first.
//! It decides which job may run next, and starts none itself.
//!
//! A limit is one of an agent and a model: where a job meets one, all jobs of these wait for its end.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use crate::job::Job;
use crate::journal::{Amounts, CountedBefore};
use crate::request::Request;

/// A job that waits for a place.
pub(super) struct QueuedJob {
    pub(super) request: Arc<Request>,
    pub(super) earlier: EarlierRuns,
    /// It has waited for a limit: what it asks for is read again before it runs.
    pub(super) is_stale: bool,
    /// The user has it run now, or all jobs, whatever its limit.
    pub(super) is_urgent: bool,
    /// What the plugin was told of the end of its limit.
    pub(super) told: Option<i64>,
}

impl QueuedJob {
    /// A job that has not run yet.
    pub(super) fn new(request: Request) -> Self {
        Self {
            is_urgent: !request.options.resume_at_limit,
            request: Arc::new(request),
            earlier: EarlierRuns::default(),
            is_stale: false,
            told: None,
        }
    }
}

/// The runs of a job that have met a limit.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct EarlierRuns {
    /// How many there were.
    pub(super) count: u32,
    /// What they cost.
    pub(super) amounts: Amounts,
    /// How many tools they have called.
    pub(super) tools: usize,
}

/// A job whose agent has not ended yet, decided or not.
pub(super) struct RunningJob {
    /// The same as it waited. Where it is urgent and passes, its limit has ended.
    pub(super) asked: QueuedJob,
    /// Where its raw stream is kept.
    pub(super) transcript: Option<PathBuf>,
    /// What was counted in the session that it goes on from; none where the database has not said that yet.
    pub(super) before: Option<CountedBefore>,
    /// It has met a limit and waits once its agent is gone: what it has cost, and when the limit ends.
    pub(super) waits: Option<(Amounts, i64)>,
    /// None once it was stopped.
    pub(super) job: Option<Job>,
}

impl RunningJob {
    /// Whether it waits for the end of its limit, once its agent is gone.
    fn is_limited(&self) -> bool {
        self.waits.is_some() && !self.asked.is_urgent
    }

    /// The same once its agent is gone, where it waits for the end of a limit.
    pub(super) fn waiting(self) -> Option<QueuedJob> {
        let (amounts, until) = self.waits?;
        let earlier = EarlierRuns { amounts, count: self.asked.earlier.count + 1, ..self.asked.earlier };
        Some(QueuedJob { earlier, is_stale: true, told: Some(until), ..self.asked })
    }
}

/// The agent and the model of a limit.
type LimitKey = (String, Option<String>);

/// See the module.
#[derive(Default)]
pub(super) struct Jobs {
    pub(super) running: BTreeMap<u64, RunningJob>,
    queue: VecDeque<QueuedJob>,
    /// Those whose text is being read again.
    pub(super) recalled: BTreeMap<u64, QueuedJob>,
    /// When each limit ends, Unix time in seconds.
    limits: BTreeMap<LimitKey, i64>,
    /// When it is looked next whether one has ended.
    looks_at: Option<i64>,
}

fn key(request: &Request) -> LimitKey {
    (request.start.agent.name.clone(), request.start.agent.model.clone())
}

impl Jobs {
    /// Adds a job to the queue, in the order in which jobs were asked for.
    pub(super) fn wait(&mut self, waiting: QueuedJob) {
        let at = self.queue.partition_point(|other| other.request.job.id < waiting.request.job.id);
        self.queue.insert(at, waiting);
    }

    /// The one that has waited longest and waits for no limit, where there is a place for it: it waits no more.
    pub(super) fn next_to_run(&mut self) -> Option<QueuedJob> {
        let at = self.queue.iter().position(|waiting| self.limit(waiting).is_none())?;
        let taken = self.running.len() + self.recalled.len();
        if taken < self.queue[at].request.options.max_parallel.max(1) { self.queue.remove(at) } else { None }
    }

    /// Takes out a job that waits.
    pub(super) fn take_waiting(&mut self, id: u64) -> Option<QueuedJob> {
        let Some(at) = self.queue.iter().position(|waiting| waiting.request.job.id == id) else {
            return self.recalled.remove(&id);
        };
        self.queue.remove(at)
    }

    /// A job has met a limit until then, Unix time in seconds. One that was met meanwhile and ends later counts.
    pub(super) fn set_limit(&mut self, request: &Request, until: i64) {
        let end = self.limits.entry(key(request)).or_insert(until);
        *end = until.max(*end);
    }

    /// A job has passed a limit.
    pub(super) fn lift_limit(&mut self, request: &Request) {
        self.limits.remove(&key(request));
    }

    /// Forgets the limits that have ended.
    pub(super) fn end_limits(&mut self, now: i64) {
        self.limits.retain(|_, until| *until > now);
        self.looks_at = None;
    }

    /// Forgets the limits that no job waits for any more.
    pub(super) fn forget_limits(&mut self) {
        let Self { running, queue, limits, .. } = self;
        limits.retain(|limit, _| {
            let mut ending = running.values().filter(|running| running.is_limited());
            let mut waiting = queue.iter().filter(|waiting| !waiting.is_urgent);
            ending.any(|running| key(&running.asked.request) == *limit)
                || waiting.any(|waiting| key(&waiting.request) == *limit)
        });
    }

    /// When it is to be looked whether a limit has ended: at `latest`, if there is any. None where that is under way.
    pub(super) fn look_at(&mut self, latest: i64) -> Option<i64> {
        let at = self.limits.values().copied().min()?.min(latest);
        let is_new = self.looks_at.is_none_or(|looks_at| looks_at > at);
        is_new.then(|| *self.looks_at.insert(at))
    }

    /// Has a job run that waits for a limit, as soon as there is a place. Whether it does wait for one.
    pub(super) fn hurry(&mut self, id: u64) -> bool {
        if let Some(running) = self.running.get_mut(&id).filter(|running| running.waits.is_some()) {
            // Its agent has not ended yet.
            running.asked.is_urgent = true;
            return true;
        }
        let at = self.queue.iter().position(|waiting| waiting.request.job.id == id);
        let Some(at) = at.filter(|at| self.limit(&self.queue[*at]).is_some()) else { return false };
        self.queue[at].is_urgent = true;
        true
    }

    fn limit(&self, waiting: &QueuedJob) -> Option<i64> {
        self.limits.get(&key(&waiting.request)).copied().filter(|_| !waiting.is_urgent)
    }

    /// When the limit ends that a job waits for, and whether it has run before.
    pub(super) fn waits_until(&self, id: u64) -> Option<(i64, bool)> {
        if let Some(running) = self.running.get(&id).filter(|running| running.is_limited()) {
            return Some((*self.limits.get(&key(&running.asked.request))?, true));
        }
        let waiting = self.queue.iter().find(|waiting| waiting.request.job.id == id)?;
        Some((self.limit(waiting)?, waiting.earlier.count > 0))
    }

    /// The jobs for which the end of their limit is another than the plugin was told; from now on it was.
    pub(super) fn untold_limits(&mut self) -> Vec<(u64, Option<i64>)> {
        let limits: Vec<_> = self.queue.iter().map(|waiting| self.limit(waiting)).collect();
        let queue = self.queue.iter_mut().zip(limits).filter(|(waiting, limit)| waiting.told != *limit);
        queue
            .map(|(waiting, limit)| {
                waiting.told = limit;
                waiting.is_stale |= limit.is_some();
                (waiting.request.job.id, limit)
            })
            .collect()
    }

    /// A job that runs.
    pub(super) fn running(&mut self, id: u64) -> Option<&mut RunningJob> {
        self.running.get_mut(&id)
    }

    /// How many jobs start before this one, itself included, if it waits.
    pub(super) fn place_in_queue(&self, id: u64) -> Option<usize> {
        Some(self.queue.iter().position(|waiting| waiting.request.job.id == id)? + 1)
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
