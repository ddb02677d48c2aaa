//! What an agent is started for, and what follows from that: its arguments, environment and directory, and who talks
//! with it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Isolation, Protocol, Recipe};
use crate::fields::{self, argument, map};
use crate::stream::Decoder;

/// The command line of an agent, from the option `agents`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct AgentCommand {
    /// The option's key, for messages (`claude`). With the protocol `acp` it also names the shipped preset.
    #[serde(skip)]
    pub name: String,
    /// How it talks.
    pub protocol: Protocol,
    /// The program and its first arguments; never empty.
    pub command: Vec<String>,
    /// Arguments after the protocol's own.
    #[serde(default)]
    pub args: Vec<String>,
    /// Variables added to the environment.
    #[serde(default, deserialize_with = "map")]
    pub env: BTreeMap<String, String>,
    /// The model to ask for; none leaves the choice to the CLI.
    #[serde(default, deserialize_with = "fields::model")]
    pub model: Option<String>,
    /// What only the protocol `acp` has.
    #[serde(flatten)]
    pub acp: AcpOptions,
}

/// The options of an agent with the protocol `acp`. What is not set is as its preset says.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct AcpOptions {
    /// The session's mode.
    pub mode: Option<String>,
    /// The `_meta` of `session/new`.
    pub meta: Option<Value>,
    /// Where the agent runs.
    pub directory: Option<Directory>,
}

impl AgentCommand {
    /// What is known of it.
    pub fn recipe(&self) -> &'static Recipe {
        Recipe::of(self.protocol, &self.name)
    }

    /// Where it has to run, if the project is trusted or not.
    pub fn directory(&self, trust_project: bool) -> Directory {
        let is_apart = self.recipe().isolation == Isolation::Directory && !trust_project;
        let set = self.acp.directory.filter(|_| self.protocol == Protocol::Acp);
        set.unwrap_or(if is_apart { Directory::Empty } else { Directory::Project })
    }
}

/// An earlier session of the agent, to go on in a fork of it: the session itself stays as it is, so two that go on in
/// it never mix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resume {
    /// The session's id.
    #[serde(deserialize_with = "argument")]
    pub session_id: String,
    /// The message of the user's after which everything is left out; none goes on at the end.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "argument")]
    pub at: Option<String>,
}

/// Where an agent runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Directory {
    /// In the project's directory.
    Project,
    /// In a directory in which there is nothing; it reads the project by absolute paths.
    Empty,
}

/// What decides how an agent starts: the same for a job and for an agent that waits for one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgentStart {
    /// Which CLI runs, with the user's own arguments and model.
    pub agent: AgentCommand,
    /// The tools that it may use, by Claude's names.
    pub tools: Vec<String>,
    /// A limit on its turns; none by default.
    pub max_turns: Option<u32>,
    /// A limit on its cost, in US dollars; none by default.
    pub max_cost_usd: Option<f64>,
    /// Let it load the project's own settings, hooks and helpers.
    pub trust_project: bool,
    /// The session to go on in, by a fork; none begins a new one.
    pub resume: Option<Resume>,
    /// The project's directory.
    pub cwd: PathBuf,
}

/// The start of an agent, with all that is decided before its process exists.
#[derive(Debug, Clone, Default)]
pub struct Invocation {
    /// What is started.
    pub start: AgentStart,
    /// The fixed rules.
    pub system: &'static str,
    /// Where it runs.
    pub directory: PathBuf,
    /// Where the file with the policy of its recipe is.
    pub policy: Option<PathBuf>,
    /// Whether a path is within a directory, as the file system has both; without it nothing is.
    pub is_inside: Option<fn(directory: &Path, path: &Path) -> bool>,
}

impl Invocation {
    /// The whole argument vector: the agent's command, the protocol's flags, the user's arguments.
    pub fn arguments(&self) -> Vec<String> {
        let AgentCommand { command, args, .. } = &self.start.agent;
        let flags = (self.start.agent.recipe().flags)(self);
        command.iter().cloned().chain(flags).chain(args.iter().cloned()).collect()
    }

    /// What is added to the environment; the user's own variables win.
    pub fn environment(&self) -> BTreeMap<String, String> {
        let shipped = (self.start.agent.recipe().env)(self);
        shipped.into_iter().chain(self.start.agent.env.clone()).collect()
    }

    /// What reads its stream and talks with it.
    pub fn decoder(&self) -> Decoder {
        let Recipe { label, block_separator, dialogue, .. } = self.start.agent.recipe();
        Decoder { label: *label, block_separator, dialogue: dialogue(self) }
    }

    /// The mode of its session.
    pub fn mode(&self) -> Option<&str> {
        self.start.agent.acp.mode.as_deref().or(self.start.agent.recipe().mode)
    }

    /// The agent's own names of those of these tools that it may use, or may not; each has Claude's name before it.
    pub(super) fn named(&self, names: &[(&str, &'static str)], is_allowed: bool) -> Vec<&'static str> {
        let is_tool = |tool: &str| self.start.tools.iter().any(|allowed| allowed == tool);
        names.iter().filter(|(tool, _)| is_tool(tool) == is_allowed).map(|(_, name)| *name).collect()
    }
}

impl AgentStart {
    /// Where the agent has to run.
    pub fn directory(&self) -> Directory {
        self.agent.directory(self.trust_project)
    }

    /// Whether the agent may be started before there is a message for it. One that speaks the Agent Client Protocol
    /// opens its session then, and nothing may keep it from running what the project's settings say, unless it is
    /// shipped or runs elsewhere.
    pub fn waits(&self) -> bool {
        self.agent.recipe().waits || self.directory() == Directory::Empty
    }
}
