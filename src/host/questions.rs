//! The editor's questions for lists and jobs. Each reply has the token of its question, and comes once the store has been
//! read.

use serde_json::json;

use super::Host;
use crate::error::JobError;
use crate::rpc::List;
use crate::store::{Listed, Query};
use crate::view::{self, Viewer};

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

    /// Replies with the rows of a list.
    pub(super) fn view(&self, token: u64, view: Result<(List, Viewer), JobError>) {
        let editor = self.editor.clone();
        match view {
            Ok((List::Jobs(jobs, totals), viewer)) => {
                let table = view::jobs(&jobs, &viewer);
                editor.reply(token, Ok(json!({ "table": table, "totals": totals.words() })));
            }
            Ok((List::History(page), viewer)) => self.store.history(page, move |listed| {
                let shown =
                    |listed: Listed| json!({ "table": view::history(&listed, &viewer), "more": listed.more });
                editor.reply(token, listed.map(shown).map_err(|error| error.to_string()));
            }),
            Err(error) => editor.reply(token, Err(error.message)),
        }
    }
}
