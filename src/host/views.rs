//! The windows of the host: what the user asks to see, what the store has of it, and what is drawn.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::lists::LIST;
use super::transcript::Source;
use super::{Host, Reply};
use crate::error::JobError;
use crate::render::{self, Totals};
use crate::rpc::{Asked, OfJob};
use crate::session::{Decision, Live};
use crate::store::{InfoQuery, JobEntry, JobKey};
use crate::ui::{self, Screen, Ui};

/// How long what a window shows is looked for before it opens without rows: a key does not wait for much longer.
pub(super) const OPENS_WITHIN: Duration = Duration::from_millis(100);
/// The most cells of a row in a picker, which cuts what it has no room for.
pub(super) const PICK_WIDTH: usize = 120;

/// See the module.
#[derive(Default)]
pub struct Views {
    pub(super) screen: Screen,
    /// The transcripts that are shown, by their views.
    pub(super) transcripts: BTreeMap<String, Source>,
    /// What the list shows of them.
    pub(super) live: Option<(Vec<Live>, Totals)>,
    /// Something that the store has of jobs has changed.
    pub(super) is_past_stale: bool,
    /// A beat is on its way.
    pub(super) is_beating: bool,
    /// The list shows again what jobs do.
    pub(super) is_list_due: bool,
}

impl Host {
    /// Does what is asked for, or begins to.
    pub(super) fn asked(&mut self, token: u64, ui: Ui, asked: Result<Asked, JobError>) {
        self.views.screen.resize(ui);
        let reply =
            asked.map_err(|error| error.message).and_then(|asked| self.answer_asked(token, ui, asked));
        self.reply_if_known(token, reply);
    }

    fn answer_asked(&mut self, token: u64, ui: Ui, asked: Asked) -> Reply {
        match asked {
            Asked::Command { call, from } => return self.command_line(token, ui, &call, *from),
            Asked::Complete { typed, lead } => return self.complete(&typed, &lead),
            Asked::Jump { by, from } => return self.jump(by, &from.here),
            Asked::Each(wanted) => return self.each(&wanted),
            Asked::Again { action, id, prompt } => return self.ask_again(id, &action, prompt),
            Asked::Health { log_dir } => self.health(token, self.options.clone()?, log_dir),
            Asked::Prompt(message) => self.ask_prompt(token, *message),
            Asked::Show(wanted) => return self.show(token, &wanted),
            Asked::Hunks { id, buffer, tick, tabstop } => self.hunks(token, (id, buffer), tick, tabstop),
            Asked::Hunk(key) => self.hunk_key(token, key),
            Asked::Accept(wanted) => self.accept_answer(token, wanted),
            Asked::Reject(OfJob { id, buffer }) => self.decide(token, id, buffer, Decision::Reject),
            Asked::Revert(OfJob { id, buffer }) => self.decide(token, id, buffer, Decision::Revert),
            Asked::Held {} => {
                self.adopt(move |host, adopted| host.reply(token, adopted.map(|()| json!({}))));
            }
            Asked::Ending {} => self.ending(token),
            Asked::Settled {} => self.unsettled.push(token),
            Asked::Act(act) => return self.act_on_row(token, &act),
        }
        Ok(None)
    }

    /// Replies to a question, behind all that is drawn meanwhile.
    pub(super) fn reply(&mut self, token: u64, reply: Result<Value, String>) {
        self.replies.push((token, reply));
    }

    /// The same where there is a reply by now.
    pub(super) fn reply_if_known(&mut self, token: u64, reply: Reply) {
        self.replies.extend(reply.transpose().map(|reply| (token, reply)));
    }

    /// Shows sums over jobs; they come later.
    pub(super) fn open_info(&mut self, token: u64, wanted: InfoQuery) {
        let project = Path::new(&wanted.project).file_name().unwrap_or_default();
        let project = project.to_string_lossy().into_owned();
        let empty = ui::info(project.clone(), Vec::new(), String::new());
        let view = self.views.screen.open("info", empty, token);
        self.ask_store(
            move |asker| asker.info(&wanted),
            move |host, info| match info {
                Ok(info) => {
                    let (tables, note) = render::info(&info);
                    host.views.screen.show(&view, ui::info(project, tables, note));
                }
                Err(error) => {
                    if host.views.screen.close(&view) {
                        host.editor.warn(error.to_string());
                    }
                }
            },
        );
    }

    /// Looks for a job of the store, and replies with what comes of it.
    #[expect(clippy::unnecessary_wraps, reason = "it is the reply of who asks")]
    pub(super) fn find_job(
        &self,
        token: u64,
        key: JobKey,
        then: impl FnOnce(&mut Self, Result<JobEntry, String>) -> Reply + Send + 'static,
    ) -> Reply {
        self.ask_store(
            move |asker| asker.job(&key),
            move |host, job| {
                let reply = then(host, job.map_err(|error| error.to_string()));
                host.reply_if_known(token, reply);
            },
        );
        Ok(None)
    }

    /// The user has pressed a key in a window of the host.
    pub(super) fn act(&mut self, view: &str, action: &str, text: Option<&str>) {
        match action {
            "more" => self.views.screen.more_keys(view),
            "reload" => self.read_again(view),
            _ => self.on_list(view, |list| list.key(action, text)),
        }
    }

    /// A window of the host is gone.
    pub(super) fn closed(&mut self, view: &str) {
        self.views.screen.closed(view);
        self.views.transcripts.remove(view);
        self.closed_proposal(view);
    }

    /// A view that waits for its rows opens with them, or soon without them.
    pub(super) fn opens_soon(&self, view: String) {
        self.back.after(OPENS_WITHIN, move |host| host.reveal(&view));
    }

    /// A view opens now, if it is not open yet: a list in the place of another one.
    pub(super) fn reveal(&mut self, view: &str) {
        let list = self.views.screen.named(LIST);
        let Some(token) = self.views.screen.reveal(view) else { return };
        if view.starts_with(LIST) {
            if let Some(before) = list {
                self.views.screen.close(&before);
            }
            self.views.live = None;
        }
        self.reply(token, Ok(Value::Null));
    }

    /// Draws what has changed, and replies to what was asked.
    pub(super) fn draw(&mut self) {
        let replies = std::mem::take(&mut self.replies);
        self.editor.draw(self.views.screen.calls(), self.prompts.call(), replies);
    }
}
