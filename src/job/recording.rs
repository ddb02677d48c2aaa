//! Keeps a job's raw stream in its transcript.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use crate::store::Transcript;
use crate::stream::{Line, Lines};

/// The longest line of a dialogue that is kept, in bytes: no transcript is longer.
const LONGEST: usize = 32 << 20;

/// Which way bytes went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    /// This host.
    Client,
    /// The agent.
    Agent,
}

/// Hands what an agent prints to a transcript, byte for byte; of a dialogue both sides, line by line: the side, and the
/// seconds since the agent's start.
#[derive(Debug)]
pub struct Recording {
    started: Instant,
    /// Of a dialogue: what was sent, and what was printed, each to the end of its last whole line.
    sides: Option<[Lines; 2]>,
    /// None before there is a job.
    transcript: Option<Transcript>,
    /// What was said until then.
    early: Vec<u8>,
}

impl Recording {
    /// The recording of an agent that starts now.
    pub fn new(is_dialogue: bool) -> Self {
        let sides = is_dialogue.then(|| [(); 2].map(|()| Lines::with_limit(LONGEST)));
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
        self.add(Direction::Agent, bytes);
    }

    /// The agent was sent this.
    pub fn sent(&mut self, bytes: &[u8]) {
        self.add(Direction::Client, bytes);
    }

    /// Nothing follows; the last line may have no end.
    pub fn end(&mut self) {
        let after = self.started.elapsed();
        if let Some([_, mut agent]) = self.sides.take() {
            agent.finish(&mut |line| self.append(&entry(Direction::Agent, after, line)));
        }
        self.transcript = None;
    }

    fn add(&mut self, side: Direction, bytes: &[u8]) {
        let after = self.started.elapsed();
        let Some(mut sides) = self.sides.take() else {
            if side == Direction::Agent {
                self.append(bytes);
            }
            return;
        };
        let [client, agent] = &mut sides;
        let lines = if side == Direction::Client { client } else { agent };
        lines.push(bytes, &mut |line| self.append(&entry(side, after, line)));
        self.sides = Some(sides);
    }

    fn append(&mut self, bytes: &[u8]) {
        match &mut self.transcript {
            Some(transcript) => transcript.append(bytes),
            None => self.early.extend_from_slice(bytes),
        }
    }
}

/// A line of a dialogue as it is kept.
fn entry(side: Direction, after: Duration, line: Line<'_>) -> Vec<u8> {
    let from = if side == Direction::Client { "client" } else { "agent" };
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
