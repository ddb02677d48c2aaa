//! A store that stands still holds up no answer.

use std::fs::File;
use std::os::fd::AsRawFd;

use super::*;

#[test]
fn an_answer_does_not_wait_for_a_folder_that_somebody_keeps_locked() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("botglue.db"), [b'x'; 5000]).unwrap();
    let folder = File::open(dir.path()).unwrap();
    // SAFETY: the descriptor is open as long as `folder` is.
    assert_eq!(unsafe { libc::flock(folder.as_raw_fd(), libc::LOCK_EX) }, 0);
    let told = TestDatabase::open(dir.path());
    let warning = told.keep_with_warning(record(1, Some("x")));
    assert!(is_warning(&warning, &["locked"]), "{warning}");
    assert_eq!(told.keep(record(2, Some("x"))), ["kept 2"]);
    drop(folder);
    assert_eq!(told.count(), Ok(2), "they are kept when the folder is free");
}

#[test]
fn an_answer_does_not_wait_for_a_database_that_somebody_keeps_locked() {
    let dir = tempfile::tempdir().unwrap();
    let told = TestDatabase::open(dir.path());
    assert_eq!(told.count(), Ok(0));
    let _lock = locked(dir.path());
    // The writing thread waits for a second before it gives up, and warns then.
    assert_eq!(told.keep(record(1, Some("x"))), ["kept 1"]);
    let spilled = super::spill::spills(dir.path());
    assert!(
        String::from_utf8_lossy(&spilled[0].1).contains(r#""text":"x""#),
        "it has been kept beside the database"
    );
    assert!(is_warning(&told.heard.recv_timeout(PATIENCE).unwrap(), &["locked"]));
}
