//! A buffer that tells a document of its changes as Neovim does, with undo and redo. Each command is one step of undo.

use std::ops::Range;

use botglue::document::{AnchorId, Document, Place};

type Line = Vec<u8>;

/// Rows that were replaced, as an event tells it.
#[derive(Debug, Clone)]
struct Event {
    first: usize,
    old: Vec<Line>,
    new: Vec<Line>,
}

/// See the module.
pub struct Editor {
    pub lines: Vec<Line>,
    pub document: Document,
    register: Vec<Line>,
    /// The steps, and how many of them are done.
    steps: Vec<Vec<Event>>,
    at: usize,
    now: Vec<Event>,
}

fn rows<R: AsRef<[u8]>>(rows: &[R]) -> Vec<Line> {
    rows.iter().map(|row| row.as_ref().to_vec()).collect()
}

impl Editor {
    pub fn new<R: AsRef<[u8]>>(text: &[R]) -> Self {
        let document = Document::new(text);
        Self { lines: rows(text), document, register: vec![], steps: vec![], at: 0, now: vec![] }
    }

    pub fn text(&self) -> Vec<String> {
        self.lines.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect()
    }

    pub fn anchor(&mut self, place: &Place) -> AnchorId {
        self.document.anchor(place)
    }

    fn apply(
        &mut self,
        first: usize,
        old: usize,
        new: &[Line],
        tell: impl FnOnce(&mut Document, Range<usize>, &[Line]),
    ) -> Vec<Line> {
        let range = first..first + old;
        tell(&mut self.document, range.clone(), new);
        let old = self.lines.splice(range, new.iter().cloned()).collect();
        if self.lines.is_empty() {
            // Neovim reports no event for the row of an empty buffer.
            self.lines.push(Line::new());
        }
        let told: Vec<&[u8]> = self.document.rows().iter().map(|row| &*row.text).collect();
        assert!(told.iter().eq(self.lines.iter()), "the document has another text: {:?}", self.text());
        let mut ids: Vec<u64> = self.document.rows().iter().map(|row| row.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert!(ids.len() == self.lines.len() && ids[0] > 0, "an id twice, or none");
        old
    }

    fn event<R: AsRef<[u8]>>(&mut self, range: Range<usize>, new: &[R]) {
        let new = rows(new);
        let old = self.apply(range.start, range.len(), &new, Document::apply);
        self.now.push(Event { first: range.start, old, new });
    }

    /// Ends an undo step. What was typed in one row, or in a row that is new, is one change for undo.
    fn step(&mut self) -> &mut Self {
        let mut by: Vec<Event> = Vec::new();
        for event in self.now.drain(..) {
            let is_row = (event.old.len(), event.new.len()) == (1, 1);
            match by.last_mut() {
                Some(last)
                    if is_row && last.first == event.first && last.new.len() == 1 && last.old.len() < 2 =>
                {
                    last.new = event.new;
                }
                _ => by.push(event),
            }
        }
        if !by.is_empty() {
            self.steps.truncate(self.at);
            self.steps.push(by);
            self.at += 1;
        }
        self
    }

    /// An answer replaces rows, from below to above, and is then at a place.
    pub fn land(&mut self, anchor: AnchorId, edits: &[(Range<usize>, &[&str])], place: Option<&Place>) {
        for (range, new) in edits {
            let (range, new) = (range.clone(), rows(new));
            let old = self.apply(range.start, range.len(), &new, |document, range, rows| {
                document.apply_answer(anchor, range, rows);
            });
            self.now.push(Event { first: range.start, old, new });
        }
        if let Some(place) = place {
            self.document.landed(anchor, place);
        }
        self.step();
    }

    pub fn undo(&mut self) -> &mut Self {
        if self.at > 0 {
            self.at -= 1;
            for event in self.steps[self.at].clone().iter().rev() {
                let is_emptied = self.lines == [Line::new()] && event.new.is_empty();
                let len = if is_emptied { 1 } else { event.new.len() };
                self.apply(event.first, len, &event.old, Document::apply);
            }
            self.document.settle();
        }
        self
    }

    pub fn redo(&mut self) -> &mut Self {
        for event in self.steps.get(self.at).cloned().unwrap_or_default() {
            self.apply(event.first, event.old.len(), &event.new, Document::apply);
        }
        self.at = self.steps.len().min(self.at + 1);
        self.document.settle();
        self
    }

    pub fn undo_all(&mut self) -> &mut Self {
        (0..self.at).for_each(|_| _ = self.undo());
        self
    }

    /// Rows replaced at once, as a formatter, a sort or a reload does.
    pub fn set<R: AsRef<[u8]>>(&mut self, range: Range<usize>, rows: &[R]) -> &mut Self {
        self.event(range, rows);
        self.step()
    }

    /// Rows filtered through a program: the new ones are put in first.
    pub fn filter<R: AsRef<[u8]>>(&mut self, range: Range<usize>, rows: &[R]) -> &mut Self {
        self.event(range.end..range.end, rows);
        self.delete(range)
    }

    pub fn insert(&mut self, row: usize, rows: &[&str]) -> &mut Self {
        self.set(row..row, rows)
    }

    fn type_at(&mut self, row: usize, column: usize, text: &str) {
        for (at, byte) in (column..).zip(text.bytes()) {
            let mut line = self.lines[row].clone();
            line.insert(at, byte);
            self.event(row..row + 1, &[line]);
        }
    }

    /// Types text in a row, a byte an event.
    pub fn typed(&mut self, row: usize, column: usize, text: &str) -> &mut Self {
        self.type_at(row, column, text);
        self.step()
    }

    /// Replaces the bytes of a row in one event.
    pub fn substitute(&mut self, row: usize, columns: Range<usize>, text: &str) -> &mut Self {
        let mut line = self.lines[row].clone();
        line.splice(columns, text.bytes());
        self.set(row..row + 1, &[line])
    }

    /// `cc` and typing.
    pub fn change(&mut self, row: usize, text: &str) -> &mut Self {
        self.event(row..row + 1, &[""]);
        self.typed(row, 0, text)
    }

    /// `O` above a row and typing.
    pub fn open(&mut self, row: usize, text: &str) -> &mut Self {
        self.event(row..row, &[""]);
        self.typed(row, 0, text)
    }

    /// `d`.
    pub fn delete(&mut self, range: Range<usize>) -> &mut Self {
        self.yank(range.clone()).set::<Line>(range, &[])
    }

    pub fn yank(&mut self, range: Range<usize>) -> &mut Self {
        self.register = self.lines[range].to_vec();
        self
    }

    /// `P`.
    pub fn put(&mut self, row: usize) -> &mut Self {
        let register = self.register.clone();
        self.set(row..row, &register)
    }

    /// `:move` to above a row outside of the range: the rows are put in first and deleted then.
    pub fn relocate(&mut self, range: Range<usize>, to: usize) -> &mut Self {
        let moved = self.lines[range.clone()].to_vec();
        let by = if to <= range.start { range.len() } else { 0 };
        self.event(to..to, &moved);
        self.set::<Line>(range.start + by..range.end + by, &[])
    }

    /// `J`: two events, and one to undo it.
    pub fn join(&mut self, row: usize) -> &mut Self {
        let old = self.lines[row..row + 2].to_vec();
        let line = [&old[0][..], b" ", old[1].trim_ascii_start()].concat();
        self.event(row..row + 1, &[&line]);
        self.event::<Line>(row + 1..row + 2, &[]);
        self.now = vec![Event { first: row, old, new: vec![line] }];
        self.step()
    }

    /// `<CR>` in a row.
    pub fn split(&mut self, row: usize, column: usize) -> &mut Self {
        let line = self.lines[row].clone();
        let (head, tail) = line.split_at(column);
        self.set(row..row + 1, &[head, tail])
    }
}
