//! `botglue reap`: ends the agents of a host that is gone without a word, also where Neovim is gone with it.
//!
//! The host starts one, and tells it on its standard input which process groups live: a line `+ID` for each that begins
//! and `-ID` for each that is gone. The end of the input is the end of the host. Where that has ended in order no group
//! is left.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::process::{Child, ChildStdin, Command, ExitCode, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::processes::{self, signal_group};

/// How long a group that was asked to end has, before it is killed.
const GRACE: Duration = Duration::from_secs(1);
/// How often it is looked at meanwhile.
const POLL: Duration = Duration::from_millis(20);

/// The other end: tells a process of its own which groups live.
#[derive(Debug)]
pub struct Reaper {
    process: Child,
    input: ChildStdin,
}

impl Reaper {
    /// Starts the process.
    ///
    /// # Errors
    /// Where it cannot be started: then the agents of a host that dies are ended by the kernel alone, where it does that.
    #[expect(clippy::disallowed_methods, reason = "no agent: the program is this one")]
    pub fn start() -> io::Result<Self> {
        let program = std::env::current_exe()?;
        let mut command = Command::new(program);
        // It needs nothing of the environment.
        command.arg("reap").env_clear().stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut process = command.spawn()?;
        let input = process.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Self { process, input })
    }

    /// Its process id.
    pub fn pid(&self) -> i32 {
        self.process.id().cast_signed()
    }

    /// Where a leader says that it lives, see [`begin`].
    pub fn input(&self) -> RawFd {
        self.input.as_raw_fd()
    }

    /// A group lives no more.
    pub fn end(&mut self, pgid: i32) {
        // Where it is gone, nothing can be told.
        _ = self.input.write_all(format!("-{pgid}\n").as_bytes());
    }
}

/// Tells a [`Reaper`] by its input that this process leads a group: between fork and exec, so that the group is known
/// before anything runs in it.
pub fn begin(input: RawFd) {
    // SAFETY: takes no pointer.
    let mut left = unsafe { libc::getpid() }.unsigned_abs();
    // Without an allocation, as a forked child demands.
    let mut line = *b"+0000000000\n";
    for digit in line[1..11].iter_mut().rev() {
        *digit += u8::try_from(left % 10).unwrap_or_default();
        left /= 10;
    }
    // SAFETY: the buffer is as long as that. Where the process is gone, nothing can be told.
    _ = unsafe { libc::write(input, line.as_ptr().cast(), line.len()) };
}

/// Runs it: `input` is what the host tells.
pub fn run(input: impl BufRead) -> ExitCode {
    // In a group and a session of its own: what ends Neovim's or the host's must not end it.
    // SAFETY: none of these takes a pointer.
    unsafe {
        libc::setsid();
        for ending in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
            libc::signal(ending, libc::SIG_IGN);
        }
    }
    // When a leader started; nothing where it has ended, or the system does not tell.
    let started = |pgid: i32| processes::entry(pgid).map(|entry| entry.started);
    let mut groups = BTreeMap::new();
    for line in input.lines().map_while(Result::ok) {
        let (sign, id) = line.split_at_checked(1).unwrap_or_default();
        match (sign, id.parse()) {
            ("+", Ok(pgid)) => _ = groups.insert(pgid, started(pgid)),
            ("-", Ok(pgid)) => _ = groups.remove(&pgid),
            _ => {}
        }
    }
    // A number whose process started at another time is a stranger's by now.
    groups.retain(|pgid, known| started(*pgid).is_none_or(|now| known.is_none_or(|known| known == now)));
    let mut left: Vec<i32> = groups.into_keys().filter(|pgid| signal_group(*pgid, libc::SIGTERM)).collect();
    let until = Instant::now() + GRACE;
    while !left.is_empty() && Instant::now() < until {
        sleep(POLL);
        left.retain(|pgid| signal_group(*pgid, 0));
    }
    for pgid in left {
        signal_group(pgid, libc::SIGKILL);
    }
    ExitCode::SUCCESS
}
