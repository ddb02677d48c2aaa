//! What may be wrong with the file: jobs go on, one warning says what to do, and nothing is lost that could be kept.

use super::*;

#[test]
fn a_store_of_a_newer_version_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    open(dir.path()).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let told = TestDatabase::open(dir.path());
    let warning = told.keep_with_warning(record(1, Some("x")));
    assert!(is_warning(&warning, &["version 99", "update the plugin", "jobs run all the same"]), "{warning}");
    assert_eq!(told.keep(record(2, Some("x"))), ["kept 2"]);
    assert!(told.count().unwrap_err().contains("version 99"));
    drop(told);
    assert_eq!(files(dir.path(), "damaged"), []);
    let version: u32 = rusqlite::Connection::open(dir.path().join("botglue.db"))
        .unwrap()
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .unwrap();
    assert_eq!(version, 99);
}

#[test]
fn without_a_folder_nothing_is_kept_and_nobody_is_warned() {
    let (sender, heard) = mpsc::channel();
    let warned = sender.clone();
    let database = Database::open(None, move |error| warned.send(error.to_string()).unwrap());
    let replied = sender.clone();
    database.keep(record(1, Some("x")), move |_| sender.send("kept".to_owned()).unwrap());
    database.query(Query::Prompts { limit: 1, project: String::new() }, move |reply| {
        replied.send(reply.unwrap_err().to_string()).unwrap();
    });
    assert_eq!(heard.recv_timeout(PATIENCE).unwrap(), "kept");
    assert!(heard.recv_timeout(PATIENCE).unwrap().contains("no store"));
}

#[test]
fn a_database_that_was_taken_away_is_begun_anew_by_all_together() {
    let dir = tempfile::tempdir().unwrap();
    let (told, other) = (TestDatabase::open(dir.path()), TestDatabase::open(dir.path()));
    told.keep(record(1, Some("x")));
    told.written();
    assert_eq!(other.land(1, "applied"), ["landed 1"]);
    other.written();
    let elsewhere = tempfile::tempdir().unwrap();
    for (name, _) in files(dir.path(), "botglue.db") {
        fs::rename(dir.path().join(&name), elsewhere.path().join(&name)).unwrap();
    }
    assert_eq!(told.keep(record(2, Some("x"))), ["kept 2"]);
    told.written();
    // Now this one closes the old one, and the files beside the new one are not its to delete.
    assert_eq!(other.keep(record(3, Some("x"))), ["kept 3"]);
    other.written();
    assert_eq!((told.count(), other.count()), (Ok(3), Ok(3)), "and each has written what it knows");
    let count: i64 =
        open(elsewhere.path()).unwrap().query_row("SELECT count(*) FROM jobs", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 1);
}

#[test]
fn a_folder_that_cannot_be_written_to_costs_no_job() {
    passes("faults::process_without_rights");
}

#[test]
#[ignore = "a process of the test above: it gives its rights away"]
fn process_without_rights() {
    let Some(dir) = given_directory() else { return };
    let (fresh, old) = (dir.join("fresh"), dir.join("old"));
    fs::create_dir(&fresh).unwrap();
    drop(TestDatabase::open(&old).keep(record(1, Some("x"))));
    for path in [dir.as_path(), &fresh, &old] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o555)).unwrap();
    }
    for (name, _) in files(&old, "botglue.db") {
        let changed = fs::set_permissions(old.join(name), fs::Permissions::from_mode(0o444));
        // The thread that had it open may just be deleting what is beside the database.
        assert!(changed.is_ok() || changed.is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound));
    }
    // SAFETY: of this process alone; to root everything is allowed.
    assert!(unsafe { libc::geteuid() != 0 || libc::setuid(65534) == 0 });
    for folder in [&fresh, &old, &dir.join("not there")] {
        let told = TestDatabase::open(folder);
        let warning = told.keep_with_warning(record(2, Some("x")));
        assert!(
            is_warning(&warning, &["cannot be written", "data_dir", "jobs run all the same"]),
            "{warning}"
        );
        assert_eq!(told.keep(record(3, None)), ["kept 3"], "warned once");
    }
    say(PASSED);
    // SAFETY: as above. Nothing that it would tidy up belongs to it any more.
    unsafe { libc::_exit(0) }
}

#[test]
fn a_full_disk_costs_no_job_and_what_waits_is_written_when_there_is_room() {
    passes("faults::process_without_room");
}

#[test]
#[ignore = "a process of the test above: its files may not grow"]
fn process_without_room() {
    let Some(dir) = given_directory() else { return };
    let told = TestDatabase::open(&dir);
    assert_eq!(told.keep(record(1, Some("x"))), ["kept 1"]);
    let limit = |bytes| {
        // SAFETY: of this process alone. Without its signal the write fails, as on a full disk.
        unsafe {
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
            let limit = libc::rlimit { rlim_cur: bytes, rlim_max: libc::RLIM_INFINITY };
            assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit), 0);
        }
    };
    limit(100_000);
    let answer = "x".repeat(50_000);
    let mut all = Vec::new();
    for id in 2..=8 {
        all.extend(told.keep(record(id, Some(&answer))));
    }
    // By then all of it was tried; an answer is told of before the store has given up.
    assert!(told.count().is_ok());
    all.extend(told.heard.try_iter());
    let warnings: Vec<_> = all.iter().filter(|told| told.starts_with("warning")).collect();
    assert_eq!(warnings.len(), 1, "{all:?}");
    assert!(is_warning(warnings[0], &["cannot be written", "disk", "jobs run all the same"]), "{warnings:?}");
    let is_kept = || {
        let (sender, reply) = mpsc::channel();
        told.database.land(8, landed("held", None), move |is_kept| sender.send(is_kept).unwrap());
        reply.recv_timeout(PATIENCE).expect("a reply")
    };
    assert!(!is_kept(), "the spill file is as full as the database");
    limit(libc::RLIM_INFINITY);
    assert!(is_kept());
    assert_eq!(told.keep(record(9, None)), ["kept 9"]);
    assert_eq!(told.count(), Ok(9));
    let sound: String =
        open(&dir).unwrap().pragma_query_value(None, "integrity_check", |row| row.get(0)).unwrap();
    assert_eq!(sound, "ok");
    say(PASSED);
}

/// What such a process says in the end.
const PASSED: &str = "all is as it should be";

/// Runs a test in a process of its own, and checks that it passes there.
fn passes(test: &str) {
    let dir = tempfile::tempdir().unwrap();
    let output = in_process(test, dir.path()).wait_with_output().unwrap();
    // What it took away is given back, so that the directory can go.
    for path in [dir.path().to_owned(), dir.path().join("fresh"), dir.path().join("old")] {
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o700));
    }
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains(PASSED), "{said}");
}

#[test]
fn each_failure_says_what_to_do() {
    let sqlite = |code| {
        StoreError::from(rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None)).warning()
    };
    for (code, words) in [
        (rusqlite::ffi::SQLITE_FULL, "free some space"),
        (rusqlite::ffi::SQLITE_READONLY, "the right to write"),
        (rusqlite::ffi::SQLITE_CANTOPEN, "`data_dir`"),
        (rusqlite::ffi::SQLITE_BUSY, "end that one"),
        (rusqlite::ffi::SQLITE_IOERR, "disk is full"),
    ] {
        let warning = sqlite(code);
        assert!(warning.contains(words) && warning.contains("jobs run all the same"), "{warning}");
        assert!(!warning.contains('\n'), "{warning}");
    }
}
