//! The launch of an agent: everything that is decided before its process exists.

use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::empty::EmptyDirectory;
use super::program;
use crate::agent::{AgentCommand, AgentStart, Directory, Invocation};
use crate::agent_message;
use crate::error::{Code, JobError};
use crate::stream::Stream;

/// See the module.
#[derive(Debug, Clone)]
pub struct Launch {
    pub(super) invocation: Invocation,
    /// What is added to its environment.
    pub(super) environment: BTreeMap<String, String>,
    /// The whole argument vector, the program first.
    pub(super) arguments: Vec<String>,
}

impl Launch {
    /// What this starts; `empty` is where agents run that load settings from whatever directory they run in.
    ///
    /// # Errors
    /// `spawn_failed` where such an agent has no empty directory to run in.
    pub fn new(start: &AgentStart, empty: &EmptyDirectory) -> Result<Self, JobError> {
        let agent = &start.agent;
        let directory = match start.directory() {
            Directory::Project => start.cwd.clone(),
            Directory::Empty => empty.find().map_err(|error| no_empty_directory(&agent.name, &error))?,
        };
        let policy = agent.recipe().policy.map(|(name, rules)| empty.write_beside(name, rules)).transpose();
        let policy = policy.map_err(|error| no_empty_directory(&agent.name, &error))?;
        let (start, is_inside) = (start.clone(), Some(is_inside as fn(&Path, &Path) -> bool));
        let invocation = Invocation { start, system: agent_message::SYSTEM, directory, policy, is_inside };
        let (environment, arguments) = (invocation.environment(), invocation.arguments());
        Ok(Self { invocation, environment, arguments })
    }

    /// Whether an agent that was started for this is the right one for `other`.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let (ours, theirs) = (&self.invocation, &other.invocation);
        ours.start == theirs.start && ours.directory == theirs.directory
    }

    /// A program other than an agent.
    ///
    /// # Errors
    /// As above.
    pub(super) fn of_command(command: Vec<String>, env: BTreeMap<String, String>) -> Result<Self, JobError> {
        let agent = AgentCommand { name: "mine".to_owned(), command, env, ..AgentCommand::default() };
        let start = AgentStart { agent, cwd: std::env::temp_dir(), ..AgentStart::default() };
        Self::new(&start, &EmptyDirectory::default())
    }

    /// The stream of such an agent, which has not begun.
    pub(super) fn stream(&self) -> Stream {
        let AgentStart { cwd, resume, .. } = &self.invocation.start;
        let stream = Stream::new(self.invocation.decoder(), &cwd.to_string_lossy());
        if resume.is_some() { stream.resumed() } else { stream }
    }

    /// The program as the user named it.
    pub(super) fn program(&self) -> &str {
        self.arguments.first().map_or("", String::as_str)
    }

    /// Where the program is.
    ///
    /// # Errors
    /// `spawn_failed` where the project is gone, `agent_not_found` if the program does not exist.
    pub(super) fn locate(&self) -> Result<PathBuf, JobError> {
        // A missing directory and a missing program are one error number, and not every agent runs in the project.
        let AgentStart { agent: AgentCommand { name, .. }, cwd, .. } = &self.invocation.start;
        if !cwd.is_dir() {
            return Err(project_gone(cwd));
        }
        let program = self.program();
        if program::is_relative_path(program) {
            let message = format!(
                "`{program}` is a relative path: set agents.{name}.command to an absolute path, \
                 or to a name in PATH"
            );
            return Err(JobError::new(Code::AgentNotFound, message));
        }
        program::find_program(program, self.environment.get("PATH")).ok_or_else(|| {
            let message = format!("`{program}` was not found: install it, or set agents.{name}.command");
            JobError::new(Code::AgentNotFound, message)
        })
    }

    /// What the system's refusal to start the program at `path` comes to.
    pub(super) fn refused(&self, path: &Path, error: &io::Error) -> JobError {
        let name = &self.invocation.start.agent.name;
        let path = path.display();
        let message = format!("{path} could not be started: check agents.{name}.command: {error}");
        JobError::new(Code::SpawnFailed, message)
    }
}

fn project_gone(project: &Path) -> JobError {
    let message =
        format!("the working directory {} is gone: write the file to another one", project.display());
    JobError::new(Code::SpawnFailed, message)
}

/// Whether a path is within a directory, whatever links lead to it; there may be nothing yet or any more at its end.
fn is_inside(directory: &Path, path: &Path) -> bool {
    let is_plain = path.is_absolute() && !path.components().any(|part| part == Component::ParentDir);
    let known = path.ancestors().find(|path| path.symlink_metadata().is_ok());
    let real = |path: &Path| path.canonicalize().ok();
    is_plain && known.and_then(real).zip(real(directory)).is_some_and(|(path, of)| path.starts_with(of))
}

fn no_empty_directory(agent: &str, error: &io::Error) -> JobError {
    let message = format!(
        "no empty directory for {agent}, which loads settings from where it runs: set `data_dir` to a directory that you \
         can write to, or empty it: {error}"
    );
    JobError::new(Code::SpawnFailed, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Launch {
        /// The same, for tests.
        pub(in crate::job) fn of_text(command: &[&str]) -> Self {
            let command = command.iter().copied().map(str::to_owned).collect();
            Self::of_command(command, BTreeMap::new()).unwrap()
        }
    }

    #[test]
    fn what_is_in_the_project_is_so_by_its_real_path() {
        let place = tempfile::tempdir().unwrap();
        let project = place.path().join("project");
        std::fs::create_dir_all(project.join("inside")).unwrap();
        std::fs::create_dir(place.path().join("outside")).unwrap();
        std::os::unix::fs::symlink("../outside", project.join("link")).unwrap();
        std::os::unix::fs::symlink("nowhere", project.join("dangling")).unwrap();
        let inside = ["", "inside", "missing", "missing/below"];
        let outside = ["link", "dangling", "../outside", "missing/../../outside", "missing/../inside"];
        assert!(inside.iter().all(|path| is_inside(&project, &project.join(path))));
        assert!(!outside.iter().any(|path| is_inside(&project, &project.join(path))));
        assert!(!is_inside(&project, Path::new("inside")));
    }
}
