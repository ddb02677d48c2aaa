//! A database that is none, or no more: it is put aside, and a new one is begun.

use super::*;

#[test]
fn what_is_no_database_is_put_aside_and_a_new_one_begun() {
    for garbage in [&b"short"[..], &[b'x'; 300], &[b'x'; 5000], b"SQLite format 3\0 and nothing behind it"] {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("botglue.db"), garbage).unwrap();
        let told = TestDatabase::open(dir.path());
        let warning = told.keep_with_warning(record(1, Some("x")));
        assert!(is_warning(&warning, &["damaged", "put aside", "botglue.db.damaged-"]), "{warning}");
        assert_eq!(told.keep(record(2, Some("x"))), ["kept 2"], "warned once");
        assert_eq!(told.count(), Ok(2));
        let aside = files(dir.path(), ".damaged-");
        assert_eq!(aside.iter().map(|(_, bytes)| bytes.as_slice()).collect::<Vec<_>>(), [garbage]);
    }
}

#[test]
fn a_database_of_another_shape_or_of_an_older_version_is_put_aside() {
    for (version, table) in [(0, "jobs"), (5, "jobs"), (6, "jobs"), (6, "other")] {
        let dir = tempfile::tempdir().unwrap();
        let strange = rusqlite::Connection::open(dir.path().join("botglue.db")).unwrap();
        let shape = format!("CREATE TABLE {table} (uuid TEXT); PRAGMA user_version = {version}");
        strange.execute_batch(&shape).unwrap();
        let told = TestDatabase::open(dir.path());
        let warning = told.keep_with_warning(record(1, Some("x")));
        assert!(is_warning(&warning, &["older version", "put aside"]), "{warning}");
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
    let told = TestDatabase::open(dir.path());
    for id in 1..=20 {
        told.keep(record(id, Some(&"x".repeat(4000))));
    }
    // Another host that has it open too, and hears of the damage later.
    let other = TestDatabase::open(dir.path());
    assert_eq!((other.count(), other.keep(record(101, Some("x")))), (Ok(20), vec!["kept 101".to_owned()]));
    other.written();
    let path = dir.path().join("botglue.db");
    open(dir.path()).unwrap().pragma_update(None, "wal_checkpoint", "TRUNCATE").unwrap();
    let mut bytes = fs::read(&path).unwrap();
    for byte in &mut bytes[100..] {
        *byte = 0xa5;
    }
    // In place, as a broken disk does it.
    fs::write(&path, &bytes).unwrap();

    let warning = told.keep_with_warning(record(21, Some("x")));
    assert!(is_warning(&warning, &["damaged", "put aside"]), "{warning}");
    assert_eq!(told.count(), Ok(21), "what this host knows is written again");
    let kept = other.keep(record(102, Some("x")));
    assert_eq!(kept, ["kept 102"], "it goes on in the new one, which is not put aside once more");
    other.written();
    assert_eq!((other.count(), told.keep(record(22, None))), (Ok(23), vec!["kept 22".to_owned()]));
    told.written();
    let aside = files(dir.path(), "damaged");
    assert_eq!(
        aside.iter().filter(|(name, _)| !name.ends_with("-wal") && !name.ends_with("-shm")).count(),
        1
    );
    // Closing what was put aside touches nothing of the new one.
    drop(told);
    assert_eq!(other.keep(record(103, None)), ["kept 103"]);
    other.written();
    drop(other);
    let count: i64 =
        open(dir.path()).unwrap().query_row("SELECT count(*) FROM jobs", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 25);
}

#[test]
fn damage_that_only_the_reader_finds_is_put_aside_too() {
    let dir = tempfile::tempdir().unwrap();
    let told = TestDatabase::open(dir.path());
    for id in 1..=200 {
        told.keep(record(id, None));
    }
    told.written();
    open(dir.path()).unwrap().pragma_update(None, "wal_checkpoint", "TRUNCATE").unwrap();
    let path = dir.path().join("botglue.db");
    let mut bytes = fs::read(&path).unwrap();
    let (first, last) = (bytes.len() / 2, bytes.len() - 4096);
    bytes[first..last].fill(0xa5);
    fs::write(&path, &bytes).unwrap();
    let list_all = || {
        let (sender, reply) = mpsc::channel();
        let page = Page { limit: 1000, ..Page::default() };
        told.database.query(Query::History(page), move |reply| sender.send(reply).unwrap());
        let reply = reply.recv_timeout(PATIENCE).expect("a reply");
        reply.map(|listed| listed["jobs"].as_array().unwrap().len())
    };
    assert!(list_all().unwrap_err().to_string().contains("damaged"));
    assert_eq!(list_all().unwrap(), 32, "the newest jobs are written again");
    let warning = told.keep_with_warning(record(201, Some("x")));
    assert!(is_warning(&warning, &["damaged", "put aside"]), "{warning}");
    assert_eq!((told.keep(record(202, Some("x"))), list_all().unwrap()), (vec!["kept 202".to_owned()], 34));
}
