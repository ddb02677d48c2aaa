//! Brings the changes of journals into the database. Doing that twice changes nothing, so that a journal can be applied
//! again from its start. A change of a session touches the jobs of that session alone: one that another session has
//! taken over is its own.

use rusqlite::{Connection, ToSql, TransactionBehavior, params};
use serde_json::{Value, json, to_string};

use super::{StoreError, prompts};
use crate::error::Code;
use crate::journal::{Change, Landed, Line, Record, RowsOnDisk};
use crate::request::Accepted;

const LOST: &str = "the host ended before the answer came; ask again";

/// What lists have of a record, which is `?3`: all but the long texts.
const ENTRY: &str = "json_set(json_remove(?3, '$.text', '$.lines', '$.checkpoints', '$.selection.text',
    '$.selection.rows', '$.selection.cols', '$.selection.beside'),
    '$.has_answer', json(iif(?3 ->> 'text' IS NULL, 'false', 'true')))";

/// Applies lines in one transaction; a line that is refused for good is left out, and returned with why. Where the
/// database cannot be written now nothing of it is applied.
pub fn apply(
    connection: &mut Connection,
    session: &mut String,
    lines: &[Line],
) -> Result<Vec<(Line, StoreError)>, StoreError> {
    // Immediate: it gets the lock at its beginning, and so never waits for another host between two statements.
    let mut transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut refused = Vec::new();
    for line in lines {
        let savepoint = transaction.savepoint()?;
        match one(&savepoint, session, line) {
            Ok(()) => savepoint.commit()?,
            // It is taken back with the savepoint.
            Err(error) if error.is_refusal() => refused.push((line.clone(), error)),
            Err(error) => return Err(error),
        }
    }
    transaction.commit()?;
    Ok(refused)
}

fn one(to: &Connection, session: &mut String, line: &Line) -> Result<(), StoreError> {
    if let Change::Begin { session: named, is_start, .. } = &line.change {
        session.clone_from(named);
        return if *is_start { end_lost(to, session) } else { Ok(()) };
    }
    let session = session.as_str();
    let job = Job { to, session, uuid: &line.uuid };
    match &line.change {
        Change::Accepted(accepted) => job.accept(accepted),
        Change::Ended(record) => job.end(record),
        Change::Amended { share, counted } => job.patch(&json!({ "share": share, "counted": counted }), None),
        // Unless it has run again.
        Change::Limited { started_ms, until, share } => {
            job.patch_of(Some(*started_ms), &json!({ "resumes_at": until, "share": share })).map(|_| ())
        }
        Change::Interrupted => job.interrupt(),
        Change::Landed(Landed { landing, held_for, place, rows }) => {
            let mut entry = json!({ "landing": landing, "held_for": held_for });
            if let Some(place) = place {
                entry["place"] = json!(place);
            }
            job.patch(&entry, rows.as_ref())
        }
        Change::Range(RowsOnDisk { place, rows, .. }) => job.patch(&json!({ "place": place }), Some(rows)),
        Change::Path(path) => job.patch(&json!({ "path": path }), None),
        Change::Numbered(id) => {
            job.run("UPDATE jobs SET session = ?2, id = ?3 WHERE uuid = ?1", &[&id.cast_signed()]).map(|_| ())
        }
        Change::Unsent { id, at_ms, text } => prompts::keep(to, session, *id, *at_ms, text),
        // It belongs to the journal alone, as drafts do.
        Change::Begin { .. } | Change::Refused { .. } | Change::Draft(_) => Ok(()),
    }
}

/// The job that a line changes.
struct Job<'a> {
    to: &'a Connection,
    session: &'a str,
    uuid: &'a str,
}

impl Job<'_> {
    /// Runs a statement with its key as `?1`, its session as `?2`, and these behind them; how many rows it has changed.
    fn run(&self, sql: &str, more: &[&dyn ToSql]) -> Result<usize, StoreError> {
        let parameters = [&[&self.uuid as &dyn ToSql, &self.session], more].concat();
        Ok(self.to.prepare_cached(sql)?.execute(&parameters[..])?)
    }

    /// Its prompt is not unsent any more. One with this key may have failed with the host that had it before.
    fn accept(&self, job: &Accepted) -> Result<(), StoreError> {
        let record = to_string(job)?;
        self.insert(job)?;
        self.run(
            &format!(
                "UPDATE jobs SET entry = {ENTRY} WHERE uuid = ?1 AND session = ?2 AND coalesce(started_ms, 0) < ?4"
            ),
            &[&record, &job.started_ms],
        )?;
        self.to
            .prepare_cached("INSERT INTO texts (uuid, record) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
            .execute([self.uuid, &record])?;
        prompts::sent(self.to, &job.prompt)
    }

    fn end(&self, record: &Record) -> Result<(), StoreError> {
        let job = &record.job;
        let parent = job.resumed.as_ref().map(|resumed| &resumed.session_id);
        let text = to_string(record)?;
        self.insert(job)?;
        let is_own = self.run(
            // The file may have got another name while it ran.
            &format!(
                "UPDATE jobs SET
                    entry = json_set(json_patch(entry, {ENTRY}), '$.path', coalesce(entry ->> 'path', ?3 ->> 'path')),
                    family = coalesce((SELECT family FROM jobs WHERE agent = ?4 AND session_id = ?5 LIMIT 1), ?5, ?6)
                 WHERE uuid = ?1 AND session = ?2"
            ),
            &[&text, &job.agent, &parent, &record.session_id],
        )?;
        if is_own > 0 {
            self.to
                .prepare_cached("INSERT OR REPLACE INTO texts (uuid, record) VALUES (?1, ?2)")?
                .execute([self.uuid, &text])?;
        }
        prompts::sent(self.to, &job.prompt)
    }

    /// A row for it, where there is none.
    fn insert(&self, job: &Accepted) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO jobs (uuid, session, id, entry) VALUES (?1, ?2, ?3, '{}') ON CONFLICT DO NOTHING",
            &[&job.id.cast_signed()],
        )?;
        Ok(())
    }

    /// Changes fields of its entry, and its rows where there are some.
    fn patch(&self, entry: &Value, rows: Option<&Vec<String>>) -> Result<(), StoreError> {
        let changed = self.patch_of(None, entry)?;
        if let Some(rows) = rows.filter(|_| changed > 0) {
            self.to
                .prepare_cached("UPDATE texts SET landed_rows = ?2 WHERE uuid = ?1")?
                .execute(params![self.uuid, to_string(rows)?])?;
        }
        Ok(())
    }

    /// Changes fields of its entry, if it has begun then, where that is said; how many rows that has changed.
    fn patch_of(&self, started_ms: Option<i64>, entry: &Value) -> Result<usize, StoreError> {
        self.run(
            "UPDATE jobs SET entry = json_patch(entry, ?3)
             WHERE uuid = ?1 AND session = ?2 AND (?4 IS NULL OR started_ms = ?4)",
            &[&to_string(entry)?, &started_ms],
        )
    }

    /// It had not ended when its host or its Neovim did; without a key all jobs of the session that had not. When that was
    /// is not known; lists show it at the time at which it was asked for.
    fn interrupt(&self) -> Result<(), StoreError> {
        self.run(
            "UPDATE jobs SET entry =
                json_set(entry, '$.ended_ms', coalesce(ended_ms, started_ms), '$.error', json_array(?3, ?4))
             WHERE ?1 IN ('', uuid) AND session = ?2 AND (ended_ms IS NULL OR uuid = ?1 AND error_code = ?5)",
            &[&Code::HostLost.name(), &LOST, &Code::Exited.name()],
        )?;
        Ok(())
    }
}

/// The jobs of a session that had not ended were interrupted.
fn end_lost(to: &Connection, session: &str) -> Result<(), StoreError> {
    Job { to, session, uuid: "" }.interrupt()
}

/// Ends the jobs of all sessions of which `is_gone` says that they are.
pub fn end_gone(connection: &Connection, is_gone: impl Fn(&str) -> bool) -> Result<(), StoreError> {
    let sessions: Vec<String> = connection
        .prepare_cached("SELECT DISTINCT session FROM jobs WHERE ended_ms IS NULL")?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    sessions.iter().filter(|session| is_gone(session)).try_for_each(|session| end_lost(connection, session))
}
