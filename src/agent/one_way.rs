//! The dialogue with an agent that only prints: it gets its message and the end of its input.

use super::Invocation;
use crate::stream::{AgentInput, Dialogue, LineStatus, OnEvent};

/// The dialogue of one agent. The meaning of a line does not depend on its place.
#[derive(Debug)]
pub struct OneWay {
    read: Read,
    compose: Compose,
    /// The fixed rules.
    system: &'static str,
    input: AgentInput,
}

/// Says what one line means.
type Read = fn(line: &[u8], each: OnEvent<'_>) -> LineStatus;
/// What is written for the rules and the message.
type Compose = fn(system: &str, message: &str) -> Vec<u8>;

impl OneWay {
    pub fn boxed(read: Read, compose: Compose, invocation: &Invocation) -> Box<dyn Dialogue> {
        Box::new(Self { read, compose, system: invocation.system, input: AgentInput::default() })
    }
}

impl Dialogue for OneWay {
    fn input(&mut self) -> &mut AgentInput {
        &mut self.input
    }

    fn say(&mut self, message: &str, _each: OnEvent<'_>) {
        self.input.send(&(self.compose)(self.system, message));
        self.input.close();
    }

    fn hear(&mut self, line: &[u8], each: OnEvent<'_>) -> LineStatus {
        (self.read)(line, each)
    }

    fn is_two_way(&self) -> bool {
        false
    }
}
