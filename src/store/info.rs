//! Sums over jobs: what was done, and for how much; and what an agent has counted in a session.

use std::collections::BTreeMap;

use rusqlite::{OptionalExtension, Row, params};

use super::{Asker, StoreError};
use crate::journal::{Amounts, CountedBefore, whole};
use crate::stream::Usage;

/// What the last 30 days are, in milliseconds before the beginning of today.
const MONTH: i64 = 29 * 24 * 60 * 60 * 1000;

/// What the sums cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InfoQuery {
    /// The project's directory.
    pub project: String,
    /// An agent and one of its sessions.
    pub session: Option<(String, String)>,
    /// When today began where the user is.
    pub today_ms: i64,
}

/// Sums.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Info {
    /// Of `all` jobs, the `project`, `today`, the last 30 days (`month`), and where one was named the `session`, with those
    /// that it was forked from or that were forked from it.
    pub scopes: BTreeMap<String, Sums>,
    /// Of all time, by their names, the costliest first.
    pub models: Vec<(String, Sums)>,
    /// Likewise.
    pub agents: Vec<(String, Sums)>,
}

/// Sums over some jobs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Sums {
    /// How many there are.
    pub jobs: u64,
    /// Of these the answers that landed.
    pub landed: u64,
    /// Those that are held.
    pub held: u64,
    /// The jobs that failed.
    pub failed: u64,
    /// What they took.
    pub amounts: Amounts,
}

/// A job as sums see it.
const EACH: &str = "1 jobs, landing IN ('applied', 'merged', 'unchanged') landed, landing = 'held' held,
    error_code IS NOT NULL failed, cost_usd, input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens,
    num_turns, duration_ms";

/// The columns of [`Sums`] over jobs, or over other sums.
const SUMS: &str = "sum(jobs) jobs, sum(landed) landed, sum(held) held, sum(failed) failed, sum(cost_usd) cost_usd,
    sum(input_tokens) input_tokens, sum(output_tokens) output_tokens, sum(cache_read_tokens) cache_read_tokens,
    sum(cache_creation_tokens) cache_creation_tokens, sum(num_turns) num_turns, sum(duration_ms) duration_ms";

impl Sums {
    fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        let some = |name| row.get::<_, Option<i64>>(name).map(|count| count.and_then(|n| n.try_into().ok()));
        let count = |name| some(name).map(Option::unwrap_or_default);
        let usage = Usage {
            input_tokens: count("input_tokens")?,
            output_tokens: count("output_tokens")?,
            cache_read_input_tokens: count("cache_read_tokens")?,
            cache_creation_input_tokens: count("cache_creation_tokens")?,
        };
        let cost_usd = row.get::<_, Option<f64>>("cost_usd")?.map(whole);
        let (num_turns, duration_ms) = (some("num_turns")?, some("duration_ms")?);
        Ok(Self {
            jobs: count("jobs")?,
            landed: count("landed")?,
            held: count("held")?,
            failed: count("failed")?,
            amounts: Amounts { cost_usd, usage, num_turns, duration_ms },
        })
    }
}

impl Asker<'_> {
    /// Sums over jobs.
    pub fn info(&self, wanted: &InfoQuery) -> Result<Info, StoreError> {
        // All jobs are read once, from an index that has all that is summed.
        let sql = format!(
            "WITH ended AS NOT MATERIALIZED (SELECT agent, ended_ms, family, {EACH} FROM jobs WHERE ended_ms IS NOT NULL),
             groups AS MATERIALIZED (SELECT project, agent, coalesce(model, '') model, {SUMS} FROM
                (SELECT project, agent, model, {EACH} FROM jobs INDEXED BY jobs_sums WHERE ended_ms IS NOT NULL)
                GROUP BY project, agent, model)
             SELECT 'all' scope, '' name, {SUMS} FROM groups
             UNION ALL SELECT 'project', '', {SUMS} FROM groups WHERE project = ?1
             UNION ALL SELECT 'model', model, {SUMS} FROM groups WHERE model <> '' GROUP BY model
             UNION ALL SELECT 'agent', agent, {SUMS} FROM groups GROUP BY agent
             UNION ALL SELECT 'today', '', {SUMS} FROM ended WHERE ended_ms >= ?2
             UNION ALL SELECT 'month', '', {SUMS} FROM ended WHERE ended_ms >= ?3
             UNION ALL SELECT 'session', '', {SUMS} FROM ended WHERE agent = ?4 AND family =
                (SELECT family FROM jobs WHERE agent = ?4 AND session_id = ?5 LIMIT 1) HAVING ?5 IS NOT NULL
             ORDER BY cost_usd DESC, jobs DESC"
        );
        let (agent, session) = wanted.session.clone().unzip();
        let month = wanted.today_ms.saturating_sub(MONTH);
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut rows = statement.query(params![wanted.project, wanted.today_ms, month, agent, session])?;
        let mut info = Info::default();
        while let Some(row) = rows.next()? {
            let (name, sums) = (row.get("name")?, Sums::of(row)?);
            match row.get::<_, String>("scope")? {
                scope if scope == "model" => info.models.push((name, sums)),
                scope if scope == "agent" => info.agents.push((name, sums)),
                scope => _ = info.scopes.insert(scope, sums),
            }
        }
        Ok(info)
    }

    /// What was counted in a session, by all jobs that ran in it.
    pub fn counted(&self, agent: &str, session_id: &str) -> Result<CountedBefore, StoreError> {
        let session = self
            .connection
            .prepare_cached(&format!(
                "SELECT {SUMS} FROM (SELECT {EACH} FROM jobs WHERE agent = ?1 AND session_id = ?2)"
            ))?
            .query_row([agent, session_id], Sums::of)?;
        let lineage: Option<String> = self
            .connection
            .prepare_cached(
                "SELECT entry -> 'counted' FROM jobs WHERE agent = ?1 AND session_id = ?2
                 ORDER BY ended_ms DESC LIMIT 1",
            )?
            .query_row([agent, session_id], |row| row.get(0))
            .optional()?;
        let lineage = lineage.as_deref().map(serde_json::from_str).transpose()?.unwrap_or_default();
        Ok(CountedBefore { session: session.amounts, lineage })
    }
}
