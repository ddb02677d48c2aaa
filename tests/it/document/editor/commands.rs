//! The commands of the user: each tells the document of its changes as Neovim does, and is one step of undo.

use std::ops::Range;

use super::super::line::{Cell, Line};
use super::{Editor, Event};

impl Editor {
    /// Types text in a row, a byte an event.
    pub fn type_at(&mut self, row: usize, column: usize, text: &str) {
        for (at, cell) in (column..).zip(self.cells(text)) {
            let mut line = self.lines[row].clone();
            line.cells.insert(at, cell);
            self.event(row..row + 1, vec![line]);
        }
    }

    pub fn typed(&mut self, row: usize, column: usize, text: &str) -> &mut Self {
        self.type_at(row, column, text);
        self.step();
        self
    }

    /// Replaces the bytes of a row in one event.
    pub fn substitute(&mut self, row: usize, columns: Range<usize>, text: &str) -> &mut Self {
        let cells = self.cells(text);
        let mut line = self.lines[row].clone();
        line.cells.splice(columns, cells);
        self.event(row..row + 1, vec![line]);
        self.step();
        self
    }

    /// `cc` and typing.
    pub fn change(&mut self, row: usize, text: &str) -> &mut Self {
        let line = Line { cells: Vec::new(), ..self.lines[row].clone() };
        self.event(row..row + 1, vec![line]);
        self.type_at(row, 0, text);
        self.step();
        self
    }

    /// `O` above a row and typing.
    pub fn open(&mut self, row: usize, text: &str) -> &mut Self {
        let line = self.line("");
        self.event(row..row, vec![line]);
        self.type_at(row, 0, text);
        self.step();
        self
    }

    /// New rows at once.
    pub fn insert(&mut self, row: usize, text: &[&str]) -> &mut Self {
        let lines = text.iter().map(|text| self.line(text)).collect();
        self.event(row..row, lines);
        self.step();
        self
    }

    /// `d`: rows that were put in just now and read the same are what was deleted, moved.
    pub fn delete(&mut self, range: Range<usize>) -> &mut Self {
        self.register = self.lines[range.clone()].to_vec();
        self.remove(range);
        self.step();
        self
    }

    fn remove(&mut self, range: Range<usize>) {
        let gone = self.lines[range.clone()].to_vec();
        let put_in = self.put_in.take().filter(|put| put.end <= range.start || range.end <= put.start);
        let put_in = put_in
            .filter(|put| self.lines[put.clone()].iter().map(Line::text).eq(gone.iter().map(Line::text)));
        if let Some(put_in) = put_in {
            self.lines[put_in].clone_from_slice(&gone);
        }
        self.event(range, Vec::new());
    }

    pub fn yank(&mut self, range: Range<usize>) -> &mut Self {
        self.register = self.lines[range].to_vec();
        self
    }

    /// `P`: a row that was deleted comes back as itself, once.
    pub fn put(&mut self, row: usize) -> &mut Self {
        let lines = self.copy(&self.register.clone());
        self.event(row..row, lines);
        self.step();
        self
    }

    /// Rows as themselves where they are nowhere, else as copies.
    fn copy(&mut self, lines: &[Line]) -> Vec<Line> {
        let is_there = |lines: &[Line], id: u64| lines.iter().any(|line| line.id == id);
        lines
            .iter()
            .map(|line| if is_there(&self.lines, line.id) { self.line(line.bytes()) } else { line.clone() })
            .collect()
    }

    /// `:move` to above a row outside of the range: the rows are put in first and deleted then.
    pub fn relocate(&mut self, range: Range<usize>, to: usize) -> &mut Self {
        let moved = self.lines[range.clone()].to_vec();
        let copies = self.copy(&moved);
        let by = if to <= range.start { range.len() } else { 0 };
        self.event(to..to, copies);
        self.remove(range.start + by..range.end + by);
        self.step();
        self
    }

    /// `J`: two events, and one to undo it.
    pub fn join(&mut self, row: usize) -> &mut Self {
        let old = self.lines[row..row + 2].to_vec();
        let mut line = old[0].clone();
        line.cells.extend(self.cells(" "));
        line.cells.extend(old[1].cells.iter().skip_while(|cell| cell.byte == b' '));
        self.event(row..row + 1, vec![line.clone()]);
        self.event(row + 1..row + 2, Vec::new());
        self.now = vec![Event { first: row, old, new: vec![line], is_emptied: false }];
        self.step();
        self
    }

    /// `<CR>` in a row.
    pub fn split(&mut self, row: usize, column: usize) -> &mut Self {
        let line = self.lines[row].clone();
        let (head, tail) = line.cells.split_at(column);
        let (head, tail) = (head.to_vec(), tail.to_vec());
        // The part with all of the text is the row; else the longer one.
        let is_blank = |cells: &[Cell]| cells.iter().all(|cell| cell.byte == b' ');
        let is_upper = is_blank(&tail) || (!is_blank(&head) && head.len() >= tail.len());
        let (upper, lower) = if is_upper { (line.id, self.fresh()) } else { (self.fresh(), line.id) };
        let from = Some(line.from.unwrap_or(line.id));
        let from = |id: u64| if id == line.id { line.from } else { from };
        let lines = vec![
            Line { id: upper, from: from(upper), cells: head },
            Line { id: lower, from: from(lower), cells: tail },
        ];
        self.event(row..row + 1, lines);
        self.step();
        self
    }

    /// Rows replaced at once, as a formatter, a sort or a reload does.
    pub fn replace(&mut self, range: Range<usize>, lines: Vec<Line>) -> &mut Self {
        self.event(range, lines);
        self.step();
        self
    }

    /// Rows of any bytes at once.
    pub fn write(&mut self, range: Range<usize>, text: &[&[u8]]) -> &mut Self {
        let lines = text.iter().map(|text| self.line(text)).collect();
        self.replace(range, lines)
    }

    /// Rows filtered through a program: the new ones are put in first.
    pub fn filter(&mut self, range: Range<usize>, lines: Vec<Line>) -> &mut Self {
        self.event(range.end..range.end, lines);
        self.put_in = None;
        self.event(range, Vec::new());
        self.step();
        self
    }

    /// Rows in reverse order. Where one reads as it did but for white space, the row stayed: its text cannot tell.
    pub fn reversed(&self, range: Range<usize>) -> Vec<Line> {
        let old = &self.lines[range];
        let stay = |(mut new, old): (Line, &Line)| {
            if new.ink() == old.ink() {
                new.edit_of(old);
            }
            new
        };
        old.iter().rev().cloned().zip(old).map(stay).collect()
    }

    /// The rows that others among them read like, but for white space, and those without a word.
    pub fn twins(&self, range: Range<usize>) -> Vec<Line> {
        let lines = &self.lines[range];
        let is_twin = |line: &&Line| {
            let ink = line.ink();
            let count = lines.iter().filter(|other| other.ink() == ink).count();
            count > 1 || !ink.contains(char::is_alphanumeric)
        };
        lines.iter().filter(is_twin).cloned().collect()
    }
}
