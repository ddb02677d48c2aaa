//! The windows of the host: what the user asks to see, what the store has of it, and what is drawn.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use super::Host;
use super::earlier::Adopter;
use super::files::Files;
use super::lists::LIST;
use super::transcript::{Source, not_kept};
use crate::error::JobError;
use crate::rpc::{Act, Asked, OfJob};
use crate::session::{Decision, Live};
use crate::store::{Info, InfoQuery, JobEntry, JobKey, StoreError};
use crate::ui::{self, Event, Screen, Ui};
use crate::view::{self, Totals};

/// How long what a window shows is looked for before it opens without rows: a key does not wait for much longer.
pub(super) const OPENS_WITHIN: Duration = Duration::from_millis(100);
/// The most cells of a row in a picker, which cuts what it has no room for.
pub(super) const PICK_WIDTH: usize = 120;

/// For what a job of the store is looked for.
#[derive(Debug)]
pub enum Purpose {
    /// To do what a key does with it.
    Act(Act),
    /// To show its transcript, or the file itself.
    Transcript {
        /// The file.
        is_raw: bool,
    },
}

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
    /// The files that the prompt offers.
    pub(super) files: Files,
}

impl Host {
    /// Opens what the user asks for, or begins to look for it.
    pub(super) fn asked(&mut self, token: u64, ui: Ui, asked: Result<Asked, JobError>) {
        self.views.screen.resize(ui);
        match asked {
            Ok(Asked::Command { call, from }) => self.command_line(token, ui, &call, *from),
            Ok(Asked::Complete { typed, lead }) => self.complete(token, &typed, &lead),
            Ok(Asked::Jump { by, from }) => self.jump(token, by, &from.here),
            Ok(Asked::Each(wanted)) => {
                let reply = self.each(&wanted);
                self.draw(Some((token, reply)));
            }
            Ok(Asked::Again { action, id, prompt }) => self.ask_again(token, id, &action, prompt),
            Ok(Asked::Health { log_dir }) => match self.options.clone() {
                Ok(options) => self.health(token, options, log_dir),
                Err(error) => self.draw(Some((token, Err(error)))),
            },
            Ok(Asked::Prompt(message)) => self.ask_prompt(token, *message),
            Ok(Asked::Show(wanted)) => self.show(token, &wanted),
            Ok(Asked::Hunks { id, buffer, tick, tabstop }) => self.hunks(token, (id, buffer), tick, tabstop),
            Ok(Asked::Hunk(key)) => self.hunk_key(token, key),
            Ok(Asked::Accept(wanted)) => self.accept_answer(token, wanted),
            Ok(Asked::Reject(OfJob { id, buffer })) => self.decide(token, id, buffer, Decision::Reject),
            Ok(Asked::Revert(OfJob { id, buffer })) => self.decide(token, id, buffer, Decision::Revert),
            Ok(Asked::Held {}) => self.adopt(Adopter::Plugin(token)),
            Ok(Asked::Settled {}) => self.unsettled.push(token),
            Ok(Asked::Act(act)) => self.act_on_row(token, act),
            Err(error) => self.draw(Some((token, Err(error.message)))),
        }
    }

    /// Shows sums over jobs; they come later.
    pub(super) fn open_info(&mut self, token: u64, wanted: InfoQuery) {
        let project = Path::new(&wanted.project).file_name().unwrap_or_default();
        let project = project.to_string_lossy().into_owned();
        let empty = ui::Info { project: project.clone(), sums: None };
        let view = self.views.screen.open("info", Box::new(empty), token);
        self.draw(Some((token, Ok(Value::Null))));
        let back = self.back.clone();
        self.store.ask(
            move |asker| asker.info(&wanted),
            move |info| back.then(move |host| host.found_info(&view, project, info)),
        );
    }

    fn found_info(&mut self, view: &str, project: String, info: Result<Info, StoreError>) {
        match info {
            Ok(info) => {
                let shown = ui::Info { project, sums: Some(view::info(&info)) };
                self.views.screen.show(view, Box::new(shown));
            }
            Err(error) if self.views.screen.is_open(view) => {
                self.views.screen.close(view);
                self.editor.warn(error.to_string());
            }
            Err(_) => {}
        }
        self.draw(None);
    }

    /// Looks for a job of the store, and does with it what it is looked for.
    pub(super) fn find_job(&self, token: u64, key: JobKey, purpose: Purpose) {
        let (back, wanted) = (self.back.clone(), key.clone());
        self.store.ask(
            move |asker| asker.job(&wanted),
            move |job| back.then(move |host| host.found_job(token, &key, purpose, job)),
        );
    }

    fn found_job(&mut self, token: u64, key: &JobKey, purpose: Purpose, job: Result<JobEntry, StoreError>) {
        match (job, purpose) {
            (Ok(job), Purpose::Act(act)) if act.action == "answer" => self.open_stored_answer(token, &job),
            (Ok(job), Purpose::Act(act)) => self.act_on_job(token, &act, &job),
            (Ok(job), Purpose::Transcript { is_raw }) => {
                self.open_stored_transcript(token, key, &job, is_raw);
            }
            (Err(error), purpose) => {
                let is_own = matches!((key, purpose), (JobKey::Id(_), Purpose::Transcript { .. }));
                self.draw(Some((token, Err(if is_own { not_kept(key) } else { error.to_string() }))));
            }
        }
    }

    /// The user has pressed a key in a window of the host.
    pub(super) fn act(&mut self, view: &str, action: &str, text: Option<&str>) {
        match action {
            "more" => self.views.screen.more_keys(view),
            "reload" => self.read_again(view),
            _ => {
                let effect = self.views.screen.on(view, Event::Key { action, text });
                self.effect(view, effect);
            }
        }
        self.draw(None);
    }

    /// The cursor of a window of the host is in another row.
    pub(super) fn cursor(&mut self, view: &str, row: &str) {
        let effect = self.views.screen.on(view, Event::Cursor(row));
        self.effect(view, effect);
        self.draw(None);
    }

    /// A window of the host is gone.
    pub(super) fn closed(&mut self, view: &str) {
        self.views.screen.closed(view);
        self.views.transcripts.remove(view);
        self.answers.closed(view);
        self.closed_proposal(view);
    }

    /// The screen has another size.
    pub(super) fn resized(&mut self, ui: Ui) {
        self.views.screen.resize(ui);
        self.draw(None);
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
        self.draw(Some((token, Ok(Value::Null))));
        self.refresh_list();
    }

    /// Draws what has changed, and replies to what was asked.
    pub(super) fn draw(&mut self, reply: Option<(u64, Result<Value, String>)>) {
        self.editor.draw(self.views.screen.calls(), self.prompts.call(), reply);
    }
}
