//! The database over a handful of made jobs: what lines make of it, what questions find in it, and what may be wrong
//! with it.

mod queries;
mod spending;

use std::fs;
use std::path::Path;

use rusqlite::types::Value as Cell;
use serde_json::Value;
use tokio::runtime::Runtime;

use super::*;
use crate::journal::sample::{
    DEADLINE, HELD_UP, accept, accepted, begin, bytes, ended, landed, lines, record, run, until,
};
use crate::journal::{Amounts, Change, Line, Record};
use crate::request::{Accepted, Resume};

const DAY: i64 = 24 * 60 * 60 * 1000;
fn database() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch(include_str!("schema.sql")).unwrap();
    connection
}

/// Applies changes of the session `s`.
fn apply(connection: &mut Connection, changes: impl IntoIterator<Item = (u64, Change)>) {
    let refused = apply::apply(connection, &mut "s".to_owned(), &lines("s", changes)).unwrap();
    assert!(refused.is_empty(), "{refused:?}");
}

fn keep(connection: &mut Connection, records: impl IntoIterator<Item = Record>) {
    apply(connection, records.into_iter().map(|record| (record.job.id, Change::Ended(Arc::new(record)))));
}

fn asker(connection: &Connection) -> Asker<'_> {
    Asker { connection, session: "s", transcripts: Path::new("/nowhere") }
}

/// The numbers and the states of the jobs in the history, by number.
fn states(connection: &Connection) -> Vec<(u64, &'static str)> {
    let how = |job: &JobEntry| match &job.record.error {
        None => "done",
        Some(_) if job.record.is_interrupted() => "interrupted",
        Some(_) => "failed",
    };
    let page = Page { limit: 99, ..Page::default() };
    let listed = asker(connection).history(&page).unwrap();
    let mut states: Vec<_> = listed.jobs.iter().map(|job| (job.id.unwrap(), how(job))).collect();
    states.sort_unstable();
    states
}

/// All rows of all tables, but for the order of the fields of an entry.
fn rows(connection: &Connection) -> Vec<Vec<Cell>> {
    let of = |table: &str| {
        let mut statement = connection.prepare(&format!("SELECT * FROM {table} ORDER BY 1, 2")).unwrap();
        let columns = statement.column_count();
        let cell = |cell| match cell {
            Cell::Text(text) => {
                serde_json::from_str(&text).map(|json: Value| json.to_string()).unwrap_or(text).into()
            }
            other => other,
        };
        let row = |row: &rusqlite::Row<'_>| (0..columns).map(|column| row.get(column).map(cell)).collect();
        statement.query_map([], row).unwrap().collect::<Result<Vec<Vec<Cell>>, _>>().unwrap()
    };
    ["jobs", "texts", "unsent"].into_iter().flat_map(of).collect()
}

#[test]
fn lines_that_are_applied_again_after_any_of_them_change_nothing() {
    let mut lines = run("nobody");
    lines.extend(
        [(2, Change::Numbered(9)), (2, landed("held", None)), (0, begin("s", ""))]
            .map(|(id, change)| Line::new(format!("s-{id}"), change)),
    );
    let apply = |connection: &mut Connection, lines: &[Line]| {
        assert!(apply::apply(connection, &mut "s".to_owned(), lines).unwrap().is_empty());
    };
    let mut once = database();
    apply(&mut once, &lines);
    let wanted = ["done", "done", "done", "done", "interrupted", "interrupted", "done"];
    assert_eq!(states(&once), [1, 3, 4, 5, 6, 7, 9].into_iter().zip(wanted).collect::<Vec<_>>());
    for count in 0..=lines.len() {
        let mut again = database();
        apply(&mut again, &lines[..count]);
        apply(&mut again, &lines);
        assert_eq!(rows(&again), rows(&once), "after {count} lines");
    }
}

#[test]
fn a_session_does_not_touch_a_job_that_another_one_has_taken() {
    let mut connection = database();
    apply(&mut connection, [accept(1, 1000), (1, ended(1, "one"))]);
    let taken = Line::new("s-1".to_owned(), Change::Numbered(7));
    apply::apply(&mut connection, &mut "other".to_owned(), &[taken]).unwrap();
    let before = rows(&connection);
    let all = run("nobody").into_iter().filter(|line| line.uuid == "s-1").map(|line| (1, line.change));
    apply(&mut connection, all.chain([accept(1, 9000), (1, Change::Interrupted), (0, begin("s", "nobody"))]));
    assert_eq!(rows(&connection), before);
    let own = Line::new("s-1".to_owned(), landed("rejected", None));
    apply::apply(&mut connection, &mut "other".to_owned(), &[own]).unwrap();
    assert_ne!(rows(&connection), before);
}

#[test]
fn a_job_that_waited_for_a_limit_was_interrupted_until_then() {
    let mut connection = database();
    let share = Amounts { cost_usd: Some(0.5), ..Amounts::default() };
    let limited = |started_ms| (1, Change::Limited { started_ms, until: 90_000, share });
    apply(&mut connection, [accept(1, 1000), limited(1000)]);
    apply::end_gone(&connection, |_| true).unwrap();
    let entry = asker(&connection).job(&JobKey::Id(1)).unwrap();
    let (code, said) = entry.record.error.unwrap();
    let expected = "the host ended while the job waited for a limit, until 1970-01-0";
    assert!(code == "host_lost" && said.starts_with(expected), "{said}");
    assert_eq!(entry.record.share, share, "what it has cost is known");
    apply(&mut connection, [accept(1, 5000), limited(1000)]);
    apply::end_gone(&connection, |_| true).unwrap();
    let (_, said) = asker(&connection).job(&JobKey::Id(1)).unwrap().record.error.unwrap();
    assert!(!said.contains("limit"), "it ran again: {said}");
}

#[test]
fn a_job_whose_host_was_lost_was_interrupted_until_the_next_host_runs_it() {
    let mut connection = database();
    let resume = Resume { session_id: "t".to_owned(), at: Some("m".to_owned()) };
    let asked = Accepted { review: true, resumed: Some(resume), ..accepted(1) };
    apply(&mut connection, [(0, begin("s", "")), (1, Change::Accepted(Box::new(asked.clone())))]);
    assert_eq!(states(&connection), [], "it runs");
    apply::end_gone(&connection, |session| session != "s").unwrap();
    assert_eq!(states(&connection), [], "its host runs");
    apply::end_gone(&connection, |session| session == "s").unwrap();
    assert_eq!(states(&connection), [(1, "interrupted")]);
    let full = asker(&connection).job(&JobKey::Id(1)).unwrap();
    assert_eq!((full.record.ended_ms, full.record.job), (1000, asked), "when it ended is not known");
    apply(&mut connection, [(0, begin("s", "")), accept(1, 1000)]);
    assert_eq!(states(&connection), [(1, "interrupted")], "told late");
    apply(&mut connection, [accept(1, 5000)]);
    assert_eq!(states(&connection), []);
    apply(&mut connection, [(1, ended(1, "one"))]);
    assert_eq!(states(&connection), [(1, "done")]);
}

/// A store, and what the user is told.
struct Host {
    store: Store,
    told: mpsc::Receiver<String>,
    runtime: Runtime,
}

impl Host {
    fn open<'a>(dir: impl Into<Option<&'a Path>>, session: &str) -> Self {
        let (tell, told) = mpsc::channel();
        let warn: Warn = Arc::new(move |what| _ = tell.send(what));
        let store = Store::open(dir.into().map(Path::to_owned), session.to_owned(), warn);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        Self { store, told, runtime: runtime.unwrap() }
    }

    /// How many jobs the database has, if it can be read.
    fn count(&self) -> Option<u64> {
        let _entered = self.runtime.enter();
        let (reply, answer) = mpsc::channel();
        let wanted = InfoQuery { project: String::new(), session: None, today_ms: 0 };
        let then = move |info: Result<Info, StoreError>| {
            _ = reply.send(info.ok().map(|info| info.scopes["all"].jobs));
        };
        self.store.ask(move |asker| asker.info(&wanted), then);
        answer.recv_timeout(DEADLINE).expect("the store answers")
    }

    /// But that the disk of a machine with much else to do has not answered in time.
    fn told(&self) -> impl Iterator<Item = String> {
        self.told.try_iter().filter(|told| !told.contains("does not answer"))
    }

    fn close(&self) {
        self.runtime.block_on(self.store.close(Instant::now() + Duration::from_secs(5)));
    }
}

#[test]
fn a_line_that_the_database_refuses_stays_in_the_journal_and_the_others_are_applied() {
    let dir = tempfile::tempdir().unwrap();
    begun(
        dir.path(),
        "CREATE TRIGGER refuse BEFORE UPDATE ON jobs WHEN new.entry ->> 'prompt' = 'no' BEGIN SELECT RAISE(ABORT, 'never'); END",
    );
    let bad = |id| {
        let job = Accepted { prompt: "no".to_owned(), ..accepted(id) };
        Change::Ended(Arc::new(Record { job, ..record(id, None) }))
    };
    // Of a session that is gone, too. What is undecided in its first file is decided in the second.
    fs::create_dir(dir.path().join("journal")).unwrap();
    let first = vec![(0, begin("gone", "nobody")), (1, bad(1)), (2, ended(2, "x"))];
    for (name, changes) in [("gone-0.jsonl", first), ("gone-1.jsonl", vec![(2, landed("merged", None))])] {
        let bytes = bytes(&lines("gone", changes));
        fs::write(dir.path().join("journal").join(name), bytes).unwrap();
    }
    let host = Host::open(dir.path(), "s");
    for (id, change) in [(1, ended(1, "x")), (2, bad(2)), (3, ended(3, "x")), (1, landed("applied", None))] {
        host.store.journal.append(id, change);
    }
    until(|| host.count() == Some(3), "the others are applied");
    until(|| host.told().any(|told| told.contains("never")), "the user is told");
    let is_gone = |name: &str| !dir.path().join("journal").join(name).exists();
    until(|| is_gone("gone-0.jsonl") && is_gone("gone-1.jsonl"), "all of it is applied, or refused");
    host.close();
    assert_eq!(host.told().count(), 0, "told once");
    let files = fs::read_dir(dir.path().join("journal")).unwrap();
    let journals: String = files.filter_map(|file| fs::read_to_string(file.unwrap().path()).ok()).collect();
    let refused = |uuid: &str| journals.matches(&format!(r#""uuid":"{uuid}","what":"refused""#)).count();
    assert_eq!((refused("s-2"), refused("gone-1"), refused("s-1")), (1, 1, 0));
}

/// Brings something about in a data directory, that lasts as long as what is returned.
type Strike = fn(&Path) -> Option<Connection>;

fn begun(dir: &Path, statement: &str) -> Connection {
    let connection = open::to_write(dir, open::BUSY).unwrap().connection;
    connection.execute_batch(statement).unwrap();
    connection
}

fn remove(dir: &Path) -> Option<Connection> {
    for name in ["botglue.db-wal", "botglue.db-shm", "botglue.db"] {
        let _ = fs::remove_file(dir.join(name));
    }
    None
}

fn overwrite(dir: &Path, text: &str) -> Option<Connection> {
    fs::write(dir.join("botglue.db"), text).unwrap();
    None
}

/// What is wrong, what the user is told where they are told, and how it comes about. What is no file is removed in the
/// end.
const FAULTS: [(&str, &str, Strike); 8] = [
    ("locked", "database is locked; see `:help botglue-store`", |dir| Some(begun(dir, "BEGIN IMMEDIATE"))),
    ("removed", "", remove),
    ("replaced", "", |dir| remove(dir).or_else(|| Some(begun(dir, "")))),
    ("of another version", "of version 99; the old store is kept as", |dir| {
        Some(begun(dir, "PRAGMA user_version = 99"))
    }),
    ("cut to 0 bytes", "the old store is kept as", |dir| overwrite(dir, "")),
    ("overwritten", "the old store is kept as", |dir| overwrite(dir, &"x".repeat(5000))),
    ("a link", "is a symbolic link", |dir| {
        remove(dir);
        std::os::unix::fs::symlink("/nowhere/else", dir.join("botglue.db")).unwrap();
        None
    }),
    ("a pipe", "or no regular file; remove it", |dir| {
        remove(dir);
        let path = std::ffi::CString::new(dir.join("botglue.db").to_str().unwrap()).unwrap();
        // SAFETY: the path is a string that ends with a zero.
        assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
        None
    }),
];

#[test]
fn whatever_is_wrong_with_the_database_all_answers_are_in_it_in_the_end() {
    let moments = [(0, false), (0, true), (10, false), (10, true)];
    for ((name, words, strike), (at, asks)) in
        FAULTS.into_iter().flat_map(|fault| moments.map(|moment| (fault, moment)))
    {
        let dir = tempfile::tempdir().unwrap();
        let what = format!("{name} at {at}, with questions: {asks}");
        drop(begun(dir.path(), ""));
        let mut struck = if at == 0 { strike(dir.path()) } else { None };
        let host = Host::open(dir.path(), "s");
        for id in 1..=20 {
            if id == at {
                until(|| host.count() == Some(id - 1), &what);
                struck = strike(dir.path());
            }
            let since = Instant::now();
            host.store.journal.append(id, ended(id, "x"));
            assert!(since.elapsed() < HELD_UP, "{what}");
            if asks {
                host.count();
            }
        }
        drop(struck);
        let path = dir.path().join("botglue.db");
        if fs::symlink_metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
            fs::remove_file(&path).unwrap();
        }
        until(|| host.count() == Some(20), &what);
        let told: Vec<String> = host.told().collect();
        assert!(told.len() <= 1 && told.iter().all(|told| told.contains(words)), "{what}: {told:?}");
        let aside = |told: &str| Some(told.split_once("kept as ")?.1.split_once(',')?.0.to_owned());
        let is_there = |told: &String| aside(told).is_none_or(|path| Path::new(&path).is_file());
        assert!(told.iter().all(is_there), "{what}: {told:?}");
        host.close();
        let next = Host::open(dir.path(), "s");
        until(|| next.count() == Some(20), &format!("{what}, in the next host"));
    }
}

#[test]
fn what_two_neovims_do_while_the_database_is_locked_is_all_there() {
    let seconds = std::env::var("BOTGLUE_LOCKED").map_or(0, |seconds| seconds.parse().unwrap());
    let dir = tempfile::tempdir().unwrap();
    let lock = begun(dir.path(), "BEGIN EXCLUSIVE");
    let hosts = ["s", "t"].map(|session| Host::open(dir.path(), session));
    for id in 1..=150 {
        std::thread::sleep(Duration::from_secs(seconds) / 150);
        for host in &hosts {
            host.store.journal.append(id, ended(id, "x"));
        }
    }
    drop(lock);
    until(|| hosts.iter().all(|host| host.count() == Some(300)), "300 of 300");
}

#[test]
fn an_asker_hears_that_the_store_is_busy_as_long_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let host = Host::open(dir.path(), "s");
    let _entered = host.runtime.enter();
    let ((go_on, waits), (reply, answer)) = (mpsc::channel::<()>(), mpsc::channel());
    host.store.ask(move |_| Ok(waits.recv_timeout(DEADLINE).is_ok()), |_| ());
    host.store.ask(|asker| asker.history(&Page::default()), move |listed| _ = reply.send(listed));
    assert!(matches!(answer.recv_timeout(DEADLINE).unwrap(), Err(StoreError::Busy)));
    go_on.send(()).unwrap();
    assert_eq!(host.count(), Some(0));
}

#[test]
fn without_a_folder_nothing_is_kept_and_nobody_is_warned() {
    let host = Host::open(None, "s");
    assert!(!host.store.journal.append(1, ended(1, "x")));
    assert_eq!(host.count(), None);
    host.close();
    assert_eq!(host.told.try_iter().count(), 0);
}
