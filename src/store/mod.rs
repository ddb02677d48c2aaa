//! The database: finished jobs with their answers, which all Neovims share. It is filled from journals, by one thread
//! with one connection, and is never waited for: what it does not have yet is in a journal.
//!
//! Only this module and `journal` open files to write, except for the log.

#![expect(clippy::disallowed_methods, reason = "this is one of the modules that write files")]

mod apply;
mod empty;
mod error;
mod open;
mod queries;
mod query;
#[cfg(test)]
mod tests;
mod thread;
mod transcript;

use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};
use tokio::sync::oneshot;

pub use empty::EmptyDirectory;
pub use error::StoreError;
pub use queries::entry::{FullJob, JobEntry, JobKey, LocalTime, StoredFailure};
pub use queries::history::{Listed, Page};
pub use queries::info::{Breakdown, Info, InfoQuery, Sums};
pub use query::{info_query, job_key, query};
pub use transcript::{Transcript, Transcripts};

use crate::journal::{CountedBefore, Journal, now_ms};
use queries::entry::QueryContext;
use queries::{checkpoints, counted, history, info, prompts, unsent};
use thread::{StoreThread, Task};

/// After how long a question is answered by "busy".
const PATIENCE: Duration = Duration::from_secs(5);
/// How long the thread may take to say that its time is over.
const LAST: Duration = Duration::from_millis(50);

/// What can be asked of the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    /// Finished jobs.
    History(Page),
    /// One job whole.
    Job(JobKey),
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
}

/// The answer to a [`Query`]: a map with the fields that the editor gets, or why there is none.
pub type QueryReply = Result<Value, StoreError>;

/// A handle to the database's thread, and to the journal that fills it.
#[derive(Debug, Clone)]
pub struct Store {
    /// What is durable is written there.
    pub journal: Journal,
    tasks: mpsc::Sender<Task>,
    session: Arc<str>,
    /// There is neither a thread nor a journal without it.
    data_dir: Option<Arc<Path>>,
}

impl Store {
    /// Opens, or makes, `botglue.db` under `data_dir`, for the Neovim with this session; keeps nothing without one.
    /// `warn` is called once for the journal and once for the database, with what the user is to be told.
    pub fn open(
        data_dir: Option<PathBuf>,
        session: String,
        warn: impl Fn(String) + Send + Sync + 'static,
    ) -> Self {
        let (tasks, waiting) = mpsc::channel::<Task>();
        let warn = Arc::new(warn);
        let (lines, told) = (tasks.clone(), Arc::clone(&warn));
        let sink = move |applicable| {
            // The thread never ends by itself; a panic of it has ended the host.
            _ = lines.send(Box::new(|thread| thread.waiting.push_back(applicable)));
        };
        let journal = Journal::open(
            data_dir.as_deref(),
            session.clone(),
            Box::new(sink),
            Box::new(move |what| told(what)),
        );
        let store = Self {
            journal: journal.clone(),
            tasks,
            session: session.as_str().into(),
            data_dir: data_dir.as_deref().map(Into::into),
        };
        if let Some(data_dir) = data_dir {
            // A thread of its own, and none of the agents' parents: it starts no process.
            std::thread::spawn(move || {
                StoreThread::new(data_dir, session, journal, move |what| warn(what)).run(&waiting);
            });
        }
        store
    }

    /// What was counted in a session by now. None comes where the database does not know it in time.
    pub fn counted(&self, agent: String, session_id: String) -> oneshot::Receiver<CountedBefore> {
        let (send, counted) = oneshot::channel();
        let then = move |counted: Result<CountedBefore, StoreError>| {
            // The job may have ended.
            counted.map(|counted| _ = send.send(counted)).unwrap_or_default();
        };
        self.read(move |connection, _| counted::counted(connection, &agent, &session_id), then);
        counted
    }

    /// Answers a question, with all that was handed over before it.
    pub fn query(&self, query: Query, then: impl FnOnce(QueryReply) + Send + 'static) {
        self.read(move |connection, asker| reply(connection, asker, &query), then);
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

    /// Asks the database once it has what the journals have. An asker for whom that takes too long hears that the store
    /// is busy.
    fn read<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&Connection, QueryContext<'_>) -> Result<T, StoreError> + Send + 'static,
        then: impl FnOnce(Result<T, StoreError>) + Send + 'static,
    ) {
        let Some(data_dir) = &self.data_dir else { return then(Err(StoreError::Closed)) };
        let (tasks, session) = (self.tasks.clone(), Arc::clone(&self.session));
        let transcripts = transcript::folder(data_dir);
        let (answer, found) = oneshot::channel();
        let task = move |thread: &mut StoreThread| {
            let asker = QueryContext { session: &session, transcripts: &transcripts };
            // The asker may have given up.
            _ = answer.send(thread.read(|connection| ask(connection, asker)));
        };
        self.journal.then(move || _ = tasks.send(Box::new(task)));
        tokio::spawn(async move {
            then(match tokio::time::timeout(PATIENCE, found).await {
                Ok(Ok(found)) => found,
                _ => Err(StoreError::Busy),
            });
        });
    }

    /// Waits until the database has everything, but no longer than until then: what it does not have stays in the
    /// journal.
    pub async fn close(&self, until: Instant) {
        if self.data_dir.is_none() {
            return;
        }
        let (done, closed) = oneshot::channel();
        let (tasks, journal) = (self.tasks.clone(), self.journal.clone());
        let task = move |thread: &mut StoreThread| {
            thread.close(until);
            // As above.
            journal.close(move || _ = done.send(()));
        };
        self.journal.then(move || _ = tasks.send(Box::new(task)));
        if tokio::time::timeout_at((until + LAST).into(), closed).await.is_err() {
            tracing::warn!("the store was still busy when the host ended; the next host takes up what waits");
        }
    }
}

/// The reply to a query, as the editor gets it.
fn reply(connection: &Connection, asker: QueryContext<'_>, query: &Query) -> QueryReply {
    let reply = match query {
        Query::History(page) => serde_json::to_value(history::history(connection, asker, page)?)?,
        Query::Job(which) => json!({ "job": asker.job(connection, which)?.ok_or(StoreError::NoSuchJob)? }),
        Query::Checkpoints { agent, session_id } => {
            json!({ "checkpoints": checkpoints::of(connection, agent, session_id)? })
        }
        Query::Prompts { limit, project } => {
            let (unsent, sent) = (unsent::all(connection)?, prompts::prompts(connection, *limit)?);
            let logged_out = prompts::logged_out(connection)?;
            let agent = prompts::agent(connection, project)?;
            json!({ "prompts": unsent::merge_by_age(unsent, sent, now_ms()), "logged_out": logged_out, "agent": agent })
        }
    };
    Ok(reply)
}

/// SQLite's integers are signed; no count here comes near the difference.
fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

fn unsigned(n: i64) -> u64 {
    u64::try_from(n).unwrap_or_default()
}
