//! The database as the host sees it, and what several hosts make of one file.

mod cut;
mod damage;
mod faults;
mod ledger;
mod links;
mod locks;
mod marker;
mod patience;
mod processes;
mod spill;

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::*;
use crate::store::owner;
use crate::store::queries::{held, keep};
use crate::store::sample::{self, accepted, record};

fn open(data_dir: &Path) -> Result<rusqlite::Connection, StoreError> {
    open::to_write(data_dir, open::BUSY).map(|opened| opened.connection)
}

/// Has the database locked, until `ROLLBACK` or the end of the connection.
fn locked(data_dir: &Path) -> rusqlite::Connection {
    let connection = open(data_dir).unwrap();
    connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    connection
}

const GONE: &str = "4194304:1";

/// Named in the environment: the data directory of a test that is only a process of another one.
const DATA_DIR: &str = "BOTGLUE_TEST_STORE";

/// Runs a test of this module in a process of its own, over that data directory.
fn in_process(test: &str, data_dir: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([&format!("store::database::tests::{test}"), "--exact", "--ignored", "--nocapture"])
        .env(DATA_DIR, data_dir)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Tells the test that started this process; at once, since it may be killed.
fn say(line: &str) {
    writeln!(std::io::stdout(), "{line}").unwrap();
}

/// The data directory that this process was started for.
fn given_directory() -> Option<PathBuf> {
    std::env::var_os(DATA_DIR).map(PathBuf::from)
}

/// A database with what it tells: warnings, and that it went on.
struct TestDatabase {
    database: Database,
    sender: mpsc::Sender<String>,
    heard: mpsc::Receiver<String>,
}

impl TestDatabase {
    fn open(data_dir: &Path) -> Self {
        let (sender, heard) = mpsc::channel();
        let warned = sender.clone();
        let warn = move |error: StoreError| {
            // A test may have ended before its host gives up.
            let _ = warned.send(format!("warning: {}", error.warning()));
        };
        Self { database: Database::open(Some(data_dir.to_owned()), warn), sender, heard }
    }

    /// Keeps a job, and gives everything that was told until it went on.
    fn keep(&self, record: Record) -> Vec<String> {
        let (id, sender) = (record.id, self.sender.clone());
        self.database.keep(record, move |_| sender.send(format!("kept {id}")).unwrap());
        self.until(&format!("kept {id}"))
    }

    /// Keeps a job, and gives the warning that comes of it, before or after the job is told of.
    fn keep_with_warning(&self, record: Record) -> String {
        let id = record.id;
        let told = self.keep(record);
        let mut warnings = told.into_iter().filter(|told| *told != format!("kept {id}"));
        warnings.next().unwrap_or_else(|| self.heard.recv_timeout(PATIENCE).expect("a warning"))
    }

    /// What the host does in the end.
    fn close(&self) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(self.database.close(Instant::now() + Duration::from_millis(200)));
    }

    fn land(&self, id: u64, landing: &str) -> Vec<String> {
        let sender = self.sender.clone();
        self.database.land(id, landed(landing, None), move |_| sender.send(format!("landed {id}")).unwrap());
        self.until(&format!("landed {id}"))
    }

    /// How many jobs there are, as the reader sees it; or why it cannot tell.
    fn count(&self) -> Result<u64, String> {
        let (sender, reply) = mpsc::channel();
        let wanted = InfoQuery { project: String::new(), session: None, today_ms: 0 };
        self.database.query(Query::Info(wanted), move |reply| sender.send(reply).unwrap());
        let reply = reply.recv_timeout(PATIENCE).expect("a reply");
        reply.map(|info| info["all"]["jobs"].as_u64().unwrap()).map_err(|error| error.to_string())
    }

    /// Waits until all that was kept is in the database: a job is told of after a moment, written or not.
    fn written(&self) {
        self.count().expect("a database");
    }

    fn until(&self, last: &str) -> Vec<String> {
        let mut told = Vec::new();
        while told.last().is_none_or(|told| told != last) {
            told.push(
                self.heard.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("{last:?} never came: {told:?}")),
            );
        }
        told
    }
}

/// The files of a data directory that have this in their names, with what is in them.
fn files(dir: &Path, part: &str) -> Vec<(String, Vec<u8>)> {
    let all = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    // A host that ends deletes some meanwhile.
    let read = |entry: fs::DirEntry| {
        fs::read(entry.path()).ok().map(|bytes| (entry.file_name().into_string().unwrap(), bytes))
    };
    let mut named: Vec<_> = all.filter_map(read).filter(|(name, _)| name.contains(part)).collect();
    named.sort();
    named
}

fn is_warning(told: &str, words: &[&str]) -> bool {
    told.starts_with("warning: ") && words.iter().all(|word| told.contains(word))
}

/// How long a test waits before it says that something hangs.
const PATIENCE: Duration = Duration::from_secs(30);

fn landed(landing: &str, held_for: Option<&str>) -> Landed {
    let (landing, held_for) = (landing.to_owned(), held_for.map(str::to_owned));
    Landed { landing, held_for, ..Landed::default() }
}

fn texts(held: &[Held]) -> Vec<&str> {
    held.iter().map(|held| held.record.text.as_deref().unwrap()).collect()
}

#[test]
fn what_waited_when_its_neovim_ended_is_adopted_once_and_whole() {
    let dir = tempfile::tempdir().unwrap();
    let mut connection = open(dir.path()).unwrap();
    for (id, text) in [(1, Some("held")), (2, Some("undecided")), (3, Some("landed")), (4, None)] {
        sample::insert(&connection, GONE, &record(id, text), None).unwrap();
    }
    keep::land(&connection, GONE, 1, &landed("held", Some("conflict"))).unwrap();
    keep::land(&connection, GONE, 3, &landed("applied", None)).unwrap();
    sample::insert(&connection, &owner::current(), &record(1, Some("of a living one")), None).unwrap();

    let held = held::adopt(&mut connection, "me:1").unwrap();
    assert_eq!(texts(&held), ["held", "undecided"]);
    let conflict = Record { id: 0, held_for: Some("conflict".to_owned()), ..record(1, Some("held")) };
    assert_eq!(held[0].record, conflict);
    assert_eq!(held[1].record.held_for.as_deref(), Some("buffer_gone"));
    for (id, held) in held.iter().enumerate() {
        held::number(&connection, "me:1", &held.uuid, id as u64 + 7).unwrap();
    }
    keep::land(&connection, "me:1", 7, &landed("rejected", None)).unwrap();
    // "me" is no process: what is still held goes to the next who asks.
    assert_eq!(texts(&held::adopt(&mut connection, "you:1").unwrap()), ["undecided"]);
}

#[test]
fn an_answer_is_adopted_in_the_file_that_its_buffer_was_renamed_to() {
    let dir = tempfile::tempdir().unwrap();
    let mut connection = open(dir.path()).unwrap();
    sample::insert(&connection, GONE, &record(1, Some("x")), None).unwrap();
    let renamed = Landed { path: Some("/new.rs".to_owned()), ..landed("held", Some("review")) };
    keep::land(&connection, GONE, 1, &renamed).unwrap();
    keep::land(&connection, GONE, 1, &landed("held", Some("review"))).unwrap();
    let held = held::adopt(&mut connection, "me:1").unwrap();
    assert_eq!(held[0].record.path, "/new.rs");
}

fn draft(line: &str) -> Draft {
    Draft { lines: Some(vec![line.to_owned(), "é".to_owned()]), ..Draft::default() }
}

#[test]
fn what_the_user_made_of_a_held_answer_is_adopted_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut connection = open(dir.path()).unwrap();
    for id in 1..=3 {
        sample::insert(&connection, GONE, &record(id, Some("x")), None).unwrap();
        keep::land(&connection, GONE, id, &landed("held", Some("review"))).unwrap();
        keep::draft(&connection, GONE, id, Some(&draft("first"))).unwrap();
    }
    keep::draft(&connection, GONE, 1, Some(&draft("last"))).unwrap();
    keep::draft(&connection, GONE, 2, None).unwrap();
    keep::draft(&connection, "you:1", 3, Some(&draft("of another Neovim's job"))).unwrap();
    let held = held::adopt(&mut connection, "me:1").unwrap();
    let drafts: Vec<_> = held.into_iter().map(|held| held.draft).collect();
    assert_eq!(drafts, [Some(draft("last")), None, Some(draft("first"))]);
}

#[test]
fn only_the_owner_reads_the_files() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("data");
    let connection = open(&folder).unwrap();
    sample::insert(&connection, GONE, &record(1, Some("x")), None).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for file in fs::read_dir(&folder).unwrap() {
        assert_eq!(mode(&file.unwrap().path()), 0o600);
    }
}

#[test]
fn that_an_answer_has_landed_is_written_though_its_rows_cannot_be() {
    let dir = tempfile::tempdir().unwrap();
    let told = TestDatabase::open(dir.path());
    told.keep(record(1, Some("x")));
    let connection = open(dir.path()).unwrap();
    let refuse = "CREATE TRIGGER refuse BEFORE UPDATE OF landed_rows ON texts BEGIN SELECT raise(ABORT, 'no room'); END";
    connection.execute_batch(refuse).unwrap();
    let (sender, landed_1) = mpsc::channel();
    let rows = Some(vec!["x".to_owned()]);
    told.database.land(1, Landed { rows, ..landed("applied", None) }, move |_| sender.send(()).unwrap());
    landed_1.recv_timeout(PATIENCE).unwrap();
    let landing: Option<String> =
        connection.query_row("SELECT landing FROM jobs", [], |row| row.get(0)).unwrap();
    assert_eq!(landing.as_deref(), Some("applied"));
}

#[test]
fn answers_that_an_earlier_host_could_not_tell_are_held_by_their_own_neovim() {
    let dir = tempfile::tempdir().unwrap();
    let mut connection = open(dir.path()).unwrap();
    let question = Record { question: true, ..record(5, Some("a question's")) };
    for record in [record(1, Some("untold")), record(2, Some("landed")), record(3, None), question] {
        sample::insert(&connection, "me:1", &record, None).unwrap();
    }
    sample::insert(&connection, "you:1", &record(4, Some("of another Neovim")), None).unwrap();
    keep::land(&connection, "me:1", 2, &landed("applied", None)).unwrap();
    let landing = |connection: &rusqlite::Connection, text: &str| {
        let sql = "SELECT landing, held_for FROM jobs JOIN texts ON job = key WHERE text = ?1";
        let found = connection.query_row(sql, [text], |row| Ok((row.get(0)?, row.get(1)?)));
        found.map(|(landing, held_for): (Option<String>, Option<String>)| [landing, held_for]).unwrap()
    };
    // Once more where the host that took them was gone before it could tell in its turn.
    for _ in 0..2 {
        let held = held::untold(&mut connection, "me:1", &[1, 2, 3, 4, 5, 6]).unwrap();
        assert_eq!(held.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [1]);
        assert_eq!(texts(&held.into_iter().map(|(_, held)| held).collect::<Vec<_>>()), ["untold"]);
        let held = ["held", "review"].map(|name| Some(name.to_owned()));
        assert_eq!(landing(&connection, "untold"), held);
        assert_eq!(landing(&connection, "landed"), [Some("applied".to_owned()), None]);
        assert_eq!(landing(&connection, "of another Neovim"), [None, None]);
    }
    assert_eq!(held::untold(&mut connection, "me:1", &[]).unwrap(), []);
}
