//! The prompt that is being typed: its border, what is said below its text, its menu and earlier prompts. The window and
//! the text are the plugin's, so typing never waits; each change of the text comes in.

use serde::{Deserialize, Serialize};

mod choice;
mod complete;
mod recall;

pub use choice::{Agents, Chosen};
pub use complete::Item;

use choice::Choice;
use complete::{Word, word};
use recall::Recall;

use super::frame::Chunks;
use super::layout::{Border, Key, MORE, borders, clean, fit_end, wrap};
use super::width::width;
use crate::fields::{bytes, cells};
use crate::render::{self, BETWEEN, Cell, FAILED, Viewer};
use crate::request::{OpenBuffer, Resume};

/// The least rest of the room for a place: border, blanks around both texts, and a cell between them.
const AROUND: usize = 5;
/// The cells of a menu that are no text.
const MENU_EDGE: usize = 4;
/// What shows the next keys where a letter is text.
const MORE_TYPING: Key = Key::told("<C-l>", "more", "more");

/// What is known of a prompt from the beginning.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct About {
    /// Its project's directory.
    pub project: String,
    /// The buffer that it is for.
    pub buffer: u64,
    /// The file of that.
    pub path: String,
    /// The name of that; none where the buffer is gone.
    pub name: Option<String>,
    /// The answer goes below a line.
    pub is_insertion: bool,
    /// The directory in which the agent runs.
    pub cwd: String,
    /// The session that it goes on in.
    pub resume: Option<Resume>,
    /// The agent that was asked for.
    pub agent: Option<String>,
    /// The model that was asked for.
    pub model: Option<String>,
    /// A question was asked for.
    pub question: bool,
    /// The answer is to be held.
    pub review: bool,
    /// What is chosen in it, as an earlier host has said.
    pub chosen: Option<PromptChoice>,
    /// What was chosen in the draft in it.
    pub draft: Option<Chosen>,
    /// The prompt that is proposed.
    pub proposal: Option<String>,
    /// The job that wrote these lines, where its session can be gone on in.
    #[serde(skip)]
    pub writer: Option<Writer>,
}

/// A job that a prompt can go on from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Writer {
    /// Its agent.
    pub agent: String,
    /// The directory in which that runs.
    pub cwd: String,
    /// Its session.
    pub resume: Resume,
}

/// What is chosen in a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PromptChoice {
    /// What becomes of the answer.
    pub way: Way,
    /// Agent and model.
    #[serde(flatten)]
    pub chosen: Chosen,
}

/// What becomes of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// It lands.
    #[default]
    Land,
    /// It is shown: the prompt asks a question.
    Ask,
    /// It is held.
    Hold,
    /// It lands; the session of the job that wrote these lines goes on.
    FollowUp,
}

/// In which mode the user types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(from = "String")]
pub enum Mode {
    /// Normal.
    Normal,
    /// Insert.
    #[default]
    Insert,
    /// Select.
    Select,
}

impl From<String> for Mode {
    /// As Neovim names it.
    fn from(mode: String) -> Self {
        match mode.chars().next() {
            Some('i' | 'R') => Self::Insert,
            Some('s' | 'S' | '\x13') => Self::Select,
            _ => Self::Normal,
        }
    }
}

/// The prompt as the user sees it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Typed {
    /// Its buffer's changedtick.
    pub tick: u64,
    /// The text.
    pub text: String,
    /// The row of the cursor, from 0.
    #[serde(deserialize_with = "cells")]
    pub row: usize,
    /// The bytes before the cursor in its row.
    #[serde(deserialize_with = "cells")]
    pub column: usize,
    /// The mode.
    pub mode: Mode,
    /// The cells inside of the window.
    #[serde(deserialize_with = "cells")]
    pub width: usize,
    /// The lines that it is about, from 1; none where the buffer is gone.
    pub lines: Option<(u64, u64)>,
}

impl Typed {
    /// The text before the cursor in its row, with what is no UTF-8 replaced.
    fn before(&self) -> String {
        let row = bytes::unescape(self.text.split('\n').nth(self.row).unwrap_or_default());
        String::from_utf8_lossy(row.get(..self.column).unwrap_or(&row)).into_owned()
    }
}

/// What the plugin draws.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct PromptFrame {
    /// The border above.
    pub title: Chunks,
    /// The border below.
    pub footer: Chunks,
    /// The rows below the text.
    pub said: Vec<Chunks>,
    /// What is chosen.
    pub chosen: PromptChoice,
}

/// Which files the menu wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The changedtick of the text.
    pub tick: u64,
    /// The directory of the project.
    pub root: String,
    /// Letters of their paths.
    pub query: String,
    /// It is the first question of the prompt: there may be other files by now.
    pub is_new: bool,
}

/// What comes of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// The files of the project that match.
    Files(Wanted),
    /// A menu for the text as it is, at this byte of the row.
    Menu(usize, Vec<Item>),
    /// Another text in place of this one.
    Fill(String),
}

/// See the module.
#[derive(Debug, Default)]
pub struct Prompt {
    /// What was known of it from the beginning.
    pub about: About,
    /// The place, but for its lines.
    place: String,
    choice: Choice,
    /// The same where the session of the writer goes on.
    follow_up: Option<Choice>,
    recall: Recall,
    way: Way,
    /// The buffers that can be named, the one that was used last first.
    pub buffers: Vec<OpenBuffer>,
    /// As the user sees it.
    pub typed: Typed,
    /// The menu has earlier prompts.
    is_listing: bool,
    /// How far a key goes that waits for what the store has, the changedtick and the mode then.
    waiting: Option<(isize, u64, Mode)>,
    /// The word for which files are looked for: its changedtick, its place and its letters.
    wanted: Option<(u64, usize, String)>,
    has_asked_for_files: bool,
    /// The words of the menu that the plugin shows.
    offered: Vec<String>,
    /// Why a key did nothing, and the changedtick then.
    hint: Option<(&'static str, u64)>,
    /// How often the user has asked for more keys, in this mode.
    page: usize,
}

impl Prompt {
    /// As it opens; `recent`: what was typed in this Neovim, the newest first.
    pub fn new(about: About, recent: Vec<String>, agents: &Agents) -> Self {
        let project = &about.project;
        let of_writer = |writer: &Writer| Choice::new(Some(writer.agent.clone()), None, true, project);
        let follow_up = about.writer.as_ref().map(of_writer);
        let (agent, model) = (about.agent.clone(), about.model.clone());
        let mut choice = Choice::new(agent, model, about.resume.is_some(), project);
        let draft = about.draft.as_ref().filter(|_| choice.is_free());
        if let Some(chosen) = about.chosen.as_ref().map(|chosen| &chosen.chosen).or(draft) {
            choice.pick(chosen.clone(), agents);
        }
        let way = match &about.chosen {
            Some(PromptChoice { way: Way::FollowUp, .. }) if follow_up.is_none() => Way::Land,
            Some(chosen) => chosen.way,
            None if about.question => Way::Ask,
            None if about.review => Way::Hold,
            None => Way::Land,
        };
        let viewer = Viewer { cwd: about.project.clone(), home: String::new() };
        let mut recall = Recall::default();
        recall.add(recent);
        Self {
            place: render::file(&about.path, about.name.as_deref(), &viewer),
            choice,
            follow_up,
            recall,
            way,
            about,
            ..Self::default()
        }
    }

    fn choice(&self) -> &Choice {
        self.follow_up.as_ref().filter(|_| self.way == Way::FollowUp).unwrap_or(&self.choice)
    }

    fn choice_mut(&mut self) -> &mut Choice {
        let is_one = self.way == Way::FollowUp;
        self.follow_up.as_mut().filter(|_| is_one).unwrap_or(&mut self.choice)
    }

    /// What is chosen.
    pub fn chosen(&self, agents: &Agents) -> PromptChoice {
        PromptChoice { way: self.way, chosen: self.choice().chosen(agents) }
    }

    /// The agent and the model that a request asks for.
    pub fn wanted(&self, agents: &Agents) -> (Option<String>, Option<String>) {
        self.choice().wanted(agents)
    }

    /// The session that goes on, and the directory in which the agent runs.
    pub fn session(&self) -> (Option<&Resume>, &str) {
        match &self.about.writer {
            Some(Writer { resume, cwd, .. }) if self.way == Way::FollowUp => (Some(resume), cwd),
            _ => (self.about.resume.as_ref(), &self.about.cwd),
        }
    }

    /// What was typed; nothing where that is a proposal as it is.
    pub fn unsent(&self) -> &str {
        let text = self.typed.text.trim();
        if self.about.proposal.as_deref() == Some(text) || text.is_empty() { "" } else { &self.typed.text }
    }

    /// The text, the cursor, the mode or the place is another one.
    pub fn typed(&mut self, typed: Typed, agents: &Agents) -> Option<Wish> {
        let before = std::mem::replace(&mut self.typed, typed);
        if before.mode != self.typed.mode {
            self.page = 0;
        }
        self.is_listing &= self.typed.mode == Mode::Insert;
        let is_listed = self.is_listing && before.tick != self.typed.tick;
        let is_other = before.text != self.typed.text || is_listed;
        let is_asked = is_other && self.typed.mode == Mode::Insert && !self.is_browsed(&before);
        is_asked.then(|| self.complete(agents)).flatten()
    }

    /// Whether the text is another one only because it shows a row of the menu: CTRL-N and CTRL-P, which no map can take
    /// there, put its word in as a whole.
    fn is_browsed(&self, before: &Typed) -> bool {
        let has_row = |typed: &Typed| {
            let before = typed.before();
            self.offered.iter().any(|word| before.ends_with(word))
        };
        let is_whole = before.text.len().abs_diff(self.typed.text.len()) > 1;
        has_row(&self.typed) && (is_whole || has_row(before))
    }

    /// What completes the word before the cursor.
    fn complete(&mut self, agents: &Agents) -> Option<Wish> {
        let tick = self.typed.tick;
        self.wanted = None;
        if self.is_listing {
            return self.list();
        }
        let before = self.typed.before();
        match word(self.typed.row, &before) {
            None => self.menu(0, Vec::new()),
            Some(Word::Name(lead)) => self.menu(0, complete::named(&lead, &agents.options)),
            Some(Word::Mention(at, query)) => {
                let at = (self.typed.column + at).saturating_sub(before.len());
                self.wanted = Some((tick, at, query.clone()));
                let is_new = !std::mem::replace(&mut self.has_asked_for_files, true);
                let root = self.about.project.clone();
                Some(Wish::Files(Wanted { tick, root, query, is_new }))
            }
        }
    }

    /// These files match; none while they are not known.
    pub fn found(&mut self, tick: u64, files: &[String]) -> Option<Wish> {
        let (_, at, query) = self.wanted.clone().filter(|(wanted, ..)| *wanted == tick)?;
        self.menu(at, complete::mentions(&query, &self.buffers, self.about.buffer, files))
    }

    fn menu(&mut self, at: usize, items: Vec<Item>) -> Option<Wish> {
        let words = items.iter().map(|item| item.word.clone()).collect();
        let had_menu = !std::mem::replace(&mut self.offered, words).is_empty();
        (had_menu || !items.is_empty()).then_some(Wish::Menu(at, items))
    }

    fn list(&mut self) -> Option<Wish> {
        let items = self.recall.items(&self.typed.text, self.typed.width.saturating_sub(MENU_EDGE));
        if items.is_empty() {
            self.say(self.recall.none(&self.typed.text));
        }
        self.menu(0, items)
    }

    /// The store has said what it has: earlier prompts, and the agent of the project's newest job.
    pub fn learn(&mut self, prompts: Vec<String>, newest: Option<String>) -> Option<Wish> {
        self.choice.newest = newest;
        self.recall.add(prompts);
        self.recall.is_known = true;
        if self.is_listing {
            return self.list();
        }
        let (by, tick, mode) = self.waiting.take()?;
        (tick == self.typed.tick && mode == self.typed.mode).then(|| self.step(by)).flatten()
    }

    /// Takes a key.
    pub fn key(&mut self, action: &str, agents: &mut Agents) -> Option<Wish> {
        match action {
            "agent" => self.choice_mut().next_agent(agents),
            "model" => self.choice_mut().next_model(agents),
            "way" => {
                self.way = match self.way {
                    Way::Land => Way::Ask,
                    Way::Ask => Way::Hold,
                    Way::Hold if self.follow_up.is_some() => Way::FollowUp,
                    Way::Hold | Way::FollowUp => Way::Land,
                }
            }
            "more" => self.page += 1,
            "earlier" => return self.step(1),
            "later" => return self.step(-1),
            "list" if self.is_listing && !self.offered.is_empty() => {
                self.is_listing = false;
                return self.menu(0, Vec::new());
            }
            "list" => {
                (self.is_listing, self.typed.mode) = (true, Mode::Insert);
                return self.recall.is_known.then(|| self.list()).flatten();
            }
            // What was taken is not offered once more.
            "taken" => (self.is_listing, self.offered, self.wanted) = (false, Vec::new(), None),
            _ => {}
        }
        None
    }

    fn step(&mut self, by: isize) -> Option<Wish> {
        if !self.recall.is_known {
            self.waiting = Some((by, self.typed.tick, self.typed.mode));
            return None;
        }
        let now = self.typed.text.clone();
        let filter = if self.about.proposal.as_ref() == Some(&now) { "" } else { &now };
        match self.recall.step(by, &now, filter) {
            Ok(text) => Some(Wish::Fill(text.to_owned())),
            Err(why) => {
                if by > 0 {
                    self.say(why);
                }
                None
            }
        }
    }

    fn say(&mut self, why: &'static str) {
        self.hint = Some((why, self.typed.tick));
    }

    /// What the answer's way is called.
    fn does(&self) -> &'static str {
        match (self.way, self.about.resume.as_ref().map(|resume| resume.at.is_some())) {
            (Way::Ask, _) => "ask",
            (Way::Hold, _) => "hold for review",
            (Way::Land, Some(true)) => "rewind",
            (Way::Land, Some(false)) | (Way::FollowUp, _) => "follow up",
            (Way::Land, None) if self.about.is_insertion => "insert below",
            (Way::Land, None) => "replace",
        }
    }

    /// The keys that do something, those first that a newcomer looks for.
    fn keys(&self, agents: &Agents) -> Vec<Key> {
        let key = |lhs, word| Key::told(lhs, "", word);
        let close = if self.typed.mode == Mode::Normal { "<Esc>" } else { "<Esc>q" };
        let mut keys = vec![key("<C-s>", "send"), key("<C-g>", "mode"), key(close, "close")];
        keys.extend(self.choice().has_models(agents).then_some(key("<S-Tab>", "model")));
        keys.extend((self.choice().agents(agents).len() > 1).then_some(key("<Tab>", "agent")));
        keys.push(key("<C-p>", "earlier"));
        keys
    }

    /// What the plugin draws.
    pub fn frame(&self, agents: &Agents) -> PromptFrame {
        let (room, chosen) = (self.typed.width, self.chosen(agents));
        let Chosen { agent, model } = &chosen.chosen;
        let model = model.as_ref().map(|model| format!(" {model}")).unwrap_or_default();
        let left = format!("{}{BETWEEN}{agent}{model}", self.does());
        let right = match self.typed.lines {
            None => "gone".to_owned(),
            Some((first, last)) if first == last => format!("{}:{first}", self.place),
            Some((first, last)) => format!("{}:{first}-{last}", self.place),
        };
        // Without enough room the name of the plugin is left out first, then the beginning of the place.
        let rest = room.saturating_sub(AROUND + width(&left));
        let (left, right) = if width("botglue ") + width(&right) <= rest {
            (format!("botglue {left}"), right)
        } else if rest > 0 {
            (left, fit_end(&right, rest))
        } else {
            (left, String::new())
        };
        let more = if self.typed.mode == Mode::Normal { MORE } else { MORE_TYPING };
        let (keys, page) = (&self.keys(agents), self.page);
        let (title, footer) =
            borders(Border { left: &left, right: &right, note: None, keys, page, more }, room);
        let hint = self.hint.filter(|(_, tick)| *tick == self.typed.tick);
        let hint = hint.map(|(words, _)| said("", words, "BotglueLabel", room));
        let sign = format!("{FAILED} ");
        let obstacle = agents.obstacle(agent).map(|words| said(&sign, &words, "BotglueFailure", room));
        let said = [hint, obstacle].into_iter().flatten().flatten().collect();
        PromptFrame { title, footer, said, chosen }
    }
}

/// Words as rows, with a sign before the first one and blanks below it.
fn said(sign: &str, words: &str, group: &'static str, room: usize) -> Vec<Chunks> {
    let indent = width(sign);
    let rows = wrap(&clean(words), room.saturating_sub(2 + indent).max(1));
    let row = |(at, row): (usize, String)| {
        let before = if at == 0 { sign.to_owned() } else { " ".repeat(indent) };
        vec![Cell(before + &row, group)]
    };
    rows.into_iter().enumerate().map(row).collect()
}

#[cfg(test)]
mod tests;
