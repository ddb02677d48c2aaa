//! How the writing thread works off its tasks. What cannot be written now waits in a list, and is written before
//! what comes after it; nobody waits for that.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::json;

use super::link::Link;
use super::reader::Question;
use super::{Reply, Then};
use crate::store::queries::entry::{Asker, Which};
use crate::store::queries::{accepted, held, keep, sessions, unsent};
use crate::store::record::{Accepted, Draft, Held, Landed, Record, Unsent};
use crate::store::{Amounts, StoreError, owner, transcript};

/// How long what waits is left alone where nothing else comes.
const AGAIN: Duration = Duration::from_secs(5);
/// The most that waits; the oldest is given up.
const WAITING: usize = 256;

/// Something to be done, and what comes after it.
pub enum Task {
    Accept(Box<Accepted>),
    Interrupt(Vec<u64>),
    Begin {
        id: u64,
        agent: String,
        session_id: String,
    },
    Keep(Box<Record>, Then<Amounts>),
    Land {
        id: u64,
        landed: Landed,
        then: Then<()>,
    },
    Draft {
        id: u64,
        draft: Option<Draft>,
    },
    Unsent {
        id: u64,
        unsent: Option<Unsent>,
    },
    Amend {
        id: u64,
        more: Amounts,
        then: Then<Option<Amounts>>,
    },
    Adopt(Then<Result<Vec<Held>, StoreError>>),
    Number {
        uuid: String,
        id: u64,
    },
    /// For the reader; by way of here it finds what was written before.
    Ask(Question),
    Again {
        uuid: String,
        id: u64,
        then: Then<Reply>,
    },
    Untold {
        ids: Vec<u64>,
        then: Then<Reply>,
    },
    /// Nothing comes behind this.
    Close {
        until: Instant,
        then: Then<()>,
    },
}

/// Something to be written.
enum Write {
    /// By the host that has the name.
    Accept(Box<Accepted>, String),
    Interrupt(Vec<u64>),
    Keep(Box<Record>, Option<Amounts>),
    Land(u64, Landed),
    Draft(u64, Option<Draft>),
    Unsent(u64, Option<Unsent>),
    Amend(u64, Amounts),
    Number(String, u64),
}

pub struct Writer {
    link: Link,
    owner: String,
    host: String,
    /// What the sessions that running jobs went on from had counted, by the jobs' numbers.
    parents: BTreeMap<u64, Amounts>,
    /// What could not be written yet, oldest first.
    waiting: VecDeque<Write>,
    transcripts: PathBuf,
    questions: mpsc::Sender<Question>,
    /// The reader has found damage.
    suspicion: Arc<AtomicBool>,
}

impl Writer {
    /// Opens the database; where that fails `warn` is told.
    pub fn new(
        data_dir: Option<PathBuf>,
        questions: mpsc::Sender<Question>,
        suspicion: Arc<AtomicBool>,
        warn: Then<StoreError>,
    ) -> Self {
        let transcripts = data_dir.as_deref().map(transcript::folder).unwrap_or_default();
        let link = Link::new(data_dir, warn);
        let (owner, host) = (owner::current(), owner::host());
        let (parents, waiting) = (BTreeMap::new(), VecDeque::new());
        Self { link, owner, host, parents, waiting, transcripts, questions, suspicion }
    }

    /// Works until there is nobody any more who could have tasks.
    pub fn run(mut self, tasks: &mpsc::Receiver<Task>) {
        loop {
            let patience = if self.waiting.is_empty() { Duration::MAX } else { AGAIN };
            match tasks.recv_timeout(patience) {
                Ok(task) => self.work(task),
                Err(mpsc::RecvTimeoutError::Timeout) => self.catch_up(),
                Err(mpsc::RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn work(&mut self, task: Task) {
        match task {
            Task::Accept(accepted) => {
                self.write(Write::Accept(accepted, self.host.clone()));
            }
            Task::Interrupt(ids) => {
                self.write(Write::Interrupt(ids));
            }
            Task::Begin { id, agent, session_id } => self.begin(id, &agent, &session_id),
            Task::Keep(record, then) => {
                let unkept = unkept(&record);
                let parent = self.parents.remove(&record.id);
                // All that it has is in the finished job, too.
                self.waiting.retain(|write| !matches!(write, Write::Accept(job, _) if job.id == record.id));
                then(self.write(Write::Keep(record, parent)).unwrap_or(unkept));
            }
            Task::Land { id, landed, then } => {
                self.write(Write::Land(id, landed));
                then(());
            }
            Task::Draft { id, draft } => {
                // Somebody types: of what waits only the newest counts.
                self.waiting.retain(|write| !matches!(write, Write::Draft(other, _) if *other == id));
                self.write(Write::Draft(id, draft));
            }
            Task::Unsent { id, unsent } => {
                self.waiting.retain(|write| !matches!(write, Write::Unsent(other, _) if *other == id));
                self.write(Write::Unsent(id, unsent));
            }
            Task::Amend { id, more, then } => then(self.write(Write::Amend(id, more))),
            Task::Number { uuid, id } => {
                self.write(Write::Number(uuid, id));
            }
            Task::Adopt(then) => {
                then(self.link.attempt(|connection| held::adopt(connection, &self.owner)));
            }
            Task::Ask(question) => {
                self.catch_up();
                if self.suspicion.swap(false, Ordering::Relaxed)
                    && let Err(error) = self.link.check()
                {
                    self.link.complain(error);
                }
                self.end_lost();
                if let Err(mpsc::SendError(question)) = self.questions.send(question) {
                    (question.then)(Err(StoreError::Closed));
                }
            }
            Task::Again { uuid, id, then } => then(self.again(&uuid, id)),
            Task::Untold { ids, then } => then(self.untold(&ids)),
            Task::Close { until, then } => {
                self.link.wait_until(until);
                self.catch_up();
                if !self.waiting.is_empty() {
                    tracing::error!(
                        writes = self.waiting.len(),
                        "lost: the store could not be written in time"
                    );
                }
                then(());
            }
        }
    }

    /// Notes what the session has counted that a job goes on from.
    fn begin(&mut self, id: u64, agent: &str, session_id: &str) {
        self.catch_up();
        if !self.waiting.is_empty() {
            // Its own job may be among what waits; then what is known when this one is kept has to do.
            return;
        }
        let counters = self.attempt(|connection, _| sessions::counters(connection, agent, session_id));
        // One of which nothing is kept yet has nothing to hand on.
        self.parents.extend(counters.map(|counters| (id, counters.unwrap_or_default())));
    }

    /// Writes, behind what waits. Gives what a job cost, where that is known now.
    fn write(&mut self, write: Write) -> Option<Amounts> {
        self.catch_up();
        if self.waiting.is_empty() {
            match self.link.attempt(|connection| write.perform(connection, &self.owner)) {
                Ok(amounts) => return amounts,
                Err(error) if !error.may_pass() => {
                    self.link.complain(error);
                    return None;
                }
                Err(error) => self.link.complain(error),
            }
        }
        if self.waiting.len() == WAITING {
            tracing::error!("too much waits for the store; the oldest is given up");
            self.waiting.pop_front();
        }
        self.waiting.push_back(write);
        None
    }

    /// Writes what waits, as far as that is possible now.
    fn catch_up(&mut self) {
        while let Some(write) = self.waiting.front() {
            match self.link.attempt(|connection| write.perform(connection, &self.owner)) {
                Err(error) if error.may_pass() => return,
                Err(error) => self.link.complain(error),
                Ok(_) => {}
            }
            self.waiting.pop_front();
        }
    }

    fn again(&mut self, uuid: &str, id: u64) -> Reply {
        let asker = Asker { owner: &self.owner, transcripts: &self.transcripts };
        self.link.attempt(|connection| {
            if !held::again(connection, asker.owner, uuid, id)? {
                return Err(StoreError::NoSuchJob);
            }
            Ok(json!({ "job": asker.job(connection, &Which::Id(id))? }))
        })
    }

    fn untold(&mut self, ids: &[u64]) -> Reply {
        let asker = Asker { owner: &self.owner, transcripts: &self.transcripts };
        self.link.attempt(|connection| {
            let mut jobs = Vec::new();
            for id in held::untold(connection, asker.owner, ids)? {
                jobs.extend(asker.job(connection, &Which::Id(id))?);
            }
            Ok(json!({ "jobs": jobs }))
        })
    }

    /// What became of jobs whose host is gone is known before a question is answered.
    fn end_lost(&mut self) {
        let (owner, host) = (&self.owner, &self.host);
        if let Err(error) = self.link.attempt(|connection| accepted::end_lost(connection, owner, host)) {
            // They are listed with the next question.
            tracing::warn!(%error, "interrupted jobs are not listed");
        }
    }

    fn attempt<T>(
        &mut self,
        mut query: impl FnMut(&mut Connection, &str) -> Result<T, StoreError>,
    ) -> Option<T> {
        let done = self.link.attempt(|connection| query(connection, &self.owner));
        done.map_err(|error| self.link.complain(error)).ok()
    }
}

impl Write {
    fn perform(&self, connection: &mut Connection, owner: &str) -> Result<Option<Amounts>, StoreError> {
        match self {
            Self::Accept(accepted, host) => {
                accepted::accept(connection, owner, host, accepted).map(|()| None)
            }
            Self::Interrupt(ids) => accepted::interrupt(connection, owner, ids).map(|()| None),
            Self::Keep(record, parent) => keep::insert(connection, owner, record, *parent).map(Some),
            Self::Land(id, landed) if landed.landing == "held" => {
                synced(connection, |connection| keep::land(connection, owner, *id, landed))
            }
            Self::Draft(id, draft) => {
                synced(connection, |connection| keep::draft(connection, owner, *id, draft.as_ref()))
            }
            Self::Unsent(id, typed) => {
                synced(connection, |connection| unsent::keep(connection, owner, *id, typed.as_ref()))
            }
            Self::Land(id, landed) => keep::land(connection, owner, *id, landed).map(|()| None),
            Self::Amend(id, more) => keep::amend(connection, owner, *id, more),
            Self::Number(uuid, id) => held::number(connection, owner, uuid, *id).map(|()| None),
        }
    }
}

/// Writes what may wait for days: it is on the disk afterwards, and all that was written before it.
fn synced(
    connection: &mut Connection,
    write: impl FnOnce(&mut Connection) -> Result<(), StoreError>,
) -> Result<Option<Amounts>, StoreError> {
    connection.pragma_update(None, "synchronous", "FULL")?;
    let kept = write(connection);
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    kept.map(|()| None)
}

/// The share of a job that could not be kept.
fn unkept(record: &Record) -> Amounts {
    if record.resumed.is_some() { record.amounts.certain(record.counted) } else { record.amounts }
}
