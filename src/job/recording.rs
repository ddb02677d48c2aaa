//! The observers that keep a job's raw stream in its transcript.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::observers::Observer;
use super::running::{Direction, EarlyBytes};
use crate::store::Transcript;
use crate::stream::{Line, Lines};

/// The longest line of a dialogue that is kept, in bytes: no transcript is longer.
const LONGEST: usize = 32 << 20;

/// Hands what the agent printed to a transcript, byte for byte.
pub struct Recording(pub Transcript);

impl Observer for Recording {
    fn printed(&mut self, bytes: &[u8]) {
        self.0.append(bytes);
    }
}

/// Hands both sides of a dialogue to a transcript, line by line: the side, and the seconds since the agent's start.
pub struct DialogueRecording {
    transcript: Transcript,
    started: Instant,
    /// What was sent, and what was printed: each to the end of its last whole line.
    client: Lines,
    agent: Lines,
}

impl DialogueRecording {
    /// The recording of an agent that was started then, with what was said until now.
    pub fn new(transcript: Transcript, started: Instant, early: Vec<EarlyBytes>) -> Self {
        let mut recording = Self {
            transcript,
            started,
            client: Lines::with_limit(LONGEST),
            agent: Lines::with_limit(LONGEST),
        };
        for EarlyBytes { side, after, bytes } in early {
            recording.add(side, after, &bytes);
        }
        recording
    }

    fn add(&mut self, side: Direction, after: Duration, bytes: &[u8]) {
        let Self { transcript, client, agent, .. } = self;
        let lines = if side == Direction::Client { client } else { agent };
        lines.push(bytes, &mut |line| write(transcript, side, after, line));
    }
}

impl Observer for DialogueRecording {
    fn printed(&mut self, bytes: &[u8]) {
        self.add(Direction::Agent, self.started.elapsed(), bytes);
    }

    fn sent(&mut self, bytes: &[u8]) {
        self.add(Direction::Client, self.started.elapsed(), bytes);
    }
}

impl Drop for DialogueRecording {
    /// The last line may have no end.
    fn drop(&mut self) {
        let Self { transcript, started, agent, .. } = self;
        let after = started.elapsed();
        agent.finish(&mut |line| write(transcript, Direction::Agent, after, line));
    }
}

fn write(transcript: &mut Transcript, side: Direction, after: Duration, line: Line<'_>) {
    let from = if side == Direction::Client { "client" } else { "agent" };
    // Thousandths of a second; more digits have no use.
    let seconds = (after.as_secs_f64() * 1000.0).round() / 1000.0;
    let mut entry = match line {
        Line::Whole(line) => json!({"from": from, "t": seconds, "line": String::from_utf8_lossy(line)}),
        Line::Oversized => json!({"from": from, "t": seconds, "cut": "longer than 32 MB"}),
    }
    .to_string();
    entry.push('\n');
    transcript.append(entry.as_bytes());
}
