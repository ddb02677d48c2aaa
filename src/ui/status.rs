//! The rows at the range of a job: what its agent does and the newest code below it, or what became of it.

use std::fmt::Write;

use serde_json::{Value, json};

use super::frame::Chunks;
use super::layout::{FAILURE, clean, fit};
use super::width::{cells, width};
use crate::render::{BAR, BETWEEN, Cell, FAILED, HELD, LANDED, QUEUED, READY, UNCHANGED, duration};
use crate::session::{Doing, LiveState, Look, Tone, Wait};

/// Cells of the prompt beside a failure or an outcome.
const LEAST_PROMPT: usize = 16;
/// Cells for the time that a job has run.
const LEAST_ELAPSED: usize = 6;
/// Cells of what an agent does beside the prompt.
const LEAST_WORDS: usize = 4;
/// Cells of an outcome; where it has fewer, the prompt is left out.
const LEAST_OUTCOME: usize = 32;
/// Cells in which there is room for one thing alone.
const NARROW: usize = 24;
/// Cells in which there may be room for what went wrong alone.
const TIGHT: usize = 48;
/// The most cells before the rows.
const MOST_INDENT: usize = 24;
/// The signs of a job that goes on, one after the other.
pub(super) const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const PROMPT: &str = "BotgluePrompt";
const ACTIVITY: &str = "BotglueActivity";

/// What hangs at the range of a job.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hung {
    /// The rows below it.
    pub rows: Vec<Chunks>,
    /// What stands beside its last rows that are seen.
    pub aside: Vec<Chunks>,
    /// What the text of the range is highlighted in, or, once an answer has landed, what is in its place for a moment.
    pub group: Option<&'static str>,
}

impl Hung {
    /// What differs from what the plugin has; none where that is nothing.
    pub fn diff(&self, id: u64, old: Option<&Self>) -> Option<Value> {
        if old == Some(self) {
            return None;
        }
        let is_new = old.is_none_or(|old| old.group != self.group);
        let old = old.cloned().unwrap_or_default();
        let rows = |rows: &[Chunks]| rows.iter().map(chunks).collect::<Value>();
        Some(json!({
            "id": id,
            "rows": (self.rows != old.rows).then(|| rows(&self.rows)),
            "aside": (self.aside != old.aside).then(|| rows(&self.aside)),
            "group": is_new.then(|| self.group.map_or(json!(false), Value::from)),
        }))
    }

    /// Nothing hangs there any more.
    pub fn gone(id: u64) -> Value {
        json!({ "id": id, "gone": true })
    }
}

/// Texts as virtual text has them; a text with several groups has a `+` between those.
pub(super) fn chunks(chunks: &Chunks) -> Value {
    let chunk = |Cell(text, group): &Cell| match group.split_once('+') {
        Some((below, above)) => json!([text, [below, above]]),
        None if group.is_empty() => json!([text]),
        None => json!([text, group]),
    };
    chunks.iter().map(chunk).collect()
}

/// What is shown of a job at its range.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Status {
    /// The user's prompt.
    pub prompt: String,
    /// The cells before the text of the range.
    pub indent: usize,
    /// For how long it goes on.
    pub elapsed_ms: u64,
    /// How far it is.
    pub state: StatusState,
    /// The newest lines of code.
    pub code: Vec<String>,
}

/// How far a job is, as it is shown at its range.
#[derive(Debug, Clone, PartialEq)]
pub enum StatusState {
    /// It goes on.
    Live(LiveState),
    /// This became of it.
    Ended(Said),
}

impl Default for StatusState {
    fn default() -> Self {
        Self::Live(LiveState::default())
    }
}

/// What is said of how a job ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// How it looks.
    pub look: Look,
    /// The sentence.
    pub words: String,
    /// What is said behind it where there is room.
    pub rest: Option<String>,
    /// What the user may not know, where there is room for that too.
    pub hint: Option<String>,
}

/// The sign and the highlight group of an end.
fn sign(look: Look) -> (&'static str, &'static str) {
    match look {
        Look::Landed => (LANDED, "BotglueLanded"),
        Look::Unchanged => (UNCHANGED, ACTIVITY),
        Look::Failed => (FAILED, FAILURE),
        Look::Held => (HELD, "BotglueHeld"),
    }
}

impl Status {
    /// All rows below the range, in a window with so many columns; `frame` counts the beats.
    pub fn rows(&self, frame: usize, columns: usize) -> Vec<Chunks> {
        let most = columns / if columns < 40 { 5 } else { 2 };
        let indent = self.indent.min(most).min(MOST_INDENT);
        let blanks = " ".repeat(indent);
        let mut first = vec![Cell::new(blanks.clone(), PROMPT)];
        first.extend(self.line(frame, columns - indent));
        let code = self.code.iter().map(|row| {
            let words = fit(row, columns.saturating_sub(indent + 2));
            let gap = if words.is_empty() { "" } else { " " };
            vec![Cell::new(format!("{blanks}{BAR}{gap}{words}"), "BotgluePreview")]
        });
        std::iter::once(first).chain(code).collect()
    }

    /// Its state, where there is this much room.
    pub fn line(&self, frame: usize, room: usize) -> Chunks {
        match &self.state {
            StatusState::Live(LiveState::Queued(wait)) => {
                let tone = if matches!(wait, Wait::Limit { .. }) { Tone::Urgent } else { Tone::Calm };
                self.working(QUEUED, &Doing { words: Some(wait.words()), tone }, room)
            }
            StatusState::Live(LiveState::Running(doing)) => {
                self.working(SPINNER[frame % SPINNER.len()], doing, room)
            }
            // What is held has ended.
            StatusState::Live(LiveState::Ready | LiveState::Held(_)) => {
                let words = "ready: lands when you have finished";
                vec![Cell::new(fit(&format!("{READY} {words}"), room), "BotglueReady")]
            }
            StatusState::Ended(said) => self.ended(said, room),
        }
    }

    fn working(&self, sign: &str, doing: &Doing, room: usize) -> Chunks {
        let elapsed = Cell::new(format!("{BETWEEN}{}", duration(self.elapsed_ms)), PROMPT);
        // With a second digit nothing shifts.
        let room = room.saturating_sub(2 + width(&elapsed.0).max(LEAST_ELAPSED));
        let group = if doing.tone == Tone::Failing { FAILURE } else { ACTIVITY };
        let sign = Cell::new(format!("{sign} "), "BotglueSpinner");
        let words = doing.words.as_deref().map(clean);
        let needs = words.as_ref().map_or(0, |words| width(BETWEEN) + width(words));
        // What went wrong is worth more than what was asked for.
        let is_urgent = words.is_some() && doing.tone != Tone::Calm;
        if room < NARROW || is_urgent && room < TIGHT && needs + LEAST_PROMPT > room {
            let only = match words {
                Some(words) => Cell::new(fit(&words, room), group),
                None => Cell::new(fit(&clean(&self.prompt), room), PROMPT),
            };
            return vec![sign, only, elapsed];
        }
        let share = room * 3 / 5;
        let share = if is_urgent { share.min(room.saturating_sub(needs)).max(LEAST_PROMPT) } else { share };
        let prompt = fit(&clean(&self.prompt), share);
        let left = room.saturating_sub(width(&prompt) + width(BETWEEN));
        let mut chunks = vec![sign, Cell::new(prompt, PROMPT)];
        if let Some(words) = words.filter(|_| left >= LEAST_WORDS) {
            chunks.extend([Cell::new(BETWEEN, PROMPT), Cell::new(fit(&words, left), group)]);
        }
        chunks.push(elapsed);
        chunks
    }

    fn ended(&self, said: &Said, room: usize) -> Chunks {
        let (sign, group) = sign(said.look);
        let (lead, mut words, prompt) = (format!("{sign} "), clean(&said.words), clean(&self.prompt));
        let mut rest = said.rest.as_ref().map(|rest| format!("{BETWEEN}{rest}")).unwrap_or_default();
        let least = LEAST_PROMPT.min(width(&prompt));
        let used = |words: &str, rest: &str| width(&lead) + width(BETWEEN) + width(words) + width(rest);
        if used(&words, &rest) + least > room {
            rest = String::new();
        }
        if used(&words, &rest) + least > room {
            let left = room.saturating_sub(used("", &rest) + least);
            if left < LEAST_OUTCOME {
                return vec![Cell::new(fit(&(lead + &words), room), group)];
            }
            words = fit(&words, left);
        }
        let hint = said.hint.as_ref().map(|hint| format!("{BETWEEN}{hint}")).unwrap_or_default();
        if !rest.is_empty() && used(&words, &rest) + width(&hint) + least <= room {
            rest += &hint;
        }
        let left = room.saturating_sub(used(&words, &rest));
        vec![
            Cell::new(lead, group),
            Cell::new(fit(&prompt, left) + BETWEEN, PROMPT),
            Cell::new(words + &rest, group),
        ]
    }
}

/// Text as the screen shows it from a column on: tabs become blanks, and what cannot be printed what Neovim shows for it.
pub fn expand(text: &[u8], tabstop: usize, mut at: usize) -> String {
    let mut made = String::with_capacity(text.len());
    for part in text.utf8_chunks() {
        for (letter, cells) in cells(part.valid()) {
            let from = made.len();
            match letter {
                '\t' => made.extend(std::iter::repeat_n(' ', tabstop - at % tabstop)),
                '\0'..='\x1f' | '\x7f' => made.extend(['^', char::from(letter as u8 ^ 0x40)]),
                letter => made.push(letter),
            }
            let is_made = letter.is_ascii_control();
            at += if is_made { made.len() - from } else { cells };
        }
        for byte in part.invalid() {
            // Writing to a string cannot fail.
            _ = write!(made, "<{byte:02x}>");
            at += 4;
        }
    }
    made
}

/// The cells before the text of a row.
pub fn indent(row: &str, tabstop: usize) -> usize {
    width(&expand(&row.as_bytes()[..row.len() - row.trim_start().len()], tabstop, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(state: StatusState) -> Status {
        let prompt = "return errors instead of panicking".to_owned();
        Status { prompt, indent: 0, elapsed_ms: 7000, state, code: Vec::new() }
    }

    fn running(words: Option<&str>, tone: Tone) -> StatusState {
        StatusState::Live(LiveState::Running(Doing { words: words.map(str::to_owned), tone }))
    }

    fn ended(look: Look, said: &str, rest: Option<&str>) -> StatusState {
        StatusState::Ended(Said { look, words: said.to_owned(), rest: rest.map(str::to_owned), hint: None })
    }

    fn text(chunks: &Chunks) -> String {
        chunks.iter().map(|Cell(text, _)| text.as_str()).collect()
    }

    #[test]
    fn the_rows_are_below_the_text_of_the_range_if_that_leaves_room() {
        let code = vec!["fn a() {".to_owned(), String::new(), "x".repeat(90)];
        let status = Status { indent: 30, code, ..status(running(None, Tone::Calm)) };
        let rows: Vec<_> = status.rows(0, 80).iter().map(text).collect();
        let blanks = " ".repeat(24);
        assert_eq!(rows[0], format!("{blanks}⠋ return errors instead of pa… · 7s"));
        assert_eq!(rows[1..3], [format!("{blanks}│ fn a() {{"), format!("{blanks}│")]);
        assert_eq!(rows[3], format!("{blanks}│ {}…", "x".repeat(53)));
        assert_eq!(text(&status.rows(0, 20)[0]), "    ⠋ return … · 7s");
    }

    #[test]
    fn where_there_is_little_room_the_prompt_is_cut_first() {
        let why = "held: you changed these lines meanwhile";
        let held = status(ended(Look::Held, why, Some(":Botglue review 3")));
        for (room, expected) in [
            (80, format!("◆ return errors i… · {why} · :Botglue review 3")),
            (63, format!("◆ return errors inst… · {why}")),
            (60, format!("◆ return errors i… · {why}")),
            (41, format!("◆ {why}")),
            (20, "◆ held: you changed…".to_owned()),
        ] {
            assert_eq!(text(&held.line(0, room)), expected, "{room}");
        }
    }

    #[test]
    fn a_hint_comes_last_where_there_is_room() {
        let (words, rest, hint) =
            ("landed".to_owned(), Some("9s".to_owned()), Some(r"\pf goes on".to_owned()));
        let landed = status(StatusState::Ended(Said { look: Look::Landed, words, rest, hint }));
        for (room, expected) in [
            (80, r"✓ return errors instead of panicking · landed · 9s · \pf goes on"),
            (52, r"✓ return errors instead… · landed · 9s · \pf goes on"),
            (40, "✓ return errors instead o… · landed · 9s"),
        ] {
            assert_eq!(text(&landed.line(0, room)), expected, "{room}");
        }
    }

    #[test]
    fn it_fits_into_any_width() {
        let grep = Some("Grep a pattern that is rather long, in src/**/*.rs");
        for state in [
            running(grep, Tone::Calm),
            running(grep, Tone::Failing),
            ended(Look::Held, "held: you changed these lines meanwhile", Some(":Botglue review 3")),
            ended(Look::Landed, "landed", Some("9s $0.02")),
        ] {
            let is_open = matches!(state, StatusState::Live(_));
            let status = Status { prompt: "wörter ".repeat(30), ..status(state) };
            for columns in 8..200 {
                let line = text(&status.rows(0, columns)[0]);
                assert!(width(&line) <= columns, "{columns}: {line}");
                assert!(!is_open || line.ends_with(" · 7s"), "{columns}: {line}");
            }
        }
    }

    #[test]
    fn tabs_are_as_wide_as_in_the_buffer() {
        assert_eq!(expand(b"\tx\ty", 4, 0), "    x   y");
        assert_eq!(expand("a\u{1}ü\tb".as_bytes(), 8, 0), "a^Aü    b");
    }
}
