//! The database, on threads of its own: the host hands work over and goes on. The host waits only for what must be
//! stored before something else happens.
//!
//! What is to be stored goes into the ledger at once. One thread writes it, in the order in which it came; what follows
//! a write happens even if the write fails. An answer waits for it only a moment, then a file beside the database has it
//! (`spill`): a broken or a slow store never costs an answer. Another thread answers queries, so that a long list never
//! delays an answer.

mod connection;
mod inspect;
mod ledger;
mod marker;
mod open;
mod patience;
mod reader;
mod shared;
mod spill;
mod take_up;
#[cfg(test)]
mod tests;
mod writer;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};

use super::StoreError;
use super::amounts::Amounts;
use super::queries::entry::{FullJob, JobKey, QueryContext};
use super::queries::history::{self, Listed, Page};
use super::queries::info::{self, Info, InfoQuery};
use super::record::{Accepted, Draft, Held, Landed, OnDisk, Record, Unsent};
use patience::Patience;
use reader::ReadRequest;
use shared::Shared;
use writer::{DatabaseTask, DatabaseWriter, Written};

/// How long the writing thread may take to say that its time is over.
const LAST: Duration = Duration::from_millis(50);

type Then<T> = Box<dyn FnOnce(T) + Send>;

/// What can be asked of the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    /// Finished jobs.
    History(Page),
    /// One job whole.
    Job(JobKey),
    /// Sums.
    Info(InfoQuery),
    /// The messages of a session that can be gone back to.
    Checkpoints {
        /// The agent of the session.
        agent: String,
        /// The session.
        session_id: String,
    },
    /// What a prompt wants to know: prompts that were not sent, newest first, then those of earlier jobs; and the
    /// agents that are not logged in, as their newest jobs said; and the agent of a project's newest job.
    Prompts {
        /// The most of the earlier ones.
        limit: u64,
        /// The project.
        project: String,
    },
    /// The answers that wait for a decision and whose Neovim is gone. They are held by the asking one now.
    Held,
    /// The answers of these jobs of the asking Neovim, of which its last host could not tell. They are held by it now.
    Untold {
        /// The jobs' numbers.
        ids: Vec<u64>,
    },
}

/// The answer to a [`Query`]: a map with the fields that the editor gets, or why there is none.
pub type QueryReply = Result<Value, StoreError>;

/// A handle to the database's threads. They end when the last handle is dropped.
#[derive(Debug, Clone)]
pub struct Database {
    tasks: mpsc::Sender<DatabaseTask>,
    shared: Arc<Shared>,
    patience: Patience,
}

impl Database {
    /// Opens, or makes, `botglue.db` under `data_dir`. `warn` is called, once, if nothing can be kept.
    pub fn open(data_dir: Option<PathBuf>, warn: impl FnOnce(StoreError) + Send + 'static) -> Self {
        let (tasks, waiting) = mpsc::channel();
        let shared = Arc::new(Shared::new(data_dir.clone()));
        let known = Arc::clone(&shared);
        // Threads of their own, and none of the agents' parents: they start no process.
        std::thread::spawn(move || {
            let (questions, asked) = mpsc::channel();
            let suspicion = Arc::new(AtomicBool::default());
            let writer = DatabaseWriter::new(known, questions, Arc::clone(&suspicion), Box::new(warn));
            // Without a folder there is no reader, and every query is refused.
            if let Some(data_dir) = data_dir {
                std::thread::spawn(move || reader::answer(&data_dir, &asked, &suspicion));
            } else {
                drop(asked);
            }
            writer.run(&waiting);
        });
        let spilling = Arc::clone(&shared);
        Self { tasks, shared, patience: Patience::new(move || spilling.spill_at_once()) }
    }

    /// Keeps a job that was accepted, until it ends. No caller waits for it.
    pub fn accept(&self, accepted: Accepted) {
        let id = accepted.id;
        self.shared.ledger().accept(accepted);
        self.write(id, |_| {});
    }

    /// These jobs were interrupted, whatever their agents ended with because of that.
    pub fn interrupt(&self, ids: Vec<u64>) {
        for id in ids {
            self.shared.ledger().interrupt(id);
            self.write(id, |_| {});
        }
    }

    /// A job starts that goes on from this session: what that has counted by now will not be the job's.
    pub fn begin(&self, id: u64, agent: String, session_id: String) {
        self.shared.ledger().begin(id, agent, session_id);
        self.write(id, |_| {});
    }

    /// Keeps a finished job, then calls `then` with what the job itself used. A blocked store is
    /// waited for no longer than a moment.
    pub fn keep(&self, record: Record, then: impl FnOnce(Amounts) + Send + 'static) {
        let (id, unkept) = (record.id, unkept(&record));
        let then = self.patience.limit(Box::new(then), unkept);
        self.shared.ledger().keep(record);
        self.write(id, move |written| then(written.amounts.unwrap_or(unkept)));
    }

    /// Keeps what became of an answer, then goes on with whether it is kept, in the database or spilled; a held one is
    /// on the disk then.
    pub fn land(&self, id: u64, landed: Landed, then: impl FnOnce(bool) + Send + 'static) {
        self.shared.ledger().land(id, landed);
        self.write(id, |written| then(written.is_kept));
    }

    /// Keeps that an answer is held, then goes on: it is on the disk then. A blocked store is waited for no
    /// longer than a moment.
    pub fn hold(&self, id: u64, landed: Landed, then: impl FnOnce() + Send + 'static) {
        let then = self.patience.limit(Box::new(move |()| then()), ());
        self.land(id, landed, move |_| then(()));
    }

    /// Keeps the range of a job in its file.
    pub fn keep_on_disk(&self, id: u64, on_disk: OnDisk) {
        self.shared.ledger().keep_on_disk(id, on_disk);
        self.write(id, |_| {});
    }

    /// Keeps what the user made of a held answer; nothing if it is unchanged.
    pub fn draft(&self, id: u64, draft: Option<Draft>) {
        self.shared.ledger().draft(id, draft);
        self.write(id, |_| {});
    }

    /// Keeps what is in a prompt that was not sent; nothing where it is empty.
    pub fn unsent(&self, id: u64, unsent: Option<Unsent>) {
        self.shared.ledger().unsent(id, unsent);
        self.write(id, |_| {});
    }

    /// Adds later amounts to a kept job, then goes on with all that it cost; nothing where that is not known.
    pub fn amend(&self, id: u64, more: Amounts, then: impl FnOnce(Option<Amounts>) + Send + 'static) {
        self.shared.ledger().amend(id, &more);
        self.write(id, |written| then(written.amounts));
    }

    /// Takes over the answers that wait for a decision and whose Neovim is gone.
    pub fn adopt(&self, then: impl FnOnce(Result<Vec<Held>, StoreError>) + Send + 'static) {
        self.send(DatabaseTask::Adopt(Box::new(then)));
    }

    /// Gives an adopted answer its number in this Neovim.
    pub fn number(&self, uuid: String, id: u64) {
        self.shared.ledger().number(uuid, id);
        self.write(id, |_| {});
    }

    /// Answers a question, with all that was handed over before it.
    pub fn query(&self, query: Query, then: impl FnOnce(QueryReply) + Send + 'static) {
        match query {
            Query::Held => self.adopt(move |held| {
                if let Err(error) = &held {
                    tracing::error!(%error, "held answers cannot be read");
                }
                let answers = |held: Vec<Held>| held.iter().map(Held::answer).collect::<Vec<_>>();
                then(held.map(|held| json!({ "answers": answers(held) })));
            }),
            Query::Untold { ids } => self.send(DatabaseTask::Untold { ids, then: Box::new(then) }),
            query => self.read(move |connection, asker| reader::reply(connection, asker, &query), then),
        }
    }

    /// Lists finished jobs, with all that was handed over before.
    pub fn history(&self, page: Page, then: impl FnOnce(Result<Listed, StoreError>) + Send + 'static) {
        self.read(move |connection, asker| history::history(connection, asker, &page), then);
    }

    /// Sums over jobs, with all that was handed over before.
    pub fn info(&self, wanted: InfoQuery, then: impl FnOnce(Result<Info, StoreError>) + Send + 'static) {
        self.read(move |connection, _| info::info(connection, &wanted), then);
    }

    /// All of a job, with all that was handed over before.
    pub fn job(&self, key: JobKey, then: impl FnOnce(Result<FullJob, StoreError>) + Send + 'static) {
        self.read(move |connection, asker| asker.job(connection, &key)?.ok_or(StoreError::NoSuchJob), then);
    }

    fn read<T>(
        &self,
        ask: impl FnOnce(&Connection, QueryContext<'_>) -> Result<T, StoreError> + Send + 'static,
        then: impl FnOnce(Result<T, StoreError>) + Send + 'static,
    ) {
        self.send(DatabaseTask::Ask(ReadRequest::new(ask, then)));
    }

    /// Waits until everything that was handed over is kept, but no longer than until then: what is not in the database
    /// by then is spilled to a file. A locked database is waited for as long.
    pub async fn close(&self, until: Instant) {
        let (done, closed) = tokio::sync::oneshot::channel();
        let then = Box::new(move |()| {
            // The waiting task may have given up.
            let _ = done.send(());
        });
        self.send(DatabaseTask::Close { until, then });
        if tokio::time::timeout_at((until + LAST).into(), closed).await.is_err() {
            tracing::error!("the store was still busy when the host ended");
        }
        let waiting = self.shared.ledger().count();
        if waiting == 0 {
            return;
        }
        if self.shared.spill() {
            tracing::warn!(
                waiting,
                "the store could not be written in time; the next host takes up what waits"
            );
        } else {
            tracing::error!(waiting, "lost: neither the store nor a file beside it could be written in time");
        }
    }

    fn write(&self, id: u64, then: impl FnOnce(Written) + Send + 'static) {
        self.send(DatabaseTask::Write { id, then: Box::new(then) });
    }

    fn send(&self, task: DatabaseTask) {
        if self.tasks.send(task).is_err() {
            // It never ends by itself; a panic of it has ended the host.
            tracing::error!("the store's thread is gone");
        }
    }
}

/// The share of a job that could not be kept.
fn unkept(record: &Record) -> Amounts {
    if record.resumed.is_some() { record.amounts.run_only(record.scopes) } else { record.amounts }
}
