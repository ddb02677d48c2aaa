//! The writer thread: it writes the changes of the ledger to the database, one by one. A change that cannot be written
//! now stays in the ledger and is spilled to a file; no caller waits for it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, MutexGuard, mpsc};
use std::time::{Duration, Instant};

use rusqlite::{Connection, Transaction, TransactionBehavior};
use serde_json::json;

use super::connection::WriterConnection;
use super::ledger::{ChangeContent, ChangeKey, Ledger, PendingChange};
use super::marker::Marker;
use super::reader::ReadRequest;
use super::shared::Shared;
use super::{QueryReply, Then, take_up};
use crate::store::queries::{accepted, held, put, sessions, unsent};
use crate::store::record::Held;
use crate::store::{Amounts, StoreError};

/// When pending changes are tried again, if no task comes before.
const AGAIN: Duration = Duration::from_secs(1);
/// When the writer checks that the held answers are still in the database, if no task comes before.
const LOOK: Duration = Duration::from_secs(30);

/// What a write led to.
pub struct Written {
    /// Whether all that was to be written is in the database, or spilled.
    pub is_kept: bool,
    /// The amounts of the job, if they are in the database.
    pub amounts: Option<Amounts>,
}

/// A task for the writer, with the callback that gets its result.
pub enum DatabaseTask {
    /// Write the pending changes.
    Write { id: u64, then: Then<Written> },
    /// Take over the held answers of Neovims that are gone.
    Adopt(Then<Result<Vec<Held>, StoreError>>),
    /// A query for the reader. It passes through the writer, so that the reader sees every earlier change.
    Ask(ReadRequest),
    /// Hold the answers that the last host of this Neovim stored and did not report.
    Untold { ids: Vec<u64>, then: Then<QueryReply> },
    /// The last task.
    Close { until: Instant, then: Then<()> },
}

pub struct DatabaseWriter {
    connection: WriterConnection,
    shared: Arc<Shared>,
    questions: mpsc::Sender<ReadRequest>,
    /// The reader has found damage.
    suspicion: Arc<AtomicBool>,
    /// Whether the spill files of hosts that are gone have been imported.
    is_taken_up: bool,
    marker: Marker,
    /// Jobs have changed since the marker was brought up to date.
    is_unmarked: bool,
}

impl DatabaseWriter {
    /// Opens the database; if that fails, `warn` gets the error.
    pub fn new(
        shared: Arc<Shared>,
        questions: mpsc::Sender<ReadRequest>,
        suspicion: Arc<AtomicBool>,
        warn: Then<StoreError>,
    ) -> Self {
        let connection = WriterConnection::new(shared.data_dir.clone(), warn);
        let marker = Marker::new(shared.data_dir.as_deref());
        let mut writer =
            Self { connection, shared, questions, suspicion, is_taken_up: false, marker, is_unmarked: true };
        writer.take_up();
        writer
    }

    /// Works until all senders are gone.
    pub fn run(mut self, tasks: &mpsc::Receiver<DatabaseTask>) {
        loop {
            let patience = self.patience();
            match tasks.recv_timeout(patience) {
                Ok(task) => self.work(task),
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    self.catch_up();
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => return,
            }
            self.mark();
        }
    }

    fn patience(&self) -> Duration {
        let ledger = self.ledger();
        if !ledger.is_empty() {
            AGAIN
        } else if ledger.has_open_answers() {
            LOOK
        } else {
            Duration::MAX
        }
    }

    fn work(&mut self, task: DatabaseTask) {
        match task {
            DatabaseTask::Write { id, then } => {
                let is_kept = self.catch_up();
                let amounts = self.ledger().amounts(id);
                then(Written { is_kept, amounts });
            }
            DatabaseTask::Adopt(then) => {
                self.is_unmarked = true;
                then(self.adopt());
            }
            DatabaseTask::Ask(question) => {
                self.is_taken_up = false;
                self.catch_up();
                if self.suspicion.swap(false, Ordering::Relaxed)
                    && let Err(error) = self.connection.check()
                {
                    self.connection.complain(error);
                }
                self.end_lost();
                // Once more, because each of the two may have begun a new database.
                self.catch_up();
                if let Err(mpsc::SendError(question)) = self.questions.send(question) {
                    question.refuse(StoreError::Closed);
                }
            }
            DatabaseTask::Untold { ids, then } => {
                self.is_unmarked = true;
                then(self.untold(&ids));
            }
            DatabaseTask::Close { until, then } => {
                // First without waiting for a lock, so that there is time to spill what cannot be written.
                self.catch_up();
                self.verify(true);
                self.connection.wait_until(until);
                self.catch_up();
                self.mark();
                then(());
            }
        }
    }

    /// Writes the pending changes until one cannot be written now, and spills the rest. Returns whether all are kept.
    fn catch_up(&mut self) -> bool {
        self.take_up();
        self.verify(false);
        let mut next = self.next();
        while let Some(change) = next {
            match self.perform(&change) {
                Err(error) if error.is_transient() => {
                    self.connection.complain(error);
                    return self.shared.spill();
                }
                Err(error) => {
                    self.connection.complain(error);
                    self.ledger().done(&change, None);
                }
                Ok(job_usage) => {
                    self.is_unmarked |= matches!(change.what, ChangeContent::Job(_));
                    self.ledger().done(&change, job_usage);
                }
            }
            next = self.next();
        }
        self.shared.clear_spill();
        true
    }

    /// The next change to write. In a new database, all changes of the ledger are pending again.
    fn next(&mut self) -> Option<PendingChange> {
        if self.connection.take_fresh() {
            self.ledger().write_again();
        }
        self.ledger().next()
    }

    fn perform(&mut self, change: &PendingChange) -> Result<Option<Amounts>, StoreError> {
        let Self { connection, shared, .. } = self;
        match &change.what {
            ChangeContent::Begin { agent, session_id } => {
                let counted =
                    connection.attempt(|connection| sessions::counters(connection, agent, session_id));
                // The counters of a session that is not in the database start at zero.
                let counted =
                    counted.map(Option::unwrap_or_default).map_err(|error| connection.complain(error)).ok();
                if let ChangeKey::Begin(id) = change.key {
                    shared.ledger().session_counted(id, counted);
                }
                Ok(None)
            }
            ChangeContent::Job(known) => {
                let mut job_usage = None;
                for part in known.parts() {
                    let is_first = job_usage.is_none();
                    let amounts = connection.attempt(|connection| {
                        let put = |transaction: &Transaction<'_>| {
                            put::put(transaction, &shared.owner, &shared.host, &part)
                        };
                        if part.is_lasting() { synced(connection, put) } else { atomically(connection, put) }
                    })?;
                    job_usage = if is_first { Some(amounts) } else { job_usage };
                }
                Ok(job_usage.flatten())
            }
            ChangeContent::Prompt(typed) => {
                let ChangeKey::Prompt(id) = change.key else { return Ok(None) };
                let typed = Some(typed).filter(|typed| !typed.text.is_empty());
                connection.attempt(|connection| {
                    synced(connection, |transaction| unsent::keep(transaction, &shared.owner, id, typed))
                })?;
                Ok(None)
            }
        }
    }

    /// Checks that the held answers are still in the database, if another process has written its files or if `always`.
    /// Answers that are missing are written again.
    fn verify(&mut self, always: bool) {
        let shared = &self.shared;
        let missing = self.connection.verify(|| shared.ledger().open_answers(), always);
        for id in missing {
            tracing::error!(job = id, "a held answer is missing in the database; writing it again");
            self.ledger().write_job_again(id);
        }
    }

    /// Imports the spill files of hosts that are gone.
    fn take_up(&mut self) {
        let Some(data_dir) = self.shared.data_dir.as_ref().filter(|_| !self.is_taken_up) else { return };
        self.is_taken_up = true;
        for path in take_up::files(data_dir) {
            let taken = take_up::read(path).and_then(|found| {
                let Some(mut found) = found else { return Ok(()) };
                self.connection.attempt(|connection| found.put(connection))?;
                found.finish()
            });
            if let Err(error) = taken {
                let is_transient = error.is_transient();
                self.connection.complain(error);
                if is_transient {
                    self.is_taken_up = false;
                    return;
                }
            }
        }
    }

    /// Updates the marker file, which tells other Neovims which answers are held.
    fn mark(&mut self) {
        if !self.is_unmarked || self.shared.data_dir.is_none() || !self.ledger().is_empty() {
            return;
        }
        self.is_unmarked = false;
        let Self { connection, marker, .. } = self;
        if let Err(error) = connection.attempt(|connection| marker.update(connection)) {
            // It is only a hint, and the next change tries again.
            tracing::debug!(%error, "the marker of held answers cannot be written");
        }
    }

    fn adopt(&mut self) -> Result<Vec<Held>, StoreError> {
        self.is_taken_up = false;
        self.catch_up();
        let Self { connection, shared, .. } = self;
        let held = connection.attempt(|connection| held::adopt(connection, &shared.owner))?;
        self.ledger().adopt(&held);
        Ok(held)
    }

    /// Holds the answers of these jobs that the last host of this Neovim stored or spilled, and did not report. The
    /// plugin assigns their ids later.
    fn untold(&mut self, ids: &[u64]) -> QueryReply {
        self.is_taken_up = false;
        self.catch_up();
        let Self { connection, shared, .. } = self;
        let untold = connection.attempt(|connection| held::untold(connection, &shared.owner, ids))?;
        let mut answers = Vec::new();
        for (id, held) in untold {
            self.ledger().adopt([&held]);
            let mut answer = held.answer();
            answer["id"] = id.into();
            answers.push(answer);
        }
        Ok(json!({ "answers": answers }))
    }

    /// Records the end of the jobs whose host is gone, before a query is answered.
    fn end_lost(&mut self) {
        let Self { connection, shared, .. } = self;
        let ended =
            connection.attempt(|connection| accepted::end_lost(connection, &shared.owner, &shared.host));
        if let Err(error) = ended {
            // The next query tries again.
            tracing::warn!(%error, "interrupted jobs are not listed");
        }
    }

    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        self.shared.ledger()
    }
}

/// Runs `write` in one immediate transaction, which gets the lock at its beginning and so never waits for another host
/// between two statements.
fn atomically<T>(
    connection: &mut Connection,
    write: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let written = write(&transaction)?;
    transaction.commit()?;
    Ok(written)
}

/// Runs `write` in one transaction, and syncs it to the disk with all earlier ones: for data that may be needed days
/// later.
pub fn synced<T>(
    connection: &mut Connection,
    write: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    connection.pragma_update(None, "synchronous", "FULL")?;
    let kept = atomically(connection, write);
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    kept
}
