//! A stream's view of an agent: its dialogue, and its name in messages. Its recipe makes one.

use std::fmt;
use std::time::Duration;

use super::event::Event;
use super::failure::AgentLabel;

/// How long an agent that has said that it is done must print nothing before its turn is closed.
pub const QUIET: Duration = Duration::from_millis(100);
/// When its turn is closed at the latest.
pub const LATEST: Duration = Duration::from_millis(500);

/// Where events go.
pub type OnEvent<'e> = &'e mut dyn FnMut(Event<'_>);

/// How an agent's lines become events, and what it is sent.
#[derive(Debug)]
pub struct Decoder {
    /// What messages say of the agent.
    pub label: AgentLabel,
    /// What joins the text blocks of one message.
    pub block_separator: &'static str,
    /// The talk with it.
    pub dialogue: Box<dyn Dialogue>,
}

/// Our side of the talk with one agent: reads its lines, says what they mean and what to send. Pure.
///
/// An agent that only prints is the simple case: it gets its message and the end of its input, and each line means the
/// same wherever it stands.
pub trait Dialogue: fmt::Debug + Send + Sync {
    /// What is to be written to the agent's standard input.
    fn input(&mut self) -> &mut AgentInput;

    /// The agent was started: sends what can be sent before there is a message.
    fn begin(&mut self) {}

    /// The message is there; comes once. Sends it as soon as the agent can take it.
    fn say(&mut self, message: &str, each: OnEvent<'_>);

    /// Says what one line means, event by event, and answers it where it wants an answer.
    fn hear(&mut self, line: &[u8], each: OnEvent<'_>) -> LineStatus;

    /// Whether the agent says that it is done, and the last pieces of its answer may still come.
    fn is_closing(&self) -> bool {
        false
    }

    /// They may come no longer.
    fn close(&mut self, _each: OnEvent<'_>) {}

    /// Whether the agent has been sent what the user wants.
    fn has_asked(&self) -> bool {
        true
    }

    /// Whether lines go to and fro. Such an agent has to be heard before it has its message, its input stays open until
    /// it has answered, and a transcript needs both sides.
    fn is_two_way(&self) -> bool {
        true
    }
}

/// What is to be written to an agent's standard input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentInput {
    bytes: Vec<u8>,
    is_over: bool,
}

impl AgentInput {
    /// Adds bytes. After the end nothing is added.
    pub fn send(&mut self, bytes: &[u8]) {
        if !self.is_over {
            self.bytes.extend_from_slice(bytes);
        }
    }

    /// Nothing more follows: the input is closed when all of it is written.
    pub fn close(&mut self) {
        self.is_over = true;
    }

    /// Takes the bytes that were added since the last time.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    /// Whether the input ends after those bytes.
    pub fn is_over(&self) -> bool {
        self.is_over
    }
}

/// What became of a line.
#[derive(Debug, PartialEq, Eq)]
pub enum LineStatus {
    /// It was the protocol's; its events have been handed out, if it had any to give.
    Parsed,
    /// There was nothing in it.
    Blank,
    /// Not JSON: something else that the process printed. All of it.
    NotJson(String),
    /// It should have been JSON and is not. Says why.
    Malformed(String),
}
