//! What is true of a range, from who typed what: where it is, whether an answer to it can land, and what a write may
//! touch.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use botglue::document::{AnchorId, Place};

use super::editor::Editor;
use super::line::{Cell, Line};

/// What an answer does with a row of its range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    Keep,
    Delete,
    Change(String),
    /// Keeps it, and puts a row below it.
    Append(String),
}

/// A job: a range, as it was sent and as it is known.
#[derive(Debug)]
pub struct Job {
    pub anchor: AnchorId,
    pub place: Place,
    /// The rows when it was sent.
    base: Vec<Line>,
    /// The rows that are its own, by truth: those of its base, and those that its answer brought.
    own: HashSet<u64>,
    /// All rows that there were when it was sent.
    old: HashSet<u64>,
    /// The rows right above and below it.
    beside: (Option<u64>, Option<u64>),
    /// For each row of the base, what the answer does with it.
    pub edits: Vec<Edit>,
    /// For an insertion and parts, the text of the answer.
    pub text: Vec<String>,
    /// The rows that its answer replaced, once it was written.
    pub replaced: Option<Vec<Line>>,
    pub is_done: bool,
    /// Its answer left none of its rows: it is between those that were beside it then.
    is_emptied: bool,
    /// Its rows, or those beside it, were rewritten by another answer: which of the new ones they are, truth does
    /// not say.
    pub is_blurred: bool,
}

impl Job {
    pub fn new(editor: &mut Editor, place: Place, edits: Vec<Edit>, text: Vec<String>) -> Self {
        let rows = place.rows();
        let id = |row: Option<usize>| row.and_then(|row| editor.lines.get(row)).map(|line| line.id);
        Self {
            base: editor.lines[rows.clone()].to_vec(),
            own: editor.lines[rows.clone()].iter().map(|line| line.id).collect(),
            old: editor.lines.iter().map(|line| line.id).collect(),
            beside: (id(rows.start.checked_sub(1)), id(Some(rows.end))),
            anchor: editor.anchor(&place),
            place,
            edits,
            text,
            replaced: None,
            is_done: false,
            is_emptied: false,
            is_blurred: false,
        }
    }

    pub fn base(&self) -> Vec<String> {
        self.base.iter().map(Line::text).collect()
    }

    /// The rows that its answer wants, or reverting it: those that are rows of the base have their ids.
    pub fn wanted(&self, editor: &mut Editor) -> Vec<Line> {
        if let Some(lines) = &self.replaced {
            return lines.clone();
        }
        let mut rows: Vec<Line> = Vec::new();
        for (line, edit) in self.base.iter().zip(&self.edits) {
            match edit {
                Edit::Keep => rows.push(line.clone()),
                Edit::Delete => {}
                Edit::Change(text) => rows.push(Line { id: line.id, ..editor.line(text) }),
                Edit::Append(text) => rows.extend([line.clone(), editor.line(text)]),
            }
        }
        rows.extend(self.text.iter().map(|text| editor.line(text)));
        rows
    }

    /// Whether a row may be written by the answer: its own, or one that came after it was sent.
    pub fn may_write(&self, line: &Line) -> bool {
        self.is_blurred || self.own.contains(&line.id) || !self.old.contains(&line.id)
    }

    /// Its answer, or reverting it, left no row of it above this one.
    pub fn empty(&mut self, lines: &[Line], row: usize) {
        let id = |row: Option<usize>| row.and_then(|row| lines.get(row)).map(|line| line.id);
        self.is_emptied = true;
        self.beside = (id(row.checked_sub(1)), id(Some(row)));
    }

    /// Its answer brought these rows.
    pub fn adopt(&mut self, lines: &[Line]) {
        self.own.extend(lines.iter().map(|line| line.id));
    }

    /// An answer rewrites these rows.
    pub fn blur(&mut self, lines: &[Line]) {
        let is_beside = |id: u64| self.beside.0 == Some(id) || self.beside.1 == Some(id);
        self.is_blurred |= lines.iter().any(|line| self.own.contains(&line.id) || is_beside(line.id));
    }

    /// The rows from the first to the last that are its own, or were split from them.
    fn span(&self, lines: &[Line]) -> Option<Range<usize>> {
        let is_new = |line: &Line| !self.old.contains(&line.id);
        let is_own = |line: &Line| {
            self.own.contains(&line.id)
                || (is_new(line) && line.from.is_some_and(|from| self.own.contains(&from)))
        };
        Some(lines.iter().position(is_own)?..lines.iter().rposition(is_own)? + 1)
    }

    /// Whether whole rows are where they are by truth.
    pub fn is_true(&self, lines: &[Line], place: &Place) -> bool {
        matches!(place, Place::Lines(rows) if self.span(lines).as_ref() == Some(rows))
    }

    /// Whether rows may be put in above a row: next to one of its own, or between them; for an insertion next to one of
    /// the rows that were beside it.
    pub fn may_insert(&self, lines: &[Line], row: usize) -> bool {
        if self.is_blurred {
            return true;
        }
        let is_new = |line: &Line| !self.old.contains(&line.id);
        match self.span(lines) {
            Some(span) if (span.start..=span.end).contains(&row) => true,
            // A row of it that was deleted by its answer, and put in from a register, is a copy.
            Some(_) if !self.is_emptied => false,
            _ if self.base.is_empty() || self.is_emptied => {
                // Rows that were split off the one above belong to it; that may be one itself.
                let above = lines.iter().find(|line| Some(line.id) == self.beside.0);
                let root = above.and_then(|line| line.from).or(self.beside.0);
                let is_split_off = |line: &&Line| {
                    is_new(line) && line.from.is_some() && line.from == root && Some(line.id) != self.beside.0
                };
                let split_off = lines[..row].iter().rev().take_while(is_split_off).count();
                let above = (row - split_off).checked_sub(1).map(|above| lines[above].id);
                let below = lines.get(row).map(|below| below.id);
                // At an end of the buffer there is no row beside it.
                (self.beside.0.is_some() && above == self.beside.0)
                    || (self.beside.1.is_some() && below == self.beside.1)
                    || (self.beside.0.is_none() && row == 0)
                    || (self.beside.1.is_none() && row == lines.len())
            }
            _ => false,
        }
    }

    /// Whether the place is certain and nothing that the user did touches what the answer does: then it should land.
    pub fn should_land(&self, lines: &[Line]) -> bool {
        match &self.place {
            Place::Lines(rows) if rows.is_empty() => {
                let find = |id: Option<u64>| id.map(|id| lines.iter().position(|line| line.id == id));
                match (find(self.beside.0), find(self.beside.1)) {
                    (Some(Some(above)), Some(Some(below))) => above < below,
                    (Some(Some(_)), None) | (None, Some(Some(_))) => true,
                    _ => false,
                }
            }
            Place::Lines(_) => self.is_merge_clean(lines),
            Place::Part { .. } | Place::Block { .. } => self.parts(lines).is_some(),
        }
    }

    fn is_merge_clean(&self, lines: &[Line]) -> bool {
        let Some(span) = self.span(lines) else { return false };
        let within = &lines[span];
        if !within.iter().all(|line| self.may_write(line)) {
            return false;
        }
        // Where each row of the base is now, and whether it reads the same.
        let now: Vec<Option<usize>> =
            self.base.iter().map(|base| within.iter().position(|line| line.id == base.id)).collect();
        let kept: Vec<usize> = now.iter().flatten().copied().collect();
        if !kept.is_sorted() {
            return false;
        }
        let is_same = |at: usize| now[at].is_some_and(|now| within[now].cells == self.base[at].cells);
        // Whether the user left the two rows next to each other, or the row at the end.
        let is_joined = |above: usize| match (now.get(above).copied().flatten(), now.get(above + 1).copied())
        {
            (Some(above), Some(Some(below))) => above + 1 == below,
            (Some(above), None) => above + 1 == within.len(),
            _ => false,
        };
        let is_untouched = |at: usize| {
            let is_joined_above = match at.checked_sub(1) {
                Some(above) => is_joined(above) && is_same(above),
                None => now[at] == Some(0),
            };
            is_same(at) && is_joined_above && is_joined(at) && (at + 1 == self.base.len() || is_same(at + 1))
        };
        self.edits.iter().enumerate().all(|(at, edit)| match edit {
            Edit::Keep => true,
            Edit::Append(_) => is_same(at) && is_joined(at) && (at + 1 == self.base.len() || is_same(at + 1)),
            Edit::Delete | Edit::Change(_) => is_untouched(at),
        })
    }

    /// The bytes of each of its parts.
    fn cells(&self) -> Option<Vec<Vec<Cell>>> {
        let cut = |line: &Line, columns: Range<usize>| line.cells[columns].to_vec();
        match &self.place {
            Place::Part { start, end } if start.0 == end.0 => Some(vec![cut(&self.base[0], start.1..end.1)]),
            Place::Block { columns, .. } => {
                let rows = self.base.iter().zip(columns);
                Some(rows.map(|(line, columns)| cut(line, columns.clone())).collect())
            }
            _ => None,
        }
    }

    /// Whether these may be its parts: its bytes or, where none of them is left in a row, what was typed in their place.
    pub fn may_be(&self, lines: &[Line], parts: &[(usize, Range<usize>)]) -> bool {
        let Some(cells) = self.cells() else { return false };
        (0..parts.len()).all(|at| {
            let (line, columns, cells) = (&lines[parts[at].0], parts[at].1.clone(), &cells[at]);
            let is_typed = !line.cells.iter().any(|cell| cells.contains(cell));
            line.id == self.base[at].id && (is_typed || line.cells[columns] == cells[..])
        })
    }

    /// Where the bytes of each of its parts are, if none was changed and nothing was put between them.
    pub fn parts(&self, lines: &[Line]) -> Option<Vec<(usize, Range<usize>)>> {
        let mut places = Vec::new();
        for (base, cells) in self.base.iter().zip(self.cells()?) {
            let row = lines.iter().position(|line| line.id == base.id)?;
            let column = lines[row].cells.windows(cells.len()).position(|window| window == cells)?;
            places.push((row, column..column + cells.len()));
        }
        let is_together = places.windows(2).all(|pair| pair[0].0 + 1 == pair[1].0);
        is_together.then_some(places)
    }
}

/// How often each word is in a text; brackets are no words.
pub fn words(rows: &[String]) -> HashMap<&str, i64> {
    let mut counts = HashMap::new();
    let words = rows.iter().flat_map(|row| row.split(|byte: char| !byte.is_ascii_alphanumeric()));
    for word in words.filter(|word| !word.is_empty()) {
        *counts.entry(word).or_default() += 1;
    }
    counts
}
