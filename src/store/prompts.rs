//! What a prompt wants to know of earlier ones: texts, sent and not sent, and their agents.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::{Asker, StoreError};
use crate::error::Code;

/// The most unsent texts that are kept; the oldest give way.
const MOST: i64 = 50;
/// For how long an unsent text comes before what was sent, in milliseconds.
const FRESH: i64 = 24 * 3600 * 1000;

/// Keeps what is in a prompt, in place of what was there before; nothing where that is empty now. The caller has
/// begun the transaction.
pub fn keep(to: &Connection, session: &str, id: u64, at_ms: i64, text: &str) -> Result<(), StoreError> {
    to.prepare_cached("INSERT OR REPLACE INTO unsent (session, id, at_ms, text) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![session, id.cast_signed(), at_ms, text])?;
    to.prepare_cached(
        "DELETE FROM unsent WHERE text = '' OR (session, id) IN
            (SELECT session, id FROM unsent ORDER BY at_ms DESC, id DESC LIMIT -1 OFFSET ?1)",
    )?
    .execute([MOST])?;
    Ok(())
}

/// A job with this prompt is stored now, so the same unsent text is not needed any more.
pub fn sent(to: &Connection, prompt: &str) -> Result<(), StoreError> {
    // Without the blanks around it a prompt is sent.
    to.prepare_cached(
        "DELETE FROM unsent WHERE trim(text, char(9, 10, 11, 12, 13, 32)) = trim(?1, char(9, 10, 11, 12, 13, 32))",
    )?
    .execute([prompt])?;
    Ok(())
}

/// Prompts, agents that are not logged in, and an agent.
pub type Recalled = (Vec<String>, Vec<String>, Option<String>);

impl Asker<'_> {
    /// What is recalled in a prompt at the time `now_ms`: what was typed and not sent within a day, newest first, so many
    /// prompts of earlier jobs, and what was left unsent for longer; the agents that are not logged in; and the agent of
    /// the project's newest job.
    pub fn prompts(&self, limit: u64, project: &str, now_ms: i64) -> Result<Recalled, StoreError> {
        let (fresh, left): (Vec<_>, Vec<_>) = self
            .connection
            .prepare_cached("SELECT text, at_ms FROM unsent ORDER BY at_ms DESC, id DESC")?
            .query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))?
            .collect::<Result<Vec<_>, _>>()?
            .into_iter()
            .partition(|(_, at_ms)| *at_ms > now_ms - FRESH);
        // Those first that are used often and were used lately: each week takes as much away as it would take to use it
        // once more.
        let sent: Vec<String> = self
            .connection
            .prepare_cached(
                "WITH newest AS (
                    SELECT entry ->> 'prompt' prompt, started_ms ended_ms FROM jobs WHERE ended_ms IS NULL UNION ALL SELECT * FROM
                    (SELECT entry ->> 'prompt', ended_ms FROM jobs WHERE ended_ms IS NOT NULL ORDER BY ended_ms DESC LIMIT 5000))
                 SELECT prompt FROM newest GROUP BY prompt
                 ORDER BY count(*) / (1 + ((SELECT max(ended_ms) FROM newest) - max(ended_ms)) / 604800000.0) DESC,
                    max(ended_ms) DESC
                 LIMIT ?1",
            )?
            .query_map([limit.cast_signed()], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let unsent = |texts: Vec<(String, i64)>| texts.into_iter().map(|(text, _)| text);
        let prompts: Vec<String> = unsent(fresh).chain(sent).chain(unsent(left)).collect();
        // Of the newest jobs only: an agent that was not used for long may have got a login since. The other columns are
        // those of the row with the maximum, as SQLite promises.
        let logged_out: Vec<String> = self
            .connection
            .prepare_cached(
                "SELECT agent, error_code, max(ended_ms) FROM (
                    SELECT agent, error_code, ended_ms FROM jobs WHERE ended_ms IS NOT NULL ORDER BY ended_ms DESC LIMIT 200)
                 GROUP BY agent HAVING error_code = ?1 ORDER BY agent",
            )?
            .query_map([Code::NotLoggedIn.name()], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let agent: Option<String> = self
            .connection
            .prepare_cached("SELECT agent FROM jobs WHERE project = ?1 ORDER BY ended_ms DESC LIMIT 1")?
            .query_row([project], |row| row.get(0))
            .optional()?;
        Ok((prompts, logged_out, agent))
    }
}
