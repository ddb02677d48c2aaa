//! The process groups of the agents that the host has started, and the processes that it has inherited from them.
//!
//! A group's number is its leader's process id. It stays taken as long as the leader has not been reaped, so a group is
//! in this set, and is signalled, only until then: afterwards another process may have the number.
//!
//! A process that leaves its group (`setsid`) outlives it. On Linux the host is a subreaper: such a process becomes a
//! child of the host when its own parent ends. It does not name the agent that it comes from; but it is younger than
//! that agent, so the host may end it once every agent that is older than it has ended.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::RawFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::processes::{self, ProcessEntry, signal_group};
use crate::reap::Reaper;

/// The groups that are alive.
#[derive(Debug, Clone, Default)]
pub struct Groups {
    living: Arc<Mutex<Living>>,
    /// Whether orphans become children of this process.
    inherits: bool,
    /// Whether a process of its own is told of the groups.
    is_watched: bool,
}

#[derive(Debug, Default)]
struct Living {
    leaders: BTreeSet<i32>,
    /// Ends what is left where this process dies. Started with the first agent.
    reaper: Option<Reaper>,
}

/// The processes that an agent has left, as far as the host may end them.
#[derive(Debug, Default)]
pub(super) struct EndedGroups {
    group: Option<i32>,
    orphans: Vec<i32>,
}

impl Groups {
    /// The groups of a process that has no other children than these agents, and inherits what they leave behind.
    pub fn inheriting() -> Self {
        let inherits = become_subreaper();
        if let Err(error) = &inherits {
            tracing::info!(%error, "processes that leave their agent's group are not ended");
        }
        Self { inherits: inherits.is_ok(), is_watched: true, ..Self::default() }
    }

    /// Kills everything at once, without a grace. For panics: nothing else may run afterwards.
    pub fn kill_all(&self) {
        for pgid in std::mem::take(&mut self.lock().leaders) {
            signal_group(pgid, libc::SIGKILL);
        }
        self.remains(0).signal(libc::SIGKILL);
    }

    /// Where an agent that begins says so, see `reap::begin`: to what ends the agents should this host die.
    pub(super) fn watch(&self) -> Option<RawFd> {
        let mut living = self.lock();
        if self.is_watched && living.reaper.is_none() {
            match Reaper::start() {
                Ok(reaper) => living.reaper = Some(reaper),
                Err(error) => tracing::warn!(%error, "nothing ends the agents should this host die"),
            }
        }
        living.reaper.as_ref().map(Reaper::input)
    }

    /// A leader that has just been started, and is not reaped before [`Groups::leave`].
    pub(super) fn enter(&self, pgid: i32) {
        self.lock().leaders.insert(pgid);
    }

    /// The leader is about to be reaped; whether it was here.
    pub(super) fn leave(&self, pgid: i32) -> bool {
        let mut living = self.lock();
        if let Some(reaper) = &mut living.reaper {
            reaper.end(pgid);
        }
        living.leaders.remove(&pgid)
    }

    /// What is left of the group `pgid`, whose leader has ended, and the inherited processes that belong to no agent
    /// any more. Reaps what of that has ended.
    pub(super) fn remains(&self, pgid: i32) -> EndedGroups {
        if self.has_only_leaders() {
            return EndedGroups::default();
        }
        let found = processes::all();
        let is_left = |entry: &ProcessEntry| entry.group == pgid && !entry.is_zombie;
        // Where no process is ever found, the group itself tells; there a zombie does not count.
        let has_group = if found.is_empty() { signal_group(pgid, 0) } else { found.iter().any(is_left) };
        let orphans = if self.inherits { self.orphans(&found) } else { Vec::new() };
        EndedGroups { group: has_group.then_some(pgid), orphans }
    }

    /// Whether the host has no child but leaders: then nothing is left of a leader that has ended, as its children are
    /// the host's since. Most agents leave nothing behind, and to look at all processes takes milliseconds.
    fn has_only_leaders(&self) -> bool {
        let living = self.lock();
        let is_only = |children: Vec<i32>| children.iter().all(|child| living.is_known(*child));
        self.inherits && processes::children().is_some_and(is_only)
    }

    fn orphans(&self, found: &[ProcessEntry]) -> Vec<i32> {
        let living = self.lock();
        let oldest = found.iter().filter(|entry| living.leaders.contains(&entry.pid) && !entry.is_zombie);
        let oldest = oldest.map(|entry| entry.started).min().unwrap_or(u64::MAX);
        let host = std::process::id().cast_signed();
        let inherited = found.iter().filter(|entry| entry.parent == host && !living.is_known(entry.pid));
        inherited.filter(|entry| entry.started < oldest && !reap(entry.pid)).map(|entry| entry.pid).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Living> {
        // A poisoned set is still the right set: every change to it is one insert or one remove.
        self.living.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Living {
    /// Whether a child of this process is one that it has started.
    fn is_known(&self, pid: i32) -> bool {
        self.leaders.contains(&pid) || self.reaper.as_ref().is_some_and(|reaper| reaper.pid() == pid)
    }
}

impl EndedGroups {
    /// Whether there is nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.group.is_none() && self.orphans.is_empty()
    }

    /// Sends a signal to all of it. At once after it was found: only this thread reaps, so no number is another's yet.
    pub(super) fn signal(&self, signal: i32) {
        if let Some(pgid) = self.group {
            signal_group(pgid, signal);
        }
        for &pid in &self.orphans {
            // SAFETY: kill takes no pointers; `pid` is a child of ours that was not reaped.
            unsafe { libc::kill(pid, signal) };
        }
    }
}

/// Reaps a child that has ended; whether it had.
fn reap(pid: i32) -> bool {
    // SAFETY: no status is asked for.
    unsafe { libc::waitpid(pid, std::ptr::null_mut(), libc::WNOHANG) == pid }
}

#[cfg(target_os = "linux")]
fn become_subreaper() -> io::Result<()> {
    // SAFETY: takes no pointers.
    let failed = unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) } != 0;
    if failed { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(not(target_os = "linux"))]
fn become_subreaper() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
