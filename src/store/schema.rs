//! The database's shape and how it came about: one migration a version, in `user_version`.
//!
//! A migration, once released, is never changed; the next version is the next entry.

use rusqlite::Connection;

use super::StoreError;

/// The migrations, the first makes version 1.
const MIGRATIONS: [&str; 1] = ["
    CREATE TABLE jobs (
        uuid TEXT PRIMARY KEY DEFAULT (lower(hex(randomblob(16)))),
        owner TEXT NOT NULL,            -- the Neovim that ran it, see `owner`
        id INTEGER NOT NULL,            -- its number in that Neovim
        agent TEXT NOT NULL,
        model TEXT,
        session_id TEXT,
        project TEXT NOT NULL,
        path TEXT NOT NULL,
        filetype TEXT NOT NULL,
        prompt TEXT NOT NULL,
        selection TEXT NOT NULL,        -- JSON: kind, first_line, last_line, text, rows, cols, anchor
        started_ms INTEGER NOT NULL,    -- Unix time
        ended_ms INTEGER NOT NULL,
        error_code TEXT,
        error_message TEXT,
        text TEXT,                      -- the answer as the agent gave it
        lines TEXT,                     -- JSON: the tidied answer
        landing TEXT,                   -- NULL until the editor has decided
        held_for TEXT,
        cost_usd REAL,
        input_tokens INTEGER NOT NULL,
        output_tokens INTEGER NOT NULL,
        num_turns INTEGER,
        UNIQUE (owner, id)
    ) STRICT;
    CREATE INDEX jobs_undecided ON jobs (landing) WHERE text IS NOT NULL AND (landing IS NULL OR landing = 'held');
"];

/// Brings the database to the newest version.
///
/// # Errors
/// Where the database is newer than this host, or cannot be changed.
pub fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    let newest = u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX);
    // Immediate: of several Neovims that start at once one migrates, the others wait and find it done.
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let version: u32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version > newest {
        return Err(StoreError::Newer { version, newest });
    }
    for migration in MIGRATIONS.iter().skip(version as usize) {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "user_version", newest)?;
    transaction.commit()?;
    Ok(())
}
