//! What may be wrong with the file: jobs go on, one warning says what to do, and nothing is lost that could be kept.

use super::*;

/// The files of a data directory that have this in their names, with what is in them.
fn files(dir: &Path, part: &str) -> Vec<(String, Vec<u8>)> {
    let all = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    let named = all.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()));
    let mut named: Vec<_> = named.filter(|(name, _)| name.contains(part)).collect();
    named.sort();
    named
}

#[test]
fn what_is_no_database_is_put_aside_and_a_new_one_begun() {
    for garbage in [&b"short"[..], &[b'x'; 300], &[b'x'; 5000], b"SQLite format 3\0 and nothing behind it"] {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("botglue.db"), garbage).unwrap();
        let told = Told::open(dir.path());
        let first = told.keep(record(1, Some("x")));
        assert!(is_warning(&first[0], &["damaged", "put aside", "botglue.db.damaged-"]), "{first:?}");
        assert_eq!(first[1..], ["kept 1"]);
        assert_eq!(told.keep(record(2, Some("x"))), ["kept 2"], "warned once");
        assert_eq!(told.count(), Ok(2));
        let aside = files(dir.path(), ".damaged-");
        assert_eq!(aside.iter().map(|(_, bytes)| bytes.as_slice()).collect::<Vec<_>>(), [garbage]);
    }
}

#[test]
fn a_database_of_another_shape_is_put_aside() {
    for (version, table) in [(0, "jobs"), (1, "jobs"), (2, "jobs"), (2, "other")] {
        let dir = tempfile::tempdir().unwrap();
        let strange = rusqlite::Connection::open(dir.path().join("botglue.db")).unwrap();
        let shape = format!("CREATE TABLE {table} (uuid TEXT); PRAGMA user_version = {version}");
        strange.execute_batch(&shape).unwrap();
        let told = Told::open(dir.path());
        let first = told.keep(record(1, Some("x")));
        assert!(is_warning(&first[0], &["damaged", "put aside"]), "{first:?}");
        assert_eq!(told.count(), Ok(1));
        let aside = files(dir.path(), "damaged");
        assert_eq!(
            aside.iter().filter(|(name, _)| !name.ends_with("-wal") && !name.ends_with("-shm")).count(),
            1
        );
    }
}

#[test]
fn damage_that_shows_only_later_is_put_aside_with_all_that_belongs_to_it() {
    let dir = tempfile::tempdir().unwrap();
    let told = Told::open(dir.path());
    for id in 1..=20 {
        told.keep(record(id, Some(&"x".repeat(4000))));
    }
    // Another host that has it open too, and hears of the damage later.
    let other = Told::open(dir.path());
    assert_eq!((other.count(), other.keep(record(101, Some("x")))), (Ok(20), vec!["kept 101".to_owned()]));
    let path = dir.path().join("botglue.db");
    open(dir.path()).unwrap().pragma_update(None, "wal_checkpoint", "TRUNCATE").unwrap();
    let mut bytes = fs::read(&path).unwrap();
    for byte in &mut bytes[100..] {
        *byte = 0xa5;
    }
    // In place, as a broken disk does it.
    fs::write(&path, &bytes).unwrap();

    let first = told.keep(record(21, Some("x")));
    assert!(is_warning(&first[0], &["damaged", "put aside"]), "{first:?}");
    assert_eq!(told.count(), Ok(1));
    let kept = other.keep(record(102, Some("x")));
    assert_eq!(kept, ["kept 102"], "it goes on in the new one, which is not put aside once more");
    assert_eq!((other.count(), told.keep(record(22, None))), (Ok(2), vec!["kept 22".to_owned()]));
    let aside = files(dir.path(), "damaged");
    assert_eq!(
        aside.iter().filter(|(name, _)| !name.ends_with("-wal") && !name.ends_with("-shm")).count(),
        1
    );
    // Closing what was put aside touches nothing of the new one.
    drop(told);
    assert_eq!(other.keep(record(103, None)), ["kept 103"]);
    drop(other);
    let count: i64 =
        open(dir.path()).unwrap().query_row("SELECT count(*) FROM jobs", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 4);
}

#[test]
fn damage_that_only_the_reader_finds_is_put_aside_too() {
    let dir = tempfile::tempdir().unwrap();
    let told = Told::open(dir.path());
    for id in 1..=200 {
        told.keep(record(id, Some("x")));
    }
    open(dir.path()).unwrap().pragma_update(None, "wal_checkpoint", "TRUNCATE").unwrap();
    let path = dir.path().join("botglue.db");
    let mut bytes = fs::read(&path).unwrap();
    let (first, last) = (bytes.len() / 5, bytes.len() - 4096);
    bytes[first..last].fill(0xa5);
    fs::write(&path, &bytes).unwrap();
    let list = || {
        let (sender, reply) = mpsc::channel();
        let page = Page { limit: 1000, ..Page::default() };
        told.database.query(Query::History(page), move |reply| sender.send(reply).unwrap());
        let reply = reply.recv_timeout(PATIENCE).expect("a reply");
        reply.map(|listed| listed["jobs"].as_array().unwrap().len())
    };
    assert!(list().unwrap_err().to_string().contains("damaged"));
    assert_eq!(list().unwrap(), 0);
    let first = told.keep(record(201, Some("x")));
    assert!(is_warning(&first[0], &["damaged", "put aside"]), "{first:?}");
    assert_eq!((told.keep(record(202, Some("x"))), list().unwrap()), (vec!["kept 202".to_owned()], 2));
}

#[test]
fn a_store_of_a_newer_version_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    open(dir.path()).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let told = Told::open(dir.path());
    let first = told.keep(record(1, Some("x")));
    assert!(
        is_warning(&first[0], &["version 99", "update the plugin", "jobs run all the same"]),
        "{first:?}"
    );
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
    database.query(Query::Prompts { limit: 1 }, move |reply| {
        replied.send(reply.unwrap_err().to_string()).unwrap();
    });
    assert_eq!(heard.recv_timeout(PATIENCE).unwrap(), "kept");
    assert!(heard.recv_timeout(PATIENCE).unwrap().contains("no store"));
}

#[test]
fn a_database_that_was_taken_away_is_begun_anew_by_all_together() {
    let dir = tempfile::tempdir().unwrap();
    let (told, other) = (Told::open(dir.path()), Told::open(dir.path()));
    told.keep(record(1, Some("x")));
    assert_eq!(other.land(1, "applied"), ["landed 1"]);
    let elsewhere = tempfile::tempdir().unwrap();
    for (name, _) in files(dir.path(), "botglue.db") {
        fs::rename(dir.path().join(&name), elsewhere.path().join(&name)).unwrap();
    }
    assert_eq!(told.keep(record(2, Some("x"))), ["kept 2"]);
    // Now this one closes the old one, and the files beside the new one are not its to delete.
    assert_eq!(other.keep(record(3, Some("x"))), ["kept 3"]);
    assert_eq!((told.count(), other.count()), (Ok(2), Ok(2)));
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
    drop(Told::open(&old).keep(record(1, Some("x"))));
    for path in [dir.as_path(), &fresh, &old] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o555)).unwrap();
    }
    for (name, _) in files(&old, "botglue.db") {
        fs::set_permissions(old.join(name), fs::Permissions::from_mode(0o444)).unwrap();
    }
    // SAFETY: of this process alone; to root everything is allowed.
    assert!(unsafe { libc::geteuid() != 0 || libc::setuid(65534) == 0 });
    for folder in [&fresh, &old, &dir.join("not there")] {
        let told = Told::open(folder);
        let first = told.keep(record(2, Some("x")));
        assert!(
            is_warning(&first[0], &["cannot be written", "data_dir", "jobs run all the same"]),
            "{first:?}"
        );
        assert_eq!((first.len(), told.keep(record(3, None))), (2, vec!["kept 3".to_owned()]));
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
    let told = Told::open(&dir);
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
    let warnings: Vec<_> = all.iter().filter(|told| told.starts_with("warning")).collect();
    assert_eq!(warnings.len(), 1, "{all:?}");
    assert!(is_warning(warnings[0], &["cannot be written", "disk", "jobs run all the same"]), "{warnings:?}");
    limit(libc::RLIM_INFINITY);
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
