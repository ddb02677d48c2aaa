//! The agent's process: how it is started, stopped and waited for. Only this module starts processes.
//!
//! Every agent leads a process group of its own, with no shell in between. Its group never outlives the
//! [`Process`] value, nor the host: on Linux the kernel ends the agent with the host, and [`Groups`] lets a
//! panic end them all. `spawn` must run on the host's main thread, because the parent-death signal
//! fires when the *thread* that spawned the child ends.

use std::io;
use std::os::fd::RawFd;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Instant, sleep, timeout};

use super::groups::Groups;
use super::launch::Launch;
use super::program;
use crate::error::JobError;
use crate::processes::signal_group;
use crate::reap;
use crate::stream::ExitStatus;

/// How long the processes that an agent leaves have until they are killed, and then until the host gives up.
const GRACE_OF_REST: Duration = Duration::from_millis(200);
/// How often the host looks whether something of it is left.
const POLL: Duration = Duration::from_millis(10);
/// Variables of the editor's environment that an agent must not see: with `CLAUDECODE` set the Claude CLI
/// refuses to start inside another one, and the `NVIM` ones are an open door into the editor.
const HIDDEN: [&str; 3] = ["CLAUDECODE", "NVIM", "NVIM_LISTEN_ADDRESS"];

/// A running agent. Dropping it kills its process group.
#[derive(Debug)]
pub struct Process {
    child: Child,
    /// Tells when any child has ended.
    children: Signal,
    pgid: i32,
    groups: Groups,
}

/// What takes the message, what gives the stream, and what the agent says to people.
pub type Pipes = (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>);

impl Process {
    /// Starts the agent.
    ///
    /// # Errors
    /// `agent_not_found` if the program does not exist, `spawn_failed` for everything else.
    pub fn spawn(launch: &Launch, groups: &Groups) -> Result<(Self, Pipes), JobError> {
        let program = launch.locate()?;
        let refused = |error: io::Error| launch.refused(&program, &error);
        // Before the child, so that its end is not missed.
        let children = signal(SignalKind::child()).map_err(refused)?;
        let mut child = command(launch, &program, groups.watch()).spawn().map_err(refused)?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        // It has one until it is reaped.
        let pgid = child.id().unwrap_or_default().cast_signed();
        groups.enter(pgid);
        Ok((Self { child, children, pgid, groups: groups.clone() }, pipes))
    }

    /// The process group's id, which is the agent's process id.
    pub fn pgid(&self) -> i32 {
        self.pgid
    }

    /// Waits for the agent's own end; its children may still live. It is not reaped, which keeps the group's number its
    /// own until [`Process::end_rest`].
    pub async fn wait(&mut self) -> ExitStatus {
        loop {
            if let Some(exit) = self.exit() {
                return exit;
            }
            self.children.recv().await;
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
    pub fn has_ended(&self) -> bool {
        self.exit().is_some()
    }

    /// Asks the group to end, and ends it by force after `grace` at the latest.
    pub async fn end(mut self, grace: Duration) {
        self.terminate();
        if timeout(grace, self.wait()).await.is_err() {
            self.kill();
            self.wait().await;
        }
        self.end_rest().await;
    }

    /// Ends the processes that the agent has left, once it has ended itself: TERM, and KILL after a short grace.
    pub async fn end_rest(mut self) {
        let mut remains = self.groups.remains(self.pgid);
        remains.signal(libc::SIGTERM);
        let (asked, forced) = (Instant::now() + GRACE_OF_REST, Instant::now() + 2 * GRACE_OF_REST);
        while !remains.is_empty() && Instant::now() < forced {
            // The kernel does not report when a group becomes empty.
            sleep(POLL).await;
            remains = self.groups.remains(self.pgid);
            if Instant::now() >= asked {
                // In a loop: the host inherits the children of each killed process next.
                remains.signal(libc::SIGKILL);
            }
        }
        // Before it leaves: of a group that is not known another job's end would reap it as an orphan.
        if let Err(error) = self.child.wait().await {
            tracing::error!(pgid = self.pgid, %error, "cannot reap the agent");
        }
        self.groups.leave(self.pgid);
    }

    /// How the agent has ended, if it has.
    fn exit(&self) -> Option<ExitStatus> {
        // SAFETY: all zeros are a valid `siginfo_t`, which `waitid` fills in; its fields are those of a child's end.
        let (asked, ended, code, status) = unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let how = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
            let asked = libc::waitid(libc::P_PID, self.pgid.unsigned_abs(), &raw mut info, how);
            (asked, info.si_pid(), info.si_code, info.si_status())
        };
        match code {
            // Where this cannot be known, it counts as gone.
            _ if asked != 0 => Some(ExitStatus::Signal(libc::SIGKILL)),
            _ if ended == 0 => None,
            libc::CLD_EXITED => Some(ExitStatus::Code(status)),
            libc::CLD_KILLED | libc::CLD_DUMPED => Some(ExitStatus::Signal(status)),
            // Some systems report a child that was only stopped.
            _ => None,
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Only on a way out without `end_rest`; after that the number may be another's.
        if self.groups.leave(self.pgid) {
            self.kill();
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the module that starts processes")]
fn command(launch: &Launch, program: &Path, reaper: Option<RawFd>) -> Command {
    let mut command = Command::new(program);
    command
        .arg0(launch.program())
        .args(launch.arguments.iter().skip(1))
        .current_dir(&launch.invocation.directory)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    for name in HIDDEN {
        command.env_remove(name);
    }
    command.envs(&launch.environment).env("PATH", program::search_path(launch.environment.get("PATH")));
    prepare_child(&mut command, reaper);
    command
}

/// Prepares the child between fork and exec. It gets the default action of SIGXFSZ back, which the host ignores, and a
/// slightly lower priority, so that agents which burn CPU do not slow the editor, and tells the reaper of itself. On
/// Linux the kernel ends it when the host's main thread ends, by whatever cause.
fn prepare_child(command: &mut Command, reaper: Option<RawFd>) {
    #[cfg(target_os = "linux")]
    let host = std::process::id();
    let prepare = move || {
        // SAFETY: plain system calls that neither allocate nor lock, as a forked child demands.
        unsafe {
            libc::signal(libc::SIGXFSZ, libc::SIG_DFL);
            #[cfg(target_os = "linux")]
            {
                if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) == -1 {
                    return Err(io::Error::last_os_error());
                }
                // The host may have died between the fork and the call above.
                if libc::getppid().cast_unsigned() != host {
                    return Err(io::Error::from_raw_os_error(libc::ESRCH));
                }
                libc::setpriority(libc::PRIO_PROCESS, 0, 5);
            }
        }
        if let Some(reaper) = reaper {
            reap::begin(reaper);
        }
        Ok(())
    };
    // SAFETY: `prepare` keeps to what is allowed between fork and exec, see above.
    unsafe { command.pre_exec(prepare) };
}
