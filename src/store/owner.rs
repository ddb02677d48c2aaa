//! Which Neovim a job belongs to, in a way that outlives it: its process id and when it started, since ids
//! are used again.

/// The Neovim that started this host.
pub fn current() -> String {
    // SAFETY: getppid takes nothing and cannot fail.
    let pid = unsafe { libc::getppid() }.cast_unsigned();
    name(pid)
}

/// This host, named in the same way.
pub fn host() -> String {
    name(std::process::id())
}

/// Whether that process still runs.
pub fn is_alive(owner: &str) -> bool {
    let pid = owner.split(':').next().and_then(|pid| pid.parse().ok());
    pid.is_some_and(|pid| runs(pid) && name(pid) == owner)
}

/// What a Neovim with this process id is called.
pub fn name(pid: u32) -> String {
    format!("{pid}:{}", start_time(pid).unwrap_or_default())
}

/// When a process started, in the kernel's ticks since boot: field 22 of `/proc/PID/stat`; nothing where it has
/// ended and was not reaped (state `Z`), which in a container may last. Elsewhere than on Linux nothing
/// is known, and the id alone has to do.
fn start_time(pid: u32) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field, the command in parentheses, may hold anything.
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    let state = fields.next()?;
    fields.nth(18).filter(|_| state != "Z").map(str::to_owned)
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
    use super::*;

    #[test]
    fn a_process_is_known_by_its_id_and_its_start() {
        let me = name(std::process::id());
        assert!(is_alive(&me), "{me}");
        assert!(is_alive(&current()));
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let gone = name(child.id());
        child.wait().unwrap();
        assert!(!is_alive(&gone), "{gone}");
        assert!(!is_alive("nonsense"));
        #[cfg(target_os = "linux")]
        assert!(!is_alive(&format!("{}:1", std::process::id())), "another process with the same id");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_that_has_ended_is_gone_though_nobody_has_asked_how() {
        use std::io::Read;
        use std::process::{Command, Stdio};

        let mut child = Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let owner = name(child.id());
        assert!(is_alive(&owner), "{owner}");
        drop(child.stdin.take());
        child.stdout.take().unwrap().read_to_end(&mut Vec::new()).unwrap();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while is_alive(&owner) {
            assert!(std::time::Instant::now() < deadline, "{owner} still counts as running");
            std::thread::yield_now();
        }
        child.wait().unwrap();
    }
}
