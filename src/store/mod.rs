//! The database: finished jobs with their answers, which all Neovims share. It is filled from journals, by one thread
//! with one connection, and is never waited for: what it does not have yet is in a journal.
//!
//! Only this module and `journal` open files to write, except for the log.

#![expect(clippy::disallowed_methods, reason = "this is one of the modules that write files")]

mod apply;
mod checkpoints;
mod error;
mod history;
mod info;
mod open;
mod prompts;
#[cfg(test)]
mod tests;
mod thread;
mod transcript;

use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use tokio::sync::oneshot;

pub use checkpoints::Checkpoint;
pub use error::StoreError;
pub use history::{JobEntry, JobKey, Listed, Page};
pub use info::{Info, InfoQuery, Sums};
pub use prompts::Recalled;
pub use transcript::{Transcript, Transcripts};

use crate::journal::{Journal, Warn};
use thread::{StoreThread, Task};

/// After how long a question is answered by "busy".
const PATIENCE: Duration = Duration::from_secs(5);

/// A handle to the database's thread, and to the journal that fills it.
#[derive(Clone)]
pub struct Store {
    /// What is durable is written there.
    pub journal: Journal,
    tasks: mpsc::Sender<Task>,
}

/// The database as a Neovim asks it: each question is a method, and has no answer where the database cannot be read.
#[derive(Debug, Clone, Copy)]
pub struct Asker<'a> {
    connection: &'a Connection,
    session: &'a str,
    transcripts: &'a Path,
}

impl Store {
    /// Opens, or makes, `botglue.db` under `data_dir`, for the Neovim with this session; keeps nothing without one.
    /// `warn` is called once for the journal and once for the database, with what the user is to be told, and for each
    /// journal that is damaged.
    pub fn open(data_dir: Option<PathBuf>, session: String, warn: Warn) -> Self {
        let (tasks, waiting) = mpsc::channel::<Task>();
        let lines = tasks.clone();
        let sink = move |more| {
            // The thread never ends by itself; a panic of it has ended the host.
            _ = lines.send(Box::new(move |thread| thread.waiting.extend(more)));
        };
        let told = Arc::clone(&warn);
        let journal = Journal::open(data_dir.as_deref(), session.clone(), Box::new(sink), told);
        let store = Self { journal: journal.clone(), tasks };
        if let Some(data_dir) = data_dir {
            // A thread of its own, and none of the agents' parents: it starts no process.
            std::thread::spawn(move || StoreThread::new(data_dir, session, journal, warn).run(&waiting));
        }
        store
    }

    /// Asks the database once it has what the journals have. An asker for whom that takes too long hears that the store
    /// is busy.
    pub fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(Asker<'_>) -> Result<T, StoreError> + Send + 'static,
        then: impl FnOnce(Result<T, StoreError>) + Send + 'static,
    ) {
        let (answer, found) = oneshot::channel();
        // The asker may have given up.
        self.after_journal(move |thread| _ = answer.send(thread.answer(question)));
        tokio::spawn(async move {
            then(match tokio::time::timeout(PATIENCE, found).await {
                Ok(Ok(found)) => found,
                Ok(Err(_)) => Err(StoreError::Closed),
                Err(_) => Err(StoreError::Busy),
            });
        });
    }

    /// Waits until the database has what it can take, but no longer than until then: the rest stays in the journal.
    pub async fn close(&self, until: Instant) {
        let (done, closed) = oneshot::channel();
        self.after_journal(move |thread| thread.close(move || _ = done.send(())));
        if tokio::time::timeout_at(until.into(), closed).await.is_err() {
            tracing::warn!("the store was still busy when the host ended; the next host takes up what waits");
        }
    }

    /// Has the thread do something after it got all that was handed to the journal. Without a data directory there is
    /// neither a thread nor a journal, and `task` is dropped.
    fn after_journal(&self, task: impl FnOnce(&mut StoreThread) + Send + 'static) {
        let tasks = self.tasks.clone();
        self.journal.send(move |_| _ = tasks.send(Box::new(task)));
    }
}
