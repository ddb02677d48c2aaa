//! The agent's process: how it is started, stopped and waited for. Only this room starts processes.
//!
//! Every agent leads a process group of its own, with no shell in between. Its group never outlives the
//! [`Process`] value, nor the host: on Linux the kernel ends the agent with the host, and [`Groups`] lets a
//! panic end them all. `spawn` must run on the host's main thread, because the parent-death signal
//! fires when the *thread* that spawned the child ends.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

use crate::agent::{self, Directory, Invocation};
use crate::error::{Code, JobError};
use crate::request::AgentCommand;
use crate::stream::Exit;

/// Variables of the editor's environment that an agent must not see: with `CLAUDECODE` set the Claude CLI
/// refuses to start inside another one, and the `NVIM` ones are an open door into the editor.
const HIDDEN: [&str; 3] = ["CLAUDECODE", "NVIM", "NVIM_LISTEN_ADDRESS"];

/// The process groups that are alive, for the one who has to end them all at once.
#[derive(Debug, Clone, Default)]
pub struct Groups(Arc<Mutex<BTreeSet<i32>>>);

impl Groups {
    /// Kills every group, at once and without a grace. For panics: nothing else may run afterwards.
    pub fn kill_all(&self) {
        for &pgid in self.lock().iter() {
            signal_group(pgid, libc::SIGKILL);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeSet<i32>> {
        // A poisoned set is still the right set: every change to it is one insert or one remove.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What to start: everything that is decided when a process starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The option's name and environment of the agent.
    agent: AgentCommand,
    /// The whole argument vector, the program first.
    arguments: Vec<String>,
    /// The directory to run in.
    directory: PathBuf,
    /// The project that it works on; often the same.
    project: PathBuf,
}

impl Launch {
    /// What an invocation on `project` starts; `empty` is where agents run that would trust whatever they run in.
    pub fn new(invocation: &Invocation<'_>, project: &Path, empty: &Path) -> Self {
        let directory = match agent::directory(invocation) {
            Directory::Project => project,
            Directory::Empty => empty,
        };
        Self {
            agent: invocation.command.clone(),
            arguments: agent::arguments(invocation),
            directory: directory.to_owned(),
            project: project.to_owned(),
        }
    }
}

/// A running agent. Dropping it kills its process group.
#[derive(Debug)]
pub struct Process {
    child: Child,
    pgid: i32,
    groups: Groups,
}

/// The agent's three pipes.
#[derive(Debug)]
pub struct Pipes {
    /// Takes the message.
    pub stdin: ChildStdin,
    /// The stream.
    pub stdout: ChildStdout,
    /// What the agent says to people.
    pub stderr: ChildStderr,
}

impl Process {
    /// Starts the agent.
    ///
    /// # Errors
    /// `agent_not_found` where there is no such program, `spawn_failed` for everything else.
    pub fn spawn(launch: &Launch, groups: &Groups) -> Result<(Self, Pipes), JobError> {
        // A missing directory and a missing program are one error number, and not every agent runs in the project.
        if !launch.project.is_dir() {
            return Err(gone(&launch.project));
        }
        let mut child = command(launch).spawn().map_err(|error| explain(launch, &error))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let pgid = child.id().and_then(|pid| i32::try_from(pid).ok());
        let (Some(pgid), (Some(stdin), Some(stdout), Some(stderr))) = (pgid, pipes) else {
            return Err(JobError::new(Code::SpawnFailed, "the agent started without its pipes"));
        };
        groups.lock().insert(pgid);
        Ok((Self { child, pgid, groups: groups.clone() }, Pipes { stdin, stdout, stderr }))
    }

    /// The process group's id, which is the agent's process id.
    pub fn pgid(&self) -> i32 {
        self.pgid
    }

    /// Waits for the agent's own end; its children may still live.
    pub async fn wait(&mut self) -> Exit {
        match self.child.wait().await {
            Ok(status) => exit_of(status),
            Err(error) => {
                tracing::error!(pgid = self.pgid, %error, "cannot wait for the agent");
                Exit::Signal(libc::SIGKILL)
            }
        }
    }

    /// Asks the whole group to end.
    pub fn terminate(&self) {
        signal_group(self.pgid, libc::SIGTERM);
    }

    /// Ends the whole group.
    pub fn kill(&self) {
        signal_group(self.pgid, libc::SIGKILL);
    }

    /// Whether the agent itself has ended.
    pub fn has_ended(&mut self) -> bool {
        // Where nobody can say, it is as good as gone.
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Asks the group to end, and ends it by force after `grace` at the latest.
    pub async fn end(mut self, grace: Duration) {
        self.terminate();
        if timeout(grace, self.wait()).await.is_err() {
            self.kill();
            self.wait().await;
        }
    }

    /// Whether any process of the group is left.
    pub fn has_group(&self) -> bool {
        signal_group(self.pgid, 0)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        self.groups.lock().remove(&self.pgid);
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the room that starts processes")]
fn command(launch: &Launch) -> Command {
    let (program, arguments) = launch.arguments.split_first().map_or(("", &[][..]), |(p, a)| (p.as_str(), a));
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(&launch.directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    for name in HIDDEN {
        command.env_remove(name);
    }
    command.envs(&launch.agent.env);
    tie_to_host(&mut command);
    command
}

/// Lets the kernel end the agent when the host's main thread ends, by whatever cause, and lowers the
/// agent's priority a little, so that agents which burn CPU do not slow the editor.
#[cfg(target_os = "linux")]
fn tie_to_host(command: &mut Command) {
    let host = std::process::id();
    let prepare = move || {
        // SAFETY: plain system calls that neither allocate nor lock, as a forked child demands.
        unsafe {
            if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) == -1 {
                return Err(io::Error::last_os_error());
            }
            // The host may have died between the fork and the call above.
            if libc::getppid().cast_unsigned() != host {
                return Err(io::Error::from_raw_os_error(libc::ESRCH));
            }
            libc::setpriority(libc::PRIO_PROCESS, 0, 5);
        }
        Ok(())
    };
    // SAFETY: `prepare` keeps to what is allowed between fork and exec, see above.
    unsafe { command.pre_exec(prepare) };
}

#[cfg(not(target_os = "linux"))]
fn tie_to_host(_command: &mut Command) {}

fn gone(project: &Path) -> JobError {
    let message = format!(
        "the agent could not start: its working directory {} is gone; write the file to an existing directory",
        project.display()
    );
    JobError::new(Code::SpawnFailed, message)
}

fn explain(launch: &Launch, error: &io::Error) -> JobError {
    let program = launch.arguments.first().map_or("", String::as_str);
    let name = &launch.agent.name;
    match find(program, launch.agent.env.get("PATH").map(OsStr::new)) {
        None => JobError::new(
            Code::AgentNotFound,
            format!("`{program}` was not found; install it, or set agents.{name}.command to where it is"),
        ),
        Some(path) => JobError::new(
            Code::SpawnFailed,
            format!("{} could not be started: {error}; check agents.{name}.command", path.display()),
        ),
    }
}

/// Where `program` is, as the system would look it up; `path` overrides PATH.
fn find(program: &str, path: Option<&OsStr>) -> Option<PathBuf> {
    if program.contains('/') {
        return Some(PathBuf::from(program)).filter(|file| file.exists());
    }
    let path = path.map(OsStr::to_owned).or_else(|| std::env::var_os("PATH"))?;
    std::env::split_paths(&path).map(|dir| dir.join(program)).find(|file| file.is_file())
}

fn exit_of(status: std::process::ExitStatus) -> Exit {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Code(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::Signal(libc::SIGKILL),
    }
}

/// Sends `signal` to a group; false where no process of it is left.
fn signal_group(pgid: i32, signal: i32) -> bool {
    // Never 0 or 1: those would mean the host's own group, or every process there is.
    if pgid <= 1 {
        return false;
    }
    // SAFETY: kill takes no pointers.
    unsafe { libc::kill(-pgid, signal) == 0 }
}
