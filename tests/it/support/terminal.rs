//! A terminal for a program, whose output is read and forgotten.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

/// Starts a program in a terminal of this size, which is gone with the user's end.
pub fn start(command: &mut Command, (columns, rows): (u16, u16)) -> io::Result<(File, Child)> {
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
    let mut output = user.try_clone()?;
    std::thread::spawn(move || {
        let mut bytes = vec![0; 1 << 16];
        while let Ok(1..) = output.read(&mut bytes) {}
    });
    Ok((user, child))
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
