//! Sums over jobs: what was done, and for how much.

use rusqlite::{Connection, Params, Row, params};
use serde::Serialize;

use super::{amounts, unsigned};
use crate::store::Amounts;
use crate::store::StoreError;

/// What the last 30 days are, in milliseconds before the beginning of today.
const MONTH: i64 = 29 * 24 * 60 * 60 * 1000;

/// What the sums are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The project's directory.
    pub project: String,
    /// An agent and one of its sessions.
    pub session: Option<(String, String)>,
    /// When today began where the user is.
    pub today_ms: i64,
}

/// Sums. Their field names are those that the editor gets.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Info {
    /// That session and those that it was forked from or that were forked from it.
    pub session: Option<Sums>,
    pub project: Sums,
    pub today: Sums,
    /// The last 30 days.
    pub month: Sums,
    pub all: Sums,
    /// Of all time, the costliest first.
    pub models: Vec<Share>,
    pub agents: Vec<Share>,
}

/// Sums over some jobs.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Sums {
    pub jobs: u64,
    pub landed: u64,
    pub held: u64,
    pub failed: u64,
    #[serde(flatten)]
    pub amounts: Amounts,
}

/// What one model, or one agent, had of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Share {
    pub name: String,
    pub jobs: u64,
    pub cost_usd: Option<f64>,
    pub input_tokens: u64,
    pub output_tokens: u64,
}

/// The columns of [`Sums`] over rows of `jobs`.
const SUMS: &str = "count(*) jobs, count(CASE WHEN landing IN ('applied', 'merged', 'unchanged') THEN 1 END) landed,
    count(CASE WHEN landing = 'held' THEN 1 END) held, count(error_code) failed, sum(cost_usd) cost_usd, sum(input_tokens) input_tokens,
    sum(output_tokens) output_tokens, sum(cache_read_tokens) cache_read_tokens,
    sum(cache_creation_tokens) cache_creation_tokens, sum(num_turns) num_turns, sum(duration_ms) duration_ms";

/// All sums.
pub fn info(connection: &Connection, wanted: &Wanted) -> Result<Info, StoreError> {
    let session = wanted.session.as_ref().map(|(agent, session_id)| {
        sums(
            connection,
            "agent = ?1 AND session_id IN (SELECT session_id FROM sessions WHERE agent = ?1 AND family = (SELECT family
                FROM sessions WHERE agent = ?1 AND session_id = ?2))",
            params![agent, session_id],
        )
    });
    Ok(Info {
        session: session.transpose()?,
        project: sums(connection, "project = ?1", [&wanted.project])?,
        today: sums(connection, "ended_ms >= ?1", [wanted.today_ms])?,
        month: sums(connection, "ended_ms >= ?1", [wanted.today_ms.saturating_sub(MONTH)])?,
        all: sums(connection, "true", [])?,
        models: shares(connection, "model")?,
        agents: shares(connection, "agent")?,
    })
}

fn sums(connection: &Connection, which: &str, params: impl Params) -> Result<Sums, StoreError> {
    let sql = format!("SELECT {SUMS} FROM jobs WHERE copy_of IS NULL AND {which}");
    connection.prepare_cached(&sql)?.query_row(params, |row| Ok(sum(row)))?
}

fn sum(row: &Row<'_>) -> Result<Sums, StoreError> {
    let count = |name| row.get::<_, i64>(name).map(unsigned);
    Ok(Sums {
        jobs: count("jobs")?,
        landed: count("landed")?,
        held: count("held")?,
        failed: count("failed")?,
        amounts: amounts(row)?,
    })
}

fn shares(connection: &Connection, of: &str) -> Result<Vec<Share>, StoreError> {
    connection
        .prepare_cached(&format!(
            "SELECT {of}, count(*), sum(cost_usd), sum(input_tokens), sum(output_tokens) FROM jobs
             WHERE copy_of IS NULL AND {of} IS NOT NULL GROUP BY {of} ORDER BY 3 DESC, 2 DESC, 1"
        ))?
        .query_and_then([], |row| {
            Ok(Share {
                name: row.get(0)?,
                jobs: unsigned(row.get(1)?),
                cost_usd: row.get(2)?,
                input_tokens: unsigned(row.get(3)?),
                output_tokens: unsigned(row.get(4)?),
            })
        })?
        .collect()
}
