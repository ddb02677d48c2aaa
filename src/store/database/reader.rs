//! The thread that answers questions. It has a connection of its own, opened with the first question.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;

use rusqlite::Connection;
use serde_json::json;

use super::open::{self, Opened};
use super::{Query, QueryReply};
use crate::store::now_ms;
use crate::store::queries::entry::QueryContext;
use crate::store::queries::{checkpoints, history, info, logins, prompts, unsent};
use crate::store::{StoreError, owner, transcript};

/// A question with what comes after it.
pub struct ReadRequest(Box<ReadFn>);

/// Gets the connection, or why there is none.
type ReadFn = dyn FnOnce(Result<&mut ReaderConnection<'_>, StoreError>) + Send;

impl ReadRequest {
    /// `ask` reads the answer, `then` gets it.
    pub fn new<T>(
        ask: impl FnOnce(&Connection, QueryContext<'_>) -> Result<T, StoreError> + Send + 'static,
        then: impl FnOnce(Result<T, StoreError>) + Send + 'static,
    ) -> Self {
        Self(Box::new(move |reader| then(reader.and_then(|reader| reader.read(ask)))))
    }

    /// There is no answer.
    pub fn refuse(self, error: StoreError) {
        (self.0)(Err(error));
    }
}

/// Answers until all senders are gone. Damage is made known to the writer, which puts the database aside.
pub fn answer(data_dir: &Path, questions: &mpsc::Receiver<ReadRequest>, suspicion: &AtomicBool) {
    let owner = owner::current();
    let transcripts = transcript::folder(data_dir);
    let asker = QueryContext { owner: &owner, transcripts: &transcripts };
    let mut reader = ReaderConnection { data_dir, asker, opened: None, suspicion };
    for ReadRequest(question) in questions {
        question(Ok(&mut reader));
    }
}

struct ReaderConnection<'a> {
    data_dir: &'a Path,
    asker: QueryContext<'a>,
    opened: Option<Opened>,
    suspicion: &'a AtomicBool,
}

impl ReaderConnection<'_> {
    fn read<T>(
        &mut self,
        ask: impl FnOnce(&Connection, QueryContext<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let asker = self.asker;
        let found = connection(&mut self.opened, self.data_dir).and_then(|connection| ask(connection, asker));
        if let Err(error) = &found {
            tracing::error!(%error, "the store has no answer");
            if error.is_damage() {
                self.opened = None;
                self.suspicion.store(true, Ordering::Relaxed);
            }
        }
        found
    }
}

/// The connection; a new one where the database is another file by now.
fn connection<'a>(opened: &'a mut Option<Opened>, data_dir: &Path) -> Result<&'a Connection, StoreError> {
    if opened.as_ref().is_some_and(Opened::is_replaced) {
        *opened = None;
    }
    match opened {
        Some(opened) => Ok(&opened.connection),
        None => Ok(&opened.insert(open::to_read(data_dir, open::BUSY)?).connection),
    }
}

/// The reply to a query, as the editor gets it.
pub fn reply(connection: &Connection, asker: QueryContext<'_>, query: &Query) -> QueryReply {
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
        // The writer's.
        Query::Held | Query::Untold { .. } => return Err(StoreError::NoSuchJob),
    };
    Ok(reply)
}
