//! Prompts of earlier jobs, and of those that have not ended, to be used again.

use rusqlite::{Connection, OptionalExtension as _};
use serde::Serialize;

use super::{signed, unsigned};
use crate::store::StoreError;

/// A prompt. Its field names are those that the editor gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UsedPrompt {
    pub prompt: String,
    pub uses: u64,
    pub last_ms: i64,
}

/// The agent of a project's newest job.
pub fn agent(connection: &Connection, project: &str) -> Result<Option<String>, StoreError> {
    let mut newest = connection.prepare_cached(
        "SELECT agent FROM jobs WHERE project = ?1 AND copy_of IS NULL ORDER BY ended_ms DESC LIMIT 1",
    )?;
    Ok(newest.query_row([project], |row| row.get(0)).optional()?)
}

/// The prompts of the newest jobs, those first that are used often and were used lately: each week takes as much
/// away as it would take to use it once more.
pub fn prompts(connection: &Connection, limit: u64) -> Result<Vec<UsedPrompt>, StoreError> {
    connection
        .prepare_cached(
            "WITH newest AS (SELECT prompt, started_ms ended_ms FROM accepted UNION ALL
                SELECT * FROM (SELECT prompt, ended_ms FROM jobs WHERE copy_of IS NULL ORDER BY ended_ms DESC LIMIT 5000))
             SELECT prompt, count(*), max(ended_ms) FROM newest GROUP BY prompt
             ORDER BY count(*) / (1 + ((SELECT max(ended_ms) FROM newest) - max(ended_ms)) / 604800000.0) DESC,
                max(ended_ms) DESC
             LIMIT ?1",
        )?
        .query_and_then([signed(limit)], |row| {
            Ok(UsedPrompt { prompt: row.get(0)?, uses: unsigned(row.get(1)?), last_ms: row.get(2)? })
        })?
        .collect()
}
