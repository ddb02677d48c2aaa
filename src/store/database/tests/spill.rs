//! What cannot be written is spilled to a file, and the next host takes it up: all of it, and once.

use std::sync::Mutex;

use super::super::ledger::Ledger;
use super::super::spill::{Spill, SpillLine};
use super::*;

const ALL: u64 = 301;

/// The spill files of a directory.
pub fn spills(dir: &Path) -> Vec<(String, Vec<u8>)> {
    files(dir, "botglue.spill-")
}

/// The spill files of a host that was dropped, once its thread has ended.
fn ended(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let found = spills(dir);
    let start = Instant::now();
    for (name, _) in &found {
        while !take_up::read(dir.join(name)).is_ok_and(|found| found.is_some()) {
            assert!(start.elapsed() < PATIENCE, "its thread has not ended");
            std::thread::yield_now();
        }
    }
    found
}

/// The number that a query gives.
fn count(connection: &rusqlite::Connection, sql: &str) -> u64 {
    connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap().cast_unsigned()
}

/// Answers that were kept while another process had the database locked, by a host that has ended since.
fn spilled(dir: &Path, jobs: u64) -> Vec<(String, Vec<u8>)> {
    let told = TestDatabase::open(dir);
    assert_eq!(told.count(), Ok(0));
    let _lock = locked(dir);
    for id in 1..=jobs {
        told.database.keep(record(id, Some("x")), |_| {});
        told.database.land(id, landed(if id % 2 == 0 { "held" } else { "applied" }, None), |_| {});
    }
    told.database.draft(2, Some(draft("mine")));
    told.database.unsent(1, Some(Unsent { text: "unsent".to_owned(), at_ms: 1 }));
    told.close();
    drop(told);
    ended(dir)
}

fn landings(dir: &Path) -> Vec<(i64, String)> {
    let connection = open(dir).unwrap();
    let mut statement =
        connection.prepare("SELECT id, coalesce(landing, '') FROM jobs ORDER BY abs(id)").unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}

#[test]
fn jobs_that_end_while_somebody_locks_the_database_are_all_kept_beyond_their_host() {
    let dir = tempfile::tempdir().unwrap();
    let found = spilled(dir.path(), ALL);
    assert_eq!(found.len(), 1);
    let path = dir.path().join(&found[0].0);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(TestDatabase::open(dir.path()).count(), Ok(ALL));
    let expected: Vec<_> = (1..=i64::try_from(ALL).unwrap())
        .map(|id| (id, if id % 2 == 0 { "held" } else { "applied" }.to_owned()))
        .collect();
    assert_eq!(landings(dir.path()), expected);
    assert_eq!(spills(dir.path()), [], "the file is deleted");
    let connection = open(dir.path()).unwrap();
    let count = |sql: &str| count(&connection, sql);
    assert_eq!(count("SELECT count(*) FROM texts WHERE draft LIKE '%mine%'"), 1);
    assert_eq!(count("SELECT count(*) FROM unsent WHERE text = 'unsent'"), 1);
    assert_eq!(count("SELECT sum(jobs) FROM totals"), ALL);
}

#[test]
fn a_host_that_is_killed_while_somebody_locks_the_database_has_spilled_what_it_said_it_has_kept() {
    let dir = tempfile::tempdir().unwrap();
    let told = TestDatabase::open(dir.path());
    assert_eq!(told.count(), Ok(0));
    let lock = locked(dir.path());
    told.keep_with_warning(record(1, Some("x")));
    assert_eq!(told.land(1, "held"), ["landed 1"]);
    // Dropped without being closed, it does nothing any more.
    drop(told);
    assert_eq!(ended(dir.path()).len(), 1);
    lock.execute_batch("ROLLBACK").unwrap();
    assert_eq!(TestDatabase::open(dir.path()).count(), Ok(1));
    assert_eq!(landings(dir.path()), [(1, "held".to_owned())]);
}

#[test]
fn what_waits_is_spilled_though_the_writing_thread_stands_still() {
    let dir = tempfile::tempdir().unwrap();
    let _lock = locked(dir.path());
    // Its thread waits for the lock, and for longer than the host has at its end.
    let told = TestDatabase::open(dir.path());
    told.database.keep(record(1, Some("x")), |_| {});
    told.database.land(1, landed("held", None), |_| {});
    told.close();
    let found = spills(dir.path());
    assert_eq!(found.len(), 1);
    let text = String::from_utf8(found[0].1.clone()).unwrap();
    assert!(text.contains(r#""text":"x""#) && text.contains(r#""landing":"held""#), "{text}");
}

#[test]
fn a_spill_that_is_taken_up_twice_is_there_once_and_changes_nothing_that_was_decided_since() {
    let dir = tempfile::tempdir().unwrap();
    let found = spilled(dir.path(), 4);
    let again = || {
        fs::write(dir.path().join(&found[0].0), &found[0].1).unwrap();
        assert_eq!(TestDatabase::open(dir.path()).count(), Ok(4));
        assert_eq!(spills(dir.path()), []);
    };
    again();
    // As where its host had ended before it could delete the file.
    again();
    let mut connection = open(dir.path()).unwrap();
    connection.execute("UPDATE jobs SET owner = ?1", [GONE]).unwrap();
    for held in held::adopt(&mut connection, "you:1").unwrap() {
        held::number(&connection, "you:1", &held.uuid, 1).unwrap();
        keep::land(&connection, "you:1", 1, &landed("rejected", None)).unwrap();
    }
    let before = landings(dir.path());
    again();
    assert_eq!(landings(dir.path()), before);
    let cost: f64 = connection.query_row("SELECT total(cost_usd) FROM totals", [], |row| row.get(0)).unwrap();
    assert!((cost - 4.0 * 0.25).abs() < 1e-9, "{cost}");
}

#[test]
fn several_hosts_at_once_take_up_a_spill_once() {
    let dir = tempfile::tempdir().unwrap();
    spilled(dir.path(), 50);
    let hosts: Vec<_> = (0..6).map(|_| TestDatabase::open(dir.path())).collect();
    for host in &hosts {
        host.keep(record(1000, None));
    }
    let connection = open(dir.path()).unwrap();
    let count = |sql: &str| count(&connection, sql);
    let start = Instant::now();
    while count("SELECT count(*) FROM jobs WHERE has_answer") < 50 {
        assert!(start.elapsed() < PATIENCE, "it is never taken up");
        std::thread::yield_now();
    }
    assert_eq!(count("SELECT count(*) FROM jobs WHERE has_answer"), 50);
    while !take_up::files(dir.path()).is_empty() {
        assert!(start.elapsed() < PATIENCE, "it is never deleted");
        std::thread::yield_now();
    }
}

#[test]
fn a_spill_that_its_host_still_writes_is_left_to_it() {
    let dir = tempfile::tempdir().unwrap();
    let told = TestDatabase::open(dir.path());
    assert_eq!(told.count(), Ok(0));
    let lock = locked(dir.path());
    told.keep_with_warning(record(1, Some("x")));
    told.land(1, "held");
    lock.execute_batch("ROLLBACK").unwrap();
    let found = spills(dir.path());
    assert_eq!(found.len(), 1);
    assert!(take_up::read(dir.path().join(&found[0].0)).unwrap().is_none());
    assert_eq!((told.count(), spills(dir.path())), (Ok(1), Vec::new()), "its host writes it and deletes it");
}

#[test]
fn a_spill_of_another_neovim_is_left_to_it_as_long_as_it_lives() {
    let dir = tempfile::tempdir().unwrap();
    let found = spilled(dir.path(), 2);
    let path = dir.path().join(&found[0].0);
    let text = String::from_utf8(found[0].1.clone()).unwrap();
    let of = |owner: &str| text.replacen(&owner::current(), owner, 1);
    fs::write(&path, of(&owner::name(std::process::id()))).unwrap();
    assert_eq!(TestDatabase::open(dir.path()).count(), Ok(0));
    fs::write(&path, of(GONE)).unwrap();
    assert_eq!(TestDatabase::open(dir.path()).count(), Ok(2));
    assert_eq!(held::adopt(&mut open(dir.path()).unwrap(), "me:1").unwrap().len(), 1);
}

#[test]
fn what_cannot_be_read_of_a_spill_is_put_aside_and_the_rest_taken_up() {
    let dir = tempfile::tempdir().unwrap();
    let found = spilled(dir.path(), 3);
    let path = dir.path().join(&found[0].0);
    fs::write(&path, [&found[0].1[..], b"{\"job\":{\"id\":4,"].concat()).unwrap();
    let symlink = dir.path().join("botglue.spill-000000000000001-1.jsonl");
    std::os::unix::fs::symlink(dir.path().join("elsewhere"), &symlink).unwrap();
    fs::write(dir.path().join("elsewhere"), "not ours").unwrap();
    fs::write(dir.path().join("botglue.spill-notes.jsonl"), "not ours").unwrap();
    let newer = dir.path().join("botglue.spill-000000000000002-1.jsonl");
    fs::write(&newer, "{\"version\":99,\"owner\":\"1:1\"}\n").unwrap();
    assert_eq!(TestDatabase::open(dir.path()).count(), Ok(3));
    let left: Vec<_> = spills(dir.path()).into_iter().map(|(name, _)| name).collect();
    let expected = [
        "botglue.spill-000000000000001-1.jsonl".to_owned(),
        "botglue.spill-000000000000002-1.jsonl".to_owned(),
        format!("{}.damaged", found[0].0),
        "botglue.spill-notes.jsonl".to_owned(),
    ];
    assert_eq!(left, expected);
}

/// The prompts and the states of the jobs in the history, newest first, as the next host tells them.
fn history(dir: &Path) -> Vec<(u64, String)> {
    let (sender, reply) = mpsc::channel();
    let told = TestDatabase::open(dir);
    let page = Page { limit: 99, ..Page::default() };
    told.database.query(Query::History(page), move |reply| sender.send(reply).unwrap());
    let reply = reply.recv_timeout(PATIENCE).expect("a reply").unwrap();
    let jobs = reply["jobs"].as_array().unwrap().iter();
    jobs.map(|job| (job["id"].as_u64().unwrap(), job["status"].as_str().unwrap().to_owned())).collect()
}

#[test]
fn a_job_that_was_accepted_while_somebody_locked_the_database_is_interrupted_where_its_host_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let told = TestDatabase::open(dir.path());
    assert_eq!(told.count(), Ok(0));
    let lock = locked(dir.path());
    for id in 1..=3 {
        told.database.accept(accepted(id));
    }
    // They are spilled; then two of them end.
    told.land(9, "applied");
    assert_eq!(spills(dir.path()).len(), 1);
    told.keep(record(2, Some("x")));
    told.keep(Record { error: Some(("exited".to_owned(), "it ended".to_owned())), ..record(3, None) });
    told.database.interrupt(vec![3]);
    assert_eq!(told.land(9, "applied"), ["landed 9"]);
    drop(told);
    let found = ended(dir.path());
    lock.execute_batch("ROLLBACK").unwrap();
    let path = dir.path().join(&found[0].0);
    let text = String::from_utf8(found[0].1.clone()).unwrap();
    let gone = text.replacen(&owner::host(), GONE, 1);
    assert_ne!(gone, text);
    let expected = [(3, "interrupted"), (2, "done"), (1, "interrupted")];
    // The second time as where its host had ended before it could delete the file.
    for _ in 0..2 {
        fs::write(&path, &gone).unwrap();
        let found = history(dir.path());
        let found: Vec<_> = found.iter().map(|(id, status)| (*id, status.as_str())).collect();
        assert_eq!(found, expected);
        assert_eq!(spills(dir.path()), []);
    }
    let running = "SELECT count(*) FROM accepted";
    assert_eq!(lock.query_row(running, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
}

#[test]
fn an_answer_that_was_spilled_and_not_told_is_held_by_the_next_host_of_its_neovim() {
    let dir = tempfile::tempdir().unwrap();
    let told = TestDatabase::open(dir.path());
    assert_eq!(told.count(), Ok(0));
    let lock = locked(dir.path());
    // The next host runs before this one has ended.
    let next = TestDatabase::open(dir.path());
    told.keep_with_warning(record(1, Some("x")));
    told.close();
    assert_eq!(next.count(), Ok(0), "it has looked, and left the spill to the host that lives");
    drop(told);
    ended(dir.path());
    lock.execute_batch("ROLLBACK").unwrap();
    let (sender, reply) = mpsc::channel();
    next.database.query(Query::Untold { ids: vec![1] }, move |reply| sender.send(reply).unwrap());
    let reply = reply.recv_timeout(PATIENCE).expect("a reply").unwrap();
    let answer = &reply["answers"][0];
    assert_eq!(
        (&answer["text"], &answer["held_for"], &answer["id"]),
        (&"x".into(), &"review".into(), &1.into())
    );
    next.database.number(answer["uuid"].as_str().unwrap().to_owned(), 2);
    assert_eq!(next.count(), Ok(1));
    // It is known like every other answer that waits: it is in the database after this one, too.
    fs::remove_file(dir.path().join("botglue.db")).unwrap();
    assert_eq!(next.count(), Ok(1));
    assert_eq!(landings(dir.path()), [(2, "held".to_owned())]);
}

#[test]
fn a_job_that_ends_after_its_acceptance_was_spilled_is_spilled_too() {
    let mut ledger = Ledger::default();
    ledger.accept(accepted(1));
    let spilled =
        |lines: &[(_, u64, SpillLine)]| lines.iter().map(|(key, revision, _)| (*key, *revision)).collect();
    let first = ledger.lines(&std::collections::BTreeMap::new());
    ledger.keep(record(1, Some("x")));
    let second = ledger.lines(&spilled(&first));
    assert!(matches!(&second[..], [(.., SpillLine::Job(known))] if known.record.is_some()), "{second:?}");
    ledger.land(1, landed("applied", None));
    let third = ledger.lines(&spilled(&second));
    assert!(matches!(&third[..], [(.., SpillLine::Job(known))] if known.record.is_none()), "{third:?}");
}

#[test]
fn what_was_typed_is_spilled_behind_all_answers() {
    let mut ledger = Ledger::default();
    ledger.accept(accepted(3));
    ledger.unsent(1, Some(Unsent { text: "typed".to_owned(), at_ms: 1 }));
    ledger.keep(record(1, Some("x")));
    ledger.draft(1, Some(draft("mine")));
    ledger.keep(record(2, Some("x")));
    ledger.land(9, landed("applied", None));
    let lines = ledger.lines(&std::collections::BTreeMap::new());
    let kind = |line: &SpillLine| match line {
        SpillLine::Prompt { .. } => "prompt",
        SpillLine::Job(known) if known.draft.is_some() => "draft",
        SpillLine::Job(known) if known.record.is_some() => "answer",
        SpillLine::Job(known) if known.accepted.is_some() => "accepted",
        SpillLine::Job(_) => "fact",
    };
    let kinds: Vec<_> = lines.iter().map(|(.., line)| kind(line)).collect();
    assert_eq!(kinds, ["fact", "answer", "answer", "accepted", "prompt", "draft"]);
}

#[test]
fn a_spill_file_is_written_anew_before_it_grows_without_end() {
    let dir = tempfile::tempdir().unwrap();
    let ledger = Mutex::new(Ledger::default());
    let mut spill = Spill::new(Some(dir.path().to_owned()), GONE.to_owned(), GONE.to_owned());
    for n in 0..40 {
        let typed = n.to_string().repeat(1 << 19);
        ledger.lock().unwrap().unsent(1, Some(Unsent { text: typed, at_ms: n }));
        spill.add(&ledger).unwrap();
    }
    let found = spills(dir.path());
    assert_eq!(found.len(), 1);
    assert!(found[0].1.len() < 12 << 20, "{} bytes", found[0].1.len());
}
