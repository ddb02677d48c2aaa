//! What an agent is started for, and what follows from that: its arguments, environment and directory, and how the talk
//! with it begins.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::acp::preset::Preset;
use super::{About, Isolation, Protocol};
use crate::fields::{self, argument, map, some_argument};
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
    /// The shipped preset that this agent is.
    pub fn preset(&self) -> Option<&'static Preset> {
        Some(&self.name).filter(|_| self.protocol == Protocol::Acp).and_then(|name| Preset::named(name))
    }

    /// What is known of it: a user's agent may have the name of a shipped one and another protocol.
    pub fn about(&self) -> &'static About {
        self.preset().map_or(&self.protocol.dialect().about, |preset| &preset.about)
    }

    /// Where it has to run, if the project is trusted or not.
    pub fn directory(&self, trust_project: bool) -> Directory {
        let is_apart = self.about().isolation == Isolation::Directory && !trust_project;
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
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "some_argument")]
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

/// The start of an agent, with what is the same for all of them.
#[derive(Debug, Clone, Copy)]
pub struct Invocation<'a> {
    /// What is started.
    pub start: &'a AgentStart,
    /// The fixed rules.
    pub system: &'a str,
    /// Where the file with the policy of its preset is.
    pub policy: Option<&'a Path>,
}

/// How the talk with an agent begins: all that is decided at its start and is not in its command line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Opening {
    /// The shipped preset.
    pub preset: Option<&'static Preset>,
    /// The fixed rules.
    pub system: String,
    /// The directory of its session, in which it runs.
    pub directory: String,
    /// The session to go on in.
    pub resume: Option<Resume>,
    /// The model to ask for.
    pub model: Option<String>,
    /// The session's mode.
    pub mode: Option<String>,
    /// The `_meta` of its session.
    pub meta: Option<Value>,
    /// The project that it works on.
    pub project: PathBuf,
    /// Whether a path that it names is in the project.
    pub is_inside: PathCheck,
}

/// Whether a path is within a directory, as the file system has both; without one nothing is.
#[derive(Debug, Clone, Copy)]
pub struct PathCheck(pub fn(directory: &Path, path: &Path) -> bool);

impl Default for PathCheck {
    fn default() -> Self {
        Self(|_, _| false)
    }
}

impl PartialEq for PathCheck {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for PathCheck {}

impl Invocation<'_> {
    /// The whole argument vector: the agent's command, the protocol's flags, the user's arguments.
    pub fn arguments(&self) -> Vec<String> {
        let AgentCommand { command, args, protocol, .. } = &self.start.agent;
        let flags = self.start.agent.preset().map_or(protocol.dialect().arguments, |preset| preset.flags);
        command.iter().cloned().chain(flags(self)).chain(args.iter().cloned()).collect()
    }

    /// What is added to the environment; the user's own variables win.
    pub fn environment(&self) -> BTreeMap<String, String> {
        let command = &self.start.agent;
        let shipped = command.preset().map(|preset| (preset.env)(self)).unwrap_or_default();
        shipped.into_iter().chain(command.env.clone()).collect()
    }

    /// How the talk begins with the agent, which runs in `directory`.
    pub fn opening(&self, directory: &Path) -> Opening {
        let AgentStart { agent, resume, cwd, .. } = self.start;
        let preset = agent.preset();
        let own_mode = agent.acp.mode.clone();
        Opening {
            preset,
            system: self.system.to_owned(),
            directory: directory.to_string_lossy().into_owned(),
            resume: resume.clone(),
            model: agent.model.clone(),
            mode: own_mode.or_else(|| preset.and_then(|preset| preset.mode).map(str::to_owned)),
            meta: agent.acp.meta.clone(),
            project: cwd.clone(),
            ..Opening::default()
        }
    }

    /// The agent's own names of those of these tools that it may use, or may not; each has Claude's name before it.
    pub(super) fn named<'n>(
        &self,
        names: &'n [(&'n str, &'n str)],
        is_allowed: bool,
    ) -> impl Iterator<Item = &'n str> {
        let is_tool = |tool: &str| self.start.tools.iter().any(|allowed| allowed == tool);
        names.iter().filter(move |(tool, _)| is_tool(tool) == is_allowed).map(|(_, name)| *name)
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
        let is_isolated = self.agent.protocol != Protocol::Acp
            || self.agent.preset().is_some()
            || self.directory() == Directory::Empty;
        is_isolated && self.agent.protocol.dialect().waits
    }
}

/// What reads an agent's stream and talks with it.
pub fn decoder(protocol: Protocol, opening: &Opening) -> Decoder {
    (protocol.dialect().decoder)(opening)
}
