//! Brings the changes of journals into the database. Doing that twice changes nothing, so that a journal can be applied
//! again from its start. A change of a session touches the jobs of that session alone: one that another session has
//! taken over is its own.

use rusqlite::{Connection, TransactionBehavior, params};
use serde_json::{Value, json};

use super::queries::{json as text, unsent};
use super::{StoreError, signed};
use crate::error::Code;
use crate::journal::{Accepted, Amounts, Change, Line, Record, RowsOnDisk, whole};

const LOST: &str = "the host ended before the answer came; ask again";

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
        Change::Amended { share, counted } => {
            let mut entry = amounts(share)?;
            entry["counted"] = serde_json::to_value(counted)?;
            job.patch(&entry, None)
        }
        Change::Interrupted => job.interrupt(),
        Change::Landed(landed) => {
            let mut entry = json!({ "landing": landed.landing, "held_for": landed.held_for });
            if let Some((first, last)) = landed.place {
                (entry["landed_first"], entry["landed_last"]) = (first.into(), last.into());
            }
            job.patch(&entry, landed.rows.as_ref())
        }
        Change::Range(RowsOnDisk { place, rows, .. }) => {
            let (first, last) = place.unzip();
            job.patch(&json!({ "landed_first": first, "landed_last": last }), Some(rows))
        }
        Change::Path(path) => job.patch(&json!({ "path": path }), None),
        Change::Numbered(id) => {
            to.prepare_cached("UPDATE jobs SET session = ?2, id = ?3 WHERE uuid = ?1")?.execute(params![
                line.uuid,
                session,
                signed(*id)
            ])?;
            Ok(())
        }
        Change::Unsent { id, unsent } => unsent::keep(to, session, *id, unsent.as_ref()),
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
    /// Its prompt is not unsent any more. One with this key may have failed with the host that had it before.
    fn accept(&self, job: &Accepted) -> Result<(), StoreError> {
        self.insert(job)?;
        self.to
            .prepare_cached(
                "UPDATE jobs SET entry = ?3 WHERE uuid = ?1 AND session = ?2 AND coalesce(started_ms, 0) < ?4",
            )?
            .execute(params![self.uuid, self.session, text(&entry(job))?, job.started_ms])?;
        self.to
            .prepare_cached("INSERT INTO texts (uuid, record) VALUES (?1, ?2) ON CONFLICT DO NOTHING")?
            .execute(params![self.uuid, text(job)?])?;
        unsent::sent(self.to, &job.prompt)
    }

    fn end(&self, record: &Record) -> Result<(), StoreError> {
        let job = &record.job;
        self.insert(job)?;
        let duration = record.ended_ms.saturating_sub(job.started_ms).max(0).cast_unsigned();
        let share = Amounts { duration_ms: record.share.duration_ms.or(Some(duration)), ..record.share };
        let mut ended = amounts(&share)?;
        ended["model"] = record.model().map(String::as_str).into();
        ended["session_id"] = record.session_id.as_deref().into();
        ended["ended_ms"] = record.ended_ms.into();
        ended["error"] = record.error.as_ref().map(|(code, message)| failure(code, message)).into();
        ended["has_answer"] = record.text.is_some().into();
        ended["landing"] = Value::Null;
        ended["held_for"] = record.held_for.as_deref().into();
        ended["transcript"] = record.transcript.as_deref().into();
        ended["counted"] = serde_json::to_value(record.counted)?;
        let parent = job.resumed.as_ref().map(|resumed| &resumed.session_id);
        let is_own = self
            .to
            .prepare_cached(
                // What was changed while it ran stays.
                "UPDATE jobs SET entry = json_patch(json_patch(?3, entry), ?4), family = coalesce(
                    (SELECT family FROM jobs WHERE agent = ?5 AND session_id = ?6 LIMIT 1), ?6, ?7)
                 WHERE uuid = ?1 AND session = ?2",
            )?
            .execute(params![
                self.uuid,
                self.session,
                text(&entry(job))?,
                text(&ended)?,
                job.agent,
                parent,
                record.session_id
            ])?;
        if is_own > 0 {
            self.to
                .prepare_cached("INSERT OR REPLACE INTO texts (uuid, record) VALUES (?1, ?2)")?
                .execute(params![self.uuid, text(record)?])?;
        }
        unsent::sent(self.to, &job.prompt)
    }

    /// A row for it, where there is none.
    fn insert(&self, job: &Accepted) -> Result<(), StoreError> {
        self.to
            .prepare_cached(
                "INSERT INTO jobs (uuid, session, id, entry) VALUES (?1, ?2, ?3, '{}') ON CONFLICT DO NOTHING",
            )?
            .execute(params![self.uuid, self.session, signed(job.id)])?;
        Ok(())
    }

    /// Changes fields of its entry, and its rows where there are some.
    fn patch(&self, entry: &Value, rows: Option<&Vec<String>>) -> Result<(), StoreError> {
        let changed = self
            .to
            .prepare_cached("UPDATE jobs SET entry = json_patch(entry, ?3) WHERE uuid = ?1 AND session = ?2")?
            .execute(params![self.uuid, self.session, text(entry)?])?;
        if let Some(rows) = rows.filter(|_| changed > 0) {
            self.to
                .prepare_cached("UPDATE texts SET landed_rows = ?2 WHERE uuid = ?1")?
                .execute(params![self.uuid, text(rows)?])?;
        }
        Ok(())
    }

    /// It had not ended when its host or its Neovim did. When that was is not known; lists show it at the time at which
    /// it was asked for.
    fn interrupt(&self) -> Result<(), StoreError> {
        self.to
            .prepare_cached(
                "UPDATE jobs SET entry =
                    json_set(entry, '$.ended_ms', coalesce(ended_ms, started_ms), '$.error', json(?3))
                 WHERE uuid = ?1 AND session = ?2 AND (ended_ms IS NULL OR error_code = ?4)",
            )?
            .execute(params![
                self.uuid,
                self.session,
                text(&failure(Code::HostLost.name(), LOST))?,
                Code::Exited.name()
            ])?;
        Ok(())
    }
}

/// What a job's entry has from the start.
fn entry(job: &Accepted) -> Value {
    json!({
        "agent": job.agent, "protocol": job.protocol, "model": job.model, "project": job.project, "path": job.path,
        "filetype": job.filetype, "first_line": job.selection.first_line, "prompt": job.prompt,
        "question": job.question, "started_ms": job.started_ms,
    })
}

fn amounts(share: &Amounts) -> Result<Value, StoreError> {
    Ok(serde_json::to_value(Amounts { cost_usd: share.cost_usd.map(whole), ..*share })?)
}

fn failure(code: &str, message: &str) -> Value {
    json!({ "code": code, "message": message })
}

/// The jobs of a session that had not ended were interrupted.
fn end_lost(to: &Connection, session: &str) -> Result<(), StoreError> {
    let open: Vec<String> = to
        .prepare_cached("SELECT uuid FROM jobs WHERE session = ?1 AND ended_ms IS NULL")?
        .query_map([session], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    open.iter().try_for_each(|uuid| Job { to, session, uuid }.interrupt())
}

/// Ends the jobs of all sessions of which `is_gone` says that they are.
pub fn end_gone(connection: &Connection, is_gone: impl Fn(&str) -> bool) -> Result<(), StoreError> {
    let sessions: Vec<String> = connection
        .prepare_cached("SELECT DISTINCT session FROM jobs WHERE ended_ms IS NULL")?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    sessions.iter().filter(|session| is_gone(session)).try_for_each(|session| end_lost(connection, session))
}
