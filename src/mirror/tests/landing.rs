//! Answers on their way into a buffer that somebody types in, with a Neovim of which only the protocol is real: events,
//! replies that come late, changedticks without an event, moments at which nothing may be written, other texts than
//! the mirror knows.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;

use rmpv::Value;

use super::*;

mod model;

/// Numbers by a seed (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % end.max(1) as u64).unwrap()
    }
}

const BUFFER: u64 = 1;

/// A row at which the editor has an extmark, and whether text that is put in right there pushes it on.
#[derive(Debug, Clone, Copy)]
struct Extmark {
    row: usize,
    is_pushed: bool,
}

impl Extmark {
    /// As Neovim moves it; `is_behind` is one at the end of its row.
    fn moved(&mut self, rows: &Range<usize>, len: usize, is_behind: bool) {
        let stays = if rows.is_empty() && !is_behind {
            self.row < rows.start || (self.row == rows.start && !self.is_pushed)
        } else {
            self.row < rows.start
        };
        let is_inside = self.row < rows.end || (self.row == rows.end && !is_behind && !self.is_pushed);
        if stays {
        } else if !rows.is_empty() && is_inside {
            self.row = if self.is_pushed { rows.start + len } else { rows.start };
        } else {
            self.row = self.row + len - rows.len();
        }
    }
}

/// The display mark of a range: at the start of its first row, and at the end of its last one or the start of the next.
#[derive(Debug, Clone)]
struct Display {
    first: Extmark,
    end: Extmark,
    is_at_next_row: bool,
}

impl Display {
    fn moved(&mut self, rows: &Range<usize>, len: usize) {
        // Neovim tells which bytes of a row were typed.
        if rows.len() != 1 || len != 1 {
            self.first.moved(rows, len, false);
            self.end.moved(rows, len, !self.is_at_next_row);
        }
    }

    fn rows(&self) -> Range<usize> {
        self.first.row..self.end.row + usize::from(!self.is_at_next_row)
    }
}

/// The editor's end.
struct Neovim {
    rows: Vec<Vec<u8>>,
    tick: u64,
    is_busy: bool,
    /// What was sent, in order; a reply may be taken later than what was sent after it.
    sent: VecDeque<MirrorEvent>,
    replies: VecDeque<(usize, MirrorEvent)>,
    /// How many events were sent in all, and how many of them were taken.
    count: (usize, usize),
    calls: usize,
    written: BTreeMap<(u64, u64), StepReply>,
    marks: BTreeMap<u64, Display>,
    /// How Neovim's own rules move the marks of this world.
    gravity: [bool; 3],
}

impl Neovim {
    fn is_silent(&self) -> bool {
        self.sent.is_empty() && self.replies.is_empty()
    }

    fn say(&mut self, event: MirrorEvent) {
        self.sent.push_back(event);
        self.count.0 += 1;
    }

    fn reply(&mut self, event: MirrorEvent) {
        self.replies.push_back((self.count.0, event));
    }

    fn change(&mut self, range: Range<usize>, rows: &[Vec<u8>]) {
        self.tick += 1;
        self.rows.splice(range.clone(), rows.to_vec());
        for mark in self.marks.values_mut() {
            mark.moved(&range, rows.len());
        }
        let event = MirrorEvent::Lines {
            buffer: BUFFER,
            tick: Some(self.tick),
            range: Some(range),
            rows: rows.to_vec(),
        };
        self.say(event);
    }

    fn mark(&mut self, job: u64, rows: &Range<usize>) {
        let [first, end, is_at_next_row] = self.gravity;
        let last = if is_at_next_row { rows.end } else { rows.end - 1 };
        let (first, end) =
            (Extmark { row: rows.start, is_pushed: first }, Extmark { row: last, is_pushed: end });
        self.marks.insert(job, Display { first, end, is_at_next_row });
    }

    /// What the plugin does.
    fn place(&mut self, tick: u64, places: Vec<(u64, Option<Place>)>) {
        if tick == self.tick {
            for (job, place) in places {
                match place {
                    Some(Place::Lines(rows)) => self.mark(job, &rows),
                    _ => _ = self.marks.remove(&job),
                }
            }
        }
        self.reply(MirrorEvent::Placed { buffer: BUFFER, tick: Some(self.tick) });
    }

    fn report(&mut self) {
        let (tick, rows) = (self.tick, self.rows.len());
        self.say(notice(BUFFER, tick, rows));
    }

    fn contact(&mut self, whole: bool) {
        if whole {
            self.report();
            let event = MirrorEvent::Lines {
                buffer: BUFFER,
                tick: Some(self.tick),
                range: None,
                rows: self.rows.clone(),
            };
            self.say(event);
        }
        self.report();
        self.reply(MirrorEvent::Contacted { buffer: BUFFER, exists: true });
    }

    /// What the plugin does.
    fn write(&mut self, call: &WriteCall) {
        self.calls += 1;
        let is_again = call.steps.iter().any(|step| self.written.contains_key(&(step.job, step.attempt)));
        let reply = if self.is_busy && !is_again {
            WriteReply::NotNow
        } else if call.tick != self.tick && !is_again {
            WriteReply::Stale { tick: self.tick }
        } else {
            let steps = call.steps.iter().map(|step| self.step(step)).collect();
            WriteReply::Done { tick: self.tick, steps }
        };
        // Something behind the write raises an error.
        let reply = Some(reply).filter(|_| is_again || self.calls % 7 != 3);
        self.reply(MirrorEvent::Written { buffer: BUFFER, reply });
    }

    fn step(&mut self, step: &WriteStep) -> StepReply {
        let name = (step.job, step.attempt);
        if let Some(written) = self.written.get(&name) {
            return *written;
        }
        for edit in &step.edits {
            let read = |row: usize| self.rows.get(row).map(Vec::as_slice);
            let above = edit.rows.start.checked_sub(1).and_then(read);
            assert_eq!(above, edit.above.as_deref());
            assert_eq!(read(edit.rows.end), edit.below.as_deref());
            assert!(
                self.rows[edit.rows.clone()]
                    .iter()
                    .map(Vec::as_slice)
                    .eq(edit.old.iter().map(|row| &row[..]))
            );
        }
        let from = self.tick;
        for edit in step.edits.iter().rev() {
            self.change(edit.rows.clone(), &edit.lines);
        }
        match &step.place {
            Place::Lines(rows) => self.mark(step.job, rows),
            _ => _ = self.marks.remove(&step.job),
        }
        // Neovim's plugin makes a change that changes nothing, for `U`.
        let row = self.rows[0].clone();
        self.change(0..1, &[row]);
        let written = StepReply::Written { from, to: self.tick };
        self.written.insert(name, written);
        written
    }
}
