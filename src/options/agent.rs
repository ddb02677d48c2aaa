//! An agent of the options: how it is started, and which models it offers.

use std::collections::BTreeMap;

use crate::agent::{self, AcpOptions, AgentCommand, Directory, KnownAgent, Protocol};
use crate::error::JobError;
use crate::fields::text;
use crate::fields::{Fields, bad};

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentOption {
    /// How it is started; its model is the one that the user has set, none leaves that to the CLI.
    pub command: AgentCommand,
    /// The models to choose from, that one first.
    pub models: Vec<String>,
}

impl AgentOption {
    /// Reads an agent; that of the name `claude` takes its models from the options beside it where it has none.
    pub(super) fn read(name: &str, agent: &Fields<'_>, beside: &Fields<'_>) -> Result<Self, JobError> {
        let protocol = Protocol::named(&agent.text("protocol")?)
            .ok_or_else(|| bad(&agent.name("protocol"), r#"must be "claude", "droid", "acp" or "text""#))?;
        let mut command = agent.texts("command")?;
        let program = command.first_mut().filter(|program| !program.is_empty());
        let program = program.ok_or_else(|| bad(&agent.name("command"), "must name a program"))?;
        if let Some(path) = home(program) {
            // No shell is there to do it, and a wrapper's path is often written like this.
            *program = path;
        }
        let mut env = BTreeMap::new();
        for (key, value) in agent.pairs("env")? {
            let key = text(&agent.name("env"), key)?;
            let value = text(&agent.name(&format!("env.{}", key.escape_debug())), value)?;
            env.insert(key, value);
        }
        let set = |field: &str| {
            let all = [Some(agent), (name == "claude").then_some(beside)];
            all.into_iter()
                .flatten()
                .find(|fields| fields.get(field).is_some_and(|value| *value != false.into()))
        };
        let model = set("model").map(|fields| fields.argument("model")).transpose()?;
        let mut models =
            set("models").map(|fields| fields.lossy_texts("models")).transpose()?.unwrap_or_default();
        if let Some(model) = &model {
            models.retain(|other| other != model);
            models.insert(0, model.clone());
        }
        let acp = if protocol == Protocol::Acp { acp(agent)? } else { AcpOptions::default() };
        let args = agent.texts("args")?;
        Ok(Self {
            command: AgentCommand { name: name.to_owned(), protocol, command, args, env, model, acp },
            models,
        })
    }

    /// What is known of it: a user's agent may have the name of a shipped one and another protocol.
    pub fn known(&self) -> KnownAgent {
        let (all, protocol) = (agent::known(), self.command.protocol.dialect().name);
        let by_name = all.get(self.command.name.as_str()).filter(|known| known.protocol == protocol);
        by_name.unwrap_or(&all[protocol]).clone()
    }

    /// The options that weaken what keeps it read-only.
    pub fn weakened_by(&self) -> Vec<&'static str> {
        let AcpOptions { mode, meta, directory } = &self.command.acp;
        let set = [("mode", mode.is_some()), ("meta", meta.is_some()), ("directory", directory.is_some())];
        set.into_iter().filter(|(_, is_set)| *is_set).map(|(name, _)| name).collect()
    }
}

/// A path below the user's own directory.
pub fn home(path: &str) -> Option<String> {
    Some(format!("{}/{}", std::env::var("HOME").ok()?, path.strip_prefix("~/")?))
}

/// What only an agent that speaks the Agent Client Protocol has; each may be absent.
fn acp(agent: &Fields<'_>) -> Result<AcpOptions, JobError> {
    let mode = agent.some("mode", Fields::text)?;
    if mode.as_deref().is_some_and(str::is_empty) {
        return Err(bad(&agent.name("mode"), "must not be empty"));
    }
    let directory = match agent.some("directory", Fields::text)?.as_deref() {
        None => None,
        Some("project") => Some(Directory::Project),
        Some("empty") => Some(Directory::Empty),
        Some(_) => return Err(bad(&agent.name("directory"), r#"must be "project" or "empty""#)),
    };
    Ok(AcpOptions { mode, meta: agent.json_map("meta")?, directory })
}
