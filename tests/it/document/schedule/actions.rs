//! What a user does to a text.

use super::world::World;
use crate::document::line::Line;

impl World {
    /// Does something to the text; false where it cannot be done here.
    pub fn act(&mut self) -> bool {
        let (len, rows) = (self.editor.lines.len(), self.rows());
        let (row, to) = (self.random.below(len), self.random.below(len + 1));
        let column = self.random.below(self.editor.lines[row].cells.len() + 1);
        let what = match self.random.below(18) {
            0 | 1 => {
                let text = format!(" {}", self.word('u'));
                self.editor.typed(row, self.editor.lines[row].cells.len(), &text);
                format!("type {text:?} at the end of {row}")
            }
            2 => {
                let text = format!("{} ", self.word('u'));
                let column = self.editor.lines[row].bytes().iter().take_while(|byte| **byte == b' ').count();
                self.editor.typed(row, column, &text);
                format!("type {text:?} at the start of {row}")
            }
            3 => {
                let text = self.row();
                if text == self.editor.lines[row].text() {
                    return false;
                }
                self.editor.change(row, &text);
                format!("change {row} to {text:?}")
            }
            4 | 5 => {
                let text = self.row();
                self.editor.open(to, &text);
                format!("open {text:?} above {to}")
            }
            6 | 7 if self.editor.would_filter(&rows) => return false,
            6 | 7 => {
                self.editor.delete(rows.clone());
                format!("delete {rows:?}")
            }
            8 | 9 => {
                if !self.has_copies && self.editor.has_any_of_the_register() {
                    return false;
                }
                self.editor.put(to);
                format!("put above {to}")
            }
            10 if self.has_copies => {
                self.editor.yank(rows.clone());
                self.editor.put(to);
                format!("copy {rows:?} to above {to}")
            }
            11 if to <= rows.start || rows.end <= to => {
                self.editor.relocate(rows.clone(), to);
                format!("move {rows:?} to above {to}")
            }
            12 if row + 1 < len => {
                self.editor.join(row);
                format!("join {row}")
            }
            13 => {
                self.editor.split(row, column);
                format!("split {row} at {column}")
            }
            14 => self.format(),
            15 => {
                let lines = self.editor.reversed(rows.clone());
                // Several rows with the same text cannot be told apart.
                let twins = self.editor.twins(rows.clone());
                self.blur(&twins);
                if self.random.one_in(2) {
                    self.editor.replace(rows.clone(), lines);
                    format!("reverse {rows:?}")
                } else {
                    self.editor.filter(rows.clone(), lines);
                    format!("filter {rows:?} backwards")
                }
            }
            16 | 17 => {
                let is_undo = self.random.one_in(2);
                (0..=self.random.below(3)).for_each(|_| self.travel(is_undo));
                return true;
            }
            _ => return false,
        };
        self.tell(what);
        self.stepped();
        true
    }

    /// Undoes or redoes a step.
    fn travel(&mut self, is_undo: bool) {
        let before = self.editor.state();
        if is_undo {
            self.editor.undo();
        } else {
            self.editor.redo();
        }
        let now = self.editor.state();
        if before != now {
            let blurred = &self.states[before.max(now)].blurred;
            self.jobs.iter_mut().for_each(|job| job.blur(blurred));
        }
        self.tell(format!("{} to state {now}", if is_undo { "undo" } else { "redo" }));
    }

    /// The whole buffer is rewritten: indented, with a row put in and another one left out.
    fn format(&mut self) -> String {
        let indent = |line: &Line, cells: Vec<_>| {
            let cells = if line.cells.is_empty() {
                Vec::new()
            } else {
                cells.into_iter().chain(line.cells.clone()).collect()
            };
            Line { cells, ..line.clone() }
        };
        let mut lines = Vec::new();
        for line in self.editor.lines.clone() {
            let cells = self.editor.cells("  ");
            lines.push(indent(&line, cells));
        }
        let kind = self.random.below(3);
        if kind == 1 {
            let header = self.word('h');
            let header = self.editor.line(header);
            lines.insert(self.random.below(lines.len()), header);
        }
        if kind == 2 && lines.len() > 1 {
            let gone = self.random.below(lines.len());
            lines.remove(gone);
        }
        self.editor.replace(0..self.editor.lines.len(), lines);
        format!("format, kind {kind}")
    }
}
