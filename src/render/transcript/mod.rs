//! A recorded stream as a conversation: what the agent was sent, what it thought and said, the tools it called with
//! their outcomes and outputs.
//!
//! [`Conversation`] takes the bytes of a transcript, and reads them with the code that reads a running job. `rows` draws
//! it: a long output is cut, and of a long conversation the newest rows are shown.

mod part;
mod rows;
#[cfg(test)]
mod tests;

use crate::agent::Recipe;
use crate::stream::{Line, Lines, Stream};
use part::Parts;
pub use rows::{RowKind, TranscriptHeader, TranscriptRow};

/// A transcript as far as it has been read; see the module.
#[derive(Debug)]
pub struct Conversation {
    lines: Lines,
    stream: Stream,
    parts: Parts,
}

impl Conversation {
    /// An empty one with this agent. Paths below `cwd` are shortened.
    pub fn new(agent: &Recipe, cwd: &str) -> Self {
        Self { lines: Lines::default(), stream: Stream::new(agent.recorded(), cwd), parts: Parts::default() }
    }

    /// Takes the next bytes of the file.
    pub fn push(&mut self, chunk: &[u8]) {
        let Self { lines, stream, parts } = self;
        lines.push(chunk, &mut |line| take(stream, parts, line));
    }

    /// The file has ended. Where the job has, its last line may have no end; else the rest of it is still to come.
    pub fn finish(&mut self) {
        let Self { lines, stream, parts } = self;
        lines.finish(&mut |line| take(stream, parts, line));
        stream.close(&mut |item| parts.take(item));
    }

    /// Draws what is known so far.
    pub fn rows(&self, about: &TranscriptHeader) -> Vec<TranscriptRow> {
        let outcome = self.stream.decided().then(|| self.stream.outcome());
        rows::rows(&self.parts, outcome.as_ref(), about)
    }
}

fn take(stream: &mut Stream, parts: &mut Parts, line: Line<'_>) {
    match line {
        Line::Whole(line) => match cut(line) {
            Some(reason) => parts.note(&format!("the transcript is cut here: {reason}")),
            None => stream.hear(line, &mut |heard| parts.take(heard)),
        },
        Line::Oversized => parts.note("a line is left out: it is longer than 256 MiB"),
    }
}

/// Why a transcript is cut, where this line says so.
fn cut(line: &[u8]) -> Option<String> {
    if line.len() > 1000 || memchr::memmem::find(line, br#""cut":"#).is_none() {
        return None;
    }
    let line: serde_json::Value = serde_json::from_slice(line).ok()?;
    let is_ours = line["type"] == "botglue" || (line["from"].is_string() && line["line"].is_null());
    line["cut"].as_str().filter(|_| is_ours).map(str::to_owned)
}
