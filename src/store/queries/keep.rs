//! What is written of a job: that it ended, what became of its answer, what it cost in the end. The caller has begun
//! the transaction.

use rusqlite::{Connection, OptionalExtension, named_params, params};

use super::{accepted, amounts, json, sessions, signed, unsent};
use crate::store::known::KnownJob;
use crate::store::record::{Draft, Landed, OnDisk, Record, RowsOnDisk};
use crate::store::{Amounts, StoreError};

/// Keeps a finished job with its session and its checkpoints. It is no accepted one any more, and its prompt is not
/// unsent: that it was accepted may never have been written. Returns what the job itself used, if
/// `known` does not have it.
pub fn insert(
    connection: &Connection,
    owner: &str,
    known: &KnownJob,
    record: &Record,
) -> Result<Amounts, StoreError> {
    let before = sessions::before(connection, record, known.parent)?;
    let job_usage = known.job_usage.unwrap_or_else(|| record.amounts.job_usage(record.scopes, &before));
    accepted::end(connection, owner, known.id)?;
    let key = job(connection, owner, known, record, &job_usage)?;
    if let Some(session_id) = &record.session_id {
        sessions::keep(connection, record, session_id, &before.lineage.plus(&job_usage))?;
        sessions::checkpoints(connection, record, session_id, key)?;
    }
    unsent::sent(connection, &record.prompt)?;
    Ok(job_usage)
}

fn job(
    connection: &Connection,
    owner: &str,
    known: &KnownJob,
    record: &Record,
    job_usage: &Amounts,
) -> Result<i64, StoreError> {
    free_number(connection, owner, known.id)?;
    let Record { error, selection, .. } = record;
    let Amounts { cost_usd, tokens, num_turns, duration_ms } = job_usage;
    connection
        .prepare_cached(
            "INSERT INTO jobs (uuid, owner, id, agent, protocol, model, session_id, project, path, filetype, kind, first_line,
                last_line, prompt, question, review, resumed, started_ms, ended_ms, error_code, error_message, has_answer,
                held_for, cost_usd, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, num_turns,
                duration_ms, transcript)
             VALUES (coalesce(:uuid, lower(hex(randomblob(16)))), :owner, :id, :agent, :protocol, :model, :session_id,
                :project, :path, :filetype, :kind, :first_line, :last_line, :prompt, :question, :review, :resumed,
                :started_ms, :ended_ms, :error_code, :error_message, :has_answer, :held_for, :cost_usd, :input_tokens,
                :output_tokens, :cache_read_tokens, :cache_creation_tokens,
                :num_turns, :duration_ms, :transcript)",
        )?
        .execute(named_params! {
            ":uuid": known.uuid, ":owner": owner, ":id": signed(known.id), ":agent": record.agent, ":protocol": record.protocol,
            ":model": record.model, ":session_id": record.session_id, ":project": record.project,
            ":path": record.path, ":filetype": record.filetype, ":kind": selection.kind.name(),
            ":first_line": signed(selection.first_line), ":last_line": signed(selection.last_line),
            ":prompt": record.prompt, ":question": record.question, ":review": record.review,
            ":resumed": record.resumed.as_ref().map(json).transpose()?, ":started_ms": record.started_ms,
            ":ended_ms": record.ended_ms, ":error_code": error.as_ref().map(|(code, _)| code),
            ":error_message": error.as_ref().map(|(_, message)| message), ":has_answer": record.text.is_some(),
            ":held_for": record.held_for, ":cost_usd": cost_usd,
            ":input_tokens": signed(tokens.input), ":output_tokens": signed(tokens.output),
            ":cache_read_tokens": signed(tokens.cache_read), ":cache_creation_tokens": signed(tokens.cache_creation),
            ":num_turns": num_turns.map(signed),
            ":duration_ms": duration_ms.map_or(record.ended_ms.saturating_sub(record.started_ms).max(0), signed),
            ":transcript": record.transcript,
        })?;
    let key = connection.last_insert_rowid();
    connection
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

/// Keeps what became of an answer.
pub fn land(connection: &Connection, owner: &str, id: u64, landed: &Landed) -> Result<(), StoreError> {
    let (first, last) = landed.place.unzip();
    let key: Option<i64> = connection
        .prepare_cached(
            "UPDATE jobs SET landing = ?3, held_for = ?4, landed_first = coalesce(?5, landed_first),
                landed_last = coalesce(?6, landed_last), path = coalesce(?7, path)
             WHERE owner = ?1 AND id = ?2 RETURNING key",
        )?
        .query_row(
            params![
                owner,
                signed(id),
                landed.landing,
                landed.held_for,
                first.map(signed),
                last.map(signed),
                landed.path
            ],
            |row| row.get(0),
        )
        .optional()?;
    if let (Some(key), Some(rows)) = (key, &landed.rows) {
        connection
            .prepare_cached("UPDATE texts SET landed_rows = ?2 WHERE job = ?1")?
            .execute(params![key, json(rows)?])?;
    }
    Ok(())
}

/// Keeps the range of a job in its file.
pub fn range_on_disk(
    connection: &Connection,
    owner: &str,
    id: u64,
    on_disk: &OnDisk,
) -> Result<(), StoreError> {
    if let Some(path) = &on_disk.path {
        connection
            .prepare_cached("UPDATE jobs SET path = ?3 WHERE owner = ?1 AND id = ?2")?
            .execute(params![owner, signed(id), path])?;
    }
    let Some(RowsOnDisk { place, rows, base }) = &on_disk.range else { return Ok(()) };
    let (first, last) = place.unzip();
    connection
        .prepare_cached("UPDATE jobs SET landed_first = ?3, landed_last = ?4 WHERE owner = ?1 AND id = ?2")?
        .execute(params![owner, signed(id), first.map(signed), last.map(signed)])?;
    connection
        .prepare_cached(
            "UPDATE texts SET landed_rows = ?3, taken_base = ?4
             WHERE job = (SELECT key FROM jobs WHERE owner = ?1 AND id = ?2)",
        )?
        .execute(params![owner, signed(id), json(rows)?, base.as_ref().map(json).transpose()?])?;
    Ok(())
}

/// Keeps what the user made of a held answer; nothing if it is unchanged.
pub fn draft(connection: &Connection, owner: &str, id: u64, draft: Option<&Draft>) -> Result<(), StoreError> {
    connection
        .prepare_cached(
            "UPDATE texts SET draft = ?3 WHERE job = (SELECT key FROM jobs WHERE owner = ?1 AND id = ?2)",
        )?
        .execute(params![owner, signed(id), draft.map(json).transpose()?])?;
    Ok(())
}

/// Adds later amounts to a kept job and to its session. Returns what the job cost in all; nothing where it is not kept.
pub fn amend(
    connection: &Connection,
    owner: &str,
    id: u64,
    more: &Amounts,
) -> Result<Option<Amounts>, StoreError> {
    let kept = connection
        .prepare_cached("SELECT * FROM jobs WHERE owner = ?1 AND id = ?2")?
        .query_row(params![owner, signed(id)], |row| {
            Ok((row.get::<_, i64>("key")?, row.get("agent")?, row.get("session_id")?, amounts(row)))
        })
        .optional()?;
    let Some((key, agent, session_id, before)) = kept else { return Ok(None) };
    let (agent, session_id): (String, Option<String>) = (agent, session_id);
    let all = before?.plus(more);
    connection
        .prepare_cached(
            "UPDATE jobs SET cost_usd = :cost_usd, input_tokens = :input_tokens, output_tokens = :output_tokens,
                cache_read_tokens = :cache_read_tokens, cache_creation_tokens = :cache_creation_tokens,
                num_turns = :num_turns, duration_ms = :duration_ms
             WHERE key = :key",
        )?
        .execute(named_params! {
            ":key": key, ":cost_usd": all.cost_usd, ":input_tokens": signed(all.tokens.input),
            ":output_tokens": signed(all.tokens.output), ":cache_read_tokens": signed(all.tokens.cache_read),
            ":cache_creation_tokens": signed(all.tokens.cache_creation),
            ":num_turns": all.num_turns.map(signed), ":duration_ms": all.duration_ms.map(signed),
        })?;
    if let Some(session_id) = session_id {
        let counters = sessions::counters(connection, &agent, &session_id)?.unwrap_or_default();
        sessions::count(connection, &agent, &session_id, &counters.plus(more))?;
    }
    Ok(Some(all))
}
