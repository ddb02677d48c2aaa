//! The agents: how each CLI is started, what it is sent, and what its lines mean.
//!
//! Each agent is one file with one [`Dialect`], and a row in [`Protocol::dialect`]; no other module knows it. Pure: a
//! line goes in, events come out, and the reducer decides what they amount to. To add an agent, read `text` first, then
//! `droid`.

pub mod acp;
mod claude;
mod droid;
mod invocation;
mod json;
mod one_way;
mod shipped;
#[cfg(test)]
mod testing;
mod text;
mod values;

pub use acp::preset::Preset;
pub use invocation::{
    AcpOptions, AgentCommand, AgentStart, Directory, Invocation, Opening, PathCheck, Resume, decoder,
};

pub use shipped::{About, OpenCommand};

use serde::Deserialize;

use crate::stream::Decoder;
use crate::stream::event::Output;

/// How an agent talks: the option `agents.NAME.protocol`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// `claude -p --output-format stream-json`.
    Claude,
    /// `droid exec -o stream-json`.
    Droid,
    /// Standard output is the answer.
    #[default]
    Text,
    /// The Agent Client Protocol.
    Acp,
}

impl Protocol {
    /// Every protocol, for lists and tests.
    pub const ALL: [Self; 4] = [Self::Claude, Self::Droid, Self::Text, Self::Acp];

    /// The protocol of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|protocol| protocol.dialect().about.name == name)
    }

    /// All that is particular to it.
    pub fn dialect(self) -> &'static Dialect {
        match self {
            Self::Claude => &claude::DIALECT,
            Self::Droid => &droid::DIALECT,
            Self::Text => &text::DIALECT,
            Self::Acp => &acp::DIALECT,
        }
    }
}

/// All that is particular to one agent.
#[derive(Debug)]
pub struct Dialect {
    /// What joins the text blocks of one message.
    pub block_separator: &'static str,
    /// What reads its lines and talks with it.
    pub decoder: fn(&Opening) -> Decoder,
    /// The whole argument vector. Prompt and code are never in it.
    pub arguments: fn(&Invocation<'_>) -> Vec<String>,
    /// What else is known of it.
    pub about: About,
    /// Until it has its message it gets ready and waits, however long that takes; else it may act without one.
    pub waits: bool,
}

/// What of an earlier job an agent can go on from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResumeSupport {
    /// Nothing: each run is a new one.
    None,
    /// The end of a session.
    Sessions,
    /// The end of a session, and each of the user's messages in it.
    Checkpoints,
}

/// How an agent is kept from loading a project's own settings, hooks and helpers, all of which run code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// It is not: it does what its program does.
    None,
    /// Its arguments see to it.
    Arguments,
    /// It loads them from where it runs, whatever its arguments are: it has to run somewhere else.
    Directory,
}

/// The text that a tool returned.
pub fn output(output: Output<'_>) -> String {
    json::Json(output.0).words(usize::MAX)
}

/// What reads a recorded stream of an agent; `preset` names the agent that speaks the Agent Client Protocol.
pub fn recorded(protocol: Protocol, preset: Option<&'static Preset>) -> Decoder {
    match protocol {
        Protocol::Acp => acp::recorded(preset),
        _ => decoder(protocol, &Opening::default()),
    }
}

#[cfg(test)]
mod tests;
