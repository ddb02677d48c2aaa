//! The editor's questions to the store. Each reply has the token of its question, and comes once the store has been
//! read.

use super::Host;
use crate::error::JobError;
use crate::journal::now_ms;
use crate::rpc::Recalled;

impl Host {
    /// Replies with what is recalled in a prompt.
    pub(super) fn recall(&self, token: u64, asked: Result<Recalled, JobError>) {
        let editor = self.editor.clone();
        match asked {
            Ok(Recalled { limit, project }) => self.store.ask(
                move |asker| asker.prompts(limit, &project, now_ms()),
                move |reply| editor.reply(token, reply.map_err(|error| error.to_string())),
            ),
            Err(error) => editor.reply(token, Err(error.message)),
        }
    }
}
