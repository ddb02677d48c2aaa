//! The writer's connection. It opens when it is needed, opens again when the file was put aside or is damaged, and
//! tries again after transient failures.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use rusqlite::Connection;

use super::Then;
use super::inspect::{self, Files};
use super::ledger::OpenAnswer;
use super::open::{self, Opened};
use crate::store::StoreError;

/// How long to wait for a database that was locked before.
const LOCKED_BUSY_TIMEOUT: Duration = Duration::from_millis(5);

pub struct WriterConnection {
    data_dir: Option<PathBuf>,
    opened: Option<Opened>,
    /// The database is another one than before, and the ledger has not heard of it.
    is_fresh: bool,
    /// Its files after they were used last.
    files: Files,
    /// Trying again has no use.
    is_fatal: bool,
    was_locked: bool,
    /// When the host ends; until then it has nothing else to do than to wait for one that is locked.
    until: Option<Instant>,
    warn: Option<Then<StoreError>>,
}

impl WriterConnection {
    /// Opens the database. `warn` gets the first error, once.
    pub fn new(data_dir: Option<PathBuf>, warn: Then<StoreError>) -> Self {
        let is_fatal = data_dir.is_none();
        let mut connection = Self {
            data_dir,
            opened: None,
            is_fresh: false,
            files: Files::default(),
            is_fatal,
            was_locked: false,
            until: None,
            warn: Some(warn),
        };
        if let Err(error) = connection.attempt(|_| Ok(())) {
            connection.complain(error);
        }
        connection
    }

    /// Does something with the database. One that is damaged is put aside, and the same is done with a new one.
    pub fn attempt<T>(
        &mut self,
        mut work: impl FnMut(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match self.try_once(&mut work) {
            Err(error) if error.is_damage() => {
                self.replace_damaged(&error)?;
                self.try_once(&mut work)
            }
            done => done,
        }
    }

    /// Whether the database is another one than when this was asked last: nothing may be in it.
    pub fn take_fresh(&mut self) -> bool {
        std::mem::take(&mut self.is_fresh)
    }

    /// From now on a locked database is waited for until then.
    pub fn wait_until(&mut self, until: Instant) {
        self.until = Some(until);
    }

    /// Looks for damage in the whole database; where there is any, a new one is begun.
    pub fn check(&mut self) -> Result<(), StoreError> {
        self.attempt(|connection| inspect::quick_check(connection))
    }

    /// If another process has written its files since they were used last, or with `always`: checks whether these
    /// answers are there, and begins a new database where they cannot be read. Returns those that are missing.
    pub fn verify(&mut self, answers: impl FnOnce() -> Vec<OpenAnswer>, always: bool) -> Vec<u64> {
        let (Some(data_dir), Some(opened)) = (&self.data_dir, &self.opened) else { return Vec::new() };
        let files = Files::of(&opened.path);
        if opened.is_replaced() {
            self.forget();
            return Vec::new();
        } else if files == self.files && !always {
            return Vec::new();
        }
        match inspect::inspect(data_dir, &opened.path, files.is_shorter(&self.files), &answers()) {
            Ok(missing) => {
                self.files = files;
                missing
            }
            Err(error) if error.is_damage() => {
                if let Err(error) = self.replace_damaged(&error) {
                    self.complain(error);
                }
                Vec::new()
            }
            // It is looked at again with the next write.
            Err(error) => {
                tracing::warn!(%error, "the store cannot be looked at");
                Vec::new()
            }
        }
    }

    /// The log has every failure; the user gets the first.
    pub fn complain(&mut self, error: StoreError) {
        if matches!(error, StoreError::Closed) {
            // There is to be none, or the user knows why there is none.
            return;
        }
        tracing::error!(%error, "the store failed");
        if let Some(warn) = self.warn.take() {
            warn(error);
        }
    }

    fn try_once<T>(
        &mut self,
        work: impl FnOnce(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let done = self.connection().and_then(work);
        self.was_locked = done.as_ref().is_err_and(StoreError::is_lock);
        if let Some(opened) = self.opened.as_ref().filter(|_| done.is_ok()) {
            self.files = Files::of(&opened.path);
        }
        done
    }

    /// How long to wait for a locked database; `first` is the time for the first attempt.
    fn patience(&self, first: Duration) -> Duration {
        match self.until {
            Some(until) => until.saturating_duration_since(Instant::now()),
            None if self.was_locked => LOCKED_BUSY_TIMEOUT,
            None => first,
        }
    }

    fn connection(&mut self) -> Result<&mut Connection, StoreError> {
        if self.opened.as_ref().is_some_and(Opened::is_replaced) {
            self.forget();
        }
        let data_dir = self.data_dir.as_ref().filter(|_| !self.is_fatal).ok_or(StoreError::Closed)?;
        if self.opened.is_none() {
            let opened = open::to_write(data_dir, self.patience(open::MAKING))
                .inspect_err(|error| self.is_fatal = !error.is_transient())?;
            self.opened = Some(opened);
        }
        let patience = self.patience(open::BUSY);
        let connection =
            self.opened.as_mut().map(|opened| &mut opened.connection).ok_or(StoreError::Closed)?;
        connection.busy_timeout(patience)?;
        Ok(connection)
    }

    fn replace_damaged(&mut self, damage: &StoreError) -> Result<(), StoreError> {
        let data_dir = self.data_dir.as_ref().ok_or(StoreError::Closed)?;
        tracing::error!(%damage, "the store is damaged");
        let aside = open::put_aside(data_dir, self.opened.as_ref())?;
        self.forget();
        if let Some(aside) = aside {
            self.complain(StoreError::Damaged { aside });
        }
        Ok(())
    }

    /// This database is gone; the next one may have nothing of what the host knows.
    fn forget(&mut self) {
        self.opened = None;
        self.is_fresh = true;
    }
}
