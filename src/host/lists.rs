//! The list of jobs: what it shows of the jobs of this Neovim, what the store has of the past, and what its keys do.

use std::time::Duration;

use serde_json::{Value, json};

use super::limits::clock;
use super::queue::Jobs;
use super::transcript::Source;
use super::{Host, Reply};
use crate::editor::Editor;
use crate::fields::bytes;
use crate::journal::now_ms;
use crate::render::{self, Action, Totals};
use crate::request::{SelectionKind, Wanted};
use crate::rpc::Act;
use crate::session::{Known, Live, LiveState, Session, Wait};
use crate::store::{JobEntry, JobKey, Page, StoreError};
use crate::ui::{Effect, List, Origin, Scope, answer, compared, job_prompt};

/// The time between two signs of a job that goes on.
const BEAT: Duration = Duration::from_millis(120);
/// The name under which the one list is open.
pub(super) const LIST: &str = "list";

/// Brings the state of a job up to date: its place in the queue, and what its agent does at this moment.
pub(super) fn now(state: &mut LiveState, id: u64, jobs: &Jobs, session: &Session, editor: &Editor) {
    if let Some((until, again)) = jobs.waits_until(id) {
        *state = LiveState::Queued(Wait::Limit { until: clock(until), again });
    } else if let Some(place) = jobs.place_in_queue(id) {
        *state = LiveState::Queued(Wait::Place(place));
    } else if let LiveState::Running(doing) = state {
        *doing = editor.doing(id);
        if session.is_unwanted(id) {
            doing.words = Some("will be rejected".to_owned());
        }
    }
}

impl Host {
    /// Opens the list, once the store has said what it has, or has taken too long for a key.
    pub(super) fn open_list(&mut self, token: u64, name: &'static str, origin: Origin) {
        let scope = if name == "jobs" { Scope::Session } else { Scope::All };
        let (mut list, page) = List::new(name, origin, scope);
        let (live, totals) = self.live();
        list.live(&live, totals);
        let view = self.views.screen.prepare(LIST, list, token);
        self.on_list(&view, |_| Some(page));
        self.opens_soon(view);
    }

    /// Something happens to a view, if that is a list: does what it wants then.
    pub(super) fn on_list(&mut self, view: &str, event: impl FnOnce(&mut List) -> Option<Effect>) {
        match self.views.screen.list(view).and_then(event) {
            Some(Effect::Page(asked, page)) => self.ask_page(view.to_owned(), (asked, page), false),
            Some(Effect::Tell(words)) => self.editor.error(words),
            None => {}
        }
    }

    /// Asks the store for a page of a list. Where the store is busy the list says so, and has its rows once there is an
    /// answer.
    fn ask_page(&self, view: String, (asked, page): (u64, Page), has_said: bool) {
        let question = page.clone();
        self.ask_store(
            move |asker| asker.history(&question),
            move |host, listed| {
                let is_busy = matches!(listed, Err(StoreError::Busy));
                if !has_said || !is_busy {
                    let listed = listed.map_err(|error| error.to_string());
                    let is_next = page.before.is_some();
                    host.on_list(&view, |list| list.listed(asked, is_next, listed));
                    host.reveal(&view);
                }
                if is_busy && page.before.is_none() {
                    host.ask_page(view, (asked, page), true);
                }
            },
        );
    }

    /// The jobs of this Neovim that go on or are held, and what is said of all.
    fn live(&mut self) -> (Vec<Live>, Totals) {
        let mut totals = Totals { cost_usd: self.session.spent(), ..Totals::default() };
        let mut live: Vec<Live> = self.session.live(now_ms()).collect();
        for job in &mut live {
            now(&mut job.state, job.id, &self.jobs, &self.session, &self.editor);
            match job.state {
                LiveState::Queued(_) => totals.queued += 1,
                LiveState::Held(_) => totals.held += 1,
                LiveState::Running(_) | LiveState::Ready => totals.running += 1,
            }
            // What is shown of it, so that a list is drawn where something has changed alone.
            job.elapsed_ms -= job.elapsed_ms % 1000;
        }
        (live, totals)
    }

    /// Brings the open list up to date. What jobs do and for how long waits for the beat, so that much of it costs little.
    pub(super) fn refresh_list(&mut self) {
        let Some(view) = self.views.screen.named(LIST) else { return };
        let mut now = self.live();
        let is_due = std::mem::take(&mut self.views.is_list_due);
        if let (Some((before, _)), false) = (&self.views.live, is_due) {
            for job in now.0.iter_mut().filter(|job| matches!(job.state, LiveState::Running(_))) {
                let is_running =
                    |other: &&Live| other.id == job.id && matches!(other.state, LiveState::Running(_));
                if let Some(before) = before.iter().find(is_running) {
                    (job.state, job.elapsed_ms) = (before.state.clone(), before.elapsed_ms);
                }
            }
        }
        if self.views.live.as_ref() != Some(&now) {
            self.on_list(&view, |list| list.live(&now.0, now.1));
            self.views.live = Some(now);
        }
        if std::mem::take(&mut self.views.is_past_stale) {
            self.on_list(&view, List::renew);
        }
    }

    /// The next beat comes after some time, if anything moves.
    pub(super) fn keep_beating(&mut self) {
        let moves = self.views.screen.moves() || self.board.moves();
        if moves && !std::mem::replace(&mut self.views.is_beating, true) {
            self.back.after(BEAT, Self::beat);
        }
    }

    /// A beat has passed.
    pub(super) fn beat(&mut self) {
        self.views.is_beating = false;
        self.board.beat();
        // A list has much more to draw than a range.
        if self.board.is_even() {
            self.views.is_list_due = true;
            self.views.screen.beat();
        }
    }

    /// The user has chosen what to do with a job, or with all that are listed.
    pub(super) fn act_on_row(&mut self, token: u64, act: &Act) -> Reply {
        if act.action == "quickfix" {
            let item = |(path, line, text): (Option<&str>, _, _)| json!({ "filename": path, "lnum": line, "text": text, "valid": path.is_some() });
            let view = act.view.as_deref().unwrap_or_default();
            let items: Vec<_> = self.views.screen.items(view).into_iter().map(item).collect();
            let items = Some(items).filter(|items| !items.is_empty()).ok_or(NONE)?;
            return Ok(Some(json!({ "quickfix": items })));
        } else if act.action == "block" {
            return self.take_block(act);
        } else if let Some(reply) = self.taken(act) {
            return Ok(Some(reply));
        }
        let action = Action::named(&act.action).ok_or("this key does nothing here")?;
        let row = act.row.as_deref().ok_or(NONE)?;
        let act_on_job = move |host: &mut Self, job: Result<_, _>| host.act_on_job(token, action, &job?);
        let Some(Ok(id)) = row.strip_prefix('#').map(str::parse) else {
            return self.find_job(token, JobKey::Uuid(row.to_owned()), act_on_job);
        };
        match action {
            Action::Transcript if self.session.known(id).is_some() => self.transcript_of(token, id, false),
            Action::Review if self.is_answered(id) => {
                act.view.iter().for_each(|view| _ = self.views.screen.close(view));
                self.open_answer(token, id)
            }
            Action::Retry if self.jobs.waits_until(id).is_some() => self.hurry(id),
            _ => match self.own(action, id) {
                Some(reply) => reply.map(Some),
                None if self.session.is_open(id) => Err(format!("job {id} has not ended yet: wait for it")),
                None => self.find_job(token, JobKey::Id(id), act_on_job),
            },
        }
    }

    /// Whether a question of this Neovim is answered.
    pub(super) fn is_answered(&self, id: u64) -> bool {
        self.session.known(id).is_some_and(Known::is_answered)
    }

    /// What the plugin does with a job of this Neovim that it knows, as it needs its range as it is now; none for what it
    /// does not do.
    fn own(&self, action: Action, id: u64) -> Option<Result<Value, String>> {
        let known = self.session.known(id)?;
        let again = |id| self.again(id, action, None);
        Some(match action {
            Action::Review if known.is_held() => Ok(json!({ "review": id })),
            Action::Review => Err(format!("job {id} is not held")),
            Action::Jump => Ok(json!({ "range": id })),
            Action::Retry => again(id).map(|act| json!(act)),
            Action::Edit | Action::Followup => again(id).map(|act| {
                let mut reply = json!(act);
                reply["range"] = json!(id);
                reply
            }),
            _ => return None,
        })
    }

    /// Does something with a job of the store.
    pub(super) fn act_on_job(&mut self, token: u64, action: Action, entry: &JobEntry) -> Reply {
        let (record, job) = (&entry.record, &entry.record.job);
        if let Some(reply) = entry.id.and_then(|id| self.own(action, id)) {
            return reply.map(Some);
        } else if !render::actions(entry).contains(&action) {
            return Err(action.impossible().to_owned());
        }
        Ok(Some(match action {
            Action::Prompt => {
                self.views.screen.open("prompt", job_prompt(entry), token);
                Value::Null
            }
            Action::Diff => {
                let name = entry.id.map(|id| format!("job {id}"));
                self.views.screen.open_both("compare", compared(record, name.as_deref()), token);
                Value::Null
            }
            Action::Transcript => {
                let source = Source::of(&JobKey::Uuid(entry.uuid.clone()), entry)?;
                return self.open_transcript(token, source, false);
            }
            Action::Yank => json!({ "yank": answer(record), "kind": job.selection.kind }),
            Action::Open => {
                return self.terminal("this job", &job.agent, record.session_id.as_deref(), &job.project);
            }
            Action::Jump | Action::Review => json!({ "path": job.path, "line": entry.line() }),
            Action::Retry | Action::Edit | Action::Followup => {
                if action == Action::Followup {
                    let options = self.options.as_ref().map_err(Clone::clone)?;
                    options.session("this job", &job.agent, record.session_id.as_deref())?;
                }
                json!({ "again": again(action, entry) })
            }
        }))
    }

    /// Gives a picker the rows of a list, each with what can be done with its job.
    pub(super) fn pick(&mut self, token: u64, name: &'static str, origin: Origin, width: usize) {
        let scope = if name == "history" { Scope::All } else { Scope::Session };
        let is_held = name == "held";
        let (mut live, totals) = self.live();
        let (mut list, page) = List::new("pick", origin, scope);
        let Effect::Page(asked, page) = page else { return };
        self.ask_store(
            move |asker| asker.history(&page),
            move |host, listed| {
                let reply = listed.map_err(|error| error.to_string()).and_then(|mut listed| {
                    if is_held {
                        live.retain(|job| matches!(job.state, LiveState::Held(_)));
                        listed.jobs.clear();
                    }
                    list.listed(asked, false, Ok(listed));
                    list.live(&live, totals);
                    let rows = list.texts(width).into_iter();
                    let action = |action: &Action, row: &str, text: &str| json!({ "text": text, "act": { "action": action.name(), "row": row } });
                    let rows: Vec<Value> = rows
                        .map(|(text, row)| match &row.actions[..] {
                            [only, rest @ ..] if is_held || rest.is_empty() => action(only, &row.id, &text),
                            all => {
                                let items: Vec<_> =
                                    all.iter().map(|one| action(one, &row.id, one.words())).collect();
                                json!({ "text": text, "prompt": "botglue: what to do", "kind": "botglue_action", "items": items })
                            }
                        })
                        .collect();
                    if rows.is_empty() {
                        return Err(if is_held { "no answer is held" } else { NONE }.to_owned());
                    }
                    Ok(json!({ "pick": { "prompt": format!("botglue {name}"), "kind": "botglue_job", "items": rows } }))
                });
                host.reply(token, reply);
            },
        );
    }
}

/// What starts a job of the store once more, or goes on in its session: the request, and the places at which its file
/// may still read as the answer left it, or as it was sent.
fn again(action: Action, entry: &JobEntry) -> Value {
    let (job, known) = (&entry.record.job, Known::of(entry));
    let request = match action {
        Action::Followup => known.onward(Wanted::default()),
        Action::Edit => known.again(Wanted { text: known.wanted.prompt.clone(), ..Wanted::default() }),
        _ => known.again(Wanted::default()),
    };
    let (sent, landed) = (&job.selection, entry.landed_rows.as_deref().unwrap_or_default());
    let rows = match sent.kind {
        SelectionKind::Insert => sent.beside.above.as_slice(),
        _ => &sent.rows,
    };
    let span = |(from, text): (&u64, &String)| json!([from, from + bytes::unescape(text).len() as u64]);
    let mut places = vec![json!({
        "row": sent.first_line.saturating_sub(1), "rows": rows, "kind": sent.kind, "column": sent.column,
        "first_line": sent.first_line, "last_line": sent.last_line,
        "spans": sent.cols.iter().zip(&sent.text).map(span).collect::<Vec<_>>(),
    })];
    if let (Some((first, _)), [_, ..]) = (entry.place, landed) {
        let last = first + landed.len() as u64 - 1;
        let place = json!({ "row": first - 1, "rows": landed, "kind": "line", "first_line": first, "last_line": last });
        places.insert(0, place);
    }
    json!({ "path": job.path, "request": request, "places": places })
}

/// What is said where there is no job.
const NONE: &str = "there is no job";
