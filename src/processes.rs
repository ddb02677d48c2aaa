//! The processes of the machine as far as the host has to know them: which Neovim has started it, what is left of a
//! process group, and what the host has inherited. From Linux's `/proc`; elsewhere nothing is found.

/// One process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessEntry {
    /// Its id.
    pub pid: i32,
    /// It has ended, and its parent has not asked how.
    pub is_zombie: bool,
    /// Its parent's id.
    pub parent: i32,
    /// Its process group.
    pub group: i32,
    /// When it started, in the kernel's ticks since boot.
    pub started: u64,
}

/// All that run now.
pub fn all() -> Vec<ProcessEntry> {
    let Ok(found) = std::fs::read_dir("/proc") else { return Vec::new() };
    let pids = found.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(entry).collect()
}

/// The one with this id.
pub fn entry(pid: i32) -> Option<ProcessEntry> {
    parse(pid, &std::fs::read(format!("/proc/{pid}/stat")).ok()?)
}

/// Sends `signal` to a group; false where no process of it is left.
pub fn signal_group(pgid: i32, signal: i32) -> bool {
    // Never 0 or 1: those would mean the host's own group, or every process there is.
    // SAFETY: kill takes no pointers.
    pgid > 1 && unsafe { libc::kill(-pgid, signal) == 0 }
}

/// The children of this process, zombies included, at much less cost than [`all`]; none if the kernel does not report
/// them. The main thread starts them all, and it inherits what others leave. It leaves none out as long as the thread
/// that asks is the one that reaps them.
pub fn children() -> Option<Vec<i32>> {
    let children =
        std::fs::read_to_string(format!("/proc/self/task/{}/children", std::process::id())).ok()?;
    Some(children.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect())
}

/// Reads `/proc/PID/stat`. Its second field, the command in parentheses, may hold any bytes.
fn parse(pid: i32, stat: &[u8]) -> Option<ProcessEntry> {
    let end = memchr::memrchr(b')', stat)?;
    let rest = str::from_utf8(stat.get(end + 1..)?).ok()?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    Some(ProcessEntry {
        pid,
        is_zombie: matches!(*fields.first()?, "Z" | "X"),
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_may_have_any_name() {
        let stat = b"12 (a) R \xff (b) S 3 4 4 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 77 1 2";
        let expected = ProcessEntry { pid: 12, is_zombie: false, parent: 3, group: 4, started: 77 };
        assert_eq!(parse(12, stat), Some(expected));
        assert_eq!(parse(12, b"12 (cut"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_is_among_them() {
        let me = std::process::id().cast_signed();
        assert!(all().iter().any(|entry| entry.pid == me && !entry.is_zombie));
    }
}
