//! An editor of one buffer that tells a document of its changes as Neovim does, with undo and redo, and knows by itself
//! which row and which character is which.

use std::ops::Range;

use botglue::document::{AnchorId, Document, Place, Row};

/// A character: what it is known by, and its byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    pub id: u64,
    pub byte: u8,
}

/// A row: what it is known by, and its characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub id: u64,
    /// The row that it was split from.
    pub from: Option<u64>,
    pub cells: Vec<Cell>,
}

impl Line {
    pub fn bytes(&self) -> Vec<u8> {
        self.cells.iter().map(|cell| cell.byte).collect()
    }

    /// Its text without white space.
    pub fn ink(&self) -> String {
        self.text().split_whitespace().collect()
    }

    /// It is another row, edited: what both have in common at their ends is the other's.
    pub fn edit_of(&mut self, old: &Self) {
        let is_same = |(new, old): &(&mut Cell, &Cell)| new.byte == old.byte;
        (self.id, self.from) = (old.id, old.from);
        let head = self.cells.iter_mut().zip(&old.cells).take_while(is_same);
        let head = head.map(|(new, old)| *new = *old).count();
        let tail =
            self.cells[head..].iter_mut().rev().zip(old.cells[head.min(old.cells.len())..].iter().rev());
        tail.take_while(is_same).for_each(|(new, old)| *new = *old);
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes()).into_owned()
    }
}

/// Rows that were replaced, as an event tells it.
#[derive(Debug, Clone)]
struct Event {
    first: usize,
    old: Vec<Line>,
    new: Vec<Line>,
    /// It left no row: Neovim reports no event for the row of an empty buffer.
    is_emptied: bool,
}

/// An undo state: the rows, and the events that led to it.
#[derive(Debug)]
struct State {
    lines: Vec<Line>,
    by: Vec<Event>,
}

/// The buffer, with its document.
pub struct Editor {
    pub lines: Vec<Line>,
    pub document: Document,
    pub register: Vec<Line>,
    states: Vec<State>,
    at: usize,
    next: u64,
    now: Vec<Event>,
    /// The rows that the last event put in, if it did nothing else.
    put_in: Option<Range<usize>>,
}

impl Editor {
    pub fn new<R: AsRef<[u8]>>(text: &[R]) -> Self {
        let document = Document::new(text);
        let mut editor = Self {
            lines: Vec::new(),
            document,
            register: Vec::new(),
            states: Vec::new(),
            at: 0,
            next: 1,
            now: Vec::new(),
            put_in: None,
        };
        editor.lines = text.iter().map(|row| editor.line(row)).collect();
        editor.states.push(State { lines: editor.lines.clone(), by: Vec::new() });
        editor
    }

    pub fn text(&self) -> Vec<String> {
        self.lines.iter().map(Line::text).collect()
    }

    /// The number of the undo state.
    pub fn state(&self) -> usize {
        self.at
    }

    pub fn fresh(&mut self) -> u64 {
        self.next += 1;
        self.next - 1
    }

    pub fn cells(&mut self, text: impl AsRef<[u8]>) -> Vec<Cell> {
        text.as_ref().iter().map(|byte| Cell { id: self.fresh(), byte: *byte }).collect()
    }

    /// A new row.
    pub fn line(&mut self, text: impl AsRef<[u8]>) -> Line {
        Line { id: self.fresh(), from: None, cells: self.cells(text) }
    }

    /// One event, whose rows the caller knows. `tell` tells the document.
    pub fn event_as(
        &mut self,
        range: Range<usize>,
        new: Vec<Line>,
        tell: impl FnOnce(&mut Document, Range<usize>, &[Vec<u8>]),
    ) {
        let bytes: Vec<Vec<u8>> = new.iter().map(Line::bytes).collect();
        tell(&mut self.document, range.clone(), &bytes);
        let old: Vec<Line> = self.lines.splice(range.clone(), new.clone()).collect();
        self.put_in = (old.is_empty() && !new.is_empty()).then_some(range.start..range.start + new.len());
        self.now.push(Event { first: range.start, old, new, is_emptied: self.lines.is_empty() });
        if self.lines.is_empty() {
            let empty = self.line("");
            self.lines.push(empty);
        }
        self.compare();
    }

    pub fn event(&mut self, range: Range<usize>, new: Vec<Line>) {
        self.event_as(range, new, Document::apply);
    }

    /// Ends an undo step. What was typed in one row, or in a row that is new, is one change for undo.
    pub fn step(&mut self) {
        let mut by: Vec<Event> = Vec::new();
        for event in self.now.drain(..) {
            match by.last_mut() {
                Some(last)
                    if last.new.len() == 1
                        && last.old.len() < 2
                        && event.old.len() == 1
                        && event.new.len() == 1
                        && event.first == last.first =>
                {
                    last.new = event.new;
                }
                _ => by.push(event),
            }
        }
        if !by.is_empty() {
            self.states.truncate(self.at + 1);
            self.states.push(State { lines: self.lines.clone(), by });
            self.at += 1;
        }
    }

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

    /// Follows a range from now on: its rows are what they are now.
    pub fn anchor(&mut self, place: &Place) -> AnchorId {
        self.put_in = None;
        self.document.anchor(place)
    }

    /// Whether rows were put in just now next to these: who deletes these then has filtered them, as far as the events
    /// tell.
    pub fn would_filter(&self, range: &Range<usize>) -> bool {
        self.put_in.as_ref().is_some_and(|put| put.end == range.start || range.end == put.start)
    }

    /// Whether any of the rows that were yanked or deleted is in the text.
    pub fn has_any_of_the_register(&self) -> bool {
        self.register.iter().any(|line| self.lines.iter().any(|other| other.id == line.id))
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

    pub fn undo(&mut self) -> &mut Self {
        if self.at == 0 {
            return self;
        }
        let events = self.states[self.at].by.clone();
        for event in events.iter().rev() {
            let len = if event.is_emptied { 1 } else { event.new.len() };
            self.play(event.first..event.first + len, &event.old);
        }
        self.at -= 1;
        self.arrive();
        self
    }

    /// Rows of any bytes at once.
    pub fn write(&mut self, range: Range<usize>, text: &[&[u8]]) -> &mut Self {
        let lines = text.iter().map(|text| self.line(text)).collect();
        self.replace(range, lines)
    }

    /// Redoes every step.
    pub fn redo_all(&mut self) -> &mut Self {
        while self.at + 1 < self.states.len() {
            self.redo();
        }
        self
    }

    /// Undoes every step.
    pub fn undo_all(&mut self) -> &mut Self {
        while self.at > 0 {
            self.undo();
        }
        self
    }

    pub fn redo(&mut self) -> &mut Self {
        let Some(state) = self.states.get(self.at + 1) else { return self };
        for event in state.by.clone() {
            self.play(event.first..event.first + event.old.len(), &event.new);
        }
        self.at += 1;
        self.arrive();
        self
    }

    fn play(&mut self, range: Range<usize>, new: &[Line]) {
        let bytes: Vec<Vec<u8>> = new.iter().map(Line::bytes).collect();
        self.document.apply(range.clone(), &bytes);
        self.lines.splice(range, new.to_vec());
        if self.lines.is_empty() {
            let empty = self.line("");
            self.lines.push(empty);
        }
        self.compare();
    }

    fn arrive(&mut self) {
        self.document.settle();
        self.compare();
        let lines = &self.states[self.at].lines;
        assert!(
            self.lines.iter().map(Line::bytes).eq(lines.iter().map(Line::bytes)),
            "the editor's own undo"
        );
        self.lines.clone_from(lines);
        self.put_in = None;
    }

    /// The document has the text, and each id once.
    fn compare(&self) {
        let rows = self.document.rows();
        let is_same =
            |(row, line): (&Row, &Line)| row.text.iter().eq(line.cells.iter().map(|cell| &cell.byte));
        assert!(
            rows.len() == self.lines.len() && rows.iter().zip(&self.lines).all(is_same),
            "the document has another text: {:?}",
            self.text()
        );
        let last = rows.iter().map(|row| row.id).max().unwrap_or(0);
        let mut is_there = vec![false; usize::try_from(last).unwrap() + 1];
        for row in rows.iter() {
            assert!(row.id > 0, "a row without an id");
            let is_twice = std::mem::replace(&mut is_there[usize::try_from(row.id).unwrap()], true);
            assert!(!is_twice, "an id twice");
        }
    }
}
