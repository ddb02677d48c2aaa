//! The one list of jobs, in a floating window: those that run, those that are held, then the past. What is too long for a
//! row is whole below the rows, for the row of the cursor; the footer has the keys that work on that row.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::civil::DateTime;
use serde::Deserialize;

use super::frame::{Frame, Row};
use super::layout::{
    Border, CLOSE, CUT, Class, Columns, FAILURE, Key, LABEL, MORE, Ui, docked, float, inside, wrap,
};
use super::opening::Opening;
use super::status::SPINNER;
use crate::render::{self, Action, BETWEEN, Cell, JOB_COLUMNS, ListRow, Totals, Viewer};
use crate::session::{Live, LiveState};
use crate::store::{JobEntry, Listed, Page};

/// Rows before the end at which the next ones are asked for.
const AHEAD: usize = 40;
/// Rows that say how wide the columns are.
const MEASURED: usize = 200;
/// The columns that the window would like to have, and those that it leaves of the screen.
const WIDTHS: (usize, usize) = (140, 4);
/// The most rows below the list.
const MOST_DETAIL: usize = 10;
/// The sign of one in a picture that stands still.
const STILL: &str = "▸";
/// What stands below the list in place of rows that find no room: a transcript has them.
const REST: &str = "… t has the rest";

/// The keys that do something with the job of a row.
const OF_ROW: [Key; 10] = [
    Key::asked("<CR>", Action::Jump.name(), "jump"),
    Key::asked("r", Action::Review.name(), "review"),
    Key::asked("R", Action::Retry.name(), "retry"),
    Key::asked("f", Action::Followup.name(), "follow up"),
    Key::asked("t", Action::Transcript.name(), "transcript"),
    Key::asked("p", Action::Prompt.name(), "prompt"),
    Key::asked("d", Action::Diff.name(), "diff"),
    Key::asked("y", Action::Yank.name(), "yank"),
    Key::asked("o", Action::Open.name(), "open session"),
    Key::asked("e", Action::Edit.name(), "edit and retry"),
];
/// The keys of the list itself.
const OF_LIST: [Key; 6] = [
    Key { lhs: "s", action: "search", word: "search", class: Class::Input("botglue: words to look for: ") },
    Key::told("S", "session", "this Neovim"),
    Key::told("F", "file", "this file"),
    Key::told("P", "project", "this project"),
    Key::told("A", "all", "all"),
    Key::asked("<C-q>", "quickfix", "quickfix"),
];

/// Which jobs are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    /// Those of this Neovim.
    #[default]
    Session,
    /// Those in one file.
    File,
    /// Those in one project.
    Project,
    /// All.
    All,
}

/// From where a list was opened.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Origin {
    /// For whom names are shortened.
    #[serde(flatten)]
    pub viewer: Viewer,
    /// The file; empty for a buffer without one.
    #[serde(default)]
    pub path: String,
    /// The directory of the project.
    pub project: String,
    /// How many held answers of earlier Neovims wait in the project.
    #[serde(default)]
    pub earlier: u64,
    /// The first lines of the jobs of this Neovim, by their numbers.
    #[serde(skip)]
    pub lines: BTreeMap<u64, u64>,
}

/// What a list wants.
#[derive(Debug, PartialEq, Eq)]
pub enum Effect {
    /// A page of the store; the number comes back with it.
    Page(u64, Page),
    /// The user is told this.
    Tell(String),
}

/// See the module.
#[derive(Debug, Default)]
pub struct List {
    name: &'static str,
    origin: Origin,
    scope: Scope,
    /// The words that are looked for.
    text: Option<String>,
    live: Vec<Live>,
    /// Jobs that are live no more, and not yet in what the store has said.
    leaving: Vec<Live>,
    totals: Totals,
    past: Vec<JobEntry>,
    /// When the store has said it, where the user is.
    now: DateTime,
    /// Whether the store has older ones.
    has_more: bool,
    /// Counts the questions: the answer to an old one is of no use.
    asked: u64,
    is_loading: bool,
    /// Whether the past has to be asked for again.
    is_due: bool,
    /// Why the store has no rows.
    error: Option<String>,
    rows: Vec<ListRow>,
    /// The id of the row of the cursor.
    cursor: Option<String>,
    beat: usize,
    /// The rows below the list: they grow and never shrink, so that nothing moves while the cursor goes through it.
    pane: usize,
    laid: Laid,
}

/// Rows that were laid out, by their ids: a list may have thousands.
#[derive(Debug, Default)]
struct Laid {
    columns: Columns<'static>,
    rows: BTreeMap<String, (Vec<Cell>, Arc<Row>)>,
}

impl List {
    /// A list with this name, which asks the store for its first page.
    pub fn new(name: &'static str, origin: Origin, scope: Scope) -> (Self, Effect) {
        let mut made = Self { name, origin, scope, ..Self::default() };
        let page = made.load(None);
        (made, page)
    }

    /// Asks for the next page, or for all rows from the first one on in place of those that are listed.
    fn load(&mut self, before: Option<(i64, String)>) -> Effect {
        self.asked += 1;
        self.is_loading = true;
        let listed = u64::try_from(self.past.len()).unwrap_or(Page::ROWS);
        Effect::Page(
            self.asked,
            Page {
                text: self.text.clone(),
                path: (self.scope == Scope::File).then(|| self.origin.path.clone()),
                project: (self.scope == Scope::Project).then(|| self.origin.project.clone()),
                is_own: self.scope == Scope::Session,
                limit: if before.is_some() { Page::ROWS } else { listed.max(Page::ROWS) },
                before,
            },
        )
    }

    /// Asks for all that is listed again, once the answer to the last question is there.
    pub fn renew(&mut self) -> Option<Effect> {
        self.is_due = self.is_loading;
        if self.is_due { None } else { Some(self.load(None)) }
    }

    /// Lists from the first page on.
    fn reset(&mut self) -> Effect {
        (self.past, self.has_more, self.cursor, self.error) = (Vec::new(), false, None, None);
        self.pane = 0;
        self.lay();
        self.load(None)
    }

    /// The answer of the store is there: what it has behind the rows that are listed, or all from the first one on.
    pub fn listed(&mut self, asked: u64, is_next: bool, listed: Result<Listed, String>) -> Option<Effect> {
        if asked != self.asked {
            return None;
        }
        self.is_loading = false;
        if !self.is_due {
            self.leaving = Vec::new();
        }
        let mut told = None;
        match listed {
            Ok(Listed { jobs, more, now }) => {
                (self.error, self.has_more, self.now) = (None, more, now);
                if is_next {
                    self.past.extend(jobs);
                } else {
                    self.past = jobs;
                }
            }
            Err(error) if self.past.is_empty() => self.error = Some(error),
            // What is listed stays.
            Err(error) => {
                self.has_more = false;
                told = Some(Effect::Tell(error));
            }
        }
        self.lay();
        if self.is_due { self.renew() } else { told.or_else(|| self.more()) }
    }

    /// The jobs of this Neovim are these now.
    pub fn live(&mut self, live: &[Live], totals: Totals) -> Option<Effect> {
        let (stay, gone): (Vec<_>, Vec<_>) =
            self.live.drain(..).partition(|job| live.iter().any(|other| other.id == job.id));
        drop(stay);
        let has_left = !gone.is_empty();
        self.leaving.extend(gone);
        self.live = live.to_vec();
        for job in &mut self.live {
            job.about.line = self.origin.lines.get(&job.id).copied().unwrap_or(job.about.line);
        }
        self.totals = totals;
        self.lay();
        if has_left { self.renew() } else { None }
    }

    /// Whether a live job is among what is listed.
    fn is_meant(&self, job: &Live) -> bool {
        let is_in = match self.scope {
            Scope::Session | Scope::All => true,
            Scope::File => self.origin.path == job.about.path,
            Scope::Project => self.origin.project == job.about.project,
        };
        let has = |word: &str| {
            let word = word.to_lowercase();
            [&job.about.prompt, &job.about.path].iter().any(|text| text.to_lowercase().contains(&word))
        };
        is_in && self.text.as_deref().unwrap_or_default().split_whitespace().all(has)
    }

    /// Makes the rows.
    fn lay(&mut self) {
        let is_held = |job: &&Live| matches!(job.state, LiveState::Held(_));
        let mut live: Vec<&Live> =
            self.live.iter().chain(&self.leaving).filter(|job| self.is_meant(job)).collect();
        live.sort_by_key(|job| (is_held(job), std::cmp::Reverse(job.id)));
        let viewer = &self.origin.viewer;
        let rows = live.iter().map(|job| job.row(viewer));
        let is_live = |entry: &&JobEntry| entry.id.is_some_and(|id| live.iter().any(|job| job.id == id));
        let past = self.past.iter().filter(|entry| !is_live(entry));
        let now_at = |entry: &JobEntry| entry.id.and_then(|id| self.origin.lines.get(&id)).copied();
        let past = past.map(|entry| render::stored(entry, now_at(entry), self.now, viewer));
        self.rows = rows.chain(past).collect();
    }

    /// The row of the cursor.
    pub fn at_cursor(&self) -> Option<&ListRow> {
        let id = self.cursor.as_ref();
        id.and_then(|id| self.rows.iter().find(|row| row.id == *id)).or_else(|| self.rows.first())
    }

    /// What is said in place of rows, or behind them, and its group.
    fn note(&self) -> Option<(String, &'static str)> {
        if let Some(error) = &self.error {
            return Some((error.clone(), FAILURE));
        } else if !self.rows.is_empty() {
            return None;
        }
        let words = match (&self.text, self.scope) {
            _ if self.is_loading => "…".to_owned(),
            (Some(_), _) => "no job matches".to_owned(),
            (None, Scope::Session) => {
                let held = match self.origin.earlier {
                    0 => String::new(),
                    n => format!("; :Botglue review shows {n} held in earlier sessions"),
                };
                format!("no jobs in this session{held}")
            }
            (None, _) => "no job has ended yet".to_owned(),
        };
        Some((words, LABEL))
    }

    /// The right part of the title.
    fn head(&self) -> String {
        let words = self.text.as_ref().map(|text| format!("\"{text}\""));
        if self.scope == Scope::Session {
            let totals = Some(self.totals.words()).filter(|totals| !totals.is_empty());
            return words.into_iter().chain(totals).collect::<Vec<_>>().join(BETWEEN);
        }
        let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        let scope = match self.scope {
            Scope::File => name(&self.origin.path),
            Scope::Project => name(&self.origin.project),
            Scope::Session | Scope::All => "all".to_owned(),
        };
        let count = format!("{}{}", self.rows.len(), if self.has_more { "+" } else { "" });
        [Some(scope), words, Some(count)].into_iter().flatten().collect::<Vec<_>>().join(BETWEEN)
    }

    /// Whether a key of the list changes anything.
    fn changes(&self, action: &str) -> bool {
        match action {
            "session" => self.scope != Scope::Session,
            "file" => self.scope != Scope::File && !self.origin.path.is_empty(),
            "project" => self.scope != Scope::Project,
            "all" => self.scope != Scope::All,
            "quickfix" => !self.rows.is_empty(),
            _ => true,
        }
    }

    /// The keys that work on the row of the cursor.
    fn keys(&self) -> Vec<Key> {
        let row = self.at_cursor();
        let is_held = row.is_some_and(|row| row.cells[4].0.starts_with("held"));
        let can = |name| row.is_some_and(|row| row.actions.iter().any(|action| action.name() == name));
        let mut first: Vec<Key> = OF_ROW.into_iter().filter(|key| can(key.action)).collect();
        for key in first.iter_mut().filter(|key| key.action == Action::Review.name() && !is_held) {
            key.word = "answer";
        }
        // What closes it is on the first page.
        let at = first.len().min(4);
        let (first, second) = first.split_at(at);
        let of_list: Vec<_> = OF_LIST.into_iter().filter(|key| self.changes(key.action)).collect();
        [first, &[CLOSE], second, &of_list].concat()
    }

    /// The columns, by the first rows.
    fn columns(&self, measured: usize, room: usize) -> Columns<'static> {
        let cells: Vec<&[Cell]> = self.rows.iter().take(measured).map(|row| &row.cells[..]).collect();
        Columns::of(&JOB_COLUMNS, &cells, room)
    }

    /// All rows, laid out.
    fn laid(&mut self, room: usize) -> Vec<Arc<Row>> {
        let columns = self.columns(MEASURED, room);
        if columns != self.laid.columns {
            self.laid = Laid { columns, rows: BTreeMap::new() };
        }
        let sign = SPINNER[self.beat % SPINNER.len()];
        let Laid { columns, rows: known } = &mut self.laid;
        let mut lay = |row: &ListRow| {
            if let Some((cells, laid)) = known.get(&row.id).filter(|_| !row.runs)
                && *cells == row.cells
            {
                return Arc::clone(laid);
            }
            let cells = row.cells.iter().enumerate().map(|(i, cell)| {
                let text = if i == 0 && row.runs { sign } else { cell.0.as_str() };
                (text, cell.1)
            });
            let laid = Arc::new(Row { id: Some(row.id.clone()), ..columns.row(cells) });
            known.insert(row.id.clone(), (row.cells.clone(), Arc::clone(&laid)));
            laid
        };
        self.rows.iter().map(&mut lay).collect()
    }

    /// The rows as lines of text in a picture that stands still, each with its row.
    pub fn texts(&self, room: usize) -> Vec<(String, &ListRow)> {
        let columns = self.columns(self.rows.len(), room);
        let text = |row: &ListRow| {
            let cells = row.cells.iter().enumerate();
            let cells = cells.map(|(i, cell)| (if i == 0 && row.runs { STILL } else { &cell.0 }, cell.1));
            columns.row(cells).text.trim().to_owned()
        };
        self.rows.iter().map(|row| (text(row), row)).collect()
    }

    /// A key of the list, with the words that the user has given.
    pub fn key(&mut self, action: &str, text: Option<&str>) -> Option<Effect> {
        match action {
            "search" => self.text = text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned),
            "session" => self.scope = Scope::Session,
            "file" if self.origin.path.is_empty() => {
                return Some(Effect::Tell("the buffer that this was opened from has no file".to_owned()));
            }
            "file" => self.scope = Scope::File,
            "project" => self.scope = Scope::Project,
            "all" => self.scope = Scope::All,
            _ => return None,
        }
        Some(self.reset())
    }

    /// Asks for the next page, where the cursor is near the end.
    fn more(&mut self) -> Option<Effect> {
        let cursor = self.cursor.as_ref()?;
        let at = self.rows.iter().position(|row| row.id == *cursor)?;
        if !self.has_more || self.is_loading || at + AHEAD < self.rows.len() {
            return None;
        }
        let last = self.past.last()?;
        let before = (last.record.ended_ms, last.uuid.clone());
        Some(self.load(Some(before)))
    }

    /// How its window is opened.
    pub fn opening(&self) -> Opening {
        Opening::float(self.name, &[&OF_ROW[..], &OF_LIST, &[CLOSE]].concat()).with(true, &["cursorline"])
    }

    /// What it shows on a screen of this size; `page` counts how often the user has asked for more keys.
    pub fn frame(&mut self, ui: Ui, page: usize) -> Frame {
        let width = WIDTHS.0.min(ui.columns.saturating_sub(WIDTHS.1));
        let room = inside(width, ui).saturating_sub(2);
        let mut rows = self.laid(room);
        if let Some((words, group)) = self.note() {
            let line = |line: String| Arc::new(Row::plain(" ").with(&line, group));
            rows.extend(wrap(&words, room).into_iter().map(line));
        }
        let detail = self.at_cursor().and_then(|row| row.detail.as_deref());
        let mut detail = detail.map(|detail| wrap(detail, room)).unwrap_or_default();
        self.pane = self.pane.max(detail.len()).min(MOST_DETAIL.min(ui.lines / 2));
        let (keys, head) = (self.keys(), self.head());
        let size = (width, rows.len().max(1).min(ui.lines * 6 / 10));
        let border = Border { left: self.name, right: &head, note: None, keys: &keys, page, more: MORE };
        if self.pane == 0 {
            return Frame { place: Some(float(size, border, ui)), rows, ..Frame::default() };
        }
        let (place, below) = docked(size, border, self.pane, ui);
        if detail.len() > below.height {
            let has_more = self.at_cursor().is_some_and(|row| row.actions.contains(&Action::Transcript));
            detail.truncate(below.height.saturating_sub(1));
            detail.push(if has_more { REST } else { CUT }.to_owned());
        }
        let detail = detail.iter().map(|line| Arc::new(Row::plain(" ").with(line, FAILURE)));
        let below = Frame { place: Some(below), rows: detail.collect(), ..Frame::default() };
        Frame { place: Some(place), rows, below: Some(Box::new(below)), ..Frame::default() }
    }

    /// The cursor is in the row with this id.
    pub fn cursor(&mut self, id: &str) -> Option<Effect> {
        self.cursor = Some(id.to_owned());
        self.more()
    }

    /// Time has passed.
    pub fn beat(&mut self) {
        self.beat += 1;
    }

    /// Whether a beat changes what it shows.
    pub fn moves(&self) -> bool {
        self.rows.iter().any(|row| row.runs)
    }

    /// What a list of places has of its rows: the file, the line and the text of each.
    pub fn items(&self) -> Vec<(Option<&str>, u64, String)> {
        let texts = self.texts(usize::from(u16::MAX)).into_iter();
        let text = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        texts.map(|(words, row)| (row.path.as_deref(), row.line, text(words))).collect()
    }
}

#[cfg(test)]
mod tests;
