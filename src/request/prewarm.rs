//! What the editor asks for while a prompt is being typed: an agent that waits for its message.

use std::path::PathBuf;

use rmpv::Value;

use super::decode::{agent, directory, max_cost_usd, max_turns, resume};
use super::{AgentCommand, Fields, Resume};
use crate::error::JobError;

/// An agent to start before its job is sent: whatever is decided at its start, as the job's [`Request`] will say it.
///
/// [`Request`]: super::Request
#[derive(Debug, Clone, PartialEq)]
pub struct PrewarmRequest {
    /// What the job will name it by.
    pub token: u64,
    /// Which CLI to start.
    pub agent: AgentCommand,
    /// The tools that the agent may use, by name.
    pub tools: Vec<String>,
    /// A limit on the agent's turns.
    pub max_turns: Option<u32>,
    /// A limit on its cost, in US dollars.
    pub max_cost_usd: Option<f64>,
    /// Let the CLI load the project's own settings.
    pub trust_project: bool,
    /// The project's directory.
    pub cwd: PathBuf,
    /// The session that the job will go on from.
    pub resume: Option<Resume>,
}

impl PrewarmRequest {
    /// Reads the map of a `prewarm` notification.
    ///
    /// # Errors
    /// `bad_request`, with the field that is wrong.
    pub fn decode(value: &Value) -> Result<Self, JobError> {
        let fields = Fields::root(value)?;
        let agent = agent(&fields.fields("agent")?)?;
        Ok(Self {
            token: fields.count("token")?,
            tools: fields.arguments("tools")?,
            max_turns: max_turns(&fields)?,
            max_cost_usd: max_cost_usd(&fields)?,
            trust_project: fields.flag("trust_project")?,
            cwd: directory(&fields)?,
            resume: resume(&fields, &agent)?,
            agent,
        })
    }
}
