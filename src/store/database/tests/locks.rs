//! Another process keeps the database locked: a job waits for that at most once, and what waited is kept afterwards.

use super::*;
use crate::request::Resume;
use crate::stream::{UsageScope, UsageScopes};

#[test]
fn what_cannot_be_written_while_somebody_locks_it_is_written_afterwards() {
    let dir = tempfile::tempdir().unwrap();
    let told = TestDatabase::open(dir.path());
    told.keep(record(1, Some("x")));
    told.written();
    let lock = locked(dir.path());

    let warning = told.keep_with_warning(record(2, Some("x")));
    assert!(is_warning(&warning, &["locked", "end that one"]), "{warning}");
    assert_eq!(told.land(2, "applied"), ["landed 2"]);
    for id in 3..=5 {
        assert_eq!(told.keep(record(id, Some("x"))), [format!("kept {id}")]);
    }
    assert_eq!(told.count(), Ok(1), "reading goes on");

    lock.execute_batch("ROLLBACK").unwrap();
    assert_eq!(told.keep(record(6, Some("x"))), ["kept 6"]);
    assert_eq!(told.count(), Ok(6));
    let landing: String =
        lock.query_row("SELECT landing FROM jobs WHERE id = 2", [], |row| row.get(0)).unwrap();
    assert_eq!(landing, "applied");
}

#[test]
fn a_job_that_is_accepted_while_somebody_locks_it_is_written_afterwards_and_one_that_has_ended_once() {
    let dir = tempfile::tempdir().unwrap();
    let told = TestDatabase::open(dir.path());
    told.keep(record(1, Some("x")));
    told.written();
    let lock = locked(dir.path());
    for id in 2..=3 {
        told.database.accept(accepted(id));
    }
    // What ends takes no second place among what waits.
    for id in 1000..1255 {
        told.database.accept(accepted(id));
        told.keep(record(id, None));
    }
    lock.execute_batch("ROLLBACK").unwrap();
    told.keep(record(2, Some("x")));
    // The reply to `keep` waits for a slow disk 100 ms at most; a question is answered after all that was to be
    // written.
    assert_eq!(told.count(), Ok(2 + 255));
    let ids = |sql: &str| {
        let mut ids = lock.prepare(sql).unwrap();
        let ids = ids.query_map([], |row| row.get::<_, i64>(0)).unwrap();
        ids.collect::<Result<Vec<_>, _>>().unwrap()
    };
    assert_eq!(ids("SELECT id FROM accepted"), [3]);
}

#[test]
fn of_what_is_typed_while_somebody_locks_it_only_the_newest_waits() {
    let dir = tempfile::tempdir().unwrap();
    let told = TestDatabase::open(dir.path());
    told.keep(record(1, Some("x")));
    told.written();
    let lock = locked(dir.path());
    told.keep(record(2, Some("x")));
    for typed in 0..260 {
        told.database.draft(2, Some(draft(&typed.to_string())));
        told.database.unsent(1, Some(Unsent { text: typed.to_string(), at_ms: typed }));
    }
    told.land(2, "held");
    lock.execute_batch("ROLLBACK").unwrap();
    told.land(1, "held");
    assert_eq!(told.count(), Ok(2), "all is written");
    let kept = |id: i64| {
        let query = "SELECT landing, draft FROM jobs JOIN texts ON job = key WHERE id = ?1";
        let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, Option<String>>(1)?));
        lock.query_row(query, [id], read).unwrap()
    };
    assert_eq!(kept(1), ("held".to_owned(), None));
    assert_eq!(kept(2), ("held".to_owned(), Some(serde_json::to_string(&draft("259")).unwrap())));
    let unsent: String = lock.query_row("SELECT text FROM unsent", [], |row| row.get(0)).unwrap();
    assert_eq!(unsent, "259");
}

#[test]
fn a_job_that_goes_on_from_one_that_waits_counts_nothing_twice() {
    let dir = tempfile::tempdir().unwrap();
    let told = TestDatabase::open(dir.path());
    told.keep(record(1, Some("x")));
    told.written();
    let lock = locked(dir.path());
    let job = |id, session: &str, resumed: Option<&str>, total| Record {
        session_id: Some(session.to_owned()),
        resumed: resumed.map(|session| Resume { session_id: session.to_owned(), at: None }),
        amounts: Amounts { cost_usd: Some(total), ..Amounts::default() },
        scopes: UsageScopes { cost: UsageScope::Lineage, ..UsageScopes::default() },
        ..record(id, Some("x"))
    };
    told.keep(job(2, "parent", None, 0.5));
    told.database.begin(3, "claude".to_owned(), "parent".to_owned());
    lock.execute_batch("ROLLBACK").unwrap();
    told.keep(job(3, "fork", Some("parent"), 0.75));
    assert_eq!(told.count(), Ok(3));
    let cost: f64 = lock.query_row("SELECT cost_usd FROM jobs WHERE id = 3", [], |row| row.get(0)).unwrap();
    assert!((cost - 0.25).abs() < 1e-9, "{cost}");
}

#[test]
fn a_store_that_is_locked_from_the_start_is_used_when_it_is_free() {
    let dir = tempfile::tempdir().unwrap();
    let lock = locked(dir.path());
    let told = TestDatabase::open(dir.path());
    let warning = told.keep_with_warning(record(1, Some("x")));
    assert!(is_warning(&warning, &["locked"]), "{warning}");
    for id in 2..=5 {
        assert_eq!(told.keep(record(id, Some("x"))), [format!("kept {id}")]);
    }
    lock.execute_batch("ROLLBACK").unwrap();
    assert_eq!(told.keep(record(6, Some("x"))), ["kept 6"]);
    assert_eq!(told.count(), Ok(6));
}

#[test]
fn what_waits_is_written_when_the_host_ends() {
    let dir = tempfile::tempdir().unwrap();
    let lock = open(dir.path()).unwrap();
    let told = TestDatabase::open(dir.path());
    assert_eq!(told.count(), Ok(0), "it is open before the store is locked");
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    told.keep(record(1, Some("x")));
    lock.execute_batch("ROLLBACK").unwrap();
    told.close();
    let count: i64 = lock.query_row("SELECT count(*) FROM jobs", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 1);
}
