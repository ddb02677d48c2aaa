//! The messages of a session that can be gone back to.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;

use super::parse;
use crate::journal::Accepted;
use crate::store::StoreError;

/// A checkpoint. Its field names are those that the editor gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Checkpoint {
    pub uuid: String,
    pub prompt: String,
    pub at_ms: i64,
}

/// How many checkpoints of a session are shown: the newest.
const MOST: usize = 100;

/// A session's checkpoints, oldest first, those that it shares with the sessions it was forked from among them.
pub fn of(connection: &Connection, agent: &str, session_id: &str) -> Result<Vec<Checkpoint>, StoreError> {
    forked(connection, agent, session_id, &mut BTreeSet::new())
}

/// The same; no session is its own ancestor, whatever the database says.
fn forked(
    connection: &Connection,
    agent: &str,
    session_id: &str,
    seen: &mut BTreeSet<String>,
) -> Result<Vec<Checkpoint>, StoreError> {
    let mut checkpoints = Vec::new();
    let first = connection
        .prepare_cached(
            "SELECT record FROM jobs JOIN texts USING (uuid) WHERE agent = ?1 AND session_id = ?2 ORDER BY ended_ms LIMIT 1",
        )?
        .query_row([agent, session_id], |row| row.get::<_, String>(0))
        .optional()?;
    seen.insert(session_id.to_owned());
    if let Some(first) = first
        && let Accepted { resumed: Some(parent), started_ms, .. } = parse(&first)?
        && !seen.contains(&parent.session_id)
    {
        checkpoints = forked(connection, agent, &parent.session_id, seen)?;
        // What came after the fork is not shared.
        match checkpoints.iter().position(|checkpoint| Some(&checkpoint.uuid) == parent.at.as_ref()) {
            Some(index) => checkpoints.truncate(index + 1),
            // A message of the agent's, or the end of the session.
            None => checkpoints.retain(|checkpoint| checkpoint.at_ms < started_ms),
        }
    }
    checkpoints.append(&mut own(connection, agent, session_id)?);
    Ok(checkpoints)
}

fn own(connection: &Connection, agent: &str, session_id: &str) -> Result<Vec<Checkpoint>, StoreError> {
    let mut checkpoints: Vec<Checkpoint> = Vec::new();
    let mut jobs = connection.prepare_cached(
        "SELECT entry ->> 'prompt', started_ms, record ->> '$.checkpoints' FROM jobs JOIN texts USING (uuid)
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
