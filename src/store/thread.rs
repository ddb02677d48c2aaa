//! The thread that fills the database and answers questions.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::open::{self, BUSY, Opened};
use super::{StoreError, apply};
use crate::journal::{Applicable, Folder, Journal, Line, is_alive};
use crate::memory;

/// When what could not be applied is tried again, and free memory given back, if nothing comes before.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);
/// How long a database is waited for that was locked before.
const LOCKED: Duration = Duration::from_millis(5);
/// How many lines are applied in one transaction.
const BATCH: usize = 256;

/// Gets the database, or why there is none; whether it found that damaged.
type Question = Box<dyn FnOnce(Result<&Connection, StoreError>) -> bool + Send>;

/// What the thread is asked for.
pub enum Task {
    /// Apply lines of a journal.
    Apply(Applicable),
    /// A question, once all lines before it are applied, where they can be.
    Ask(Question),
    /// Apply all that waits, until then, and go on.
    Close { until: Instant, then: Box<dyn FnOnce() + Send> },
}

/// See the module.
pub struct StoreThread {
    data_dir: Option<PathBuf>,
    session: String,
    journal: Journal,
    opened: Option<Opened>,
    /// What is not applied yet.
    waiting: VecDeque<Applicable>,
    /// How many lines of this session were applied, or refused for good.
    applied: u64,
    was_locked: bool,
    /// Whether answers among the lines were freed, here and soon in the journal's thread.
    has_freed: bool,
    /// When the host ends; until then it has nothing else to do than to wait for a database that is locked.
    until: Option<Instant>,
    /// Told of the first fault.
    warn: Option<Box<dyn FnOnce(StoreError) + Send>>,
}

impl StoreThread {
    pub fn new(
        data_dir: Option<PathBuf>,
        session: String,
        journal: Journal,
        warn: Box<dyn FnOnce(StoreError) + Send>,
    ) -> Self {
        Self {
            data_dir,
            session,
            journal,
            opened: None,
            waiting: VecDeque::new(),
            applied: 0,
            was_locked: false,
            has_freed: false,
            until: None,
            warn: Some(warn),
        }
    }

    /// Works until all handles are gone.
    pub fn run(mut self, tasks: &mpsc::Receiver<Task>) {
        loop {
            let is_idle = self.waiting.is_empty() && !self.has_freed;
            let first = match tasks.recv_timeout(if is_idle { Duration::MAX } else { RETRY_INTERVAL }) {
                Ok(task) => Some(task),
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    if std::mem::take(&mut self.has_freed) {
                        memory::give_back();
                    }
                    None
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => return,
            };
            for task in first.into_iter().chain(std::iter::from_fn(|| tasks.try_recv().ok())) {
                match task {
                    Task::Apply(applicable) => self.waiting.push_back(applicable),
                    Task::Ask(ask) => self.answer(ask),
                    Task::Close { until, then } => {
                        // At once, so that there is time for the journal where the database is locked.
                        self.catch_up();
                        self.until = Some(until);
                        self.catch_up();
                        then();
                    }
                }
            }
            self.catch_up();
        }
    }

    fn answer(&mut self, ask: Question) {
        self.catch_up();
        let folder = self.data_dir.as_deref().map(Folder::under);
        let own = self.session.clone();
        let is_gone = move |session: &str| {
            let sessions = folder.as_ref().and_then(|folder| folder.sessions().ok());
            session != own
                && sessions.is_some_and(|all| all.get(session).is_none_or(|files| !is_alive(files)))
        };
        if let Err(error) = self.connection().and_then(|connection| apply::end_gone(connection, is_gone)) {
            // The next question tries again.
            tracing::warn!(%error, "interrupted jobs are not listed");
        }
        let is_damaged = match self.connection() {
            Ok(connection) => ask(Ok(connection)),
            Err(error) => ask(Err(error)),
        };
        if is_damaged {
            self.begin_anew(StoreError::damage());
        }
    }

    /// Applies what waits, as far as that can be done now.
    fn catch_up(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        while let Some(mut next) = self.waiting.pop_front() {
            let Err(error) = self.apply(&mut next) else { continue };
            self.was_locked = error.is_lock();
            self.waiting.push_front(next);
            if error.is_unusable() {
                self.begin_anew(error);
                if self.opened.is_some() {
                    continue;
                }
            } else {
                self.complain(error);
            }
            return;
        }
        self.journal.applied(self.applied);
        self.has_freed = true;
    }

    /// Applies all lines; what could not be applied now stays.
    fn apply(&mut self, applicable: &mut Applicable) -> Result<(), StoreError> {
        while !applicable.lines.is_empty() || applicable.file.is_some() {
            let count = applicable.lines.len().min(BATCH);
            let mut session = applicable.session.clone();
            let refused = apply::apply(self.connection()?, &mut session, &applicable.lines[..count])?;
            self.was_locked = false;
            applicable.session = session;
            applicable.lines.drain(..count);
            self.applied += if applicable.file.is_none() { count as u64 } else { 0 };
            for (line, error) in refused {
                self.refuse(line, error);
            }
            if let Some(file) = applicable.file.take_if(|_| applicable.lines.is_empty()) {
                self.journal.taken_up(file);
            }
        }
        Ok(())
    }

    /// A line that the database will never take: it stays in this session's journal, whosever it was.
    fn refuse(&mut self, line: Line, error: StoreError) {
        tracing::error!(uuid = line.uuid, %error, "the store refuses a change");
        self.journal.refuse(line, error.to_string());
        self.complain(error);
    }

    fn connection(&mut self) -> Result<&mut Connection, StoreError> {
        let patience = match self.until {
            Some(until) => until.saturating_duration_since(Instant::now()),
            None if self.was_locked => LOCKED,
            None => BUSY,
        };
        let data_dir = self.data_dir.as_ref().ok_or(StoreError::Closed)?;
        if self.opened.as_ref().is_some_and(Opened::is_replaced) {
            self.opened = None;
            self.journal.pass_on_again();
        }
        let opened = match self.opened.take() {
            Some(opened) => opened,
            None => open::to_write(data_dir, patience)?,
        };
        let connection = &mut self.opened.insert(opened).connection;
        connection.busy_timeout(patience)?;
        Ok(connection)
    }

    /// Puts the database aside, and begins another with what is undecided.
    fn begin_anew(&mut self, why: StoreError) {
        tracing::error!(%why, "the store cannot be used");
        let Some(data_dir) = self.data_dir.clone() else { return };
        match open::put_aside(&data_dir, self.opened.as_ref()) {
            Ok(aside) => {
                self.opened = None;
                self.journal.pass_on_again();
                if let Err(error) = self.connection() {
                    self.complain(error);
                }
                if let Some(aside) = aside {
                    self.complain(StoreError::PutAside { aside, why: Box::new(why) });
                }
            }
            Err(error) => self.complain(error),
        }
    }

    /// The log has every fault; the user gets the first.
    fn complain(&mut self, error: StoreError) {
        if matches!(error, StoreError::Closed) {
            // There is to be none.
            return;
        }
        tracing::error!(%error, "the store failed");
        if let Some(warn) = self.warn.take() {
            warn(error);
        }
    }
}
