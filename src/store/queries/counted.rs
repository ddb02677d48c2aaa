//! What an agent has counted in a session by now.

use rusqlite::{Connection, OptionalExtension};

use super::{amounts, parse};
use crate::journal::CountedBefore;
use crate::store::StoreError;

/// What was counted in a session, by all jobs that ran in it.
pub fn counted(connection: &Connection, agent: &str, session_id: &str) -> Result<CountedBefore, StoreError> {
    let session = connection
        .prepare_cached(
            "SELECT sum(cost_usd) cost_usd, sum(input_tokens) input_tokens, sum(output_tokens) output_tokens,
                sum(cache_read_tokens) cache_read_tokens, sum(cache_creation_tokens) cache_creation_tokens,
                sum(num_turns) num_turns, sum(duration_ms) duration_ms
             FROM jobs WHERE agent = ?1 AND session_id = ?2",
        )?
        .query_row([agent, session_id], |row| Ok(amounts(row)))??;
    let lineage: Option<String> = connection
        .prepare_cached(
            "SELECT entry -> 'counted' FROM jobs WHERE agent = ?1 AND session_id = ?2
             ORDER BY ended_ms DESC LIMIT 1",
        )?
        .query_row([agent, session_id], |row| row.get(0))
        .optional()?;
    Ok(CountedBefore { session, lineage: lineage.as_deref().map(parse).transpose()?.unwrap_or_default() })
}
