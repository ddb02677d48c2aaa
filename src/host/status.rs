//! What is shown at the ranges of jobs. Rows that move are made again with each beat, as long as a window shows them.

use std::collections::BTreeMap;
use std::time::Duration;

use rmpv::Value;

use super::Host;
use super::views::Found;
use crate::journal::{Held, now_ms};
use crate::request::{Notify, Request, Selection};
use crate::rpc::Seen;
use crate::session::{Ended, LiveState, Look, Patch};
use crate::ui::{self, Hung, Said, Status, StatusState};
use crate::view::{self, Viewer, duration, money};

/// The columns of a window that has not been told of.
const COLUMNS: usize = 80;
/// So many outcomes are kept that were not seen.
const MOST_UNSEEN: usize = 1000;
/// The most cells of the tools beside a range, and the fewest that they are shown in.
const TOOLS: (usize, usize) = (44, 12);

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Board {
    shown: BTreeMap<u64, Shown>,
    /// Counts the beats.
    frame: usize,
    /// The plugin is told what has changed.
    calls: Vec<Value>,
    /// The jobs whose outcome no window has shown, the newest last.
    unseen: Vec<u64>,
    /// Landings out of sight that are to be told: the job, what became of it, and where.
    unsaid: Vec<(u64, String, String)>,
}

/// What is shown of one job.
#[derive(Debug)]
struct Shown {
    agent: String,
    tabstop: usize,
    /// For how long it is said what became of it.
    stays: Duration,
    status: Status,
    look: Option<Look>,
    /// It has failed, and the cursor was not there yet.
    waits: bool,
    columns: Option<usize>,
    room: Option<usize>,
    /// The plugin has said whether it is seen.
    is_placed: bool,
    is_dirty: bool,
    hung: Option<Hung>,
    /// The place, where its landing out of sight is told by a message.
    place: Option<String>,
}

impl Board {
    fn show(
        &mut self,
        id: u64,
        agent: &str,
        prompt: &str,
        selection: &Selection,
        tabstop: usize,
        stays: Duration,
    ) {
        let row = selection.rows.first().or(selection.beside.above.as_ref());
        let status = Status {
            prompt: prompt.to_owned(),
            indent: ui::indent(row.map_or("", String::as_str), tabstop),
            elapsed_ms: 0,
            state: StatusState::Queued(1),
            code: Vec::new(),
        };
        let (agent, columns, room) = (agent.to_owned(), None, None);
        let (look, waits, is_dirty, hung) = (None, false, true, None);
        let (place, is_placed) = (None, false);
        let shown = Shown {
            agent,
            tabstop,
            stays,
            status,
            look,
            waits,
            columns,
            room,
            is_placed,
            is_dirty,
            hung,
            place,
        };
        self.shown.insert(id, shown);
    }

    /// A job was asked for.
    pub(super) fn open(&mut self, request: &Request) {
        let Request { id, prompt, selection, tabstop, outcome, .. } = request;
        self.show(*id, &request.start.agent.name, prompt, selection, *tabstop, *outcome);
        // With `all` each landing is told.
        if let Some(shown) = self.shown.get_mut(id).filter(|_| request.notify == Notify::Failures) {
            let viewer =
                Viewer { cwd: request.start.cwd.to_string_lossy().into_owned(), home: String::new() };
            let line = selection.first_line;
            shown.place = Some(view::place(&request.path, request.name.as_deref(), line, &viewer));
        }
    }

    /// A held answer of an earlier time is this job now.
    pub(super) fn open_held(&mut self, id: u64, held: &Held) {
        let job = &held.record.job;
        self.show(id, &job.agent, &job.prompt, &job.selection, 8, Duration::ZERO);
    }

    /// The agent and the prompt of a job.
    pub(super) fn about(&self, id: u64) -> Option<(&str, &str)> {
        self.shown.get(&id).map(|shown| (shown.agent.as_str(), shown.status.prompt.as_str()))
    }

    /// A job is in another state.
    pub(super) fn touch(&mut self, id: u64) {
        if let Some(shown) = self.shown.get_mut(&id) {
            shown.is_dirty = true;
        }
    }

    /// Nothing is shown of a job any more.
    fn close(&mut self, id: u64) {
        if self.shown.remove(&id).is_some() {
            self.calls.push(Hung::gone(id));
        }
    }

    /// The newest outcome that was not seen.
    pub(super) fn newest_unseen(&self, is_there: impl Fn(&u64) -> bool) -> Option<u64> {
        self.unseen.iter().rev().find(|id| is_there(id)).copied()
    }

    /// It was gone to.
    pub(super) fn forget_unseen(&mut self, id: u64) {
        self.unseen.retain(|unseen| *unseen != id);
    }

    /// This became of a job. Returns for how long that is shown, where that is known.
    fn ended(&mut self, ended: Ended) -> Option<Duration> {
        let shown = self.shown.get_mut(&ended.id)?;
        self.unseen.retain(|unseen| *unseen != ended.id);
        if ended.look.is_some() && shown.is_placed && shown.columns.is_none() {
            self.unseen.push(ended.id);
            if self.unseen.len() > MOST_UNSEEN {
                self.unseen.remove(0);
            }
            let is_landed = matches!(ended.look, Some(Look::Landed | Look::Unchanged));
            if let Some(place) = shown.place.take().filter(|_| is_landed) {
                self.unsaid.push((ended.id, ended.said.clone(), format!("{place} {}", shown.status.prompt)));
            }
        }
        let look = ended.look.filter(|look| *look == Look::Held || !shown.stays.is_zero());
        let Some(look) = look else {
            self.close(ended.id);
            return None;
        };
        let rest = match look {
            Look::Held => Some(format!(":Botglue review {}", ended.id)),
            Look::Failed => None,
            Look::Landed | Look::Unchanged => {
                let cost = ended.cost_usd.filter(|cost| *cost > 0.0).map(|cost| format!(" {}", money(cost)));
                Some(duration(ended.elapsed_ms) + &cost.unwrap_or_default())
            }
        };
        shown.status.state = StatusState::Ended(Said { look, words: ended.said, rest });
        shown.status.code.clear();
        (shown.look, shown.waits, shown.is_dirty) = (Some(look), look == Look::Failed, true);
        matches!(look, Look::Landed | Look::Unchanged).then_some(shown.stays)
    }

    /// What is seen of a range has changed. Returns for how long what became of the job is shown from now on.
    fn seen(&mut self, seen: Seen) -> Option<Duration> {
        let shown = self.shown.get_mut(&seen.id)?;
        (shown.columns, shown.room, shown.is_dirty) = (seen.columns, seen.room, true);
        shown.is_placed = true;
        if seen.columns.is_some() {
            self.unseen.retain(|unseen| *unseen != seen.id);
        }
        let is_over = seen.is_visited && std::mem::take(&mut shown.waits);
        is_over.then_some(shown.stays)
    }

    /// Whether anything moves that is seen.
    pub(super) fn moves(&self) -> bool {
        self.shown.values().any(|shown| shown.look.is_none() && shown.columns.is_some())
    }

    /// Whether the last beat was one of every other.
    pub(super) fn is_even(&self) -> bool {
        self.frame.is_multiple_of(2)
    }

    /// A beat has passed.
    pub(super) fn beat(&mut self) {
        self.frame += 1;
        for shown in self.shown.values_mut().filter(|shown| shown.look.is_none()) {
            shown.is_dirty |= shown.columns.is_some();
        }
    }
}

impl Shown {
    /// What hangs at the range now; `tools` has the rows of the tools in some room.
    fn hung(&self, frame: usize, tools: Vec<ui::Chunks>) -> Hung {
        let status = &self.status;
        Hung {
            rows: status.rows(frame, self.columns.unwrap_or(COLUMNS)),
            aside: self.room.map(|room| status.line(frame, room)),
            tools,
            has_ended: self.look.is_some(),
            flashes: matches!(self.look, Some(Look::Landed | Look::Unchanged)),
            waits: self.waits,
        }
    }
}

impl Host {
    /// What is seen of ranges has changed.
    pub(super) fn seen(&mut self, all: Vec<Seen>) {
        for seen in all {
            if let Some(stays) = self.board.seen(seen) {
                self.views.later(stays, Found::Shown(seen.id));
            }
        }
    }

    /// What became of a job was shown for long enough.
    pub(super) fn shown(&mut self, id: u64) {
        self.board.close(id);
    }

    /// Tells what changed of a job, together with what is shown of it.
    pub(super) fn tell(&mut self, mut patch: Patch) {
        let hung = self.hung();
        for (id, said, place) in std::mem::take(&mut self.board.unsaid) {
            let news = Patch::out_of_sight(id, &said, &place);
            if id == patch.id() {
                patch = patch.and(news);
            } else {
                self.editor.tell(news, Vec::new());
            }
        }
        self.editor.tell(patch, hung);
    }

    /// Shows at the ranges what has changed.
    pub(super) fn draw_status(&mut self) {
        let hung = self.hung();
        if !hung.is_empty() {
            self.editor.hang(hung);
        }
    }

    /// What has changed of all that is shown at ranges.
    fn hung(&mut self) -> Vec<Value> {
        for ended in self.session.take_ended() {
            let id = ended.id;
            if let Some(stays) = self.board.ended(ended) {
                self.views.later(stays, Found::Shown(id));
            }
        }
        let Self { board, session, jobs, editor, .. } = self;
        let mut calls = std::mem::take(&mut board.calls);
        for (&id, shown) in board.shown.iter_mut().filter(|(_, shown)| shown.is_dirty) {
            shown.is_dirty = false;
            let mut tools = Vec::new();
            if let (None, Some((state, since_ms))) = (shown.look, session.state(id)) {
                let status = &mut shown.status;
                status.elapsed_ms = u64::try_from(now_ms() - since_ms).unwrap_or_default();
                let place = jobs.place_in_queue(id);
                status.state = match state {
                    LiveState::Ready => StatusState::Ready,
                    _ if place.is_some() => StatusState::Queued(place.unwrap_or_default()),
                    _ => {
                        let mut doing = editor.doing(id);
                        if session.is_unwanted(id) {
                            doing.words = Some("will be rejected".to_owned());
                        }
                        if let Some(words) = doing.words.as_mut().filter(|words| *words == "starting") {
                            *words = format!("{words} {}", shown.agent);
                        }
                        StatusState::Running(doing)
                    }
                };
                let room = TOOLS.0.min(shown.columns.unwrap_or(COLUMNS) * 3 / 5);
                let (code, newest) = editor.newest(id, room);
                if !code.is_empty() {
                    status.code = code.iter().map(|line| ui::expand(line, shown.tabstop)).collect();
                }
                let is_running = matches!(status.state, StatusState::Running(_));
                tools = if is_running && room >= TOOLS.1 { newest } else { tools };
            }
            let hung = shown.hung(board.frame, tools);
            calls.extend(hung.diff(id, shown.hung.as_ref()));
            shown.hung = Some(hung);
        }
        calls
    }
}
