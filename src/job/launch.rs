//! What to start: everything that is decided before an agent's process exists.

use std::io;
use std::path::{Path, PathBuf};

use super::program;
use crate::agent::{self, Directory, Invocation};
use crate::error::{Code, JobError};
use crate::request::AgentCommand;
use crate::store::EmptyDirectory;

/// See the module. An agent that was started for an equal one is the right agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The option's name and environment of the agent.
    pub(super) agent: AgentCommand,
    /// The whole argument vector, the program first.
    pub(super) arguments: Vec<String>,
    /// The directory to run in.
    pub(super) directory: PathBuf,
    /// The project that it works on; often the same.
    pub(super) project: PathBuf,
}

impl Launch {
    /// What an invocation on `project` starts; `empty` is where agents run that load settings from whatever directory
    /// they run in.
    ///
    /// # Errors
    /// `spawn_failed` where such an agent has no empty directory to run in.
    pub fn new(
        invocation: &Invocation<'_>,
        project: &Path,
        empty: &EmptyDirectory,
    ) -> Result<Self, JobError> {
        let agent = invocation.command;
        let directory = match agent::directory(invocation) {
            Directory::Project => project.to_owned(),
            Directory::Empty => empty.find().map_err(|error| no_empty_directory(&agent.name, &error))?,
        };
        Ok(Self {
            agent: agent.clone(),
            arguments: agent::arguments(invocation),
            directory,
            project: project.to_owned(),
        })
    }

    /// The program as the user named it.
    pub(super) fn program(&self) -> &str {
        self.arguments.first().map_or("", String::as_str)
    }

    /// Where the program is.
    ///
    /// # Errors
    /// `spawn_failed` where the project is gone, `agent_not_found` where there is no such program.
    pub(super) fn locate(&self) -> Result<PathBuf, JobError> {
        // A missing directory and a missing program are one error number, and not every agent runs in the project.
        if !self.project.is_dir() {
            return Err(project_gone(&self.project));
        }
        let (program, name) = (self.program(), &self.agent.name);
        if program::is_relative_path(program) {
            let message = format!(
                "`{program}` would be another program in each project; set agents.{name}.command to an absolute path, \
                 or to a name in PATH"
            );
            return Err(JobError::new(Code::AgentNotFound, message));
        }
        let path = program::search_path(self.agent.env.get("PATH"));
        program::find(program, &path).ok_or_else(|| {
            let message =
                format!("`{program}` was not found; install it, or set agents.{name}.command to where it is");
            JobError::new(Code::AgentNotFound, message)
        })
    }

    /// What the system's refusal to start the program at `path` comes to.
    pub(super) fn refused(&self, path: &Path, error: &io::Error) -> JobError {
        let name = &self.agent.name;
        let message =
            format!("{} could not be started: {error}; check agents.{name}.command", path.display());
        JobError::new(Code::SpawnFailed, message)
    }
}

fn project_gone(project: &Path) -> JobError {
    let message = format!(
        "the agent could not start: its working directory {} is gone; write the file to an existing directory",
        project.display()
    );
    JobError::new(Code::SpawnFailed, message)
}

fn no_empty_directory(agent: &str, error: &io::Error) -> JobError {
    let message = format!(
        "{agent} needs an empty directory to run in, since it loads settings from there: {error}; empty it, or set \
         data_dir to a directory that you can write to"
    );
    JobError::new(Code::SpawnFailed, message)
}
