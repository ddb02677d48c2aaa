//! A disk that stands still costs a job its transcript, and nothing else.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;

use crate::support::agents;
use crate::support::nvim::Builder;
use crate::support::scratch::Scratch;

/// Sets the signal for a process that waits for the lease (`fcntl`); libc does not name it.
const F_SETSIG: i32 = 10;

/// A file that the kernel lets no other process open, for 45 seconds (`lease-break-time`).
fn leased(path: &Path, size: u64) -> File {
    let file = File::create_new(path).unwrap();
    file.set_len(size).unwrap();
    // SAFETY: the file is open, and the signal for a waiting process is one that is ignored.
    let is_leased = unsafe {
        libc::fcntl(file.as_raw_fd(), F_SETSIG, libc::SIGURG) == 0
            && libc::fcntl(file.as_raw_fd(), libc::F_SETLEASE, libc::F_WRLCK) == 0
    };
    assert!(is_leased, "{}", std::io::Error::last_os_error());
    file
}

#[test]
fn a_transcripts_folder_that_stands_still_holds_up_no_job() {
    let scratch = Scratch::new();
    let agents = agents::fault(&scratch, "local a = 10", "");
    let folder = scratch.path("data/nvim/botglue/transcripts");
    std::fs::create_dir_all(&folder).unwrap();
    // So long that it has to go.
    let _leased = leased(&folder.join("000000000000001-1-1.jsonl"), 1 << 30);
    let nvim = Builder::new(scratch).option("agents", agents).start();
    nvim.edit("a.lua", "local a = 1\n");
    nvim.command("1Botglue run it");
    assert_eq!(nvim.finished(1)["landing"], "applied");
}
