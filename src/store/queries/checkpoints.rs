//! The messages of a session that can be gone back to.

use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;

use super::parse;
use crate::journal::Accepted;
use crate::request::Resume;
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

/// How many checkpoints of a session are shown: the newest.
const MOST: usize = 100;

fn fork(connection: &Connection, agent: &str, session_id: &str) -> Result<Option<Fork>, StoreError> {
    let first = connection
        .prepare_cached(
            "SELECT record FROM jobs JOIN texts USING (uuid) WHERE agent = ?1 AND session_id = ?2 ORDER BY ended_ms LIMIT 1",
        )?
        .query_row([agent, session_id], |row| row.get::<_, String>(0))
        .optional()?;
    let Some(first) = first else { return Ok(None) };
    let job: Accepted = parse(&first)?;
    let parent = job.resumed.filter(|resumed| resumed.session_id != session_id);
    Ok(parent.map(|Resume { session_id, at, .. }| Fork { parent: session_id, at, at_ms: job.started_ms }))
}

fn own(connection: &Connection, agent: &str, session_id: &str) -> Result<Vec<Checkpoint>, StoreError> {
    let mut checkpoints: Vec<Checkpoint> = Vec::new();
    let mut jobs = connection.prepare_cached(
        "SELECT prompt, started_ms, record ->> '$.checkpoints' FROM jobs JOIN texts USING (uuid)
         WHERE agent = ?1 AND session_id = ?2 ORDER BY ended_ms",
    )?;
    let mut rows = jobs.query(params![agent, session_id])?;
    while let Some(row) = rows.next()? {
        let (prompt, at_ms): (String, i64) = (row.get(0)?, row.get(1)?);
        for uuid in parse::<Vec<String>>(&row.get::<_, String>(2)?)? {
            if checkpoints.iter().all(|known| known.uuid != uuid) {
                checkpoints.push(Checkpoint { uuid, prompt: prompt.clone(), at_ms });
            }
        }
    }
    Ok(checkpoints.split_off(checkpoints.len().saturating_sub(MOST)))
}
