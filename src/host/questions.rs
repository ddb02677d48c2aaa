//! The editor's questions to the store. Each reply has the token of its question, and comes once the store has been
//! read.

use super::Host;
use crate::error::JobError;
use crate::store::Query;

impl Host {
    /// Replies with what the store has.
    pub(super) fn query(&self, token: u64, query: Result<Query, JobError>) {
        let editor = self.editor.clone();
        match query {
            Ok(query) => self.store.query(query, move |reply| {
                editor.reply(token, reply.map_err(|error| error.to_string()));
            }),
            Err(error) => editor.reply(token, Err(error.message)),
        }
    }
}
