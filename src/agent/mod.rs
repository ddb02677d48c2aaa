//! The agents: how each CLI is started, what it is sent, and what its lines mean.
//!
//! Each agent is one file with one [`Recipe`], and a row in [`Recipe::ALL`]; no other module knows it. Pure: a line goes
//! in, events come out, and the reducer decides what they amount to. To add an agent, read `text` first, then `droid`.

pub mod acp;
mod claude;
mod droid;
mod invocation;
mod json;
mod one_way;
#[cfg(test)]
mod testing;
mod text;
mod values;

pub use invocation::{AcpOptions, AgentCommand, AgentStart, Directory, Invocation, Resume};

use serde::Deserialize;

use crate::stream::event::Output;
use crate::stream::failure::AgentLabel;
use crate::stream::{Decoder, Dialogue, UsageScope};
use acp::preset;

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

/// All that is particular to one agent.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Recipe {
    /// The name of its protocol in options and on the command line; of a shipped agent its key in the option `agents`.
    pub name: &'static str,
    /// How it talks.
    pub protocol: Protocol,
    /// What messages say of it.
    pub label: AgentLabel,
    /// What keeps it from writing and from running programs: goes on from "read-only by".
    pub keeps: &'static str,
    /// How it is kept from loading the settings of a project that is not trusted.
    pub isolation: Isolation,
    /// What it can go on from.
    pub resume: ResumeSupport,
    /// How a session of it is opened in a terminal, if that is known: the program, where that is another one than the
    /// agent's, and what stands before the session's id.
    pub open: Option<(Option<&'static str>, &'static str)>,
    /// Variables that log it in.
    pub login_variables: &'static [&'static str],
    /// Where it keeps a login, as far as that is a file; `~` is the user's own directory.
    pub login_file: Option<&'static str>,
    /// Its flags, after the command. Prompt and code are never in them.
    pub flags: fn(&Invocation) -> Vec<String>,
    /// Variables of its environment.
    pub env: fn(&Invocation) -> Vec<(String, String)>,
    /// What reads its lines and talks with it.
    pub dialogue: fn(&Invocation) -> Box<dyn Dialogue>,
    /// What joins the text blocks of one message.
    pub block_separator: &'static str,
    /// Until it has its message it gets ready and waits, however long that takes; else it may act without one.
    pub waits: bool,
    /// What it calls itself in `agentInfo.name`, where it is shipped and speaks the Agent Client Protocol.
    pub agent_name: Option<&'static str>,
    /// The npm package that has it.
    pub package: &'static str,
    /// The version with which the recipe was tried; it holds for later ones.
    pub tried: [u64; 3],
    /// The mode of its sessions.
    pub mode: Option<&'static str>,
    /// A file of rules that outranks the user's own: its name and what is in it.
    pub policy: Option<(&'static str, &'static str)>,
    /// Chunks of its messages have ids; those without one are notices and failures.
    pub has_message_ids: bool,
    /// It can be asked to report failures apart from its text, by a key of a vendor's.
    pub reports_failures: bool,
    /// It says things of its own as text: before the first amounts of a turn and after `Info: ` and `Warning: `, and
    /// after `Error: ` where the turn failed, with no tokens then.
    pub has_notices: bool,
    /// At a limit on the length of its answer it asks again, and says all of them.
    pub repeats_at_limit: bool,
    /// It asks a model for the title of a session that has none: in a thread with the user's own settings, which may
    /// let it write and run.
    pub asks_for_title: bool,
    /// What its token counts cover.
    pub tokens: UsageScope,
}

impl Recipe {
    /// One for each protocol, and then the shipped agents that speak the Agent Client Protocol.
    pub const ALL: [&'static Self; 9] = [
        &claude::RECIPE,
        &droid::RECIPE,
        &text::RECIPE,
        &acp::RECIPE,
        &preset::CODEX,
        &preset::GEMINI,
        &preset::OPENCODE,
        &preset::QWEN,
        &preset::COPILOT,
    ];

    /// That of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.into_iter().find(|recipe| recipe.name == name)
    }

    /// That of the agent with this key in the option `agents`: a user's may have the name of a shipped one and another
    /// protocol.
    pub fn of(protocol: Protocol, name: &str) -> &'static Self {
        let shipped = Self::named(name).filter(|recipe| recipe.protocol == protocol);
        shipped.unwrap_or(protocol.recipe())
    }

    /// What the user does to log in.
    pub fn login(&self) -> String {
        format!("run {}", self.label.login)
    }

    /// What reads a recorded stream of it.
    pub fn recorded(&self) -> Decoder {
        let agent =
            AgentCommand { name: self.name.to_owned(), protocol: self.protocol, ..Default::default() };
        let invocation =
            Invocation { start: AgentStart { agent, ..Default::default() }, ..Default::default() };
        match self.protocol {
            Protocol::Acp => Decoder { dialogue: acp::recorded(&invocation), ..invocation.decoder() },
            _ => invocation.decoder(),
        }
    }
}

impl Protocol {
    /// That of an agent of which no more is known.
    pub fn recipe(self) -> &'static Recipe {
        Recipe::ALL.into_iter().find(|recipe| recipe.protocol == self).unwrap_or(&text::RECIPE)
    }
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

#[cfg(test)]
mod tests;
