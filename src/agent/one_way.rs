//! The dialogue with an agent that only prints: it gets its message and the end of its input.

use crate::stream::{AgentInput, Dialogue, LineStatus, OnEvent};

/// The dialogue of one agent. The meaning of a line does not depend on its place.
#[derive(Debug, Clone)]
pub struct OneWay {
    /// Says what one line means.
    pub read: fn(line: &[u8], each: OnEvent<'_>) -> LineStatus,
    /// What is written for the rules and the message.
    pub input: fn(system: &str, message: &str) -> Vec<u8>,
    /// The fixed rules.
    pub system: &'static str,
}

impl Dialogue for OneWay {
    fn say(&mut self, message: &str, _each: OnEvent<'_>, input: &mut AgentInput) {
        input.send(&(self.input)(self.system, message));
        input.close();
    }

    fn hear(&mut self, line: &[u8], each: OnEvent<'_>, _input: &mut AgentInput) -> LineStatus {
        (self.read)(line, each)
    }

    fn is_two_way(&self) -> bool {
        false
    }
}
