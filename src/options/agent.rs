//! An agent of the options: how it is started, and which models it offers.

use serde::Deserialize;

use crate::agent::{AcpOptions, AgentCommand, Protocol};
use crate::error::JobError;
use crate::fields::{bad, unless_false};

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct AgentOption {
    /// How it is started; its model is the one that the user has set, none leaves that to the CLI.
    #[serde(flatten)]
    pub command: AgentCommand,
    /// The models to choose from.
    #[serde(default, deserialize_with = "unless_false")]
    pub(super) models: Option<Vec<String>>,
}

impl AgentOption {
    /// What follows from its name, and from what was set.
    pub(super) fn complete(&mut self, name: &str) -> Result<(), JobError> {
        let command = &mut self.command;
        name.clone_into(&mut command.name);
        let program = command.command.first_mut().filter(|program| !program.is_empty());
        let program = program.ok_or_else(|| bad(&format!("agents.{name}.command"), "must name a program"))?;
        if let Some(path) = home(program) {
            // No shell is there to do it, and a wrapper's path is often written like this.
            *program = path;
        }
        if command.protocol != Protocol::Acp {
            command.acp = AcpOptions::default();
        }
        Ok(())
    }

    /// The models to choose from, the one that is set first.
    pub fn models(&self) -> impl Iterator<Item = &String> {
        let set = self.command.model.as_ref();
        let others = self.models.iter().flatten().filter(move |model| Some(*model) != set);
        set.into_iter().chain(others)
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
