//! The editor's questions for lists, jobs and transcripts. Each reply has the token of its question, and comes once the
//! store or the file has been read.

use serde_json::json;

use super::{Host, transcript};
use crate::error::JobError;
use crate::request::TranscriptRequest;
use crate::rpc::List;
use crate::store::{FullJob, Info, Listed, Query};
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
            Ok((List::Prompt(key), _)) => self.store.job(key, move |job| {
                let shown = |job: FullJob| json!(view::prompt(&job.entry));
                editor.reply(token, job.map(shown).map_err(|error| error.to_string()));
            }),
            Ok((List::Info(wanted), _)) => self.store.info(wanted, move |info| {
                let shown = |info: Info| {
                    let (tables, note) = view::info(&info);
                    json!({ "tables": tables, "note": note })
                };
                editor.reply(token, info.map(shown).map_err(|error| error.to_string()));
            }),
            Err(error) => editor.reply(token, Err(error.message)),
        }
    }

    /// Replies with a transcript as a conversation.
    pub(super) fn transcript(&self, token: u64, request: Result<TranscriptRequest, JobError>) {
        let editor = self.editor.clone();
        match request {
            Ok(request) => self.context.transcripts.read(request.path.clone(), move |file| {
                editor.reply(token, transcript::reply(file, request));
                // The transcript is freed now.
            }),
            Err(error) => editor.reply(token, Err(error.message)),
        }
    }
}
