//! Answers that wait for a decision, handed over from Neovims that are gone.

use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};

use super::keep::free_number;
use super::{amounts, parse, signed, unsigned};
use crate::request::Selection;
use crate::store::record::{Held, Record, SavedRange};
use crate::store::{StoreError, owner};
use crate::stream::UsageScopes;

/// Takes over every answer that waits for a decision and whose Neovim is gone, oldest first. Of several
/// Neovims that ask at once each answer goes to one.
pub fn adopt(connection: &mut Connection, owner: &str) -> Result<Vec<Held>, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let held: Vec<(String, i64, Held)> = transaction
        .prepare_cached(
            "SELECT * FROM jobs JOIN texts ON job = key
             WHERE has_answer AND NOT question AND (landing IS NULL OR landing = 'held') ORDER BY ended_ms",
        )?
        .query_and_then([], |row| Ok::<_, StoreError>((row.get("owner")?, row.get("key")?, held(row)?)))?
        .collect::<Result<_, _>>()?;
    let mut adopted = Vec::new();
    for (of, key, held) in held {
        if of == owner || owner::is_alive(&of) {
            continue;
        }
        // Its number here comes later; until then it has one that no job of this Neovim can have.
        transaction.execute(
            "UPDATE jobs SET owner = ?1, id = -key, landing = 'held', held_for = coalesce(held_for, 'buffer_gone')
             WHERE key = ?2",
            params![owner, key],
        )?;
        adopted.push(held);
    }
    transaction.commit()?;
    Ok(adopted)
}

/// Takes the answers of these jobs of this Neovim as held: an earlier host has kept them, and was gone before it could
/// tell. Returns those that have one, with their numbers.
pub fn untold(connection: &mut Connection, owner: &str, ids: &[u64]) -> Result<Vec<(u64, Held)>, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut untold = Vec::new();
    for id in ids {
        transaction.execute(
            "UPDATE jobs SET landing = 'held', held_for = coalesce(held_for, 'review')
             WHERE owner = ?1 AND id = ?2 AND has_answer AND NOT question AND (landing IS NULL OR landing = 'held')",
            params![owner, signed(*id)],
        )?;
        let found = transaction
            .prepare_cached(
                "SELECT * FROM jobs JOIN texts ON job = key
                 WHERE owner = ?1 AND id = ?2 AND has_answer AND NOT question AND landing = 'held'",
            )?
            .query_row(params![owner, signed(*id)], |row| Ok(held(row)))
            .optional()?;
        untold.extend(found.transpose()?.map(|held| (*id, held)));
    }
    transaction.commit()?;
    Ok(untold)
}

/// Gives an adopted answer its number in this Neovim.
pub fn number(connection: &Connection, owner: &str, uuid: &str, id: u64) -> Result<(), StoreError> {
    free_number(connection, owner, id)?;
    connection.execute("UPDATE jobs SET id = ?2 WHERE uuid = ?1", params![uuid, signed(id)])?;
    Ok(())
}

fn held(row: &Row<'_>) -> Result<Held, StoreError> {
    let lines: Option<String> = row.get("lines")?;
    let held_for: Option<String> = row.get("held_for")?;
    let draft: Option<String> = row.get("draft")?;
    let resumed: Option<String> = row.get("resumed")?;
    let record = Record {
        id: 0,
        agent: row.get("agent")?,
        protocol: row.get("protocol")?,
        model: row.get("model")?,
        session_id: row.get("session_id")?,
        resumed: resumed.as_deref().map(parse).transpose()?,
        project: row.get("project")?,
        path: row.get("path")?,
        filetype: row.get("filetype")?,
        prompt: row.get("prompt")?,
        question: row.get("question")?,
        review: row.get("review")?,
        selection: parse(&row.get::<_, String>("selection")?)?,
        started_ms: row.get("started_ms")?,
        ended_ms: row.get("ended_ms")?,
        error: None,
        text: row.get("text")?,
        lines: lines.as_deref().map(parse).transpose()?,
        held_for: held_for.or_else(|| Some("buffer_gone".to_owned())),
        amounts: amounts(row)?,
        scopes: UsageScopes::default(),
        checkpoints: Vec::new(),
        transcript: row.get("transcript")?,
    };
    let draft = draft.as_deref().map(parse).transpose()?;
    Ok(Held { uuid: row.get("uuid")?, draft, saved: saved(row, &record.selection)?, record })
}

/// How the rows of a job stood when its file was written.
fn saved(row: &Row<'_>, selection: &Selection) -> Result<Option<SavedRange>, StoreError> {
    let rows: Option<String> = row.get("landed_rows")?;
    let first = row.get::<_, Option<i64>>("landed_first")?.map_or(selection.first_line, unsigned);
    let rows: Option<Vec<String>> = rows.as_deref().map(parse).transpose()?;
    let base: Option<String> = row.get("taken_base")?;
    let base: Option<Vec<String>> = base.as_deref().map(parse).transpose()?;
    Ok(rows.map(|rows| SavedRange { first_line: first, rows, base }))
}
