//! A review: the hunks of a held answer as they are drawn in a window of its buffer, and which of them a key means.
//!
//! Rows count from 0.

use rmpv::Value;

use super::frame::{Chunks, list, map};
use super::layout::{beginning, clean, fit};
use super::status::{chunks, expand_from};
use super::width::width;
use crate::document::{Row, Rows};
use crate::land::Bytes;
use crate::review::{EditId, Hunk, WordMarks, marks};
use crate::view::{BETWEEN, Cell, HELD};

/// The sign of a conflict.
const CONFLICT: &str = "⚠";
/// Where a text was cut.
const CUT: &str = "…";
/// The fewest cells of the prompt in the head line.
const LEAST_PROMPT: usize = 8;
/// The signs of a row that comes, and of what belongs to it.
const COMES: &str = "+ ";
const NONE: &str = "  ";
const ADD: &str = "BotglueAdd";
const LABEL: &str = "BotglueLabel";
/// The priorities of rows that go and of their words; that of a selection is higher.
const ROWS: u64 = 190;
const WORDS: u64 = 191;

/// How many rows of a window a hunk leaves free.
pub const ASIDE: usize = 3;

/// The blanks around the sign of a row that comes: in the sign column where there is one, else beside the text. `fold` is
/// the width of the fold column.
pub fn gutter(textoff: usize, fold: usize, has_signs: bool) -> Option<[String; 2]> {
    let room = textoff.checked_sub(2)?;
    let before = if has_signs { fold.min(room) } else { room };
    Some([" ".repeat(before), " ".repeat(room - before)])
}

/// A window in which hunks are drawn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pane {
    /// The window.
    pub win: u64,
    /// Its closed folds, ascending, each the first and the last row.
    pub folds: Vec<(usize, usize)>,
    /// All of its cells.
    pub width: usize,
    /// Those for text.
    pub columns: usize,
    /// How many are out of sight at the left.
    pub leftcol: usize,
    /// Virtual lines scroll sideways with the text.
    pub scrolls: bool,
    /// The blanks before and behind the sign of a row that comes.
    pub gutter: Option<[String; 2]>,
    /// There is a sign column.
    pub has_signs: bool,
    /// Neovim's `'tabstop'`.
    pub tabstop: usize,
    /// How many lines of a hunk can be seen.
    pub most: usize,
    /// The rows near which is drawn.
    pub first: usize,
    /// The row behind them.
    pub past: usize,
}

/// What the head line says of these keys.
pub fn shown(keys: &[String]) -> String {
    let named = [("do", "take"), ("dp", "drop"), ("]c", "next")].into_iter();
    let ours = named.filter(|(key, _)| keys.iter().any(|ours| ours == key));
    ours.map(|(key, word)| format!("{key} {word}")).collect::<Vec<_>>().join(" ")
}

/// What the line above the text tells.
#[derive(Debug, Clone, Default)]
pub struct Head {
    /// Which of the held answers it is, from 1, and how many there are.
    pub place: (usize, usize),
    /// The agent's name.
    pub agent: String,
    /// The user's prompt.
    pub prompt: String,
    /// The keys that work, or a command.
    pub keys: String,
    /// Why there are no hunks.
    pub note: Option<&'static str>,
}

/// What is drawn of an answer.
#[derive(Debug)]
pub struct Picture<'a> {
    /// The line above the text.
    pub head: &'a Head,
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
            let line = vec![Cell::new(fit(&words, pane.columns), LABEL)];
            drawing.lines(below(hunk), &[line], Vec::new());
        }
        let bar = bar(&self.head_line(pane.width));
        map([("win", Some(pane.win.into())), ("bar", Some(bar.into())), ("marks", Some(list(drawing.marks)))])
    }

    /// The line above the text. Where there is less room the prompt is cut and goes first, then the agent, the counts
    /// and which answer it is; the keys stay.
    pub fn head_line(&self, room: usize) -> Chunks {
        let Head { place: (index, count), agent, prompt, keys, note } = self.head;
        let sign = Cell::new(format!("{HELD} "), "BotglueHeld");
        let room = room.saturating_sub(width(&sign.0));
        let conflicts = self.hunks.iter().filter(|hunk| hunk.conflict.is_some()).count();
        let mut counts = match (note, self.hunks.len()) {
            (Some(note), _) => (*note).to_owned(),
            (None, 1) => "1 hunk".to_owned(),
            (None, hunks) => format!("{hunks} hunks"),
        };
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
            parts.insert(parts.len() - 2, Cell::new(fit(&clean(prompt), left), "BotgluePrompt"));
        }
        let mut line = vec![sign];
        for (at, Cell(text, group)) in parts.into_iter().enumerate() {
            let text = if at > 0 { format!("{BETWEEN}{text}") } else { text };
            line.push(Cell::new(fit(&text, room), group));
        }
        line
    }
}

/// A line as the value of `'winbar'`.
fn bar(line: &Chunks) -> String {
    let cell = |Cell(text, group): &Cell| ["%#", group, "#", &text.replace('%', "%%")].concat();
    line.iter().map(cell).collect()
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

/// The rows of a text that a hunk replaces.
fn old(text: &Rows, hunk: &Hunk) -> Vec<Row> {
    text.slice(hunk.rows.clone())
}

/// The rows that come in a text.
pub fn rows_to_come(text: &Rows, hunk: &Hunk, tabstop: usize) -> Vec<Bytes> {
    let old = old(text, hunk);
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

    fn mark(&mut self, row: usize, from: usize, options: Vec<(&'static str, Value)>) {
        let options = map(options.into_iter().map(|(name, value)| (name, Some(value))));
        self.marks.push(list([row.into(), from.into(), options]));
    }

    /// Lines below a row, or above it.
    fn lines(&mut self, at: (usize, bool), lines: &[Chunks], options: Vec<(&'static str, Value)>) {
        if !lines.is_empty() {
            let (row, above) = if self.is_empty() { (0, true) } else { at };
            let lines = list(lines.iter().map(chunks));
            let own = vec![("virt_lines", lines), ("virt_lines_above", above.into())];
            self.mark(row, 0, own.into_iter().chain(options).collect());
        }
    }

    /// Lines above a row: a closed fold that has it would hide them, so they are above that; else where they are said to
    /// hang.
    fn labels(&mut self, row: usize, at: (usize, bool), lines: &[Chunks]) {
        let fold = self.pane.folds.iter().find(|(first, last)| (*first..=*last).contains(&row));
        let at = match fold {
            Some((first, _)) if *first > 0 => (first - 1, false),
            Some((_, last)) if last + 1 < self.text.len() => (last + 1, true),
            _ => at,
        };
        // Of marks at one place those with gravity to the left come first.
        let options = vec![("virt_lines_overflow", "trunc".into()), ("right_gravity", false.into())];
        self.lines(at, lines, options);
    }

    fn hunk(&mut self, hunk: &Hunk) {
        let pane = self.pane;
        let old = old(self.text, hunk);
        let (go, come) = marks(&old, &hunk.lines);
        let mut labels = Vec::new();
        if let Some(conflict) = hunk.conflict {
            let both = if hunk.has_whole_rows() { "; dO takes both" } else { "" };
            let words = format!("{CONFLICT} {}{both}", conflict.words());
            labels.push(vec![Cell::new(fit(&words, pane.columns), "BotglueHeld")]);
        }
        if hunk.rows.len() > pane.most {
            labels.push(vec![Cell::new(fit(&rows(hunk), pane.columns), LABEL)]);
        }
        let beside = if hunk.rows.is_empty() { below(hunk) } else { (hunk.rows.start, true) };
        self.labels(row_of(hunk), beside, &labels);
        if !hunk.rows.is_empty() && !self.is_empty() {
            self.rows_that_go(hunk, &old, &go);
        }
        let mut options = vec![("virt_lines_leftcol", pane.gutter.is_some().into())];
        options.extend(pane.scrolls.then(|| ("virt_lines_overflow", "scroll".into())));
        self.lines(below(hunk), &self.rows_that_come(hunk, &old, &come), options);
    }

    /// Highlights the rows that go, and the changed words in them.
    fn rows_that_go(&mut self, hunk: &Hunk, old: &[Row], words: &[WordMarks]) {
        let (rows, pane) = (hunk.rows.clone(), self.pane);
        let group = || "BotglueDelete".into();
        let all = [("end_row", rows.end.into()), ("end_col", 0.into()), ("hl_group", group())];
        let more = [("hl_eol", true.into()), ("priority", ROWS.into())];
        self.mark(rows.start, 0, all.into_iter().chain(more).collect());
        if pane.has_signs {
            let sign = [("sign_text", "-".into()), ("sign_hl_group", group()), ("priority", ROWS.into())];
            let last = [("end_row", (rows.end - 1).into()), ("end_col", 0.into())];
            self.mark(rows.start, 0, sign.into_iter().chain(last).collect());
        }
        for row in rows.start.max(pane.first)..rows.end.min(pane.past) {
            let at = row - rows.start;
            let length = old.get(at).map_or(0, |row| row.text.len());
            for span in words.get(at).into_iter().flatten() {
                let to = span.end.min(length);
                if span.start < to {
                    let options = vec![
                        ("end_col", to.into()),
                        ("hl_group", "BotglueChange".into()),
                        ("priority", WORDS.into()),
                    ];
                    self.mark(row, span.start, options);
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
            if lines.len() + more.len() > pane.most - usize::from(at + 1 < count) {
                let left = count - at;
                let words = if left == 1 { "1 more row".to_owned() } else { format!("{left} more rows") };
                let words = format!("{CUT} {words}{BETWEEN}:Botglue diff");
                lines.push(self.with_sign(NONE, vec![Cell::new(fit(&words, pane.columns), LABEL)]));
                break;
            }
            lines.extend(more);
        }
        lines
    }

    /// The lines of one row, filled with blanks so that their colour goes to the edge of the window.
    fn lines_of(&self, row: &[u8], words: &[std::ops::Range<usize>]) -> Vec<Chunks> {
        let pane = self.pane;
        let room = pane.columns + pane.leftcol;
        let seen = 4 * if pane.scrolls { room } else { pane.columns * pane.most };
        let all = pieces(&row[..row.len().min(seen)], words, pane.tabstop);
        let lines = if pane.scrolls { vec![all] } else { wrap(all, pane.columns) };
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
        let Some([before, behind]) = &self.pane.gutter else { return line };
        let group = if sign == NONE { "LineNr" } else { ADD };
        let gutter = [
            Cell::new(before.as_str(), "LineNr"),
            Cell::new(sign, group),
            Cell::new(behind.as_str(), "LineNr"),
        ];
        gutter.into_iter().chain(line).collect()
    }
}

/// What a row of a block becomes: where it ends before the block, what comes is behind blanks.
fn filled(new: &[u8], old: Option<&Row>, column: Option<usize>, tabstop: usize) -> Bytes {
    let (Some(old), Some(column)) = (old.map(|row| &row.text), column) else { return new.to_vec() };
    match new.strip_prefix(&old[..]) {
        Some(come) if !come.is_empty() => {
            let used = width(&expand_from(old, tabstop, 0));
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
            let text = expand_from(&row[from..to], tabstop, column);
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
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::review::Conflict;

    fn text(chunks: &Chunks) -> String {
        chunks.iter().map(|Cell(text, _)| text.as_str()).collect()
    }

    /// Rows 2 and 3 go, below row 5 one comes, and two do below row 8, one of them in place of it.
    fn hunks() -> [Hunk; 4] {
        let insertion = Hunk::sample(9..9, &["n"]);
        [Hunk::sample(2..4, &["x"]), Hunk::sample(6..6, &["new"]), Hunk::sample(8..9, &["y"]), insertion]
    }

    #[test]
    fn a_key_means_the_hunk_under_the_cursor() {
        let all = hunks();
        let visited = all[3].id;
        for (row, visited, expected) in [
            (1, None, None),
            (2, None, Some(0)),
            (3, None, Some(0)),
            (4, None, None),
            (5, None, Some(1)),
            (6, None, Some(1)),
            (8, None, Some(2)),
            (8, Some(visited), Some(3)),
            (9, None, Some(3)),
        ] {
            assert_eq!(under(&all, row, visited), expected, "{row} {visited:?}");
        }
    }

    #[test]
    fn a_step_counts_hunks_and_not_rows() {
        let all = hunks();
        for (row, steps, expected) in [
            (0, 1, Some(0)),
            (0, 3, Some(2)),
            (0, 9, Some(3)),
            (0, -1, None),
            (2, 1, Some(1)),
            (3, -1, Some(0)),
            (2, -1, None),
            (4, 1, Some(1)),
            (4, -1, Some(0)),
            (8, 1, Some(3)),
            (8, -2, Some(0)),
            (20, -1, Some(3)),
            (20, 1, None),
        ] {
            assert_eq!(step(&all, row, steps, None), expected, "{row} {steps}");
        }
        assert_eq!(step(&[], 0, 1, None), None);
        assert_eq!(step(&[], 0, -1, None), None);
    }

    #[test]
    fn rows_have_the_hunks_that_share_one_with_them() {
        let all = hunks();
        assert_eq!(within(&all, 0, 2), [0; 0]);
        assert_eq!(within(&all, 3, 6), [0, 1]);
        assert_eq!(within(&all, 8, 9), [2, 3]);
    }

    #[test]
    fn where_there_is_less_room_the_head_line_loses_prompt_agent_and_counts_never_the_keys() {
        let keys = "do take dp drop ]c next";
        let head = Head {
            place: (1, 3),
            agent: "claude".to_owned(),
            prompt: "return errors instead\nof panicking".to_owned(),
            keys: keys.to_owned(),
            note: None,
        };
        let mut two = [Hunk::sample(0..1, &["x"]), Hunk::sample(3..4, &["y"])];
        two[1].conflict = Some(Conflict::Deleted);
        let line = |hunks: &[Hunk], room| {
            text(&Picture { head: &head, text: &Rows::default(), hunks, gone: &[] }.head_line(room))
        };
        for (room, expected) in [
            (100, "◆ 1 of 3 · claude · return errors instead of panicking · 2 hunks, 1 ⚠ · "),
            (80, "◆ 1 of 3 · claude · return errors inst… · 2 hunks, 1 ⚠ · "),
            (60, "◆ 1 of 3 · claude · 2 hunks, 1 ⚠ · "),
            (50, "◆ 1 of 3 · 2 hunks, 1 ⚠ · "),
            (40, "◆ 1 of 3 · "),
            (30, "◆ "),
        ] {
            assert_eq!(line(&two, room), format!("{expected}{keys}"), "{room}");
        }
        assert_eq!(line(&two[..1], 50), format!("◆ 1 of 3 · 1 hunk · {keys}"));
    }

    #[test]
    fn rows_wrap_between_characters_and_are_filled_to_the_edge() {
        let pane = Pane { columns: 10, tabstop: 8, most: 4, past: 100, ..Pane::default() };
        let drawing = Drawing { pane: &pane, text: &Rows::default(), marks: Vec::new() };
        let come = |lines: &[&str]| -> Vec<String> {
            drawing.rows_that_come(&Hunk::sample(0..1, lines), &[], &[]).iter().map(text).collect()
        };
        assert_eq!(come(&["xxxxxxxxx漢", "a\tb"]), ["xxxxxxxxx ", "漢        ", "a       b "]);
        assert_eq!(come(&["1", "2", "3", "4", "5"])[3], "… 2 more …");
        assert_eq!(text(&pieces(b"a\x01b\xff", &[], 8)), "a^Ab<ff>");
    }

    #[test]
    fn the_sign_of_a_row_that_comes_is_in_the_sign_column_or_beside_the_text() {
        let widths = |gutter: Option<[String; 2]>| gutter.map(|gutter| gutter.map(|blanks| blanks.len()));
        assert_eq!(widths(gutter(6, 1, true)), Some([1, 3]));
        assert_eq!(widths(gutter(6, 1, false)), Some([4, 0]));
        assert_eq!(widths(gutter(3, 2, true)), Some([1, 0]));
        assert_eq!(widths(gutter(1, 0, true)), None);
    }

    #[test]
    fn what_comes_in_a_block_stands_behind_blanks_where_the_row_ends_before_it() {
        let text = Document::new(["\tab"]);
        let old = text.rows().get(0).unwrap();
        assert_eq!(filled(b"\tabX", Some(old), Some(12), 8), b"\tab  X");
        assert_eq!(filled(b"\tabX", Some(old), None, 8), b"\tabX");
        assert_eq!(filled(b"other", Some(old), Some(12), 8), b"other");
    }
}
