//! What is shown at the ranges of jobs. Rows that move are made again with each beat, as long as a window shows them.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use super::{Host, lists};
use crate::journal::{Held, now_ms};
use crate::options::Keys;
use crate::render::{self, Cell, Viewer, duration, money};
use crate::request::{Accepted, Notify, Request};
use crate::rpc::Seen;
use crate::session::{Doing, Ended, LiveState, Look, Patch};
use crate::ui::{self, Hung, Said, Status, StatusState};

/// The columns of a window that has not been told of.
const COLUMNS: usize = 80;
/// So many outcomes are kept that were not seen.
const MOST_UNSEEN: usize = 1000;
/// The most cells of the tools beside a range, and the fewest that they are shown in.
const ROOM: (usize, usize) = (44, 12);
/// So many answers of a user name the key that goes on from them.
const TAUGHT: u32 = 5;
/// Lines of ended jobs on one row; then one says how many more there are.
const MOST: usize = 3;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Board {
    shown: BTreeMap<u64, Shown>,
    /// Counts the beats.
    frame: usize,
    /// The plugin is told what has changed.
    calls: Vec<Value>,
    /// What hangs on one row may be other things than before.
    is_stale: bool,
    /// The jobs whose outcome no window has shown, the newest last.
    unseen: Vec<u64>,
    /// How many of the user's first answers have named the key that goes on from them; none: the store is not asked yet.
    taught: Option<u32>,
    /// Landings out of sight that are to be told: the job, what became of it, and where.
    unsaid: Vec<(u64, String, String)>,
}

/// What is shown of one job.
#[derive(Debug, Default)]
struct Shown {
    agent: String,
    tabstop: usize,
    /// For how long it is said what became of it.
    stays: Duration,
    status: Status,
    look: Option<Look>,
    /// It has failed, and the cursor was not there yet.
    waits: bool,
    /// What the plugin has said of its place.
    seen: Option<Seen>,
    /// The rows of its newest tools.
    tools: Vec<ui::Chunks>,
    is_dirty: bool,
    /// Its landing is undone.
    is_undone: bool,
    hung: Option<Hung>,
    /// The place, where its landing out of sight is told by a message.
    place: Option<String>,
}

impl Board {
    /// A job was asked for.
    pub(super) fn open(&mut self, request: &Request) {
        let (job, options) = (&request.job, &request.options);
        // With `all` each landing is told.
        let place = (options.notify == Notify::Failures).then(|| {
            let viewer = Viewer { cwd: job.project.clone(), home: String::new() };
            render::place(&job.path, request.name.as_deref(), job.selection.first_line, &viewer)
        });
        let shown = Shown::new(job, request.tabstop);
        self.shown.insert(job.id, Shown { stays: options.status.outcome, place, ..shown });
    }

    /// A held answer of an earlier time is this job now.
    pub(super) fn open_held(&mut self, id: u64, held: &Held) {
        self.shown.insert(id, Shown::new(&held.record.job, 8));
    }

    /// The agent and the prompt of a job.
    pub(super) fn about(&self, id: u64) -> Option<(&str, &str)> {
        self.shown.get(&id).map(|shown| (shown.agent.as_str(), shown.status.prompt.as_str()))
    }

    /// Nothing says that an answer has landed which is undone.
    pub(super) fn undone(&mut self, id: u64, is_undone: bool) {
        self.shown.entry(id).and_modify(|shown| shown.is_undone = is_undone);
        self.is_stale = true;
    }

    /// A job is in another state.
    pub(super) fn touch(&mut self, id: u64) {
        self.shown.entry(id).and_modify(|shown| shown.is_dirty = true);
    }

    /// Nothing is shown of a job any more.
    fn close(&mut self, id: u64) {
        if self.shown.remove(&id).is_some() {
            self.calls.push(Hung::gone(id));
            self.is_stale = true;
        }
    }

    /// The newest outcome that was not seen and is there: it is gone to.
    pub(super) fn take_newest_unseen(&mut self, is_there: impl Fn(u64) -> bool) -> Option<u64> {
        let at = self.unseen.iter().rposition(|id| is_there(*id))?;
        Some(self.unseen.remove(at))
    }

    /// This became of a job; `keys` are the user's. Returns for how long that is shown, where that is known.
    fn ended(&mut self, ended: Ended, keys: &Keys) -> Option<Duration> {
        let shown = self.shown.get_mut(&ended.id)?;
        self.unseen.retain(|unseen| *unseen != ended.id);
        if ended.look.is_some() && shown.seen.as_ref().is_some_and(|seen| seen.columns.is_none()) {
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
            Look::Held => Some(keys.review().to_owned()),
            Look::Failed => None,
            Look::Landed | Look::Unchanged => {
                let cost = ended.cost_usd.filter(|cost| *cost > 0.0).map(|cost| format!(" {}", money(cost)));
                Some(duration(ended.elapsed_ms) + &cost.unwrap_or_default())
            }
        };
        let taught = self.taught.get_or_insert_default();
        let is_taught = matches!(look, Look::Landed | Look::Unchanged) && *taught < TAUGHT;
        *taught += u32::from(is_taught);
        let hint = is_taught.then(|| format!("{} goes on", keys.followup()));
        shown.status.state = StatusState::Ended(Said { look, words: ended.said, rest, hint });
        shown.status.code.clear();
        (shown.look, shown.waits, shown.is_dirty) = (Some(look), look == Look::Failed, true);
        shown.tools.clear();
        self.is_stale = true;
        matches!(look, Look::Landed | Look::Unchanged).then_some(shown.stays)
    }

    /// What is seen of a range has changed. Returns for how long what became of the job is shown from now on.
    fn seen(&mut self, seen: Seen) -> Option<Duration> {
        let shown = self.shown.get_mut(&seen.id)?;
        if seen.columns.is_some() {
            self.unseen.retain(|unseen| *unseen != seen.id);
        }
        let is_over = seen.is_here && std::mem::take(&mut shown.waits);
        (shown.seen, shown.is_dirty) = (Some(seen), true);
        self.is_stale |= shown.look.is_some();
        is_over.then_some(shown.stays)
    }

    /// Whether anything moves that is seen.
    pub(super) fn moves(&self) -> bool {
        self.shown.values().any(|shown| shown.look.is_none() && shown.columns().is_some())
    }

    /// Whether the last beat was one of every other.
    pub(super) fn is_even(&self) -> bool {
        self.frame.is_multiple_of(2)
    }

    /// A beat has passed.
    pub(super) fn beat(&mut self) {
        self.frame += 1;
        for shown in self.shown.values_mut().filter(|shown| shown.look.is_none()) {
            shown.is_dirty |= shown.columns().is_some();
        }
    }

    /// The rows of jobs that have ended, of which several hang on one row: Neovim does not order the rows of several
    /// marks, so the newest has them all.
    fn stacked(&self) -> BTreeMap<u64, Vec<ui::Chunks>> {
        let mut stacks: BTreeMap<&str, Vec<(u64, &Shown)>> = BTreeMap::new();
        let ended = self.shown.iter().rev().filter(|(_, shown)| shown.look.is_some() && !shown.is_undone);
        for (&id, shown) in ended {
            if let Some(at) = shown.seen.as_ref().and_then(|seen| seen.at.as_deref()) {
                stacks.entry(at).or_default().push((id, shown));
            }
        }
        let mut rows = BTreeMap::new();
        for stack in stacks.into_values() {
            rows.extend(stack.iter().map(|(id, _)| (*id, Vec::new())));
            let first = stack.iter().take(MOST).map(|(_, shown)| shown.rows(0));
            let more = stack.len().saturating_sub(MOST);
            let more = (more > 0).then(|| vec![vec![Cell::new(format!("{more} more"), "BotgluePrompt")]]);
            rows.insert(stack[0].0, first.chain(more).flatten().collect());
        }
        rows
    }
}

impl Shown {
    fn new(job: &Accepted, tabstop: usize) -> Self {
        let Accepted { agent, prompt, selection, .. } = job;
        let row = selection.rows.first().or(selection.beside.above.as_ref());
        let indent = ui::indent(row.map_or("", String::as_str), tabstop);
        let status = Status { prompt: prompt.clone(), indent, ..Status::default() };
        Self { agent: agent.clone(), tabstop, status, is_dirty: true, ..Self::default() }
    }

    /// The columns of the window that shows it.
    fn columns(&self) -> Option<usize> {
        self.seen.as_ref()?.columns
    }

    fn rows(&self, frame: usize) -> Vec<ui::Chunks> {
        self.status.rows(frame, self.columns().unwrap_or(COLUMNS))
    }

    /// What hangs at the range now.
    fn hung(&self, frame: usize, rows: Option<Vec<ui::Chunks>>) -> Hung {
        let before = self.hung.as_ref().and_then(|hung| hung.group);
        Hung {
            rows: rows.unwrap_or_else(|| self.rows(frame)),
            aside: match &self.seen {
                Some(Seen { room: Some(room), .. }) => vec![self.status.line(frame, *room)],
                Some(Seen { is_here: true, .. }) => self.tools.clone(),
                _ => Vec::new(),
            },
            group: match self.look {
                None => Some("BotglueRange"),
                Some(Look::Landed | Look::Unchanged) => before.and(Some("BotglueFlash")),
                Some(Look::Failed | Look::Held) => None,
            },
        }
    }
}

impl Host {
    /// What is seen of ranges has changed.
    pub(super) fn seen(&mut self, all: Vec<Seen>) {
        for seen in all {
            let id = seen.id;
            if let Some(stays) = self.board.seen(seen) {
                self.back.after(stays, move |host| host.board.close(id));
            }
        }
    }

    /// Tells what changed of a job, if anything did, together with what is shown of it.
    pub(super) fn tell(&mut self, patch: impl Into<Option<Patch>>) {
        let Some(mut patch) = patch.into() else { return };
        let hung = self.hung();
        for (id, said, place) in std::mem::take(&mut self.board.unsaid) {
            let news = Patch::out_of_sight(id, &said, &place, &self.session.keys);
            if id == patch.id() {
                patch = patch.and(news);
            } else {
                self.editor.tell(news, Vec::new());
            }
        }
        self.editor.tell(patch, hung);
    }

    /// Asks the store, once, how many answers the user has had.
    pub(super) fn teach(&mut self) {
        if self.board.taught.is_none() {
            self.board.taught = Some(0);
            self.ask_store(
                |asker| asker.answers(TAUGHT),
                // The user has had so many before.
                |host, count| host.board.taught = host.board.taught.max(count.ok()),
            );
        }
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
            if let Some(stays) = self.board.ended(ended, &self.session.keys) {
                self.back.after(stays, move |host| host.board.close(id));
            }
        }
        let Self { board, session, jobs, editor, .. } = self;
        let mut calls = std::mem::take(&mut board.calls);
        let is_stale = std::mem::take(&mut board.is_stale);
        let mut stacked = if is_stale { board.stacked() } else { BTreeMap::new() };
        for (&id, shown) in &mut board.shown {
            let is_dirty = std::mem::take(&mut shown.is_dirty);
            let is_due = if shown.look.is_some() { is_stale } else { is_dirty };
            if !is_due {
                continue;
            }
            if shown.is_undone {
                calls.extend(shown.hung.take().map(|_| Hung::gone(id)));
                continue;
            }
            if let (None, Some((mut state, since_ms))) = (shown.look, session.state(id)) {
                let columns = shown.columns().unwrap_or(COLUMNS);
                let status = &mut shown.status;
                status.elapsed_ms = u64::try_from(now_ms() - since_ms).unwrap_or_default();
                lists::now(&mut state, id, jobs, session, editor);
                if let LiveState::Running(Doing { words: Some(words), .. }) = &mut state
                    && words == "starting"
                {
                    *words = format!("{words} {}", shown.agent);
                }
                status.state = StatusState::Live(state);
                let room = ROOM.0.min(columns * 3 / 5);
                let (code, newest) = editor.newest(id, room);
                if let Some(code) = code {
                    status.code =
                        code.iter().map(|line| ui::expand(line.as_bytes(), shown.tabstop, 0)).collect();
                }
                let is_running = matches!(status.state, StatusState::Live(LiveState::Running(_)));
                shown.tools = if is_running && room >= ROOM.1 { newest } else { Vec::new() };
            }
            let hung = shown.hung(board.frame, stacked.remove(&id));
            calls.extend(hung.diff(id, shown.hung.as_ref()));
            shown.hung = Some(hung);
        }
        calls
    }
}
