//! A review: the hunks of a held answer as they are drawn in a window of its buffer, and which of them a key means.
//!
//! Rows count from 0.

use serde::Deserialize;
use serde_json::{Value, json};

use super::frame::Chunks;
use super::layout::{CUT, LABEL, beginning, clean, fit};
use super::status::{chunks, expand};
use super::width::width;
use crate::document::{Row, Rows};
use crate::fields::cells;
use crate::land::Bytes;
use crate::render::{BETWEEN, Cell, HELD, counted};
use crate::review::{EditId, Hunk, WordMarks, marks};

/// The sign of a conflict.
const CONFLICT: &str = "⚠";
/// The fewest cells of the prompt in the head line.
const LEAST_PROMPT: usize = 8;
/// The signs of a row that comes, and of what belongs to it.
const COMES: &str = "+ ";
const NONE: &str = "  ";
const ADD: &str = "BotglueAdd";
/// The priorities of rows that go and of their words; that of a selection is higher.
const ROWS: u64 = 190;
const WORDS: u64 = 191;

/// How many rows of a window a hunk leaves free.
const ASIDE: usize = 3;

/// A window in which hunks are drawn.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Pane {
    /// The window.
    pub win: u64,
    /// Its closed folds, ascending.
    pub folds: Vec<Fold>,
    /// All of its cells.
    #[serde(deserialize_with = "cells")]
    pub width: usize,
    /// Those before the text.
    #[serde(deserialize_with = "cells")]
    pub textoff: usize,
    /// How many are out of sight at the left.
    #[serde(deserialize_with = "cells")]
    pub leftcol: usize,
    /// Virtual lines scroll sideways with the text.
    pub scrolls: bool,
    /// Neovim's `'tabstop'`.
    #[serde(deserialize_with = "cells")]
    pub tabstop: usize,
    /// Its rows.
    #[serde(deserialize_with = "cells")]
    pub height: usize,
    /// The rows near which is drawn.
    pub first: usize,
    /// The row behind them.
    pub past: usize,
}

/// A closed fold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Fold {
    /// The first row.
    pub first: usize,
    /// The last row.
    pub last: usize,
}

impl Pane {
    /// The cells for text.
    fn columns(&self) -> usize {
        self.width.saturating_sub(self.textoff).max(1)
    }

    /// How many lines of a hunk can be seen.
    fn most(&self) -> usize {
        self.height.saturating_sub(ASIDE).max(1)
    }

    /// The blanks before the sign of a row that comes, which is beside its text.
    fn gutter(&self) -> Option<String> {
        let room = self.textoff.checked_sub(2).filter(|_| !self.scrolls)?;
        Some(" ".repeat(room))
    }
}

/// What the head line says of these keys.
pub fn shown(keys: &[String]) -> String {
    let named = [("do", "take"), ("dp", "drop"), ("]c", "next")].into_iter();
    let ours = named.filter(|(key, _)| keys.iter().any(|ours| ours == key));
    ours.map(|(key, word)| format!("{key} {word}")).collect::<Vec<_>>().join(" ")
}

/// What is drawn of an answer.
#[derive(Debug)]
pub struct Picture<'a> {
    /// Which of the held answers it is, from 1, and how many there are.
    pub place: (usize, usize),
    /// The agent's name.
    pub agent: &'a str,
    /// The user's prompt, or what is doubtful in the answer.
    pub about: &'a str,
    /// The keys that work, or a command.
    pub keys: &'a str,
    /// Why there are no hunks.
    pub note: Option<&'static str>,
    /// The text.
    pub text: &'a Rows,
    /// The hunks in it, ascending.
    pub hunks: &'a [Hunk],
    /// Those that were dropped and would change something.
    pub gone: &'a [Hunk],
}

/// The row where the cursor is for a hunk: its first one, or for an insertion the one above it.
pub fn row_of(hunk: &Hunk) -> usize {
    if hunk.rows.is_empty() { hunk.rows.start.saturating_sub(1) } else { hunk.rows.start }
}

/// The hunk under the cursor: the one whose rows have it, else the insertion below its row, else the one above it, as for
/// Vim's own `do`. Where several are at a row, the one that the cursor went to.
pub fn under(hunks: &[Hunk], row: usize, visited: Option<EditId>) -> Option<usize> {
    let near = hunks.iter().take_while(|hunk| hunk.rows.start <= row + 1).count();
    let find = |is_meant: &dyn Fn(&Hunk) -> bool| hunks[..near].iter().position(is_meant);
    visited
        .and_then(|visited| find(&|hunk| hunk.id == visited))
        .or_else(|| find(&|hunk| hunk.rows.contains(&row)))
        .or_else(|| find(&|hunk| hunk.rows.is_empty() && hunk.rows.start == row + 1))
        .or_else(|| find(&|hunk| hunk.rows.is_empty() && hunk.rows.start == row))
}

/// The hunk to go to from a row, `step` hunks on, or back where that is negative. It counts hunks, not rows: several may be
/// at one row.
pub fn step(hunks: &[Hunk], row: usize, step: i64, visited: Option<EditId>) -> Option<usize> {
    let here = under(hunks, row, visited);
    let passed = hunks.iter().take_while(|hunk| row_of(hunk) < row).count();
    let count = usize::try_from(step.unsigned_abs()).unwrap_or(usize::MAX);
    if step > 0 {
        let next = here.map_or(passed, |here| here + 1);
        let to = next.saturating_add(count.saturating_sub(1)).min(hunks.len().saturating_sub(1));
        return (to >= next && to < hunks.len()).then_some(to);
    }
    // Within a hunk the first step back goes to its start.
    let from = match here {
        Some(here) if row > row_of(&hunks[here]) => here + 1,
        Some(here) => here,
        None => passed,
    };
    from.checked_sub(1).map(|last| last.saturating_sub(count.saturating_sub(1)))
}

/// The hunks in some rows: those that share one with them, and the insertions below one of them.
pub fn within(hunks: &[Hunk], first: usize, past: usize) -> Vec<usize> {
    let is_in = |hunk: &Hunk| row_of(hunk) < past && row_of(hunk) + hunk.rows.len().max(1) > first;
    (0..hunks.len()).filter(|&at| is_in(&hunks[at])).collect()
}

impl Picture<'_> {
    /// What is drawn in a window: the head line above its text, and marks, each its row, its byte and its options.
    pub fn pane(&self, pane: &Pane) -> Value {
        let mut drawing = Drawing { pane, text: self.text, marks: Vec::new() };
        for at in within(self.hunks, pane.first, pane.past) {
            drawing.hunk(&self.hunks[at]);
        }
        for at in within(self.gone, pane.first, pane.past) {
            let hunk = &self.gone[at];
            let words = format!("dropped: {}{BETWEEN}dp again", rows(hunk));
            let line = vec![Cell::new(fit(&words, pane.columns()), LABEL)];
            drawing.lines(below(hunk), &[line], json!({}));
        }
        let cell = |Cell(text, group): &Cell| ["%#", group, "#", &text.replace('%', "%%")].concat();
        let bar: String = self.head_line(pane.width).iter().map(cell).collect();
        json!({ "win": pane.win, "bar": bar, "marks": drawing.marks })
    }

    /// The line above the text. Where there is less room the prompt is cut and goes first, then the agent, the counts
    /// and which answer it is; the keys stay.
    pub fn head_line(&self, room: usize) -> Chunks {
        let Self { place: (index, count), agent, about, keys, note, .. } = self;
        let sign = Cell::new(format!("{HELD} "), "BotglueHeld");
        let room = room.saturating_sub(width(&sign.0));
        let conflicts = self.hunks.iter().filter(|hunk| hunk.conflict.is_some()).count();
        let mut counts = note.map_or_else(|| counted(self.hunks.len(), "hunk"), str::to_owned);
        if note.is_none() && conflicts > 0 {
            counts = format!("{counts}, {conflicts} {CONFLICT}");
        }
        let part = |text: &str, group| Cell::new(text.to_owned(), group);
        let place = (*count > 1).then(|| Cell::new(format!("{index} of {count}"), LABEL));
        let (agent, counts, keys) = (part(agent, LABEL), part(&counts, LABEL), part(keys, "BotglueKey"));
        let used = |parts: &[Cell]| -> usize {
            parts.iter().map(|part| width(&part.0)).sum::<usize>() + width(BETWEEN) * (parts.len() - 1)
        };
        let with = |more: &[&Cell]| place.iter().chain(more.iter().copied()).cloned().collect::<Vec<_>>();
        let choices = [with(&[&agent, &counts, &keys]), with(&[&counts, &keys]), with(&[&keys])];
        let fits = choices.iter().position(|parts| used(parts) <= room);
        let mut parts = fits.map_or_else(|| vec![keys.clone()], |at| choices[at].clone());
        let left = room.saturating_sub(used(&parts) + width(BETWEEN));
        if fits == Some(0) && left >= LEAST_PROMPT {
            parts.insert(parts.len() - 2, Cell::new(fit(&clean(about), left), "BotgluePrompt"));
        }
        let mut line = vec![sign];
        for (at, Cell(text, group)) in parts.into_iter().enumerate() {
            let text = if at > 0 { format!("{BETWEEN}{text}") } else { text };
            line.push(Cell::new(fit(&text, room), group));
        }
        line
    }
}

/// `2 rows go, 1 comes`
fn rows(hunk: &Hunk) -> String {
    let (go, come) = (hunk.rows.len(), hunk.lines.len());
    let (rows, comes) =
        (if go == 1 { "row goes" } else { "rows go" }, if come == 1 { "comes" } else { "come" });
    format!("{go} {rows}, {come} {comes}")
}

/// The row at which the rows that come hang, and whether above it: below those that go, or below the row above them.
fn below(hunk: &Hunk) -> (usize, bool) {
    hunk.rows.end.checked_sub(1).map_or((0, true), |row| (row, false))
}

/// The rows that come in a text.
pub fn rows_to_come(text: &Rows, hunk: &Hunk, tabstop: usize) -> Vec<Bytes> {
    let old = text.slice(hunk.rows.clone());
    let lines = hunk.lines.iter().enumerate();
    lines.map(|(at, row)| filled(row, old.get(at), hunk.column, tabstop)).collect()
}

struct Drawing<'a> {
    pane: &'a Pane,
    text: &'a Rows,
    marks: Vec<Value>,
}

impl Drawing<'_> {
    /// The one row of a buffer without text does not go: nothing is drawn in it.
    fn is_empty(&self) -> bool {
        self.text.len() == 1 && self.text.get(0).is_some_and(|row| row.text.is_empty())
    }

    fn mark(&mut self, row: usize, from: usize, options: &Value) {
        self.marks.push(json!([row, from, options]));
    }

    /// Lines below a row, or above it.
    fn lines(&mut self, at: (usize, bool), lines: &[Chunks], mut options: Value) {
        if !lines.is_empty() {
            let (row, above) = if self.is_empty() { (0, true) } else { at };
            options["virt_lines"] = lines.iter().map(chunks).collect();
            options["virt_lines_above"] = above.into();
            self.mark(row, 0, &options);
        }
    }

    /// Lines above a row: a closed fold that has it would hide them, so they are above that; else where they are said to
    /// hang.
    fn labels(&mut self, row: usize, at: (usize, bool), lines: &[Chunks]) {
        let fold = self.pane.folds.iter().find(|fold| (fold.first..=fold.last).contains(&row));
        let at = match fold {
            Some(Fold { first, .. }) if *first > 0 => (first - 1, false),
            Some(Fold { last, .. }) if last + 1 < self.text.len() => (last + 1, true),
            _ => at,
        };
        // Of marks at one place those with gravity to the left come first.
        self.lines(at, lines, json!({ "virt_lines_overflow": "trunc", "right_gravity": false }));
    }

    fn hunk(&mut self, hunk: &Hunk) {
        let pane = self.pane;
        let old = self.text.slice(hunk.rows.clone());
        let (go, come) = marks(&old, &hunk.lines);
        let mut labels = Vec::new();
        if let Some(conflict) = hunk.conflict {
            let both = if hunk.has_whole_rows() { "; dO takes both" } else { "" };
            let words = format!("{CONFLICT} {}{both}", conflict.words());
            labels.push(vec![Cell::new(fit(&words, pane.columns()), "BotglueHeld")]);
        }
        if hunk.rows.len() > pane.most() {
            labels.push(vec![Cell::new(fit(&rows(hunk), pane.columns()), LABEL)]);
        }
        let beside = if hunk.rows.is_empty() { below(hunk) } else { (hunk.rows.start, true) };
        self.labels(row_of(hunk), beside, &labels);
        if !hunk.rows.is_empty() && !self.is_empty() {
            self.rows_that_go(hunk, &old, &go);
        }
        let overflow = pane.scrolls.then_some("scroll");
        let options =
            json!({ "virt_lines_leftcol": pane.gutter().is_some(), "virt_lines_overflow": overflow });
        self.lines(below(hunk), &self.rows_that_come(hunk, &old, &come), options);
    }

    /// Highlights the rows that go, and the changed words in them.
    fn rows_that_go(&mut self, hunk: &Hunk, old: &[Row], words: &[WordMarks]) {
        let (rows, pane) = (hunk.rows.clone(), self.pane);
        let all = json!({ "end_row": rows.end, "end_col": 0, "hl_group": "BotglueDelete", "hl_eol": true, "priority": ROWS });
        self.mark(rows.start, 0, &all);
        for row in rows.start.max(pane.first)..rows.end.min(pane.past) {
            let at = row - rows.start;
            let length = old.get(at).map_or(0, |row| row.text.len());
            for span in words.get(at).into_iter().flatten() {
                let to = span.end.min(length);
                if span.start < to {
                    let options = json!({ "end_col": to, "hl_group": "BotglueChange", "priority": WORDS });
                    self.mark(row, span.start, &options);
                }
            }
        }
    }

    /// The rows that come. What is taller than the window could not be read to its end: the rest is counted.
    fn rows_that_come(&self, hunk: &Hunk, old: &[Row], words: &[WordMarks]) -> Vec<Chunks> {
        let (pane, count) = (self.pane, hunk.lines.len());
        let mut lines = Vec::new();
        for (at, row) in hunk.lines.iter().enumerate() {
            let row = filled(row, old.get(at), hunk.column, pane.tabstop);
            let more = self.lines_of(&row, words.get(at).map_or(&[][..], Vec::as_slice));
            if lines.len() + more.len() > pane.most() - usize::from(at + 1 < count) {
                let words = format!("{CUT} {}{BETWEEN}:Botglue diff", counted(count - at, "more row"));
                lines.push(self.with_sign(NONE, vec![Cell::new(fit(&words, pane.columns()), LABEL)]));
                break;
            }
            lines.extend(more);
        }
        lines
    }

    /// The lines of one row, filled with blanks so that their colour goes to the edge of the window.
    fn lines_of(&self, row: &[u8], words: &[std::ops::Range<usize>]) -> Vec<Chunks> {
        let pane = self.pane;
        let room = pane.columns() + pane.leftcol;
        let seen = 4 * if pane.scrolls { room } else { pane.columns() * pane.most() };
        let all = pieces(&row[..row.len().min(seen)], words, pane.tabstop);
        let lines = if pane.scrolls { vec![all] } else { wrap(all, pane.columns()) };
        let line = |(at, mut line): (usize, Chunks)| {
            let used: usize = line.iter().map(|piece| width(&piece.0)).sum();
            if used < room {
                line.push(Cell::new(" ".repeat(room - used), ADD));
            }
            self.with_sign(if at == 0 { COMES } else { NONE }, line)
        };
        lines.into_iter().enumerate().map(line).collect()
    }

    /// Puts the sign of a line into the gutter, where it begins there.
    fn with_sign(&self, sign: &str, line: Chunks) -> Chunks {
        let Some(before) = self.pane.gutter() else { return line };
        let group = if sign == NONE { "LineNr" } else { ADD };
        let gutter = [Cell::new(before, "LineNr"), Cell::new(sign, group)];
        gutter.into_iter().chain(line).collect()
    }
}

/// What a row of a block becomes: where it ends before the block, what comes is behind blanks.
fn filled(new: &[u8], old: Option<&Row>, column: Option<usize>, tabstop: usize) -> Bytes {
    let (Some(old), Some(column)) = (old.map(|row| &row.text), column) else { return new.to_vec() };
    match new.strip_prefix(&old[..]) {
        Some(come) if !come.is_empty() => {
            let used = width(&expand(old, tabstop, 0));
            [&old[..], &b" ".repeat(column.saturating_sub(used)), come].concat()
        }
        _ => new.to_vec(),
    }
}

/// A row as pieces for the screen.
fn pieces(row: &[u8], words: &[std::ops::Range<usize>], tabstop: usize) -> Chunks {
    let (mut made, mut from, mut column) = (Chunks::new(), 0, 0);
    let mut add = |to: usize, group| {
        let to = to.min(row.len());
        if to > from {
            let text = expand(&row[from..to], tabstop, column);
            column += width(&text);
            made.push(Cell::new(text, group));
            from = to;
        }
    };
    for span in words {
        add(span.start, ADD);
        add(span.end, "BotglueAdd+BotglueChange");
    }
    add(row.len(), ADD);
    made
}

/// Breaks pieces into lines that are no wider than there is room: at least one.
fn wrap(pieces: Chunks, columns: usize) -> Vec<Chunks> {
    let (mut lines, mut line, mut room) = (Vec::new(), Chunks::new(), columns);
    for Cell(mut text, group) in pieces {
        while width(&text) > room {
            let part = beginning(&text, room);
            if part.is_empty() && room == columns {
                // Not even one character has room.
                break;
            }
            text.drain(..part.len());
            if !part.is_empty() {
                line.push(Cell::new(part, group));
            }
            lines.push(std::mem::take(&mut line));
            room = columns;
        }
        if !text.is_empty() {
            room = room.saturating_sub(width(&text));
            line.push(Cell::new(text, group));
        }
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests;
