//! The messages of a session that can be gone back to.

use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;

use crate::store::StoreError;

/// A checkpoint. Its field names are those that the editor gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checkpoint {
    pub uuid: String,
    pub prompt: String,
    pub at_ms: i64,
}

/// A session's checkpoints, oldest first, those that it shares with the sessions it was forked from among them.
pub fn of(connection: &Connection, agent: &str, session_id: &str) -> Result<Vec<Checkpoint>, StoreError> {
    let mut line = vec![session_id.to_owned()];
    let mut forks = Vec::new();
    while let Some(fork) = fork(connection, agent, &line[line.len() - 1])? {
        // No session is its own ancestor, whatever the database says.
        if line.contains(&fork.parent) {
            break;
        }
        line.push(fork.parent.clone());
        forks.push(fork);
    }
    let mut checkpoints = Vec::new();
    while let Some(session_id) = line.pop() {
        checkpoints.append(&mut own(connection, agent, &session_id)?);
        if let Some(fork) = forks.pop() {
            fork.cut(&mut checkpoints);
        }
    }
    Ok(checkpoints)
}

/// Where a session left the one that it was forked from.
struct Fork {
    parent: String,
    at: Option<String>,
    at_ms: i64,
}

impl Fork {
    /// Takes away what came after the fork.
    fn cut(&self, checkpoints: &mut Vec<Checkpoint>) {
        let at =
            self.at.as_ref().and_then(|at| checkpoints.iter().position(|checkpoint| checkpoint.uuid == *at));
        match at {
            Some(index) => checkpoints.truncate(index + 1),
            // A message of the agent's, or the end of the session.
            None => checkpoints.retain(|checkpoint| checkpoint.at_ms < self.at_ms),
        }
    }
}

fn fork(connection: &Connection, agent: &str, session_id: &str) -> Result<Option<Fork>, StoreError> {
    let fork = connection
        .prepare_cached(
            "SELECT parent, parent_at, first_ms FROM sessions
             WHERE agent = ?1 AND session_id = ?2 AND parent IS NOT NULL",
        )?
        .query_row([agent, session_id], |row| {
            Ok(Fork { parent: row.get(0)?, at: row.get(1)?, at_ms: row.get(2)? })
        })
        .optional()?;
    Ok(fork)
}

fn own(connection: &Connection, agent: &str, session_id: &str) -> Result<Vec<Checkpoint>, StoreError> {
    connection
        .prepare_cached(
            "SELECT checkpoints.uuid, prompt, started_ms
             FROM checkpoints JOIN jobs ON checkpoints.job = jobs.key
             WHERE checkpoints.agent = ?1 AND checkpoints.session_id = ?2 ORDER BY checkpoints.key",
        )?
        .query_and_then(params![agent, session_id], |row| {
            Ok(Checkpoint { uuid: row.get(0)?, prompt: row.get(1)?, at_ms: row.get(2)? })
        })?
        .collect()
}
