//! Brings the changes of journals into the database. Doing that twice changes nothing, so that a journal can be applied
//! again from its start. A change of a session touches the jobs of that session alone: one that another session has
//! taken over is its own.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, named_params, params};
use serde_json::json;

use super::queries::{json as text, unsent};
use super::{StoreError, signed};
use crate::error::Code;
use crate::journal::{Accepted, Amounts, Change, Landed, Line, Record, RowsOnDisk, whole};

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
            Err(error) if error.is_transient() => return Err(error),
            Err(error) => {
                drop(savepoint);
                refused.push((line.clone(), error));
            }
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
    let (uuid, session) = (&line.uuid, session.as_str());
    match &line.change {
        Change::Accepted(job) => accept(to, session, uuid, job)?,
        Change::Ended(record) => end(to, session, uuid, record)?,
        Change::Amended { share, counted } => {
            if amend(to, session, uuid, share)? {
                to.prepare_cached("UPDATE texts SET counted = ?2 WHERE uuid = ?1")?
                    .execute(params![uuid, text(counted)?])?;
            }
        }
        Change::Interrupted => {
            to.prepare_cached(
                "UPDATE jobs SET error_code = ?3, ended_ms = coalesce(ended_ms, started_ms),
                    entry = json_set(entry, '$.error_message', ?4)
                 WHERE uuid = ?1 AND session = ?2 AND (ended_ms IS NULL OR error_code = ?5)",
            )?
            .execute(params![
                uuid,
                session,
                Code::HostLost.name(),
                LOST,
                Code::Exited.name()
            ])?;
        }
        Change::Landed(landed) => land(to, session, uuid, landed)?,
        Change::Range(RowsOnDisk { place, rows, .. }) => {
            let place = place.unzip();
            let entry = json!({ "landed_first": place.0, "landed_last": place.1 });
            patch(to, session, uuid, &entry, Some(rows))?;
        }
        Change::Path(path) => {
            to.prepare_cached("UPDATE jobs SET path = ?3 WHERE uuid = ?1 AND session = ?2")?
                .execute(params![uuid, session, path])?;
        }
        Change::Numbered(id) => {
            to.prepare_cached("UPDATE jobs SET session = ?2, id = ?3 WHERE uuid = ?1")?.execute(params![
                uuid,
                session,
                signed(*id)
            ])?;
        }
        Change::Unsent { id, unsent } => unsent::keep(to, session, *id, unsent.as_ref())?,
        // It belongs to the journal alone, as drafts do.
        Change::Begin { .. } | Change::Refused { .. } | Change::Draft(_) => {}
    }
    Ok(())
}

/// A job that was accepted. Its prompt is not unsent any more. One with this key may have failed with the host that had
/// it before.
fn accept(to: &Connection, session: &str, uuid: &str, job: &Accepted) -> Result<(), StoreError> {
    to.prepare_cached(
        "INSERT INTO jobs (uuid, session, id, agent, model, project, path, prompt, started_ms, entry)
         VALUES (:uuid, :session, :id, :agent, :model, :project, :path, :prompt, :started_ms, :entry)
         ON CONFLICT DO UPDATE SET ended_ms = NULL, error_code = NULL, started_ms = excluded.started_ms,
            entry = excluded.entry
         WHERE started_ms < excluded.started_ms AND session = excluded.session",
    )?
    .execute(named_params! {
        ":uuid": uuid, ":session": session, ":id": signed(job.id), ":agent": job.agent, ":model": job.model,
        ":project": job.project, ":path": job.path, ":prompt": job.prompt, ":started_ms": job.started_ms,
        ":entry": text(&entry(job))?,
    })?;
    to.prepare_cached(
        "INSERT INTO texts (uuid, record, counted) VALUES (?1, ?2, '{}') ON CONFLICT DO NOTHING",
    )?
    .execute(params![uuid, text(job)?])?;
    unsent::sent(to, &job.prompt)
}

fn entry(job: &Accepted) -> serde_json::Value {
    json!({
        "protocol": job.protocol, "filetype": job.filetype, "first_line": job.selection.first_line,
        "question": job.question,
    })
}

fn end(to: &Connection, session: &str, uuid: &str, record: &Record) -> Result<(), StoreError> {
    let job = &record.job;
    let holder: Option<String> = to
        .prepare_cached("SELECT session FROM jobs WHERE uuid = ?1")?
        .query_row([uuid], |row| row.get(0))
        .optional()?;
    if holder.is_some_and(|holder| holder != session) {
        return Ok(());
    }
    let mut entry = entry(job);
    entry["error_message"] = record.error.as_ref().map(|(_, message)| message.as_str()).into();
    entry["held_for"] = record.held_for.as_deref().into();
    entry["transcript"] = record.transcript.as_deref().into();
    let parent = job.resumed.as_ref().map(|resumed| &resumed.session_id);
    to.prepare_cached(
        "INSERT INTO jobs (uuid, session, id, agent, model, session_id, family, project, path, prompt, started_ms,
            ended_ms, error_code, has_answer, entry)
         VALUES (:uuid, :session, :id, :agent, :model, :session_id,
            coalesce((SELECT family FROM jobs WHERE agent = :agent AND session_id = :parent LIMIT 1), :parent, :session_id),
            :project, :path, :prompt, :started_ms, :ended_ms, :error_code, :has_answer, :entry)
         ON CONFLICT DO UPDATE SET model = excluded.model, session_id = excluded.session_id, family = excluded.family,
            ended_ms = excluded.ended_ms, error_code = excluded.error_code, has_answer = excluded.has_answer,
            landing = NULL, entry = excluded.entry",
    )?
    .execute(named_params! {
        ":uuid": uuid, ":session": session, ":id": signed(job.id), ":agent": job.agent, ":model": record.model(),
        ":session_id": record.session_id, ":parent": parent, ":project": job.project, ":path": job.path,
        ":prompt": job.prompt, ":started_ms": job.started_ms, ":ended_ms": record.ended_ms,
        ":error_code": record.error.as_ref().map(|(code, _)| code), ":has_answer": record.text.is_some(),
        ":entry": text(&entry)?,
    })?;
    to.prepare_cached("INSERT OR REPLACE INTO texts (uuid, record, counted) VALUES (?1, ?2, ?3)")?
        .execute(params![uuid, text(record)?, text(&record.counted)?])?;
    let duration = record.ended_ms.saturating_sub(job.started_ms).max(0).cast_unsigned();
    let share = Amounts { duration_ms: record.share.duration_ms.or(Some(duration)), ..record.share };
    amend(to, session, uuid, &share)?;
    unsent::sent(to, &job.prompt)
}

/// Whether the session has the job.
fn amend(to: &Connection, session: &str, uuid: &str, share: &Amounts) -> Result<bool, StoreError> {
    let Amounts { cost_usd, tokens, num_turns, duration_ms } = share;
    let changed = to
        .prepare_cached(
        "UPDATE jobs SET cost_usd = :cost_usd, input_tokens = :input, output_tokens = :output,
            cache_read_tokens = :cache_read, cache_creation_tokens = :cache_creation, num_turns = :num_turns,
            duration_ms = coalesce(:duration_ms, duration_ms)
         WHERE uuid = :uuid AND session = :session",
    )?
    .execute(named_params! {
        ":uuid": uuid, ":session": session, ":cost_usd": cost_usd.map(whole), ":input": signed(tokens.input),
        ":output": signed(tokens.output), ":cache_read": signed(tokens.cache_read),
        ":cache_creation": signed(tokens.cache_creation), ":num_turns": num_turns.map(signed),
        ":duration_ms": duration_ms.map(signed),
    })?;
    Ok(changed > 0)
}

fn land(to: &Connection, session: &str, uuid: &str, landed: &Landed) -> Result<(), StoreError> {
    to.prepare_cached(
        "UPDATE jobs SET landing = ?3, path = coalesce(?4, path) WHERE uuid = ?1 AND session = ?2",
    )?
    .execute(params![uuid, session, landed.landing, landed.path])?;
    let mut entry = json!({ "held_for": landed.held_for });
    if let Some((first, last)) = landed.place {
        (entry["landed_first"], entry["landed_last"]) = (first.into(), last.into());
    }
    patch(to, session, uuid, &entry, landed.rows.as_ref())
}

/// Changes fields of an entry, and the rows where there are some.
fn patch(
    to: &Connection,
    session: &str,
    uuid: &str,
    entry: &serde_json::Value,
    rows: Option<&Vec<String>>,
) -> Result<(), StoreError> {
    let changed = to
        .prepare_cached("UPDATE jobs SET entry = json_patch(entry, ?3) WHERE uuid = ?1 AND session = ?2")?
        .execute(params![uuid, session, text(entry)?])?;
    if let Some(rows) = rows.filter(|_| changed > 0) {
        to.prepare_cached("UPDATE texts SET landed_rows = ?2 WHERE uuid = ?1")?
            .execute(params![uuid, text(rows)?])?;
    }
    Ok(())
}

/// The jobs of a session that had not ended were interrupted.
fn end_lost(to: &Connection, session: &str) -> Result<(), StoreError> {
    // When they ended is not known; lists show them at the time at which they were asked for.
    to.prepare_cached(
        "UPDATE jobs SET ended_ms = started_ms, error_code = ?2, entry = json_set(entry, '$.error_message', ?3)
         WHERE session = ?1 AND ended_ms IS NULL",
    )?
    .execute(params![session, Code::HostLost.name(), LOST])?;
    Ok(())
}

/// Ends the jobs of all sessions of which `is_gone` says that they are.
pub fn end_gone(connection: &mut Connection, is_gone: impl Fn(&str) -> bool) -> Result<(), StoreError> {
    let sessions: Vec<String> = connection
        .prepare_cached("SELECT DISTINCT session FROM jobs WHERE ended_ms IS NULL")?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for session in sessions.into_iter().filter(|session| is_gone(session)) {
        end_lost(connection, &session)?;
    }
    Ok(())
}
