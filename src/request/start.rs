//! The fields of a request that decide how its agent starts: the same for a job and for a prewarmed agent.

use std::path::PathBuf;

use crate::agent::{AgentCommand, Protocol, Resume, ResumeSupport};
use crate::error::{Code, JobError};
use crate::fields::{self, bad};
use crate::options::{Choice, Options};

/// An agent to start.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentStart {
    /// Which CLI runs.
    pub agent: AgentCommand,
    /// The tools that it may use, by name.
    pub tools: Vec<String>,
    /// A limit on its turns; none by default.
    pub max_turns: Option<u32>,
    /// A limit on its cost, in US dollars; none by default.
    pub max_cost_usd: Option<f64>,
    /// Let it load the project's own settings.
    pub trust_project: bool,
    /// The session to go on in; none begins a new one.
    pub resume: Option<Resume>,
    /// The project's directory, in which it runs.
    pub cwd: PathBuf,
}

impl AgentStart {
    /// The agent that is chosen, in a directory and a session.
    ///
    /// # Errors
    /// `bad_request` for an unknown agent, or one that cannot go on so.
    pub fn new(
        choice: Choice,
        cwd: PathBuf,
        resume: Option<Resume>,
        options: &Options,
    ) -> Result<Self, JobError> {
        let name = choice.agent.as_ref().unwrap_or(&options.agent);
        let known = options.agent(name, "agent").map_err(|error| JobError::new(Code::BadRequest, error))?;
        let mut agent = known.command.clone();
        agent.model = choice.model.or(agent.model);
        Ok(Self {
            tools: options.tools.clone(),
            max_turns: options.max_turns,
            max_cost_usd: options.max_cost_usd,
            trust_project: options.trust_project,
            resume: resume.map(|resume| possible(resume, &agent)).transpose()?,
            cwd,
            agent,
        })
    }
}

/// Where to go on, if the agent can: what it cannot must not begin something else instead.
fn possible(resume: Resume, agent: &AgentCommand) -> Result<Resume, JobError> {
    let dialect = agent.protocol.dialect();
    let (name, support) = match agent.preset() {
        Some(preset) => (preset.name, preset.resume),
        None => (dialect.name, dialect.resume),
    };
    match support {
        ResumeSupport::None if agent.protocol == Protocol::Acp => {
            Err(bad("resume", &format!("is not possible: {name} cannot go on in a session")))
        }
        ResumeSupport::None => {
            Err(bad("resume", &format!("is not possible: an agent of the protocol {name} has no sessions")))
        }
        ResumeSupport::Sessions if resume.at.is_some() => {
            Err(bad("resume.at", &format!("is not possible: {name} cannot go back within a session")))
        }
        ResumeSupport::Sessions | ResumeSupport::Checkpoints => Ok(resume),
    }
}

/// The directory in which an agent runs.
///
/// # Errors
/// Where there is none.
pub fn directory(escaped: &str) -> Result<PathBuf, JobError> {
    if escaped.is_empty() {
        // Sent by an editor after its directory was removed.
        let message = "Neovim's working directory is gone: change to another one with `:cd`";
        return Err(JobError::new(Code::SpawnFailed, message));
    }
    Ok(fields::path(escaped))
}
