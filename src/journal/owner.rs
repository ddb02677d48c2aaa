//! Which Neovim a job belongs to, in a way that outlives it: its process id and when it started, since ids
//! are used again, and the machine, its boot and its PID namespace, since only there an id means anything.

use std::os::unix::fs::MetadataExt;

use crate::processes;

/// The Neovim of a session: the plugin names a session by random digits, `p` and the process id of Neovim. Where that is
/// not in the name it is the parent, which would be another process where Neovim has ended before this host began.
pub fn of(session: &str) -> String {
    let named = session.rsplit_once('p').and_then(|(_, pid)| pid.parse().ok());
    name(named.unwrap_or_else(std::os::unix::process::parent_id))
}

/// Whether that process may still run: in another container, or on another machine that shares this home, nobody knows.
pub fn is_alive(owner: &str) -> bool {
    let parts: Vec<&str> = owner.split(':').collect();
    let [pid, _, machine, boot, namespace] = parts[..] else { return false };
    let here = place();
    if machine != here[0] {
        return true;
    }
    let runs_here = || pid.parse().is_ok_and(|pid| runs(pid) && name(pid) == owner);
    boot == here[1] && (namespace != here[2] || runs_here())
}

/// What a Neovim with this process id is called. One that has ended and was not reaped, which in a container may last, has
/// no start, nor has any elsewhere than on Linux: there the id alone has to do.
pub fn name(pid: u32) -> String {
    let entry = processes::entry(pid.cast_signed()).filter(|entry| !entry.is_zombie);
    let started = entry.map(|entry| entry.started.to_string()).unwrap_or_default();
    format!("{pid}:{started}:{}", place().join(":"))
}

/// The machine, its boot and the PID namespace of this process; empty where the system does not tell, as elsewhere than
/// on Linux.
fn place() -> [String; 3] {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    let machine = Some(read("/etc/machine-id")).filter(|id| !id.is_empty());
    let machine = machine.unwrap_or_else(|| read("/proc/sys/kernel/hostname"));
    let namespace = std::fs::metadata("/proc/self/ns/pid").map(|namespace| namespace.ino().to_string());
    [machine, read("/proc/sys/kernel/random/boot_id"), namespace.unwrap_or_default()]
}

fn runs(pid: u32) -> bool {
    let Ok(pid) = i32::try_from(pid) else { return false };
    // SAFETY: signal 0 only asks. EPERM means that it runs as another user.
    pid > 0
        && (unsafe { libc::kill(pid, 0) } == 0
            || std::io::Error::last_os_error().raw_os_error() == Some(libc::EPERM))
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;
    use crate::journal::sample::until;

    #[test]
    fn a_process_is_known_by_its_id_and_its_start() {
        let me = name(std::process::id());
        assert!(is_alive(&me) && is_alive(&of("a session of its parent")), "{me}");
        assert_eq!(of(&format!("abcp{}", std::process::id())), me);
        assert!(!is_alive("nonsense"));
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let gone = name(child.id());
        assert!(is_alive(&gone), "{gone}");
        drop(child.stdin.take());
        if cfg!(target_os = "linux") {
            until(|| !is_alive(&gone), "it has ended, though nobody has asked how");
        }
        child.wait().unwrap();
        assert!(!is_alive(&gone), "{gone}");
        assert!(!is_alive(&of(&format!("abcp{}", child.id()))), "it had ended before this host began");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn an_id_means_nothing_elsewhere() {
        let me = name(std::process::id());
        let with = |part: usize, value: &str| {
            let mut parts: Vec<&str> = me.split(':').collect();
            parts[part] = value;
            is_alive(&parts.join(":"))
        };
        assert!(!with(1, "1"), "another process with the same id");
        assert!(with(2, "another machine"));
        assert!(!with(3, "an earlier boot"));
        assert!(with(4, "another namespace"));
    }
}
