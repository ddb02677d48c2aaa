//! Keeps a job's raw stream in its transcript.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use crate::store::Transcript;
use crate::stream::{Line, Lines};

/// The longest line of a dialogue that is kept, in bytes: no transcript is longer.
const LONGEST: usize = 32 << 20;

/// Who said something: this host, or the agent.
const CLIENT: &str = "client";
const AGENT: &str = "agent";

/// Hands what an agent prints to a transcript, byte for byte; of a dialogue both sides, line by line: the side, and the
/// seconds since the agent's start.
#[derive(Debug)]
pub struct Recording {
    started: Instant,
    /// Of a dialogue: what each side has said, to the end of its last whole line.
    sides: Option<[(&'static str, Lines); 2]>,
    /// None before there is a job.
    transcript: Option<Transcript>,
    /// What was said until then.
    early: Vec<u8>,
}

impl Recording {
    /// The recording of an agent that starts now.
    pub fn new(is_dialogue: bool) -> Self {
        let sides = is_dialogue.then(|| [CLIENT, AGENT].map(|side| (side, Lines::with_limit(LONGEST))));
        Self { started: Instant::now(), sides, transcript: None, early: Vec::new() }
    }

    /// It goes to this transcript, with what was said until now.
    pub fn keep(&mut self, transcript: Transcript) {
        let early = std::mem::take(&mut self.early);
        self.transcript.insert(transcript).append(&early);
    }

    /// How many bytes wait for a transcript.
    pub fn waiting(&self) -> usize {
        self.early.len()
    }

    /// The agent printed this, unchanged from the pipe.
    pub fn printed(&mut self, bytes: &[u8]) {
        self.add(AGENT, bytes);
    }

    /// The agent was sent this.
    pub fn sent(&mut self, bytes: &[u8]) {
        self.add(CLIENT, bytes);
    }

    /// Nothing follows; the last line may have no end.
    pub fn end(&mut self) {
        let after = self.started.elapsed();
        if let Some([_, (side, mut agent)]) = self.sides.take() {
            agent.finish(&mut |line| self.append(&entry(side, after, line)));
        }
        self.transcript = None;
    }

    fn add(&mut self, from: &'static str, bytes: &[u8]) {
        let (after, mut sides) = (self.started.elapsed(), self.sides.take());
        for (side, lines) in sides.iter_mut().flatten().filter(|(side, _)| *side == from) {
            lines.push(bytes, &mut |line| self.append(&entry(side, after, line)));
        }
        if sides.is_none() && from == AGENT {
            self.append(bytes);
        }
        self.sides = sides;
    }

    fn append(&mut self, bytes: &[u8]) {
        match &mut self.transcript {
            Some(transcript) => transcript.append(bytes),
            None => self.early.extend_from_slice(bytes),
        }
    }
}

/// A line of a dialogue as it is kept.
fn entry(from: &str, after: Duration, line: Line<'_>) -> Vec<u8> {
    // Thousandths of a second; more digits have no use.
    let seconds = (after.as_secs_f64() * 1000.0).round() / 1000.0;
    let mut entry = match line {
        Line::Whole(line) => json!({"from": from, "t": seconds, "line": String::from_utf8_lossy(line)}),
        Line::Oversized => json!({"from": from, "t": seconds, "cut": "longer than 32 MB"}),
    }
    .to_string();
    entry.push('\n');
    entry.into_bytes()
}
