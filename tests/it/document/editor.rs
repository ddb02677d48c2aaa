//! An editor of one buffer that tells a document of its changes as Neovim does, with undo and redo, and knows by itself
//! which row and which character is which. Its commands are in `commands`.

mod commands;

use std::ops::Range;

use botglue::document::{AnchorId, Document, Place, Row};

use super::line::{Cell, Line};

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
