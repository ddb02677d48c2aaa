//! Prompts of earlier jobs, and of those that have not ended, to be used again.

use rusqlite::{Connection, OptionalExtension as _};

use crate::store::{StoreError, signed};

/// The agent of a project's newest job.
pub fn agent(connection: &Connection, project: &str) -> Result<Option<String>, StoreError> {
    let mut newest = connection
        .prepare_cached("SELECT agent FROM jobs WHERE project = ?1 ORDER BY ended_ms DESC LIMIT 1")?;
    Ok(newest.query_row([project], |row| row.get(0)).optional()?)
}

/// The prompts of the newest jobs, those first that are used often and were used lately: each week takes as much
/// away as it would take to use it once more.
pub fn prompts(connection: &Connection, limit: u64) -> Result<Vec<String>, StoreError> {
    Ok(connection
        .prepare_cached(
            "WITH newest AS (
                SELECT entry ->> 'prompt' prompt, started_ms ended_ms FROM jobs WHERE ended_ms IS NULL UNION ALL SELECT * FROM
                (SELECT entry ->> 'prompt', ended_ms FROM jobs WHERE ended_ms IS NOT NULL ORDER BY ended_ms DESC LIMIT 5000))
             SELECT prompt FROM newest GROUP BY prompt
             ORDER BY count(*) / (1 + ((SELECT max(ended_ms) FROM newest) - max(ended_ms)) / 604800000.0) DESC,
                max(ended_ms) DESC
             LIMIT ?1",
        )?
        .query_map([signed(limit)], |row| row.get(0))?
        .collect::<Result<_, _>>()?)
}
