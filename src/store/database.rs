//! The database on its own thread: the host hands work over and goes on; nothing here is waited for but
//! what was asked to be kept before something else happens.
//!
//! Work is done in the order in which it came. What should happen afterwards comes with it, and happens
//! also where keeping failed: a broken store never costs an answer.

use std::fs::{DirBuilder, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use rusqlite::Connection;

use super::queries::{self, Held, Record};
use super::{StoreError, owner, schema};

/// How long another Neovim's write is waited for.
const BUSY: Duration = Duration::from_secs(2);
/// How long the end of the host may wait for the store.
const LAST: Duration = Duration::from_millis(300);

type Then<T> = Box<dyn FnOnce(T) + Send>;

enum Task {
    Keep(Box<Record>, Then<()>),
    Land { id: u64, landing: String, held_for: Option<String>, then: Then<()> },
    Amend { id: u64, cost_usd: Option<f64>, tokens: (u64, u64), then: Then<()> },
    Adopt(Then<Vec<Held>>),
    Number { uuid: String, id: u64 },
    Close(Then<()>),
}

/// A handle to the database's thread. The thread ends when the last handle is dropped.
#[derive(Debug, Clone)]
pub struct Database {
    tasks: mpsc::Sender<Task>,
}

impl Database {
    /// Opens, or makes, `botglue.db` under `data_dir`. `warn` is told, once, where nothing can be kept.
    pub fn open(data_dir: Option<PathBuf>, warn: impl FnOnce(StoreError) + Send + 'static) -> Self {
        let (tasks, waiting) = mpsc::channel();
        // A thread of its own, and none of the agents' parents: it starts no process.
        std::thread::spawn(move || {
            let mut worker = Worker { connection: None, owner: owner::current(), warn: Some(Box::new(warn)) };
            match data_dir.as_deref().map(open).transpose() {
                Ok(connection) => worker.connection = connection,
                Err(error) => worker.complain(error),
            }
            for task in waiting {
                worker.work(task);
            }
        });
        Self { tasks }
    }

    /// Keeps a finished job, then goes on.
    pub fn keep(&self, record: Record, then: impl FnOnce() + Send + 'static) {
        self.send(Task::Keep(Box::new(record), Box::new(|()| then())));
    }

    /// Keeps what became of an answer, then goes on; a held one is on the disk then.
    pub fn land(
        &self,
        id: u64,
        landing: String,
        held_for: Option<String>,
        then: impl FnOnce() + Send + 'static,
    ) {
        self.send(Task::Land { id, landing, held_for, then: Box::new(|()| then()) });
    }

    /// Keeps later amounts of a job, then goes on.
    pub fn amend(
        &self,
        id: u64,
        cost_usd: Option<f64>,
        tokens: (u64, u64),
        then: impl FnOnce() + Send + 'static,
    ) {
        self.send(Task::Amend { id, cost_usd, tokens, then: Box::new(|()| then()) });
    }

    /// Takes over the answers that wait for a decision and whose Neovim is gone.
    pub fn adopt(&self, then: impl FnOnce(Vec<Held>) + Send + 'static) {
        self.send(Task::Adopt(Box::new(then)));
    }

    /// Gives an adopted answer its number in this Neovim.
    pub fn number(&self, uuid: String, id: u64) {
        self.send(Task::Number { uuid, id });
    }

    /// Waits until everything that was handed over is kept, but no longer than Neovim lets the host live.
    pub async fn close(&self) {
        let (done, closed) = tokio::sync::oneshot::channel();
        self.send(Task::Close(Box::new(move |()| {
            // Who waited may have given up.
            let _ = done.send(());
        })));
        if tokio::time::timeout(LAST, closed).await.is_err() {
            tracing::error!("the store was still busy when the host ended");
        }
    }

    fn send(&self, task: Task) {
        if self.tasks.send(task).is_err() {
            // It never ends by itself; a panic of it has ended the host.
            tracing::error!("the store's thread is gone");
        }
    }
}

/// What the thread owns.
struct Worker {
    connection: Option<Connection>,
    owner: String,
    warn: Option<Then<StoreError>>,
}

impl Worker {
    fn work(&mut self, task: Task) {
        match task {
            Task::Keep(record, then) => {
                self.attempt(|connection, owner| queries::insert(connection, owner, &record));
                then(());
            }
            Task::Land { id, landing, held_for, then } => {
                self.attempt(|connection, owner| {
                    let durable = if landing == "held" { "FULL" } else { "NORMAL" };
                    connection.pragma_update(None, "synchronous", durable)?;
                    queries::land(connection, owner, id, &landing, held_for.as_deref())
                });
                then(());
            }
            Task::Amend { id, cost_usd, tokens, then } => {
                self.attempt(|connection, owner| queries::amend(connection, owner, id, cost_usd, tokens));
                then(());
            }
            Task::Adopt(then) => then(self.attempt(queries::adopt).unwrap_or_default()),
            Task::Close(then) => then(()),
            Task::Number { uuid, id } => {
                self.attempt(|connection, _| queries::number(connection, &uuid, id));
            }
        }
    }

    fn attempt<T>(
        &mut self,
        query: impl FnOnce(&mut Connection, &str) -> Result<T, StoreError>,
    ) -> Option<T> {
        match query(self.connection.as_mut()?, &self.owner) {
            Ok(value) => Some(value),
            Err(error) => {
                self.complain(error);
                None
            }
        }
    }

    /// The log has every failure; the user is told of the first.
    fn complain(&mut self, error: StoreError) {
        tracing::error!(%error, "the store failed");
        if let Some(warn) = self.warn.take() {
            warn(error);
        }
    }
}

fn open(data_dir: &Path) -> Result<Connection, StoreError> {
    DirBuilder::new().recursive(true).mode(0o700).create(data_dir)?;
    let path = data_dir.join("botglue.db");
    // Made here, so that it is never there with more rights, not even for a moment; SQLite gives the files
    // beside it the same.
    OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?;
    let mut connection = Connection::open(&path)?;
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    schema::migrate(&mut connection)?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Selected;
    use std::os::unix::fs::PermissionsExt;

    const GONE: &str = "4194304:1";

    fn record(id: u64, text: Option<&str>) -> Record {
        let rows = vec!["local a = 1".to_owned()];
        Record {
            id,
            agent: "claude".to_owned(),
            model: Some("opus".to_owned()),
            session_id: None,
            project: "/project".to_owned(),
            path: "/project/a.lua".to_owned(),
            filetype: "lua".to_owned(),
            prompt: "shorter".to_owned(),
            selection: Selected {
                kind: "line".to_owned(),
                first_line: 3,
                last_line: 3,
                text: rows.clone(),
                rows,
                cols: vec![0],
                anchor: None,
            },
            started_ms: 1000,
            ended_ms: 2000 + i64::try_from(id).unwrap(),
            error: None,
            text: text.map(str::to_owned),
            lines: text.map(|text| vec![text.to_owned()]),
            held_for: None,
            cost_usd: Some(0.25),
            tokens: (10, 5),
            num_turns: Some(1),
        }
    }

    fn texts(held: &[Held]) -> Vec<&str> {
        held.iter().map(|held| held.record.text.as_deref().unwrap()).collect()
    }

    #[test]
    fn what_waited_when_its_neovim_ended_is_adopted_once_and_whole() {
        let dir = tempfile::tempdir().unwrap();
        let mut connection = open(dir.path()).unwrap();
        for (id, text) in [(1, Some("held")), (2, Some("undecided")), (3, Some("landed")), (4, None)] {
            queries::insert(&connection, GONE, &record(id, text)).unwrap();
        }
        queries::land(&connection, GONE, 1, "held", Some("conflict")).unwrap();
        queries::land(&connection, GONE, 3, "applied", None).unwrap();
        queries::insert(&connection, &owner::current(), &record(1, Some("of a living one"))).unwrap();

        let held = queries::adopt(&mut connection, "me:1").unwrap();
        assert_eq!(texts(&held), ["held", "undecided"]);
        let conflict = Record { id: 0, held_for: Some("conflict".to_owned()), ..record(1, Some("held")) };
        assert_eq!(held[0].record, conflict);
        assert_eq!(held[1].record.held_for.as_deref(), Some("buffer_gone"));
        for (id, held) in held.iter().enumerate() {
            queries::number(&connection, &held.uuid, id as u64 + 7).unwrap();
        }
        queries::land(&connection, "me:1", 7, "rejected", None).unwrap();
        // "me" is no process: what is still held goes to the next who asks.
        assert_eq!(texts(&queries::adopt(&mut connection, "you:1").unwrap()), ["undecided"]);
    }

    #[test]
    fn only_the_owner_reads_the_files() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("data");
        let connection = open(&folder).unwrap();
        queries::insert(&connection, GONE, &record(1, Some("x"))).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700);
        for file in std::fs::read_dir(&folder).unwrap() {
            assert_eq!(mode(&file.unwrap().path()), 0o600);
        }
    }

    #[test]
    fn a_store_of_a_newer_version_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        open(dir.path()).unwrap().pragma_update(None, "user_version", 99).unwrap();
        let error = open(dir.path()).unwrap_err();
        assert!(matches!(error, StoreError::Newer { version: 99, .. }), "{error}");
    }

    #[test]
    fn eight_at_once_lose_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let writers: Vec<_> = (0..8)
            .map(|writer| {
                let dir = dir.path().to_owned();
                std::thread::spawn(move || {
                    let connection = open(&dir).unwrap();
                    for id in 0..25 {
                        queries::insert(&connection, &format!("{writer}:0"), &record(id, Some("x"))).unwrap();
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.join().unwrap();
        }
        let count: i64 =
            open(dir.path()).unwrap().query_row("SELECT count(*) FROM jobs", [], |row| row.get(0)).unwrap();
        assert_eq!(count, 200);
    }

    #[test]
    fn a_store_that_cannot_be_opened_warns_once_and_holds_up_nothing() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(
            dir.path().join("botglue.db"),
            "this is no database, and long enough to be seen as none",
        )
        .unwrap();
        let (told, telling) = mpsc::channel();
        let warned = told.clone();
        let database =
            Database::open(Some(dir.path().to_owned()), move |error| warned.send(error.to_string()).unwrap());
        for id in 1..=2 {
            let told = told.clone();
            database.keep(record(id, Some("x")), move || told.send(format!("went on {id}")).unwrap());
        }
        let next = || telling.recv_timeout(Duration::from_secs(20)).expect("the store goes on");
        assert!(next().contains("not a database"));
        assert_eq!([next(), next()], ["went on 1", "went on 2"]);
    }
}
