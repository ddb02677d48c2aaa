//! Sums over jobs: what was done, and for how much.

use std::collections::BTreeMap;

use rusqlite::{Connection, Params, Row, params};

use super::amounts;
use crate::journal::Amounts;
use crate::store::{StoreError, unsigned};

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
#[derive(Debug, Clone, PartialEq)]
pub struct Info {
    /// That session and those that it was forked from or that were forked from it.
    pub session: Option<Sums>,
    /// The project.
    pub project: Sums,
    /// Since today began.
    pub today: Sums,
    /// The last 30 days.
    pub month: Sums,
    /// All time.
    pub all: Sums,
    /// Of all time, the costliest first.
    pub models: Vec<Breakdown>,
    /// Likewise.
    pub agents: Vec<Breakdown>,
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

/// What one model, or one agent, used.
#[derive(Debug, Clone, PartialEq)]
pub struct Breakdown {
    /// The model or the agent.
    pub name: String,
    /// How many jobs.
    pub jobs: u64,
    /// US dollars; unknown if no agent reported it.
    pub cost_usd: Option<f64>,
    /// This and the others: as in [`crate::journal::Tokens`].
    pub input_tokens: u64,
    /// See there.
    pub output_tokens: u64,
    /// See there.
    pub cache_read_tokens: u64,
    /// See there.
    pub cache_creation_tokens: u64,
}

/// The columns of [`Sums`] over rows of `jobs`.
const SUMS: &str = "count(*) jobs, sum(landing IN ('applied', 'merged', 'unchanged')) landed, sum(landing = 'held') held,
    count(error_code) failed, sum(cost_usd) cost_usd,
    sum(input_tokens) input_tokens, sum(output_tokens) output_tokens, sum(cache_read_tokens) cache_read_tokens,
    sum(cache_creation_tokens) cache_creation_tokens, sum(num_turns) num_turns, sum(duration_ms) duration_ms";

/// All sums.
pub fn info(connection: &Connection, wanted: &InfoQuery) -> Result<Info, StoreError> {
    let session = wanted.session.as_ref().map(|(agent, session_id)| {
        sums(
            connection,
            "agent = ?1 AND family = (SELECT family FROM jobs WHERE agent = ?1 AND session_id = ?2 LIMIT 1)",
            params![agent, session_id],
        )
    });
    let (mut project, mut all) = (Sums::default(), Sums::default());
    let (mut models, mut agents) = (BTreeMap::<String, Sums>::new(), BTreeMap::<String, Sums>::new());
    let sql = format!(
        "SELECT project, agent, coalesce(model, '') name, {SUMS} FROM jobs INDEXED BY jobs_sums
         WHERE ended_ms IS NOT NULL GROUP BY project, agent, model"
    );
    let mut groups = connection.prepare_cached(&sql)?;
    let mut rows = groups.query([])?;
    while let Some(row) = rows.next()? {
        let more = sum(row)?;
        all.add(&more);
        if row.get::<_, String>("project")? == wanted.project {
            project.add(&more);
        }
        models.entry(row.get("name")?).or_default().add(&more);
        agents.entry(row.get("agent")?).or_default().add(&more);
    }
    let today = sums(connection, "ended_ms >= ?1", [wanted.today_ms])?;
    let month = sums(connection, "ended_ms >= ?1", [wanted.today_ms.saturating_sub(MONTH)])?;
    models.remove("");
    let (models, agents) = (shares(models), shares(agents));
    Ok(Info { session: session.transpose()?, project, today, month, all, models, agents })
}

impl Sums {
    fn add(&mut self, other: &Self) {
        self.jobs += other.jobs;
        self.landed += other.landed;
        self.held += other.held;
        self.failed += other.failed;
        self.amounts = self.amounts.plus(&other.amounts);
    }
}

fn sums(connection: &Connection, which: &str, params: impl Params) -> Result<Sums, StoreError> {
    let sql = format!("SELECT {SUMS} FROM jobs WHERE ended_ms IS NOT NULL AND {which}");
    connection.prepare_cached(&sql)?.query_row(params, |row| Ok(sum(row)))?
}

fn sum(row: &Row<'_>) -> Result<Sums, StoreError> {
    let count = |name| row.get::<_, Option<i64>>(name).map(|count| unsigned(count.unwrap_or_default()));
    Ok(Sums {
        jobs: count("jobs")?,
        landed: count("landed")?,
        held: count("held")?,
        failed: count("failed")?,
        amounts: amounts(row)?,
    })
}

/// The costliest first, then those with the most jobs.
fn shares(of: BTreeMap<String, Sums>) -> Vec<Breakdown> {
    let share = |(name, Sums { jobs, amounts, .. }): (String, Sums)| Breakdown {
        name,
        jobs,
        cost_usd: amounts.cost_usd,
        input_tokens: amounts.tokens.input,
        output_tokens: amounts.tokens.output,
        cache_read_tokens: amounts.tokens.cache_read,
        cache_creation_tokens: amounts.tokens.cache_creation,
    };
    let mut shares: Vec<Breakdown> = of.into_iter().map(share).collect();
    let cost = |share: &Breakdown| share.cost_usd.unwrap_or_default();
    shares.sort_by(|a, b| cost(b).total_cmp(&cost(a)).then(b.jobs.cmp(&a.jobs)));
    shares
}
