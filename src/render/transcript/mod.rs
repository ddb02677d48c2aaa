//! A recorded stream as a conversation: what the agent was sent, what it thought and said, the tools it called with
//! their outcomes and outputs.
//!
//! The bytes of a transcript are read with the code that reads a running job. A long output is cut, and of a long
//! conversation the newest rows are shown.

mod part;
mod rows;
#[cfg(test)]
mod tests;

use crate::agent::Recipe;
use crate::stream::{Line, Lines, Stream};
use part::Parts;
pub use rows::{RowKind, TranscriptHeader, TranscriptRow};

/// Draws a transcript of an agent. Paths below `cwd` are shortened. Where the job has ended, the last line may have no end;
/// else the rest of it is still to come.
pub fn draw(bytes: &[u8], agent: &Recipe, cwd: &str, about: &TranscriptHeader) -> Vec<TranscriptRow> {
    let (mut lines, mut parts) = (Lines::default(), Parts::default());
    let mut stream = Stream::new(agent.recorded(), cwd);
    let mut take = |line: Line<'_>| match line {
        Line::Whole(line) => match cut(line) {
            Some(reason) => parts.note(&format!("the transcript is cut here: {reason}")),
            None => stream.hear(line, &mut |heard| parts.take(heard)),
        },
        Line::Oversized => parts.note("a line is left out: it is longer than 256 MiB"),
    };
    lines.push(bytes, &mut take);
    if about.is_over {
        lines.finish(&mut take);
        stream.close(&mut |item| parts.take(item));
    }
    let outcome = stream.decided().then(|| stream.outcome());
    rows::rows(&parts, outcome.as_ref(), about)
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
