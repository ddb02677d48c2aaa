//! The prompt that is being typed: its border, what is said below its text, its menu and earlier prompts. The window and
//! the text are the plugin's, so typing never waits; each change of the text comes in.

use std::path::{Path, PathBuf};

mod choice;
mod complete;
mod recall;

pub use choice::{Begin, Choice, Chosen};
pub use complete::Item;

use complete::{Word, word};
use recall::Recall;

use super::frame::Chunks;
use super::layout::{Border, Key, MORE, borders, clean, fit_end, wrap};
use super::width::width;
use crate::options::Options;
use crate::request::{OpenBuffer, Resume};
use crate::view::{BETWEEN, Cell, FAILED};

/// The least rest of the room for a place: border, blanks around both texts, and a cell between them.
const AROUND: usize = 5;
/// The cells of a menu that are no text.
const MENU_EDGE: usize = 4;
/// What shows the next keys where a letter is text.
const MORE_TYPING: Key = Key::told("<C-l>", "more", "more");

/// What is known of a prompt from the beginning.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct About {
    /// The project's directory.
    pub project: String,
    /// The place, but for its lines: the file below the project, or the name of a buffer without one.
    pub place: String,
    /// The answer goes below a line.
    pub is_insertion: bool,
    /// The session that it goes on in.
    pub resume: Option<Resume>,
    /// The job that wrote these lines, where its session can be gone on in.
    pub writer: Option<Writer>,
    /// The directory in which the agent runs.
    pub cwd: PathBuf,
    /// The way of the answer with which it begins.
    pub way: Way,
    /// Agent and model with which it begins.
    pub begin: Begin,
    /// The prompt that is proposed.
    pub proposal: Option<String>,
    /// Drafts, and what was sent: the newest first.
    pub recent: Vec<String>,
    /// The buffers that can be named, the one that was used last first.
    pub buffers: Vec<OpenBuffer>,
}

/// A job that a prompt can go on from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Writer {
    /// Its agent.
    pub agent: String,
    /// The directory in which that runs.
    pub cwd: PathBuf,
    /// Its session.
    pub resume: Resume,
}

/// What becomes of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Normal.
    Normal,
    /// Insert.
    #[default]
    Insert,
    /// Select.
    Select,
}

/// The prompt as the user sees it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Typed {
    /// Its buffer's changedtick.
    pub tick: u64,
    /// The text.
    pub text: String,
    /// The row of the cursor, from 0.
    pub row: usize,
    /// The text before the cursor in its row, with what is no UTF-8 replaced.
    pub before: String,
    /// How many bytes that is in Neovim.
    pub column: usize,
    /// The mode.
    pub mode: Mode,
    /// The cells inside of the window.
    pub width: usize,
    /// The lines that it is about, from 1; none where the buffer is gone.
    pub lines: Option<(u64, u64)>,
}

/// What the plugin draws.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PromptFrame {
    /// The border above.
    pub title: Chunks,
    /// The border below.
    pub footer: Chunks,
    /// The rows below the text.
    pub said: Vec<Chunks>,
    /// The agent and the model.
    pub chosen: Chosen,
    /// What becomes of the answer.
    pub way: Way,
}

/// What comes of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// The files of the project that match, for the text of this changedtick.
    Files {
        /// The changedtick.
        tick: u64,
        /// Letters of their paths.
        query: String,
        /// They are asked for first.
        is_new: bool,
    },
    /// A menu for the text as it is, at this byte of the row.
    Menu(usize, Vec<Item>),
    /// Another text in place of this one.
    Fill(String),
    /// Remember this for the project.
    Remember(Chosen),
}

/// What the menu offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Offer {
    #[default]
    Words,
    /// Earlier prompts.
    Earlier,
}

/// A key that waits for what the store has.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Waiting {
    Step(isize, Typed),
    List,
}

/// See the module.
#[derive(Debug)]
pub struct Prompt {
    about: About,
    options: Options,
    choice: Choice,
    /// The same where the session of the writer goes on.
    follow_up: Option<Choice>,
    recall: Recall,
    way: Way,
    typed: Typed,
    offer: Offer,
    waiting: Option<Waiting>,
    /// The word for which files are looked for: its changedtick, its place and its letters.
    wanted: Option<(u64, usize, String)>,
    has_asked_for_files: bool,
    /// The plugin shows a menu.
    has_menu: bool,
    /// Why a job would fail.
    pub obstacle: Option<String>,
    /// Why a key did nothing, and the text then.
    hint: Option<(&'static str, String)>,
    /// How often the user has asked for more keys, in this mode.
    page: usize,
}

impl Prompt {
    /// As it opens.
    pub fn new(about: About, options: Options) -> Self {
        let mut recall = Recall::default();
        recall.add(about.recent.clone());
        let of_writer = |writer: &Writer| {
            let agent = Some(writer.agent.clone());
            Choice::new(options.clone(), Begin { agent, has_session: true, ..Begin::default() })
        };
        let follow_up = about.writer.as_ref().map(of_writer);
        Self {
            choice: Choice::new(options.clone(), about.begin.clone()),
            way: if follow_up.is_none() && about.way == Way::FollowUp { Way::Land } else { about.way },
            follow_up,
            options,
            recall,
            about,
            typed: Typed::default(),
            offer: Offer::Words,
            waiting: None,
            wanted: None,
            has_asked_for_files: false,
            has_menu: false,
            obstacle: None,
            hint: None,
            page: 0,
        }
    }

    /// Agent and model.
    pub fn choice(&self) -> &Choice {
        self.follow_up.as_ref().filter(|_| self.way == Way::FollowUp).unwrap_or(&self.choice)
    }

    fn choice_mut(&mut self) -> &mut Choice {
        let is_one = self.way == Way::FollowUp;
        self.follow_up.as_mut().filter(|_| is_one).unwrap_or(&mut self.choice)
    }

    /// Something more is known of agents.
    pub fn learn(&mut self, what: impl Fn(&mut Choice)) {
        std::iter::once(&mut self.choice).chain(&mut self.follow_up).for_each(what);
    }

    /// The session that goes on, and the directory in which the agent runs.
    pub fn session(&self) -> (Option<&Resume>, &Path) {
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

    /// The changedtick of its text.
    pub fn tick(&self) -> u64 {
        self.typed.tick
    }

    /// The project's directory.
    pub fn project(&self) -> &str {
        &self.about.project
    }

    /// What the answer's way is, and whether agent and model are those without any choice.
    pub fn wanted(&self) -> (Way, Chosen, bool) {
        (self.way, self.choice().chosen(), self.way != Way::FollowUp && self.choice.is_untouched())
    }

    /// The text, the cursor, the mode or the place is another one.
    pub fn typed(&mut self, typed: Typed) -> Option<Wish> {
        let before = std::mem::replace(&mut self.typed, typed);
        if before.mode != self.typed.mode {
            self.page = 0;
        }
        if self.typed.mode != Mode::Insert {
            self.offer = Offer::Words;
        }
        let is_other = self.hint.as_ref().is_some_and(|(_, text)| *text != self.typed.text);
        self.hint.take_if(|_| is_other);
        let is_listed = self.offer == Offer::Earlier && before.tick != self.typed.tick;
        let is_other = before.text != self.typed.text || is_listed;
        (is_other && self.typed.mode == Mode::Insert).then(|| self.complete()).flatten()
    }

    /// What completes the word before the cursor.
    fn complete(&mut self) -> Option<Wish> {
        let tick = self.typed.tick;
        self.wanted = None;
        if self.offer == Offer::Earlier {
            return self.list();
        }
        match word(self.typed.row, &self.typed.before) {
            None => self.menu(0, Vec::new()),
            Some(Word::Name(lead)) => self.menu(0, complete::named(&lead, &self.options)),
            Some(Word::Mention(at, query)) => {
                let at = (self.typed.column + at).saturating_sub(self.typed.before.len());
                self.wanted = Some((tick, at, query.clone()));
                let is_new = !std::mem::replace(&mut self.has_asked_for_files, true);
                Some(Wish::Files { tick, query, is_new })
            }
        }
    }

    /// These files match; none while they are not known.
    pub fn found(&mut self, tick: u64, files: &[String]) -> Option<Wish> {
        let (_, at, query) = self.wanted.clone().filter(|(wanted, ..)| *wanted == tick)?;
        self.menu(at, complete::mentions(&query, &self.about.buffers, files))
    }

    fn menu(&mut self, at: usize, items: Vec<Item>) -> Option<Wish> {
        let had_menu = std::mem::replace(&mut self.has_menu, !items.is_empty());
        (had_menu || self.has_menu).then_some(Wish::Menu(at, items))
    }

    fn list(&mut self) -> Option<Wish> {
        let items = self.recall.items(&self.typed.text, self.typed.width.saturating_sub(MENU_EDGE));
        if items.is_empty() {
            self.say(self.recall.none(&self.typed.text));
        }
        self.menu(0, items)
    }

    /// The store has said what it has.
    pub fn learn_prompts(&mut self, prompts: Vec<String>) -> Option<Wish> {
        self.recall.add(prompts);
        self.recall.is_known = true;
        match self.waiting.take()? {
            Waiting::Step(by, typed) if typed.text == self.typed.text && typed.mode == self.typed.mode => {
                self.step(by)
            }
            Waiting::List if self.typed.mode == Mode::Insert && self.offer == Offer::Earlier => self.list(),
            _ => None,
        }
    }

    /// Takes a key.
    pub fn key(&mut self, action: &str) -> Option<Wish> {
        match action {
            "agent" => self.choice_mut().next_agent().map(Wish::Remember),
            "model" => self.choice_mut().next_model().map(Wish::Remember),
            "way" => {
                self.way = match self.way {
                    Way::Land => Way::Ask,
                    Way::Ask => Way::Hold,
                    Way::Hold if self.follow_up.is_some() => Way::FollowUp,
                    Way::Hold | Way::FollowUp => Way::Land,
                };
                None
            }
            "more" => {
                self.page += 1;
                None
            }
            "earlier" => self.step(1),
            "later" => self.step(-1),
            "list" => {
                (self.offer, self.typed.mode) = (Offer::Earlier, Mode::Insert);
                if self.recall.is_known {
                    return self.list();
                }
                self.waiting = Some(Waiting::List);
                None
            }
            "taken" => {
                // What was taken is not offered once more.
                (self.offer, self.has_menu, self.wanted) = (Offer::Words, false, None);
                None
            }
            _ => None,
        }
    }

    fn step(&mut self, by: isize) -> Option<Wish> {
        if !self.recall.is_known {
            self.waiting = Some(Waiting::Step(by, self.typed.clone()));
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
        self.hint = Some((why, self.typed.text.clone()));
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
    fn keys(&self) -> Vec<Key> {
        let key = |lhs, word| Key::told(lhs, "", word);
        let close = if self.typed.mode == Mode::Normal { "<Esc>" } else { "<Esc>q" };
        let mut keys = vec![key("<C-s>", "send"), key("<C-g>", "mode"), key(close, "close")];
        keys.extend(self.choice().has_models().then_some(key("<S-Tab>", "model")));
        keys.extend((self.choice().agents().len() > 1).then_some(key("<Tab>", "agent")));
        keys.push(key("<C-p>", "earlier"));
        keys
    }

    /// What the plugin draws.
    pub fn frame(&self) -> PromptFrame {
        let room = self.typed.width;
        let left = format!("{}{BETWEEN}{}", self.does(), self.choice().words());
        let right = match self.typed.lines {
            None => "gone".to_owned(),
            Some((first, last)) if first == last => format!("{}:{first}", self.about.place),
            Some((first, last)) => format!("{}:{first}-{last}", self.about.place),
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
        let (keys, page) = (&self.keys(), self.page);
        let (title, footer) =
            borders(Border { left: &left, right: &right, note: None, keys, page, more }, room);
        let hint = self.hint.as_ref().map(|(words, _)| said("", words, "BotglueLabel", room));
        let sign = format!("{FAILED} ");
        let obstacle = self.obstacle.as_ref().map(|words| said(&sign, words, "BotglueFailure", room));
        let said = [hint, obstacle].into_iter().flatten().flatten().collect();
        PromptFrame { title, footer, said, chosen: self.choice().chosen(), way: self.way }
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
