//! What an agent is started for, and what follows from that: its arguments, environment and directory, and how the talk
//! with it begins.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::acp::preset::{Preset, Recipe};
use super::{Isolation, PrewarmSupport, Protocol};
use crate::fields::{self, argument, map, some_argument};
use crate::stream::Decoder;

/// The command line of an agent, from the option `agents`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
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

/// What an agent is started for.
#[derive(Debug, Clone, Copy)]
pub struct Invocation<'a> {
    /// Which program, with the user's own arguments and model.
    pub command: &'a AgentCommand,
    /// The tools it may use, by Claude's names.
    pub tools: &'a [String],
    /// A limit on its turns.
    pub max_turns: Option<u32>,
    /// A limit on its cost, in US dollars.
    pub max_cost_usd: Option<f64>,
    /// Let it load the project's own settings, hooks and helpers.
    pub trust_project: bool,
    /// The session to go on in, by a fork.
    pub resume: Option<&'a Resume>,
    /// The fixed rules; the same for every job.
    pub system: &'a str,
    /// The user's message: prompt, code and context.
    pub message: &'a str,
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

impl<'a> Invocation<'a> {
    /// What a preset's recipe depends on.
    fn recipe(&self, preset: &Preset, project: &'a Path) -> Recipe<'a> {
        Recipe {
            tools: self.tools,
            names: preset.tools,
            policy: self.policy,
            trust_project: self.trust_project,
            project,
            directory: directory(self),
        }
    }
}

/// The whole argument vector of an agent for `project`: its command, the protocol's flags, the user's arguments.
pub fn arguments(invocation: &Invocation<'_>, project: &Path) -> Vec<String> {
    let command = invocation.command;
    let flags = match command.preset() {
        Some(preset) => (preset.flags)(&invocation.recipe(preset, project)),
        None => (command.protocol.dialect().arguments)(invocation),
    };
    command.command.iter().cloned().chain(flags).chain(command.args.iter().cloned()).collect()
}

/// What is added to an agent's environment for `project`; the user's own variables win.
pub fn environment(invocation: &Invocation<'_>, project: &Path) -> BTreeMap<String, String> {
    let command = invocation.command;
    let mut variables: BTreeMap<String, String> = match command.preset() {
        Some(preset) => (preset.env)(&invocation.recipe(preset, project)).into_iter().collect(),
        None => BTreeMap::new(),
    };
    variables.extend(command.env.clone());
    variables
}

/// Where an agent has to run.
pub fn directory(invocation: &Invocation<'_>) -> Directory {
    let command = invocation.command;
    if let Some(directory) = command.acp.directory.filter(|_| command.protocol == Protocol::Acp) {
        return directory;
    }
    let is_apart = command.preset().is_some() || command.protocol.dialect().isolation == Isolation::Directory;
    if is_apart && !invocation.trust_project { Directory::Empty } else { Directory::Project }
}

/// Whether an agent may be started before there is a message for it. One that speaks the Agent Client Protocol opens
/// its session then, and nothing may keep it from running what the project's settings say, unless it is shipped or runs
/// elsewhere.
pub fn waits(invocation: &Invocation<'_>) -> bool {
    let command = invocation.command;
    let is_isolated = command.protocol != Protocol::Acp
        || command.preset().is_some()
        || directory(invocation) == Directory::Empty;
    is_isolated && command.protocol.dialect().prewarm == PrewarmSupport::Waits
}

/// How the talk begins with an agent that works on `project` and runs in `directory`.
pub fn opening(invocation: &Invocation<'_>, project: &Path, directory: &Path) -> Opening {
    let Invocation { command, resume, system, .. } = invocation;
    let preset = command.preset();
    let own_mode = command.acp.mode.clone();
    Opening {
        preset,
        system: (*system).to_owned(),
        directory: directory.to_string_lossy().into_owned(),
        resume: resume.cloned(),
        model: command.model.clone(),
        mode: own_mode.or_else(|| preset.and_then(|preset| preset.mode).map(str::to_owned)),
        meta: command.acp.meta.clone(),
        project: project.to_owned(),
        ..Opening::default()
    }
}

/// What reads an agent's stream and talks with it.
pub fn decoder(protocol: Protocol, opening: &Opening) -> Decoder {
    (protocol.dialect().decoder)(opening)
}
