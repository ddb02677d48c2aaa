//! A terminal for a program: its output is read, and forgotten but for what a test waits for.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// The user's end of a terminal.
pub struct Terminal {
    user: File,
    watch: Arc<(Mutex<Watch>, Condvar)>,
}

/// What is waited for.
#[derive(Default)]
struct Watch {
    wanted: Vec<u8>,
    /// What came since it is, as far as it may be in there still.
    seen: Vec<u8>,
    found: Option<Instant>,
}

impl Terminal {
    /// Starts a program in a terminal of this size.
    pub fn start(command: &mut Command, (columns, rows): (u16, u16)) -> io::Result<(Self, Child)> {
        let (user, program) = open(columns, rows)?;
        command.stdin(program.try_clone()?).stdout(program.try_clone()?).stderr(program);
        // SAFETY: both calls may be made between fork and exec.
        let command = unsafe {
            command.pre_exec(|| {
                if libc::setsid() < 0 || libc::ioctl(0, libc::TIOCSCTTY as _, 0) < 0 {
                    return Err(io::Error::last_os_error());
                }
                Ok(())
            })
        };
        let child = command.spawn()?;
        let watch = Arc::<(Mutex<Watch>, Condvar)>::default();
        let (mut output, seen) = (user.try_clone()?, Arc::clone(&watch));
        std::thread::spawn(move || {
            let mut bytes = vec![0; 1 << 16];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                seen.0.lock().unwrap().take(&bytes[..count], Instant::now());
                seen.1.notify_all();
            }
        });
        Ok((Self { user, watch }, child))
    }

    /// Types keys, and gives the time until the program has drawn `shown`; none where it has not `within` that time.
    pub fn type_until(&mut self, keys: &str, shown: &str, within: Duration) -> Option<Duration> {
        *self.watch.0.lock().unwrap() = Watch { wanted: shown.into(), ..Watch::default() };
        let start = Instant::now();
        self.user.write_all(keys.as_bytes()).ok()?;
        let watch = self.watch.0.lock().unwrap();
        let (watch, _) =
            self.watch.1.wait_timeout_while(watch, within, |watch| watch.found.is_none()).unwrap();
        watch.found.map(|found| found - start)
    }
}

impl Watch {
    fn take(&mut self, bytes: &[u8], at: Instant) {
        if self.wanted.is_empty() || self.found.is_some() {
            return;
        }
        self.seen.extend_from_slice(bytes);
        if memchr::memmem::find(&self.seen, &self.wanted).is_some() {
            self.found = Some(at);
        }
        let kept = self.seen.len().saturating_sub(self.wanted.len());
        self.seen.drain(..kept);
    }
}

/// A new terminal: the user's end, and the program's.
fn open(columns: u16, rows: u16) -> io::Result<(File, OwnedFd)> {
    let mut size = libc::winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    let (mut user, mut program) = (-1, -1);
    // SAFETY: all pointers are of living values, or null where the call allows it; both descriptors are new and nobody
    // else's.
    unsafe {
        let none = std::ptr::null_mut();
        if libc::openpty(&raw mut user, &raw mut program, none, std::ptr::null_mut(), &raw mut size) != 0 {
            return Err(io::Error::last_os_error());
        }
        let (user, program) = (OwnedFd::from_raw_fd(user), OwnedFd::from_raw_fd(program));
        // Else the program has the user's end, too, and never sees that it is closed.
        libc::fcntl(user.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC);
        libc::fcntl(program.as_raw_fd(), libc::F_SETFD, libc::FD_CLOEXEC);
        Ok((user.into(), program))
    }
}
