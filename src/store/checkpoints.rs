//! The messages of a session that can be gone back to.

use std::collections::BTreeSet;

use rusqlite::OptionalExtension;
use serde::Serialize;

use super::{Asker, StoreError};
use crate::request::Resume;

/// A checkpoint. Its field names are those that the editor gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checkpoint {
    /// The message's id.
    pub uuid: String,
    /// The prompt of its job.
    pub prompt: String,
    /// When that was asked for, Unix time in milliseconds.
    pub at_ms: i64,
}

/// How many checkpoints of a session are shown: the newest.
const MOST: usize = 100;

impl Asker<'_> {
    /// A session's checkpoints, oldest first, those that it shares with the sessions it was forked from among them.
    pub fn checkpoints(&self, agent: &str, session_id: &str) -> Result<Vec<Checkpoint>, StoreError> {
        // No session is its own ancestor, whatever the database says.
        self.forked(agent, session_id, &mut BTreeSet::new())
    }

    fn forked(
        &self,
        agent: &str,
        session_id: &str,
        seen: &mut BTreeSet<String>,
    ) -> Result<Vec<Checkpoint>, StoreError> {
        let mut checkpoints = Vec::new();
        let first: Option<(Option<String>, i64)> = self
            .connection
            .prepare_cached(
                "SELECT entry -> 'resumed', started_ms FROM jobs WHERE agent = ?1 AND session_id = ?2
                 ORDER BY ended_ms LIMIT 1",
            )?
            .query_row([agent, session_id], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        seen.insert(session_id.to_owned());
        if let Some((Some(parent), started_ms)) = first
            && let Some(Resume { session_id: parent, at }) = serde_json::from_str(&parent)?
            && !seen.contains(&parent)
        {
            checkpoints = self.forked(agent, &parent, seen)?;
            // What came after the fork is not shared.
            match checkpoints.iter().position(|checkpoint| Some(&checkpoint.uuid) == at.as_ref()) {
                Some(index) => checkpoints.truncate(index + 1),
                // A message of the agent's, or the end of the session.
                None => checkpoints.retain(|checkpoint| checkpoint.at_ms < started_ms),
            }
        }
        // Each message of the session itself once, with the job that had it first.
        let mut own = self.connection.prepare_cached(
            "SELECT value, prompt, started_ms FROM (
                SELECT value, entry ->> 'prompt' prompt, started_ms, ended_ms, message.key nth,
                    row_number() OVER (PARTITION BY value ORDER BY ended_ms) times
                FROM jobs JOIN texts USING (uuid), json_each(record, '$.checkpoints') message
                WHERE agent = ?1 AND session_id = ?2)
             WHERE times = 1 ORDER BY ended_ms, nth",
        )?;
        let own = own.query_map([agent, session_id], |row| {
            Ok(Checkpoint { uuid: row.get(0)?, prompt: row.get(1)?, at_ms: row.get(2)? })
        })?;
        let mut own = own.collect::<Result<Vec<_>, _>>()?;
        checkpoints.append(&mut own.split_off(own.len().saturating_sub(MOST)));
        Ok(checkpoints)
    }
}
