//! What the writing thread owns, and how it works off its tasks.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use serde_json::json;

use super::{Reply, Then, open};
use crate::store::queries::entry::{Asker, Which};
use crate::store::queries::{held, keep, sessions};
use crate::store::record::{Held, Landed, Record};
use crate::store::{Amounts, StoreError, owner, transcript};

/// Something to be written, and what comes after it.
pub enum Task {
    Begin { id: u64, agent: String, session_id: String },
    Keep(Box<Record>, Then<Amounts>),
    Land { id: u64, landed: Landed, then: Then<()> },
    Amend { id: u64, more: Amounts, then: Then<Option<Amounts>> },
    Adopt(Then<Vec<Held>>),
    Number { uuid: String, id: u64 },
    Again { uuid: String, id: u64, then: Then<Reply> },
    Close(Then<()>),
}

pub struct Writer {
    connection: Option<Connection>,
    owner: String,
    /// What the sessions that running jobs went on from had counted, by the jobs' numbers.
    parents: BTreeMap<u64, Amounts>,
    transcripts: PathBuf,
    warn: Option<Then<StoreError>>,
}

impl Writer {
    /// Opens the database; where that fails nothing is kept, and `warn` is told.
    pub fn new(data_dir: Option<&Path>, warn: Then<StoreError>) -> Self {
        let mut writer = Self {
            connection: None,
            owner: owner::current(),
            parents: BTreeMap::new(),
            transcripts: data_dir.map(transcript::folder).unwrap_or_default(),
            warn: Some(warn),
        };
        match data_dir.map(open::to_write).transpose() {
            Ok(connection) => writer.connection = connection,
            Err(error) => writer.complain(error),
        }
        writer
    }

    pub fn work(&mut self, task: Task) {
        match task {
            Task::Begin { id, agent, session_id } => {
                let counters =
                    self.attempt(|connection, _| sessions::counters(connection, &agent, &session_id));
                // One of which nothing is kept yet has nothing to hand on.
                self.parents.extend(counters.map(|counters| (id, counters.unwrap_or_default())));
            }
            Task::Keep(record, then) => {
                let parent = self.parents.remove(&record.id);
                let share =
                    self.attempt(|connection, owner| keep::insert(connection, owner, &record, parent));
                then(share.unwrap_or_else(|| unkept(&record)));
            }
            Task::Land { id, landed, then } => {
                self.attempt(|connection, owner| {
                    let durable = if landed.landing == "held" { "FULL" } else { "NORMAL" };
                    connection.pragma_update(None, "synchronous", durable)?;
                    keep::land(connection, owner, id, &landed)
                });
                then(());
            }
            Task::Amend { id, more, then } => {
                then(self.attempt(|connection, owner| keep::amend(connection, owner, id, &more)).flatten());
            }
            Task::Adopt(then) => then(self.attempt(held::adopt).unwrap_or_default()),
            Task::Number { uuid, id } => {
                self.attempt(|connection, owner| held::number(connection, owner, &uuid, id));
            }
            Task::Again { uuid, id, then } => then(self.again(&uuid, id)),
            Task::Close(then) => then(()),
        }
    }

    fn again(&mut self, uuid: &str, id: u64) -> Reply {
        let connection = self.connection.as_mut().ok_or(StoreError::Closed)?;
        if !held::again(connection, &self.owner, uuid, id)? {
            return Err(StoreError::NoSuchJob);
        }
        let asker = Asker { owner: &self.owner, transcripts: &self.transcripts };
        Ok(json!({ "job": asker.job(connection, &Which::Id(id))? }))
    }

    fn attempt<T>(
        &mut self,
        query: impl FnOnce(&mut Connection, &str) -> Result<T, StoreError>,
    ) -> Option<T> {
        match query(self.connection.as_mut()?, &self.owner) {
            Ok(value) => Some(value),
            Err(error) => {
                self.complain(error);
                None
            }
        }
    }

    /// The log has every failure; the user is told of the first.
    fn complain(&mut self, error: StoreError) {
        tracing::error!(%error, "the store failed");
        if let Some(warn) = self.warn.take() {
            warn(error);
        }
    }
}

/// The share of a job that could not be kept.
fn unkept(record: &Record) -> Amounts {
    if record.resumed.is_some() { record.amounts.certain(record.counted) } else { record.amounts }
}
