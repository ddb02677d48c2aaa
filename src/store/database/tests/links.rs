//! Not a regular file in place of the database or of SQLite's files beside it: it is refused, and not changed.

use std::os::unix::fs::symlink;

use super::*;

/// What is at the end of the link, before and after: its content and its mode.
fn state(path: &Path) -> (Vec<u8>, u32) {
    (fs::read(path).unwrap(), fs::metadata(path).unwrap().permissions().mode() & 0o777)
}

#[test]
fn a_database_behind_a_symbolic_link_is_refused_and_its_target_left_alone() {
    for (name, content) in
        [("botglue.db", ""), ("botglue.db", "a text"), ("botglue.db-wal", ""), ("botglue.db-shm", "")]
    {
        let (dir, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let target = elsewhere.path().join("target");
        fs::write(&target, content).unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o644)).unwrap();
        symlink(&target, dir.path().join(name)).unwrap();

        let told = TestDatabase::open(dir.path());
        let first = told.keep(record(1, Some("x")));
        assert!(
            is_warning(&first[0], &[name, "symbolic link", "jobs run all the same"]),
            "{name}: {first:?}"
        );
        assert!(told.count().unwrap_err().contains("symbolic link"), "{name}");
        assert_eq!(state(&target), (content.as_bytes().to_vec(), 0o644), "{name}");
        assert_eq!(files(dir.path(), "damaged"), [], "{name}");

        fs::remove_file(dir.path().join(name)).unwrap();
        assert_eq!(told.keep(record(2, Some("x"))), ["kept 2"]);
        assert_eq!(told.count(), Ok(2), "what waited is kept once the link {name} is gone");
        assert_eq!(state(&target), (content.as_bytes().to_vec(), 0o644), "{name}");
    }
}

#[test]
fn a_log_that_somebody_replaces_by_something_else_holds_up_nothing_and_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let told = TestDatabase::open(dir.path());
    assert_eq!(told.keep(record(1, Some("x"))), ["kept 1"]);
    told.written();
    let log = dir.path().join("botglue.db-wal");
    fs::remove_file(&log).unwrap();
    let status = Command::new("mkfifo").arg(&log).status().unwrap();
    assert!(status.success());
    // The pipe has no writer: opening it as a file would wait for ever.
    assert_eq!(told.keep(record(2, Some("x"))), ["kept 2"]);
    assert_eq!(told.land(2, "held"), ["landed 2"]);
    fs::remove_file(&log).unwrap();
    let elsewhere = dir.path().join("elsewhere");
    fs::write(&elsewhere, "a text").unwrap();
    symlink(&elsewhere, &log).unwrap();
    assert_eq!(told.land(2, "held"), ["landed 2"]);
    assert_eq!(state(&elsewhere).0, b"a text");
}

#[test]
fn a_database_that_is_no_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("botglue.db")).unwrap();
    let first = TestDatabase::open(dir.path()).keep(record(1, Some("x")));
    assert!(is_warning(&first[0], &["botglue.db", "not a regular file"]), "{first:?}");
    assert!(dir.path().join("botglue.db").is_dir());
}

#[test]
fn a_folder_behind_a_symbolic_link_is_the_users_choice() {
    let (dir, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let link = dir.path().join("link");
    symlink(elsewhere.path(), &link).unwrap();
    let told = TestDatabase::open(&link);
    assert_eq!(told.keep(record(1, Some("x"))), ["kept 1"]);
    assert_eq!(told.count(), Ok(1));
    assert!(elsewhere.path().join("botglue.db").is_file());
}
