//! The database on threads of its own: the host hands work over and goes on; nothing here is waited for but
//! what was asked to be kept before something else happens.
//!
//! One thread writes, in the order in which work came. What should happen afterwards comes with it, and happens
//! also where keeping failed: a broken store never costs an answer. Another thread answers questions, so that a
//! long list never delays an answer.

mod link;
mod open;
mod reader;
#[cfg(test)]
mod tests;
mod writer;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::StoreError;
use super::amounts::Amounts;
use super::queries::entry::Which;
use super::queries::history::Page;
use super::queries::info::Wanted;
use super::record::{Accepted, Draft, Held, Landed, Record, Unsent};
use reader::Question;
use writer::{Task, Writer};

/// How long the writing thread may take to say that its time is over.
const LAST: Duration = Duration::from_millis(50);

type Then<T> = Box<dyn FnOnce(T) + Send>;

/// What can be asked of the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    /// Finished jobs.
    History(Page),
    /// One job whole.
    Job(Which),
    /// Sums.
    Info(Wanted),
    /// The jobs whose answer landed in a file.
    Writers {
        /// The file.
        path: String,
        /// The most jobs.
        limit: u64,
    },
    /// The messages of a session that can be gone back to.
    Checkpoints {
        /// Whose session it is.
        agent: String,
        /// The session.
        session_id: String,
    },
    /// Prompts that were not sent, newest first, then those of earlier jobs.
    Prompts {
        /// The most of the latter.
        limit: u64,
    },
    /// The answers of these jobs of the asking Neovim, of which its last host could not tell. They are held by it now.
    Untold {
        /// The jobs' numbers.
        ids: Vec<u64>,
    },
    /// An answer once more, held by the asking Neovim.
    Again {
        /// The job's key.
        uuid: String,
        /// The number it gets.
        id: u64,
    },
}

/// The answer to a [`Query`]: a map with the fields that the editor gets, or why there is none.
pub type Reply = Result<Value, StoreError>;

/// A handle to the database's threads. They end when the last handle is dropped.
#[derive(Debug, Clone)]
pub struct Database {
    tasks: mpsc::Sender<Task>,
}

impl Database {
    /// Opens, or makes, `botglue.db` under `data_dir`. `warn` is told, once, where nothing can be kept.
    pub fn open(data_dir: Option<PathBuf>, warn: impl FnOnce(StoreError) + Send + 'static) -> Self {
        let (tasks, waiting) = mpsc::channel();
        // Threads of their own, and none of the agents' parents: they start no process.
        std::thread::spawn(move || {
            let (questions, asked) = mpsc::channel();
            let suspicion = Arc::new(AtomicBool::default());
            let writer = Writer::new(data_dir.clone(), questions, Arc::clone(&suspicion), Box::new(warn));
            // Without a folder there is nobody who answers, and every question is refused.
            if let Some(data_dir) = data_dir {
                std::thread::spawn(move || reader::answer(&data_dir, &asked, &suspicion));
            } else {
                drop(asked);
            }
            writer.run(&waiting);
        });
        Self { tasks }
    }

    /// Keeps a job that was accepted, until it ends; nobody waits for that.
    pub fn accept(&self, accepted: Accepted) {
        self.send(Task::Accept(Box::new(accepted)));
    }

    /// These jobs were interrupted, whatever their agents ended with because of that.
    pub fn interrupt(&self, ids: Vec<u64>) {
        self.send(Task::Interrupt(ids));
    }

    /// A job starts that goes on from this session: what that has counted by now will not be the job's.
    pub fn begin(&self, id: u64, agent: String, session_id: String) {
        self.send(Task::Begin { id, agent, session_id });
    }

    /// Keeps a finished job, then goes on with its own share of what its agent counted.
    pub fn keep(&self, record: Record, then: impl FnOnce(Amounts) + Send + 'static) {
        self.send(Task::Keep(Box::new(record), Box::new(then)));
    }

    /// Keeps what became of an answer, then goes on; a held one is on the disk then.
    pub fn land(&self, id: u64, landed: Landed, then: impl FnOnce() + Send + 'static) {
        self.send(Task::Land { id, landed, then: Box::new(|()| then()) });
    }

    /// Keeps what the user made of a held answer; nothing where it is as it was.
    pub fn draft(&self, id: u64, draft: Option<Draft>) {
        self.send(Task::Draft { id, draft });
    }

    /// Keeps what stands in a prompt that was not sent; nothing where it is empty.
    pub fn unsent(&self, id: u64, unsent: Option<Unsent>) {
        self.send(Task::Unsent { id, unsent });
    }

    /// Adds later amounts to a kept job, then goes on with all that it cost; nothing where that is not known.
    pub fn amend(&self, id: u64, more: Amounts, then: impl FnOnce(Option<Amounts>) + Send + 'static) {
        self.send(Task::Amend { id, more, then: Box::new(then) });
    }

    /// Takes over the answers that wait for a decision and whose Neovim is gone.
    pub fn adopt(&self, then: impl FnOnce(Result<Vec<Held>, StoreError>) + Send + 'static) {
        self.send(Task::Adopt(Box::new(then)));
    }

    /// Gives an adopted answer its number in this Neovim.
    pub fn number(&self, uuid: String, id: u64) {
        self.send(Task::Number { uuid, id });
    }

    /// Answers a question, with all that was handed over before it.
    pub fn query(&self, query: Query, then: impl FnOnce(Reply) + Send + 'static) {
        let then: Then<Reply> = Box::new(then);
        self.send(match query {
            Query::Again { uuid, id } => Task::Again { uuid, id, then },
            Query::Untold { ids } => Task::Untold { ids, then },
            query => Task::Ask(Question { query, then }),
        });
    }

    /// Waits until everything that was handed over is kept, but no longer than until then. As long a database is waited
    /// for that somebody keeps locked.
    pub async fn close(&self, until: Instant) {
        let (done, closed) = tokio::sync::oneshot::channel();
        let then = Box::new(move |()| {
            // Who waited may have given up.
            let _ = done.send(());
        });
        self.send(Task::Close { until, then });
        if tokio::time::timeout_at((until + LAST).into(), closed).await.is_err() {
            tracing::error!("the store was still busy when the host ended");
        }
    }

    fn send(&self, task: Task) {
        if self.tasks.send(task).is_err() {
            // It never ends by itself; a panic of it has ended the host.
            tracing::error!("the store's thread is gone");
        }
    }
}
