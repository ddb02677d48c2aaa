//! The thread that fills the database and answers questions.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::open::{self, BUSY, Opened};
use super::{Asker, StoreError, apply, transcript};
use crate::journal::{Folder, Journal, Line, Undecided, Warn, Writer};
use crate::memory;

/// How long lines wait to be applied: the answer that they are of is on its way to its buffer, and needs the processor.
const SOON: Duration = Duration::from_millis(100);
/// When what could not be applied is tried again, and free memory given back.
const LATER: Duration = Duration::from_secs(1);
/// How long a database is waited for that could not be written before.
const IMPATIENT: Duration = Duration::from_millis(5);
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
    /// The lines of this session that are not applied yet.
    pub waiting: VecDeque<Line>,
    /// The session of the first of them.
    changes_of: String,
    /// How many were applied, or refused for good.
    applied: u64,
    /// The sessions that are gone of which the database has everything, with the lengths that their files had.
    taken_up: BTreeMap<String, u64>,
    /// What waits could not be applied.
    is_failing: bool,
    /// The user was told of the first fault.
    is_told: bool,
    warn: Warn,
}

impl StoreThread {
    pub fn new(data_dir: PathBuf, session: String, journal: Journal, warn: Warn) -> Self {
        Self {
            data_dir,
            changes_of: session.clone(),
            session,
            journal,
            opened: None,
            waiting: VecDeque::new(),
            applied: 0,
            taken_up: BTreeMap::new(),
            is_failing: false,
            is_told: false,
            warn,
        }
    }

    /// Works until all handles are gone.
    pub fn run(mut self, tasks: &mpsc::Receiver<Task>) {
        // When there is something to do without a task, and whether that is to give back what answers have freed.
        let (mut due, mut has_freed) = (None::<Instant>, false);
        loop {
            let patience = due.map_or(Duration::MAX, |due| due.saturating_duration_since(Instant::now()));
            match tasks.recv_timeout(patience) {
                Ok(task) => std::iter::once(task).chain(tasks.try_iter()).for_each(|task| task(&mut self)),
                Err(mpsc::RecvTimeoutError::Timeout) if self.waiting.is_empty() => {
                    memory::give_back();
                    (due, has_freed) = (None, false);
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    self.catch_up();
                    (due, has_freed) = (None, true);
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => return,
            }
            if due.is_none() && (has_freed || !self.waiting.is_empty()) {
                let is_new = !self.waiting.is_empty() && !self.is_failing;
                due = Some(Instant::now() + if is_new { SOON } else { LATER });
            }
        }
    }

    /// Asks the database, once all lines before are applied, where they can be.
    pub fn answer<T>(
        &mut self,
        question: impl FnOnce(Asker<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.catch_up();
        if let Err(error) = self.take_up() {
            // The next question tries again.
            tracing::warn!(%error, "what other sessions have left is not listed");
        }
        let (session, transcripts) = (self.session.clone(), transcript::folder(&self.data_dir));
        let asker = |connection| Asker { connection, session: &session, transcripts: &transcripts };
        let found = self.connection().and_then(|connection| question(asker(connection)));
        if let Err(error) = &found {
            tracing::error!(%error, "the store has no answer");
            if error.is_unusable() {
                self.begin_anew(error);
            }
        }
        found
    }

    /// Applies what waits, as far as that can be done now; then has the journal closed.
    pub fn close(&mut self, then: impl FnOnce() + Send + 'static) {
        self.catch_up();
        self.journal.send(move |writer| {
            writer.close();
            then();
        });
    }

    /// Applies what waits, as far as that can be done now.
    fn catch_up(&mut self) {
        if self.waiting.is_empty() {
            return;
        }
        while !self.waiting.is_empty() {
            let mut session = self.changes_of.clone();
            let lines: Vec<Line> = self.waiting.drain(..self.waiting.len().min(BATCH)).collect();
            match self.apply(&mut session, &lines) {
                Ok(()) => {
                    (self.changes_of, self.is_failing) = (session, false);
                    self.applied += lines.len() as u64;
                }
                Err(error) => {
                    lines.into_iter().rev().for_each(|line| self.waiting.push_front(line));
                    if !error.is_unusable() || !self.begin_anew(&error) {
                        return self.fail(&error);
                    }
                }
            }
        }
        let applied = self.applied;
        self.journal.send(move |writer| writer.applied = applied);
    }

    /// Brings what sessions that are gone have left into the database. Their files go then, unless something in them is
    /// undecided; their jobs that had not ended were interrupted.
    fn take_up(&mut self) -> Result<(), StoreError> {
        let folder = Folder::under(&self.data_dir);
        // Without a turn, or a folder, nothing can be taken up; the next question tries again.
        let turn = folder.turn().ok();
        let gone = turn.as_ref().map(|_| folder.gone(&self.session)).transpose()?;
        for (session, mut numbers) in gone.unwrap_or_default() {
            let (length, count) = (folder.length(&session, &numbers), numbers.len());
            if self.taken_up.get(&session) == Some(&length) {
                continue;
            }
            let lines = folder.lines(&session, &mut numbers, &*self.warn);
            let mut changes_of = session.clone();
            for lines in lines.chunks(BATCH) {
                self.apply(&mut changes_of, lines)?;
            }
            if numbers.len() == count && Undecided::of(&lines).is_empty() {
                folder.remove(&session, &numbers);
            }
            self.taken_up.insert(session, length);
        }
        drop(turn);
        let sessions = folder.sessions()?;
        let own = self.session.clone();
        apply::end_gone(self.connection()?, |session| {
            session != own && sessions.get(session).is_none_or(|numbers| !folder.is_alive(session, numbers))
        })
    }

    /// Applies lines, all or none.
    fn apply(&mut self, session: &mut String, lines: &[Line]) -> Result<(), StoreError> {
        // The database will never take those that it refuses: they stay in this session's journal, whosever they were.
        for (line, error) in apply::apply(self.connection()?, session, lines)? {
            self.complain(format!("answers do not reach the history: {error}; jobs still run"));
            self.journal.send(move |writer| writer.refuse(line, error.to_string()));
        }
        Ok(())
    }

    fn connection(&mut self) -> Result<&mut Connection, StoreError> {
        let patience = if self.is_failing { IMPATIENT } else { BUSY };
        if self.opened.take_if(|opened| opened.is_replaced()).is_some() {
            self.journal.send(Writer::pass_on_again);
        }
        let opened = match self.opened.take() {
            Some(opened) => opened,
            None => open::to_write(&self.data_dir, patience)?,
        };
        let connection = &mut self.opened.insert(opened).connection;
        connection.busy_timeout(patience)?;
        Ok(connection)
    }

    /// Puts the database aside, and begins another with what is undecided; whether there is another.
    fn begin_anew(&mut self, why: &StoreError) -> bool {
        let Ok(aside) = open::put_aside(&self.data_dir, self.opened.as_ref()) else { return false };
        self.opened = None;
        self.journal.send(Writer::pass_on_again);
        if let Some(aside) = aside {
            let aside = aside.display();
            self.complain(format!("{why}; the old store is kept as {aside}, and a new one is begun"));
        }
        self.connection().is_ok()
    }

    /// What waits is tried again.
    fn fail(&mut self, error: &StoreError) {
        self.is_failing = true;
        self.complain(format!("answers do not reach the history yet: {error}; jobs still run"));
    }

    /// The log has every fault; the user gets the first.
    fn complain(&mut self, what: String) {
        tracing::error!(what, "the store failed");
        if !std::mem::replace(&mut self.is_told, true) {
            (self.warn)(what);
        }
    }
}
