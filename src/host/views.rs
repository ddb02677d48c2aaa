//! The windows of the host: what the user asks to see, what the store has of it, and what is drawn.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::files::Files;
use super::transcript::{Source, not_kept};
use super::{Host, status};
use crate::error::JobError;
use crate::rpc::{Asked, TranscriptOf};
use crate::session::Live;
use crate::store::{Info, InfoQuery, JobEntry, JobKey, Listed};
use crate::ui::{self, Event, List, Screen, Ui};
use crate::view::transcript::TranscriptRow;
use crate::view::{self, Totals};

/// How long what a window shows is looked for before it opens without rows: a key does not wait for much longer.
pub(super) const OPENS_WITHIN: Duration = Duration::from_millis(100);
/// The most cells of a row in a picker, which cuts what it has no room for.
pub(super) const PICK_WIDTH: usize = 120;

/// What was looked for, so that a window can show it.
#[derive(Debug)]
pub enum Found {
    /// The sums of a view, and the project's name.
    Sums {
        /// The view.
        view: String,
        /// The name of the project.
        project: String,
        /// The sums, or why there are none.
        info: Result<Box<Info>, String>,
    },
    /// The job that is asked for.
    Job {
        /// Who asks.
        token: u64,
        /// What for.
        asked: Asked,
        /// The job, or why there is none.
        job: Result<Box<JobEntry>, String>,
    },
    /// A transcript is there, or it is not.
    Opened {
        /// Who asks.
        token: u64,
        /// Which one.
        source: Source,
        /// The view that shows it, once its rows are known, or why it cannot be read.
        view: Result<String, String>,
    },
    /// What a view shows is not known yet: it opens without that.
    Waited {
        /// The view.
        view: String,
    },
    /// The store has answered a list.
    Listed {
        /// The view.
        view: String,
        /// The number of the question.
        asked: u64,
        /// The jobs, or why there are none.
        listed: Result<Listed, String>,
    },
    /// The files of a project.
    Files {
        /// Its directory.
        root: String,
        /// As paths below that.
        list: Vec<String>,
    },
    /// The files for this change of the prompt's text are not known yet.
    FilesLate(u64),
    /// The files that match this change of the prompt's text.
    Matches {
        /// The change.
        tick: u64,
        /// The best first.
        files: Vec<String>,
    },
    /// What the store has for a prompt.
    Prompts {
        /// The prompt.
        id: u64,
        /// As the store says it.
        stored: serde_json::Value,
    },
    /// The agents whose programs are there.
    Installed(BTreeSet<String>),
    /// The text of the prompt is to be stored.
    Unsaved,
    /// The user has made no other choice in the prompt since this one.
    Quiet(u64),
    /// What an agent offers.
    Models {
        /// The agent.
        agent: String,
        /// Its models.
        models: Vec<String>,
    },
    /// Time has passed for what moves.
    Beat,
    /// How many answers the user has had before this Neovim.
    Taught(u32),
    /// A limit that jobs wait for may have ended.
    LimitEnds,
    /// What became of this job was shown at its range for long enough.
    Shown(u64),
    /// What the text of a buffer with this changedtick would be with this answer is shown.
    Proposed {
        /// The job.
        id: u64,
        /// The changedtick.
        tick: u64,
    },
    /// What the store has of the job of a transcript, which is to be read again.
    Reload {
        /// The view.
        view: String,
        /// None as long as it runs.
        job: Option<Box<JobEntry>>,
    },
    /// The rows of a transcript.
    Rows {
        /// The view.
        view: String,
        /// The rows, or why there are none.
        rows: Result<Vec<TranscriptRow>, String>,
    },
}

/// Takes what was found.
pub(super) type Tell = Arc<dyn Fn(Found) + Send + Sync>;

/// See the module.
pub struct Views {
    pub(super) screen: Screen,
    /// The transcripts that are shown, by their views.
    pub(super) transcripts: BTreeMap<String, Source>,
    /// Those that are read before they are shown, with the question for each.
    pub(super) opening: BTreeMap<String, (u64, Source)>,
    /// The lists that are not open yet, with the question for each.
    pub(super) lists: BTreeMap<String, (u64, List)>,
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
    pub(super) tell: Tell,
}

impl Views {
    /// No window. What is looked for on another thread is handed to `tell`.
    pub fn new(tell: impl Fn(Found) + Send + Sync + 'static) -> Self {
        Self {
            screen: Screen::default(),
            transcripts: BTreeMap::new(),
            opening: BTreeMap::new(),
            lists: BTreeMap::new(),
            live: None,
            is_past_stale: false,
            is_beating: false,
            is_list_due: false,
            files: Files::default(),
            tell: Arc::new(tell),
        }
    }

    /// Finds something after a time.
    pub(super) fn later(&self, after: Duration, found: Found) {
        let tell = Arc::clone(&self.tell);
        tokio::spawn(async move {
            tokio::time::sleep(after).await;
            tell(found);
        });
    }
}

impl Host {
    /// Opens what the user asks for, or begins to look for it.
    pub(super) fn asked(&mut self, token: u64, ui: Ui, asked: Result<Asked, JobError>) {
        self.views.screen.resize(ui);
        match asked {
            Ok(Asked::Command(call, from)) => self.command_line(token, ui, &call, *from),
            Ok(Asked::Compose(prompt, choice, buffers)) => {
                let composed = self.compose(&prompt, choice, &buffers);
                self.draw(Some((token, composed)));
            }
            Ok(Asked::Complete(typed, lead)) => self.complete(token, &typed, &lead),
            Ok(Asked::Jump(by, from)) => self.jump(token, by, &from.here),
            Ok(Asked::Each(wanted)) => {
                let reply = self.each(&wanted);
                self.draw(Some((token, reply)));
            }
            Ok(Asked::Followup(id, prompt)) => self.followup(token, id, prompt),
            Ok(Asked::Health(log, unknown)) => match self.options.clone() {
                Ok(options) => self.health(token, options, log, &unknown),
                Err(error) => self.draw(Some((token, Err(error)))),
            },
            Ok(Asked::Prompt(message)) => self.ask_prompt(token, *message),
            Ok(Asked::Show(wanted)) => self.show(token, &wanted),
            Ok(Asked::Hunks { id, buffer, tick, tabstop }) => self.hunks(token, (id, buffer), tick, tabstop),
            Ok(Asked::Act(act, None)) => self.act_on_row(token, act),
            Ok(asked) => self.find_job(token, asked),
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
        let tell = Arc::clone(&self.views.tell);
        self.store.ask(
            move |asker| asker.info(&wanted),
            move |info| {
                let info = info.map(Box::new).map_err(|error| error.to_string());
                tell(Found::Sums { view, project, info });
            },
        );
    }

    pub(super) fn find_job(&self, token: u64, asked: Asked) {
        let (Asked::Transcript(TranscriptOf { key, .. }) | Asked::Act(_, Some(key))) = &asked else {
            return;
        };
        let tell = Arc::clone(&self.views.tell);
        let key = key.clone();
        self.store.ask(
            move |asker| asker.job(&key),
            move |job| {
                let job = job.map(Box::new).map_err(|error| error.to_string());
                tell(Found::Job { token, asked, job });
            },
        );
    }

    /// Shows what was found.
    pub(super) fn found(&mut self, found: Found) {
        match found {
            Found::Sums { view, project, info } => {
                match info {
                    Ok(info) => {
                        let shown = ui::Info { project, sums: Some(view::info(&info)) };
                        self.views.screen.show(&view, Box::new(shown));
                    }
                    Err(error) => self.give_up(&view, error),
                }
                self.draw(None);
            }
            Found::Job { token, asked, job } => match job {
                Ok(job) => self.open_job(token, asked, &job),
                Err(error) => {
                    let error = match asked {
                        Asked::Transcript(TranscriptOf { key: key @ JobKey::Id(_), .. }) => not_kept(&key),
                        _ => error,
                    };
                    self.draw(Some((token, Err(error))));
                }
            },
            Found::Opened { token, source, view: Ok(view) } => {
                self.views.opening.insert(view.clone(), (token, source));
                self.views.later(OPENS_WITHIN, Found::Waited { view });
            }
            Found::Opened { token, view: Err(error), .. } => self.draw(Some((token, Err(error)))),
            Found::Listed { view, asked, listed } => self.listed(&view, Event::Listed(asked, listed)),
            Found::Files { root, list } => self.listed_files(&root, list),
            Found::FilesLate(tick) => self.files_late(tick),
            Found::Matches { tick, files } => self.found_files(tick, &files),
            Found::Prompts { id, stored } => self.found_prompts(id, &stored),
            Found::Installed(agents) => self.found_installed(agents),
            Found::Unsaved => self.save_prompt(),
            Found::Quiet(choice) => self.prewarm_chosen(choice),
            Found::Models { agent, models } => self.found_models(agent, models),
            Found::Beat => self.beat(),
            Found::Taught(count) => self.taught(count),
            Found::LimitEnds => self.limit_ends(),
            Found::Shown(id) => self.shown(id),
            Found::Proposed { id, tick } => self.seen_hunks(id, tick),
            Found::Reload { view, job } => self.reload(&view, job.as_deref()),
            Found::Waited { view } => {
                self.show_list(&view);
                self.show_transcript(&view, &[]);
            }
            Found::Rows { view, rows: Ok(rows) } => self.show_transcript(&view, &rows),
            Found::Rows { view, rows: Err(error) } => match self.views.opening.remove(&view) {
                Some((token, _)) => self.draw(Some((token, Err(error)))),
                None => self.editor.warn(error),
            },
        }
    }

    pub(super) fn open_job(&mut self, token: u64, asked: Asked, job: &JobEntry) {
        match asked {
            Asked::Act(act, _) if act.action == "answer" => self.open_stored_answer(token, job),
            Asked::Act(act, _) => self.act_on_job(token, &act, job),
            Asked::Transcript(TranscriptOf { key, is_raw, .. }) => match Source::of(&key, job) {
                Ok(source) => self.open_transcript(token, source, is_raw),
                Err(error) => self.draw(Some((token, Err(error)))),
            },
            _ => {}
        }
    }

    /// A view has nothing to show: it closes, and the user is told why.
    fn give_up(&mut self, view: &str, error: String) {
        if self.views.screen.is_open(view) {
            self.views.screen.close(view);
            self.editor.warn(error);
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
        if self.views.screen.named(status::TOOLS).as_deref() == Some(view) {
            self.board.unlist();
        }
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

    /// Draws what has changed, and replies to what was asked.
    pub(super) fn draw(&mut self, reply: Option<(u64, Result<Value, String>)>) {
        self.editor.draw(self.views.screen.calls(), reply);
    }
}
