//! The agents: how each CLI is started, what it is sent, and what its lines mean.
//!
//! Each agent is one file with one [`Dialect`], and a row in [`Protocol::dialect`]; nothing else knows it. Pure:
//! a line goes in, events come out, and what they amount to is the reducer's business. To add one, read `text`
//! first, then `droid`.

mod claude;
mod droid;
mod json;
mod text;
mod values;

use crate::request::{AgentCommand, Resume};
use crate::stream::event::Event;
use crate::stream::failure::Speaker;

/// How an agent talks: the option `agents.NAME.protocol`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// `claude -p --output-format stream-json`.
    Claude,
    /// `droid exec -o stream-json`.
    Droid,
    /// Standard output is the answer.
    Text,
}

impl Protocol {
    /// Every protocol, for lists and tests.
    pub const ALL: [Self; 3] = [Self::Claude, Self::Droid, Self::Text];

    /// The protocol of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|protocol| protocol.dialect().name == name)
    }

    /// All that is particular to it.
    pub fn dialect(self) -> &'static Dialect {
        match self {
            Self::Claude => &claude::DIALECT,
            Self::Droid => &droid::DIALECT,
            Self::Text => &text::DIALECT,
        }
    }
}

/// All that is particular to one agent.
#[derive(Debug)]
pub struct Dialect {
    /// The protocol's name in options and on the command line.
    pub name: &'static str,
    /// What messages say of the agent.
    pub speaker: Speaker,
    /// What joins the text blocks of one message.
    pub glue: &'static str,
    /// Says what one line means, event by event. Keeps nothing from line to line.
    pub read: fn(line: &[u8], each: Each<'_>) -> Reading,
    /// The whole argument vector. Prompt and code are never in it.
    pub arguments: fn(&Invocation<'_>) -> Vec<String>,
    /// What is written to standard input before it is closed.
    pub input: fn(&Invocation<'_>) -> Vec<u8>,
    /// How it is kept from loading the settings of a project that is not trusted.
    pub isolation: Isolation,
    /// What it can go on from.
    pub memory: Memory,
    /// What it does before its message comes.
    pub beforehand: Beforehand,
}

/// What of an earlier job an agent can go on from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Memory {
    /// Nothing: each run is a new one.
    None,
    /// The end of a session.
    Sessions,
    /// The end of a session, and each of the user's messages in it.
    Checkpoints,
}

/// What an agent does until it has its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beforehand {
    /// It gets ready and waits, however long that takes.
    Waits,
    /// Nobody knows: it may act without one.
    Unknown,
}

/// How an agent is kept from loading a project's own settings, hooks and helpers, all of which run code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// Its arguments see to it, or it has none.
    Arguments,
    /// It loads them from where it runs, whatever its arguments are: it has to run somewhere else.
    Directory,
}

/// Where an agent runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Directory {
    /// In the project's directory.
    Project,
    /// In a directory in which there is nothing; it reads the project by absolute paths.
    Empty,
}

/// Where the events of a line go.
pub type Each<'e> = &'e mut dyn FnMut(Event<'_>);

/// What became of a line.
#[derive(Debug, PartialEq, Eq)]
pub enum Reading {
    /// It was the protocol's; its events have been handed out, if it had any to give.
    Understood,
    /// There was nothing in it.
    Blank,
    /// It is no JSON: something else that the process printed. Says what the reader choked on.
    Foreign(String),
    /// It should have been JSON and is not. Says why.
    Broken(String),
}

/// What an agent is started for.
#[derive(Debug, Clone, Copy)]
pub struct Invocation<'a> {
    /// Which program, with the user's own arguments and model.
    pub command: &'a AgentCommand,
    /// The tools it may use, by Claude's names.
    pub tools: &'a [String],
    /// A limit on its turns.
    pub max_turns: Option<u32>,
    /// Let it load the project's own settings, hooks and helpers.
    pub trust_project: bool,
    /// The session to go on in, by a fork.
    pub resume: Option<&'a Resume>,
    /// The fixed rules; the same for every job.
    pub system: &'a str,
    /// The user's message: prompt, code and context.
    pub message: &'a str,
}

/// The whole argument vector of an agent: its command, the protocol's flags, the user's arguments.
pub fn arguments(invocation: &Invocation<'_>) -> Vec<String> {
    let command = invocation.command;
    let flags = (command.protocol.dialect().arguments)(invocation);
    command.command.iter().cloned().chain(flags).chain(command.args.iter().cloned()).collect()
}

/// Where an agent has to run.
pub fn directory(invocation: &Invocation<'_>) -> Directory {
    match invocation.command.protocol.dialect().isolation {
        Isolation::Directory if !invocation.trust_project => Directory::Empty,
        Isolation::Directory | Isolation::Arguments => Directory::Project,
    }
}

/// Whether an agent may be started before there is a message for it.
pub fn waits(invocation: &Invocation<'_>) -> bool {
    invocation.command.protocol.dialect().beforehand == Beforehand::Waits
}

/// What is written to an agent's standard input before it is closed.
pub fn input(invocation: &Invocation<'_>) -> Vec<u8> {
    (invocation.command.protocol.dialect().input)(invocation)
}
