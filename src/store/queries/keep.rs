//! What is written of a job: that it ended, what became of its answer, what it cost in the end.

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, named_params, params};

use super::{json, signed};
use crate::store::StoreError;
use crate::store::record::{Amounts, Landed, Record};

/// How many checkpoints of a session are kept: the newest.
const CHECKPOINTS: i64 = 100;

/// Keeps a finished job with its session and its checkpoints.
pub fn insert(connection: &mut Connection, owner: &str, record: &Record) -> Result<(), StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let key = job(&transaction, owner, record)?;
    if let Some(session_id) = &record.session_id {
        session(&transaction, record, session_id)?;
        checkpoints(&transaction, record, session_id, key)?;
    }
    transaction.commit()?;
    Ok(())
}

fn job(transaction: &Transaction<'_>, owner: &str, record: &Record) -> Result<i64, StoreError> {
    free_number(transaction, owner, record.id)?;
    let Record { error, selection, amounts, .. } = record;
    transaction
        .prepare_cached(
            "INSERT INTO jobs (owner, id, agent, protocol, model, session_id, project, path, filetype, kind, first_line,
                last_line, prompt, question, started_ms, ended_ms, error_code, error_message, has_answer, held_for,
                cost_usd, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, num_turns,
                duration_ms, transcript)
             VALUES (:owner, :id, :agent, :protocol, :model, :session_id, :project, :path, :filetype, :kind, :first_line,
                :last_line, :prompt, :question, :started_ms, :ended_ms, :error_code, :error_message, :has_answer,
                :held_for, :cost_usd, :input_tokens, :output_tokens, :cache_read_tokens, :cache_creation_tokens,
                :num_turns, :duration_ms, :transcript)",
        )?
        .execute(named_params! {
            ":owner": owner, ":id": signed(record.id), ":agent": record.agent, ":protocol": record.protocol,
            ":model": record.model, ":session_id": record.session_id, ":project": record.project,
            ":path": record.path, ":filetype": record.filetype, ":kind": selection.kind.name(),
            ":first_line": signed(selection.first_line), ":last_line": signed(selection.last_line),
            ":prompt": record.prompt, ":question": record.question, ":started_ms": record.started_ms,
            ":ended_ms": record.ended_ms, ":error_code": error.as_ref().map(|(code, _)| code),
            ":error_message": error.as_ref().map(|(_, message)| message), ":has_answer": record.text.is_some(),
            ":held_for": record.held_for, ":cost_usd": amounts.cost_usd,
            ":input_tokens": signed(amounts.input_tokens), ":output_tokens": signed(amounts.output_tokens),
            ":cache_read_tokens": signed(amounts.cache_read_tokens),
            ":cache_creation_tokens": signed(amounts.cache_creation_tokens),
            ":num_turns": amounts.num_turns.map(signed),
            ":duration_ms": amounts.duration_ms.map_or((record.ended_ms - record.started_ms).max(0), signed),
            ":transcript": record.transcript,
        })?;
    let key = transaction.last_insert_rowid();
    transaction
        .prepare_cached("INSERT INTO texts (job, selection, text, lines) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![key, json(selection)?, record.text, record.lines.as_ref().map(json).transpose()?])?;
    Ok(key)
}

/// Where process ids are used again and their start is not known, another job may have this number: it keeps all
/// but that.
pub(super) fn free_number(connection: &Connection, owner: &str, id: u64) -> Result<(), StoreError> {
    connection
        .prepare_cached("UPDATE jobs SET id = -key WHERE owner = ?1 AND id = ?2")?
        .execute(params![owner, signed(id)])?;
    Ok(())
}

fn session(transaction: &Transaction<'_>, record: &Record, session_id: &str) -> Result<(), StoreError> {
    let parent = record.resumed.as_ref().filter(|resumed| resumed.session_id != session_id);
    transaction
        .prepare_cached(
            "INSERT INTO sessions (agent, session_id, family, parent, parent_at, model, project, first_ms, last_ms)
             VALUES (:agent, :session_id,
                coalesce((SELECT family FROM sessions WHERE agent = :agent AND session_id = :parent), :parent, :session_id),
                :parent, :parent_at, :model, :project, :first_ms, :last_ms)
             ON CONFLICT DO UPDATE SET model = coalesce(excluded.model, model),
                first_ms = min(first_ms, excluded.first_ms), last_ms = max(last_ms, excluded.last_ms)",
        )?
        .execute(named_params! {
            ":agent": record.agent, ":session_id": session_id,
            ":parent": parent.map(|parent| &parent.session_id),
            ":parent_at": parent.and_then(|parent| parent.at.as_ref()),
            ":model": record.model, ":project": record.project, ":first_ms": record.started_ms,
            ":last_ms": record.ended_ms,
        })?;
    Ok(())
}

fn checkpoints(
    transaction: &Transaction<'_>,
    record: &Record,
    session_id: &str,
    job: i64,
) -> Result<(), StoreError> {
    let mut insert = transaction.prepare_cached(
        "INSERT INTO checkpoints (agent, session_id, uuid, job) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
    )?;
    for uuid in &record.checkpoints {
        insert.execute(params![record.agent, session_id, uuid, job])?;
    }
    transaction
        .prepare_cached(
            "DELETE FROM checkpoints WHERE agent = ?1 AND session_id = ?2 AND key <= (SELECT key FROM checkpoints
                WHERE agent = ?1 AND session_id = ?2 ORDER BY key DESC LIMIT 1 OFFSET ?3)",
        )?
        .execute(params![record.agent, session_id, CHECKPOINTS])?;
    Ok(())
}

/// Keeps what became of an answer.
pub fn land(connection: &mut Connection, owner: &str, id: u64, landed: &Landed) -> Result<(), StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let (first, last) = landed.place.unzip();
    let key: Option<i64> = transaction
        .prepare_cached(
            "UPDATE jobs SET landing = ?3, held_for = ?4, landed_first = coalesce(?5, landed_first),
                landed_last = coalesce(?6, landed_last)
             WHERE owner = ?1 AND id = ?2 RETURNING key",
        )?
        .query_row(
            params![owner, signed(id), landed.landing, landed.held_for, first.map(signed), last.map(signed)],
            |row| row.get(0),
        )
        .optional()?;
    if let (Some(key), Some(rows)) = (key, &landed.rows) {
        transaction
            .prepare_cached("UPDATE texts SET landed_rows = ?2 WHERE job = ?1")?
            .execute(params![key, json(rows)?])?;
    }
    transaction.commit()?;
    Ok(())
}

/// Keeps later amounts of a kept job.
pub fn amend(connection: &Connection, owner: &str, id: u64, amounts: &Amounts) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "UPDATE jobs SET cost_usd = :cost_usd, input_tokens = :input_tokens, output_tokens = :output_tokens,
                cache_read_tokens = :cache_read_tokens, cache_creation_tokens = :cache_creation_tokens,
                num_turns = :num_turns, duration_ms = coalesce(:duration_ms, duration_ms)
             WHERE owner = :owner AND id = :id",
        )?
        .execute(named_params! {
            ":owner": owner, ":id": signed(id), ":cost_usd": amounts.cost_usd,
            ":input_tokens": signed(amounts.input_tokens), ":output_tokens": signed(amounts.output_tokens),
            ":cache_read_tokens": signed(amounts.cache_read_tokens),
            ":cache_creation_tokens": signed(amounts.cache_creation_tokens),
            ":num_turns": amounts.num_turns.map(signed), ":duration_ms": amounts.duration_ms.map(signed),
        })?;
    Ok(())
}
