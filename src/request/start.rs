//! The fields of a request that decide how its agent starts: the same for a job and for a prewarmed agent.

use std::path::PathBuf;

use crate::agent::{AgentCommand, AgentStart, Protocol, Recipe, Resume, ResumeSupport};
use crate::error::{Code, JobError};
use crate::fields::{self, bad};
use crate::options::{Choice, Options};

/// The agent that is chosen, in a directory and a session.
///
/// # Errors
/// `bad_request` for an unknown agent, or one that cannot go on so.
pub fn start(
    choice: Choice,
    cwd: PathBuf,
    resume: Option<Resume>,
    options: &Options,
) -> Result<AgentStart, JobError> {
    let name = choice.agent.as_ref().unwrap_or(&options.agent);
    let known = options.agent(name, "agent").map_err(|error| JobError::new(Code::BadRequest, error))?;
    let mut agent = known.command.clone();
    agent.model = choice.model.or(agent.model);
    Ok(AgentStart {
        tools: options.tools.clone(),
        max_turns: options.max_turns,
        max_cost_usd: options.max_cost_usd,
        trust_project: options.trust_project,
        resume: resume.map(|resume| possible(resume, &agent)).transpose()?,
        cwd,
        agent,
    })
}

/// Where to go on, if the agent can: what it cannot must not begin something else instead.
fn possible(resume: Resume, agent: &AgentCommand) -> Result<Resume, JobError> {
    let Recipe { name, resume: support, .. } = agent.recipe();
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
