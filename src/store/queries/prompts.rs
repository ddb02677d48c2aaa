//! What a prompt wants to know of earlier jobs: their prompts, to be used again, and their agents.

use rusqlite::{Connection, OptionalExtension as _};

use crate::error::Code;
use crate::store::{StoreError, signed};

/// The agent of a project's newest job.
pub fn agent(connection: &Connection, project: &str) -> Result<Option<String>, StoreError> {
    let mut newest = connection
        .prepare_cached("SELECT agent FROM jobs WHERE project = ?1 ORDER BY ended_ms DESC LIMIT 1")?;
    Ok(newest.query_row([project], |row| row.get(0)).optional()?)
}

/// The agents whose newest job failed with `not_logged_in`, by name. Of the newest jobs only: an agent that was not
/// used for long may have got a login since.
pub fn logged_out(connection: &Connection) -> Result<Vec<String>, StoreError> {
    connection
        .prepare_cached(
            // The other columns are those of the row with the maximum, as SQLite promises.
            "SELECT agent, error_code, max(ended_ms) FROM (
                SELECT agent, error_code, ended_ms FROM jobs WHERE ended_ms IS NOT NULL ORDER BY ended_ms DESC LIMIT 200)
             GROUP BY agent HAVING error_code = ?1 ORDER BY agent",
        )?
        .query_and_then([Code::NotLoggedIn.name()], |row| Ok(row.get(0)?))?
        .collect()
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
