//! What a test left running. Processes are found by a variable that all children of a test inherit, so that a
//! grandchild in a process group or session of its own is found too.

use std::process::{Child, Command};
use std::time::{Duration, Instant};

use super::scratch::Scratch;
use super::{POLL, wait, wait_for_some, wait_some};

/// One running process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// Its id.
    pub pid: u32,
    /// Its argument vector, joined by spaces.
    pub command: String,
}

/// Every process that carries this test's mark. A zombie has no environment any more and does not count.
/// Reads Linux's `/proc`; elsewhere nothing is found.
pub fn of(scratch: &Scratch) -> Vec<Process> {
    let mark = scratch.mark();
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let mut found: Vec<Process> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| carries(*pid, mark.as_bytes()))
        .map(|pid| Process { pid, command: command(pid) })
        .collect();
    found.sort_by_key(|process| process.pid);
    found
}

/// Waits until the test has no process but those with the given ids.
///
/// # Panics
/// Where something is still running at the deadline; it is named, and then killed.
#[track_caller]
pub fn wait_for_none_but(scratch: &Scratch, expected: &[u32], what: &str) {
    let report = || {
        let running = of(scratch);
        kill_all(scratch);
        format!("running: {running:#?}")
    };
    let (mark, mut left) = (scratch.mark(), Vec::new());
    wait_for_some(what, report, || {
        // To look through all processes takes long: it is done again when those that were found are gone.
        left.retain(|found: &Process| carries(found.pid, mark.as_bytes()));
        if left.is_empty() {
            left = of(scratch);
            left.retain(|found| !expected.contains(&found.pid));
        }
        left.is_empty().then_some(())
    });
}

/// Waits until a process that was killed holds no file any more: its environment is gone before that.
#[track_caller]
pub fn wait_for_end(pid: u32) {
    wait("the process has ended", || {
        let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        state.rsplit_once(") ").is_none_or(|(_, rest)| rest.starts_with(['Z', 'X']))
    });
}

/// Waits until a child has ended, and tells whether it did; one that takes longer than this is killed.
pub fn wait_or_kill(child: &mut Child, within: Duration) -> bool {
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > within {
            child.kill().unwrap();
            child.wait().unwrap();
            return false;
        }
        std::thread::sleep(POLL);
    }
    true
}

/// A test is over: nothing of it is left.
#[track_caller]
pub fn all_over(scratch: &Scratch, what: &str) {
    if std::thread::panicking() {
        kill_all(scratch);
    } else {
        wait_for_none_but(scratch, &[], what);
    }
}

/// Kills whatever the test has running: the last resort of a test that fails.
fn kill_all(scratch: &Scratch) {
    for process in of(scratch) {
        signal(process.pid, "KILL");
    }
}

/// Sends a signal, by name, to one process.
pub fn signal(pid: u32, name: &str) {
    let sent = Command::new("kill").arg(format!("-{name}")).arg(pid.to_string()).output();
    assert!(sent.is_ok(), "kill(1) is not there");
}

/// Waits until one process of the test has a command with `part` in it, and gives it back.
#[track_caller]
pub fn wait_for(scratch: &Scratch, part: &str) -> Process {
    wait_some(&format!("a process whose command has {part:?} in it"), || {
        of(scratch).into_iter().find(|process| process.command.contains(part))
    })
}

/// The memory of a process, in KiB. Reads Linux's `/proc`.
///
/// # Panics
/// Where that does not say it.
#[track_caller]
pub fn memory(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

fn carries(pid: u32, mark: &[u8]) -> bool {
    std::fs::read(format!("/proc/{pid}/environ"))
        .is_ok_and(|environment| environment.split(|byte| *byte == 0).any(|entry| entry == mark))
}

fn command(pid: u32) -> String {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&line).replace('\0', " ").trim_end().to_owned()
}
