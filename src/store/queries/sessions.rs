//! The agents' sessions: which came from which, the values of their counters, what can be gone back to in them.

use rusqlite::{Connection, OptionalExtension, named_params, params};

use super::{amounts, signed};
use crate::store::StoreError;
use crate::store::amounts::{Amounts, CountedBefore};
use crate::store::record::Record;

/// How many checkpoints of a session are kept: the newest.
const CHECKPOINTS: i64 = 100;

/// What an agent that counts over forks too has counted in a session; nothing where it is not known.
pub fn counters(
    connection: &Connection,
    agent: &str,
    session_id: &str,
) -> Result<Option<Amounts>, StoreError> {
    let counters = connection
        .prepare_cached("SELECT * FROM session_metadata WHERE agent = ?1 AND session_id = ?2")?
        .query_row([agent, session_id], |row| Ok(amounts(row)))
        .optional()?;
    counters.transpose()
}

/// What was counted before a job. `parent` is what the session that it went on from had counted when it started.
pub fn before(
    connection: &Connection,
    record: &Record,
    parent: Option<Amounts>,
) -> Result<CountedBefore, StoreError> {
    let resumed = record.resumed.as_ref().map(|resumed| &resumed.session_id);
    let Some(session_id) = record.session_id.as_ref().or(resumed) else {
        return Ok(CountedBefore::default());
    };
    let lineage = match (counters(connection, &record.agent, session_id)?, parent, resumed) {
        (Some(own), ..) => own,
        (None, Some(parent), _) => parent,
        (None, None, Some(resumed)) => counters(connection, &record.agent, resumed)?.unwrap_or_default(),
        (None, None, None) => Amounts::default(),
    };
    let session = connection
        .prepare_cached(
            "SELECT sum(cost_usd) cost_usd, sum(input_tokens) input_tokens, sum(output_tokens) output_tokens,
                sum(cache_read_tokens) cache_read_tokens, sum(cache_creation_tokens) cache_creation_tokens,
                sum(num_turns) num_turns, sum(duration_ms) duration_ms
             FROM jobs WHERE agent = ?1 AND session_id = ?2",
        )?
        .query_row([&record.agent, session_id], |row| Ok(amounts(row)))?;
    Ok(CountedBefore { session: session?, lineage })
}

/// Keeps the session of a job, and the values of its counters now.
pub fn keep(
    connection: &Connection,
    record: &Record,
    session_id: &str,
    counters: &Amounts,
) -> Result<(), StoreError> {
    let parent = record.resumed.as_ref().filter(|resumed| resumed.session_id != session_id);
    connection
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
    count(connection, &record.agent, session_id, counters)
}

/// Records the values of a session's counters.
pub fn count(
    connection: &Connection,
    agent: &str,
    session_id: &str,
    counters: &Amounts,
) -> Result<(), StoreError> {
    let Amounts { cost_usd, tokens, num_turns, duration_ms } = counters;
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO session_metadata (agent, session_id, cost_usd, input_tokens, output_tokens,
                cache_read_tokens, cache_creation_tokens, num_turns, duration_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            agent,
            session_id,
            cost_usd,
            signed(tokens.input),
            signed(tokens.output),
            signed(tokens.cache_read),
            signed(tokens.cache_creation),
            num_turns.map(signed),
            duration_ms.map(signed),
        ])?;
    Ok(())
}

/// Keeps the messages of a job that can be gone back to; the oldest of its session give way.
pub fn checkpoints(
    connection: &Connection,
    record: &Record,
    session_id: &str,
    job: i64,
) -> Result<(), StoreError> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO checkpoints (agent, session_id, uuid, job) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING",
    )?;
    for uuid in &record.checkpoints {
        insert.execute(params![record.agent, session_id, uuid, job])?;
    }
    connection
        .prepare_cached(
            "DELETE FROM checkpoints WHERE agent = ?1 AND session_id = ?2 AND key <= (SELECT key FROM checkpoints
                WHERE agent = ?1 AND session_id = ?2 ORDER BY key DESC LIMIT 1 OFFSET ?3)",
        )?
        .execute(params![record.agent, session_id, CHECKPOINTS])?;
    Ok(())
}
