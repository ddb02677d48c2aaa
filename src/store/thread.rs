//! The thread that fills the database and answers questions.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::open::{self, BUSY, Opened};
use super::{StoreError, apply};
use crate::journal::{Applicable, Folder, Journal, is_alive};
use crate::memory;

/// When what could not be applied is tried again, and free memory given back, if nothing comes before.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);
/// How long a database is waited for that was locked before.
const LOCKED: Duration = Duration::from_millis(5);
/// How many lines are applied in one transaction.
const BATCH: usize = 256;

/// What the thread is asked for.
pub type Task = Box<dyn FnOnce(&mut StoreThread) + Send>;

/// See the module.
pub struct StoreThread {
    data_dir: PathBuf,
    session: String,
    journal: Journal,
    opened: Option<Opened>,
    /// What is not applied yet.
    pub waiting: VecDeque<Applicable>,
    /// How many lines of this session were applied, or refused for good.
    applied: u64,
    was_locked: bool,
    /// Whether answers among the lines were freed, here and soon in the journal's thread.
    has_freed: bool,
    /// When the host ends; until then it has nothing else to do than to wait for a database that is locked.
    until: Option<Instant>,
    /// Told of the first fault.
    warn: Option<Box<dyn FnOnce(String) + Send>>,
}

impl StoreThread {
    pub fn new(
        data_dir: PathBuf,
        session: String,
        journal: Journal,
        warn: impl FnOnce(String) + Send + 'static,
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
            warn: Some(Box::new(warn)),
        }
    }

    /// Works until all handles are gone.
    pub fn run(mut self, tasks: &mpsc::Receiver<Task>) {
        loop {
            let is_idle = self.waiting.is_empty() && !self.has_freed;
            match tasks.recv_timeout(if is_idle { Duration::MAX } else { RETRY_INTERVAL }) {
                Ok(task) => std::iter::once(task).chain(tasks.try_iter()).for_each(|task| task(&mut self)),
                Err(mpsc::RecvTimeoutError::Timeout) if std::mem::take(&mut self.has_freed) => {
                    memory::give_back();
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => return,
            }
            self.catch_up();
        }
    }

    /// Asks the database, once all lines before are applied, where they can be.
    pub fn read<T>(
        &mut self,
        ask: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.catch_up();
        if let Err(error) = self.end_gone() {
            // The next question tries again.
            tracing::warn!(%error, "interrupted jobs are not listed");
        }
        let found = self.connection().and_then(|connection| ask(connection));
        if let Err(error) = &found {
            tracing::error!(%error, "the store has no answer");
            if error.is_unusable() {
                self.begin_anew(error);
            }
        }
        found
    }

    /// Applies all that waits, until then.
    pub fn close(&mut self, until: Instant) {
        // At once, so that there is time for the journal where the database is locked.
        self.catch_up();
        self.until = Some(until);
        self.catch_up();
    }

    /// The jobs of sessions that are gone have ended.
    fn end_gone(&mut self) -> Result<(), StoreError> {
        let (own, folder) = (self.session.clone(), Folder::under(&self.data_dir));
        apply::end_gone(self.connection()?, |session| {
            session != own
                && folder.sessions().is_ok_and(|all| all.get(session).is_none_or(|files| !is_alive(files)))
        })
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
                self.begin_anew(&error);
                if self.opened.is_some() {
                    continue;
                }
            } else {
                self.fail(&error);
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
            // The database will never take these: they stay in this session's journal, whosever they were.
            for (line, error) in refused {
                self.complain(&format!("answers are in no history: {error}; jobs run all the same"));
                self.journal.refuse(line, error.to_string());
            }
            if let Some(file) = applicable.file.take_if(|_| applicable.lines.is_empty()) {
                self.journal.taken_up(file);
            }
        }
        Ok(())
    }

    fn connection(&mut self) -> Result<&mut Connection, StoreError> {
        let patience = match self.until {
            Some(until) => until.saturating_duration_since(Instant::now()),
            None if self.was_locked => LOCKED,
            None => BUSY,
        };
        if self.opened.take_if(|opened| opened.is_replaced()).is_some() {
            self.journal.pass_on_again();
        }
        let opened = match self.opened.take() {
            Some(opened) => opened,
            None => open::to_write(&self.data_dir, patience)?,
        };
        let connection = &mut self.opened.insert(opened).connection;
        connection.busy_timeout(patience)?;
        Ok(connection)
    }

    /// Puts the database aside, and begins another with what is undecided.
    fn begin_anew(&mut self, why: &StoreError) {
        match open::put_aside(&self.data_dir, self.opened.as_ref()) {
            Ok(aside) => {
                self.opened = None;
                self.journal.pass_on_again();
                if let Err(error) = self.connection() {
                    self.fail(&error);
                }
                if let Some(aside) = aside {
                    let aside = aside.display();
                    self.complain(&format!(
                        "the store cannot be used ({why}); it is kept as {aside}, and a new one is begun"
                    ));
                }
            }
            Err(error) => self.fail(&error),
        }
    }

    /// What waits is tried again.
    fn fail(&mut self, error: &StoreError) {
        self.complain(&format!("answers are in no history yet: {error}; jobs run all the same"));
    }

    /// The log has every fault; the user gets the first.
    fn complain(&mut self, what: &str) {
        tracing::error!(what, "the store failed");
        if let Some(warn) = self.warn.take() {
            warn(what.to_owned());
        }
    }
}
