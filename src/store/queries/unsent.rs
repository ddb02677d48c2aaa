//! Unsent text of prompts, of all Neovims. No Neovim takes it over: it is only recalled.

use rusqlite::{Connection, params};

use crate::journal::Unsent;
use crate::store::{StoreError, signed};

/// The most that are kept; the oldest give way.
const MOST: u64 = 50;

/// For how long one comes before what was sent, in milliseconds.
const FRESH: i64 = 24 * 3600 * 1000;

/// Keeps what is in a prompt, in place of what was there before; nothing where that is empty now. The caller has
/// begun the transaction.
pub fn keep(
    connection: &Connection,
    session: &str,
    id: u64,
    unsent: Option<&Unsent>,
) -> Result<(), StoreError> {
    if let Some(Unsent { text, at_ms }) = unsent {
        connection
            .prepare_cached(
                "INSERT OR REPLACE INTO unsent (session, id, at_ms, text) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![session, signed(id), at_ms, text])?;
        connection
            .prepare_cached(
                "DELETE FROM unsent WHERE (session, id) IN
                    (SELECT session, id FROM unsent ORDER BY at_ms DESC, id DESC LIMIT -1 OFFSET ?1)",
            )?
            .execute([signed(MOST)])?;
    } else {
        connection
            .prepare_cached("DELETE FROM unsent WHERE session = ?1 AND id = ?2")?
            .execute(params![session, signed(id)])?;
    }
    Ok(())
}

/// A job with this prompt is stored now, so the same unsent text is not needed any more.
pub fn sent(connection: &Connection, prompt: &str) -> Result<(), StoreError> {
    // Without the blanks around it a prompt is sent.
    connection
        .prepare_cached(
            "DELETE FROM unsent WHERE trim(text, char(9, 10, 11, 12, 13, 32)) = trim(?1, char(9, 10, 11, 12, 13, 32))",
        )?
        .execute([prompt])?;
    Ok(())
}

/// All of them with their times, newest first.
pub fn all(connection: &Connection) -> Result<Vec<(String, i64)>, StoreError> {
    Ok(connection
        .prepare_cached("SELECT text, at_ms FROM unsent ORDER BY at_ms DESC, id DESC")?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?)
}

/// All that may be recalled, each part in its order: what was typed within a day, what was sent, and what was left
/// unsent for longer.
pub fn merge_by_age(unsent: Vec<(String, i64)>, sent: Vec<String>, now_ms: i64) -> Vec<String> {
    let (fresh, left) = unsent.into_iter().partition::<Vec<_>, _>(|(_, at_ms)| *at_ms > now_ms - FRESH);
    let texts = |unsent: Vec<(String, i64)>| unsent.into_iter().map(|(text, _)| text);
    texts(fresh).chain(sent).chain(texts(left)).collect()
}
