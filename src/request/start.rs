//! The fields of a request that decide how its agent starts: the same for a job and for a prewarmed agent.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::decode::at_least_one;
use super::fields::{self, Fields, bad, wrong};
use crate::agent::{AcpOptions, AgentCommand, Directory, Protocol, Resume, ResumeSupport};
use crate::error::{Code, JobError};

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
    /// Reads the fields of a `run` or a `prewarm` notification.
    ///
    /// # Errors
    /// `bad_request`, with the field that is wrong; `spawn_failed` if the directory is gone.
    pub(super) fn decode(fields: &Fields) -> Result<Self, JobError> {
        let agent = agent(&fields.fields("agent")?)?;
        Ok(Self {
            tools: fields.arguments("tools")?,
            max_turns: max_turns(fields)?,
            max_cost_usd: max_cost_usd(fields)?,
            trust_project: fields.flag("trust_project")?,
            resume: resume(fields, &agent)?,
            cwd: directory(fields)?,
            agent,
        })
    }
}

fn agent(agent: &Fields) -> Result<AgentCommand, JobError> {
    let protocol = Protocol::named(&agent.text("protocol")?)
        .ok_or_else(|| bad(&agent.name("protocol"), r#"must be "claude", "droid", "acp" or "text""#))?;
    let command = agent.texts("command")?;
    if command.first().is_none_or(String::is_empty) {
        return Err(bad(&agent.name("command"), "must name a program"));
    }
    let mut env = BTreeMap::new();
    for (key, value) in agent.pairs("env")? {
        let key = fields::text(&agent.name("env"), key)?;
        let value = fields::text(&agent.name(&format!("env.{}", key.escape_debug())), value)?;
        env.insert(key, value);
    }
    let model = agent.get("model").map(|_| agent.argument("model")).transpose()?;
    let acp = if protocol == Protocol::Acp { acp(agent)? } else { AcpOptions::default() };
    let (name, args) = (agent.text("name")?, agent.texts("args")?);
    Ok(AgentCommand { name, protocol, command, args, env, model, acp })
}

/// What only an agent that speaks the Agent Client Protocol has; each may be absent.
fn acp(agent: &Fields) -> Result<AcpOptions, JobError> {
    let mode = agent.get("mode").map(|_| agent.text("mode")).transpose()?;
    if mode.as_deref().is_some_and(str::is_empty) {
        return Err(bad(&agent.name("mode"), "must not be empty"));
    }
    let directory = match agent.get("directory").map(|_| agent.text("directory")).transpose()?.as_deref() {
        None => None,
        Some("project") => Some(Directory::Project),
        Some("empty") => Some(Directory::Empty),
        Some(_) => return Err(bad(&agent.name("directory"), r#"must be "project" or "empty""#)),
    };
    Ok(AcpOptions { mode, meta: agent.json_map("meta")?, directory })
}

/// Where to go on, if the agent can: what it cannot must not begin something else instead.
fn resume(run: &Fields, agent: &AgentCommand) -> Result<Option<Resume>, JobError> {
    if run.get("resume").is_none() {
        return Ok(None);
    }
    let resume = run.fields("resume")?;
    let session_id = resume.argument("session_id")?;
    let at = resume.get("at").map(|_| resume.argument("at")).transpose()?;
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
        ResumeSupport::Sessions if at.is_some() => {
            Err(bad(&resume.name("at"), &format!("is not possible: {name} cannot go back within a session")))
        }
        ResumeSupport::Sessions | ResumeSupport::Checkpoints => Ok(Some(Resume { session_id, at })),
    }
}

fn max_turns(run: &Fields) -> Result<Option<u32>, JobError> {
    if run.get("max_turns").is_none() {
        return Ok(None);
    }
    let turns = at_least_one(run, "max_turns")?;
    Ok(Some(u32::try_from(turns).unwrap_or(u32::MAX)))
}

fn max_cost_usd(run: &Fields) -> Result<Option<f64>, JobError> {
    if run.get("max_cost_usd").is_none() {
        return Ok(None);
    }
    let cost = run.number("max_cost_usd")?;
    if cost <= 0.0 || !cost.is_finite() {
        return Err(bad("max_cost_usd", "must be a number above 0"));
    }
    Ok(Some(cost))
}

/// A path is bytes: a directory name that is not UTF-8 works too.
fn directory(run: &Fields) -> Result<PathBuf, JobError> {
    let value = run.need("cwd")?;
    let bytes = value.as_slice().ok_or_else(|| wrong("cwd", "a string", value))?;
    if bytes.is_empty() {
        // Sent by an editor after its directory was removed.
        let message = "change to another directory with `:cd`; Neovim's working directory is gone, and no agent starts there";
        return Err(JobError::new(Code::SpawnFailed, message));
    }
    Ok(PathBuf::from(OsStr::from_bytes(bytes)))
}
