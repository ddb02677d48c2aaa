//! From bytes to lines, from lines to events, from events to updates and one outcome.
//!
//! [`Lines`] splits, an agent's reader says what a line means, the reducer folds that into state; [`Stream`] is
//! the three inputs of one running job: a line, a line that was too long, the end. Pure: no clock, no process, no
//! file, no state but the stream's own.

mod answer;
pub mod event;
pub mod failure;
pub mod lines;
mod outcome;
mod reduce;
mod tail;
mod tally;
#[cfg(test)]
pub(crate) mod testing;
mod tools;
mod update;
pub mod words;

pub use answer::MAX_ANSWER;
pub use lines::{Line, Lines};
pub use outcome::{Count, Counted, End, Exit, HeldFor, MAX_AMOUNT, Outcome, Status, Stopped, Usage};
pub use reduce::Emit;
pub use tail::Tail;
pub use update::{ToolCall, ToolStatus, Update};

use crate::agent::{Dialect, Protocol, Reading};
use reduce::Reducer;

/// One running stream of one job; see the module. A clone goes on by itself.
#[derive(Debug, Clone)]
pub struct Stream {
    dialect: &'static Dialect,
    reducer: Reducer,
    counts: Counts,
    has_ended: bool,
}

#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    /// All lines, for messages about one.
    number: u64,
    lines: u64,
    ignored: u64,
    malformed: u64,
}

impl Stream {
    /// A stream that has not begun. Paths below `cwd` are shortened in the titles of tool calls.
    pub fn new(protocol: Protocol, cwd: &str) -> Self {
        let dialect = protocol.dialect();
        Self {
            dialect,
            reducer: Reducer::new(dialect.speaker, dialect.glue, cwd),
            counts: Counts::default(),
            has_ended: false,
        }
    }

    /// The same of a job that goes on in a session that there is, or was.
    #[must_use]
    pub fn going_on(mut self) -> Self {
        self.reducer.goes_on();
        self
    }

    /// Its raw stream is kept in this file, which an error may name.
    pub fn is_recorded(&mut self, transcript: &str) {
        self.reducer.is_recorded(transcript);
    }

    /// Takes what [`Lines`] hands out.
    pub fn take(&mut self, line: Line<'_>, emit: Emit<'_>) {
        match line {
            Line::Whole(line) => self.line(line, emit),
            Line::Oversized => self.oversized(emit),
        }
    }

    /// Takes one line, without its line end.
    pub fn line(&mut self, line: &[u8], emit: Emit<'_>) {
        if self.has_ended {
            return;
        }
        self.counts.number += 1;
        self.counts.lines += u64::from(!line.trim_ascii().is_empty());
        let mut has_said = false;
        let reading = (self.dialect.read)(line, &mut |event| {
            has_said = true;
            self.reducer.event(event, emit);
        });
        match reading {
            Reading::Blank => {}
            Reading::Understood => self.counts.ignored += u64::from(!has_said),
            Reading::Foreign(reason) => {
                self.reducer.aside(&String::from_utf8_lossy(line));
                self.malformed(&reason, line, emit);
            }
            Reading::Broken(reason) => {
                self.reducer.broken();
                self.malformed(&reason, line, emit);
            }
        }
    }

    /// A line came that was too long to be read, and was dropped.
    pub fn oversized(&mut self, emit: Emit<'_>) {
        if self.has_ended {
            return;
        }
        self.counts.number += 1;
        self.counts.lines += 1;
        self.reducer.oversized();
        self.malformed("longer than 256 MiB", b"", emit);
    }

    /// Whether the outcome no longer depends on what follows or on how the process ends, but for its amounts.
    pub fn decided(&self) -> bool {
        self.reducer.decided()
    }

    /// The outcome of a decided stream before its end; calls without a result read as unfinished in it.
    pub fn outcome(&self) -> Outcome {
        self.counted(self.reducer.outcome_so_far())
    }

    /// The process has ended and both its pipes are read: the outcome. Nothing is taken after it.
    pub fn end(&mut self, end: &End, emit: Emit<'_>) -> Outcome {
        self.has_ended = true;
        let outcome = self.reducer.end(end, emit);
        self.counted(outcome)
    }

    fn malformed(&mut self, reason: &str, line: &[u8], emit: Emit<'_>) {
        self.counts.malformed += 1;
        let start = String::from_utf8_lossy(&line[..line.len().min(400)]);
        emit(Update::Malformed {
            line: self.counts.number,
            reason: reason.to_owned(),
            start: words::line(&start, 100),
        });
    }

    fn counted(&self, outcome: Outcome) -> Outcome {
        let Counts { lines, ignored, malformed, .. } = self.counts;
        Outcome { lines, ignored, malformed, ..outcome }
    }
}
