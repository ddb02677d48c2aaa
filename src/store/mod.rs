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
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};

pub use empty::EmptyDirectory;
pub use error::StoreError;
pub use queries::entry::{FullJob, JobEntry, JobKey, LocalTime, StoredFailure};
pub use queries::history::{Listed, Page};
pub use queries::info::{Breakdown, Info, InfoQuery, Sums};
pub use query::{info_query, job_key, query};
pub use transcript::{Transcript, Transcripts};

use crate::journal::{CountedBefore, Journal, JournalError, now_ms};
use queries::entry::QueryContext;
use queries::{checkpoints, counted, history, info, logins, prompts, unsent};
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
    transcripts: Arc<Path>,
}

impl Store {
    /// Opens, or makes, `botglue.db` under `data_dir`, for the Neovim with this session; keeps nothing without one.
    /// `warn` is called once for the journal and once for the database, with what the user is to be told.
    pub fn open(
        data_dir: Option<PathBuf>,
        session: String,
        warn: impl Fn(String) + Send + Sync + 'static,
    ) -> Self {
        let (tasks, waiting) = mpsc::channel();
        let warn = Arc::new(warn);
        let (lines, told) = (tasks.clone(), Arc::clone(&warn));
        let journal = Journal::open(
            data_dir.as_deref(),
            session.clone(),
            // The thread never ends by itself; a panic of it has ended the host.
            Box::new(move |applicable| _ = lines.send(Task::Apply(applicable))),
            Arc::new(move |error: JournalError| told(error.to_string())),
        );
        let transcripts = data_dir.as_deref().map(transcript::folder).unwrap_or_default();
        let store = Self {
            journal: journal.clone(),
            tasks,
            session: session.as_str().into(),
            transcripts: transcripts.into(),
        };
        // A thread of its own, and none of the agents' parents: it starts no process.
        std::thread::spawn(move || {
            StoreThread::new(data_dir, session, journal, Box::new(move |error| warn(error.warning())))
                .run(&waiting);
        });
        store
    }

    /// What was counted in a session by now. None comes where the database does not know it in time.
    pub fn counted(
        &self,
        agent: String,
        session_id: String,
    ) -> tokio::sync::oneshot::Receiver<CountedBefore> {
        let (send, counted) = tokio::sync::oneshot::channel();
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

    /// Asks the database once it has what the journals have. The answer comes late rather than never, but the asker
    /// hears that the store is busy before that.
    fn read<T: 'static>(
        &self,
        ask: impl FnOnce(&Connection, QueryContext<'_>) -> Result<T, StoreError> + Send + 'static,
        then: impl FnOnce(Result<T, StoreError>) + Send + 'static,
    ) {
        let then = Arc::new(Mutex::new(Some(then)));
        let late = Arc::clone(&then);
        let answer = move |answer| {
            let then = late.lock().unwrap_or_else(PoisonError::into_inner).take();
            then.map(|then| then(answer)).unwrap_or_default();
        };
        let (tasks, session, transcripts) =
            (self.tasks.clone(), Arc::clone(&self.session), Arc::clone(&self.transcripts));
        let task = Task::Ask(Box::new(move |connection| {
            let asker = QueryContext { session: &session, transcripts: &transcripts };
            let found = connection.and_then(|connection| ask(connection, asker));
            let is_damaged = found.as_ref().is_err_and(StoreError::is_unusable);
            if let Err(error) = &found {
                tracing::error!(%error, "the store has no answer");
            }
            answer(found);
            is_damaged
        }));
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                tokio::time::sleep(PATIENCE).await;
                let then = then.lock().unwrap_or_else(PoisonError::into_inner).take();
                then.map(|then| then(Err(StoreError::Busy))).unwrap_or_default();
            });
        }
        if self.transcripts.as_os_str().is_empty() {
            _ = tasks.send(task);
        } else {
            self.journal.then(move || _ = tasks.send(task));
        }
    }

    /// Waits until the database has everything, but no longer than until then: what it does not have stays in the
    /// journal.
    pub async fn close(&self, until: Instant) {
        if self.transcripts.as_os_str().is_empty() {
            return;
        }
        let (done, closed) = tokio::sync::oneshot::channel();
        let (tasks, journal) = (self.tasks.clone(), self.journal.clone());
        // The waiting task may have given up.
        let last = move || journal.close(move || _ = done.send(()));
        self.journal.then(move || _ = tasks.send(Task::Close { until, then: Box::new(last) }));
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
        Query::Info(wanted) => serde_json::to_value(info::info(connection, wanted)?)?,
        Query::Checkpoints { agent, session_id } => {
            json!({ "checkpoints": checkpoints::of(connection, agent, session_id)? })
        }
        Query::Prompts { limit, project } => {
            let (unsent, sent) = (unsent::all(connection)?, prompts::prompts(connection, *limit)?);
            let logged_out = logins::logged_out(connection)?;
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
