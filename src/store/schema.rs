//! The database's shape and how it came about: one migration a version, in `user_version`.
//!
//! A migration, once released, is never changed; the next version is the next entry.

use rusqlite::{Connection, ErrorCode};

use super::StoreError;

/// The migrations, the first makes version 1.
const MIGRATIONS: [&str; 6] = [
    include_str!("schema/1.sql"),
    include_str!("schema/2.sql"),
    include_str!("schema/3.sql"),
    include_str!("schema/4.sql"),
    include_str!("schema/5.sql"),
    include_str!("schema/6.sql"),
];

/// Reads nothing, and fails where something is not there.
const SHAPE: &str =
    "SELECT jobs.key, is_landed, landed_rows, taken_base, draft, totals.jobs, family, counters.cost_usd, checkpoints.uuid,
        unsent.text, jobs.resumed, accepted.host
    FROM jobs, texts, totals, sessions, session_metadata AS counters, checkpoints, unsent, accepted LIMIT 0";

/// Whether the database is of the newest version.
///
/// # Errors
/// Where it is of another one.
pub fn check(connection: &Connection) -> Result<(), StoreError> {
    let newest = newest();
    match connection.pragma_query_value(None, "user_version", |row| row.get(0))? {
        version if version == newest => Ok(()),
        version if version > newest => Err(StoreError::Newer { version, newest }),
        _ => Err(StoreError::Closed),
    }
}

fn newest() -> u32 {
    u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX)
}

/// Brings the database to the newest version.
///
/// # Errors
/// Where the database is newer than this host, or cannot be changed.
pub fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    let newest = newest();
    // Immediate: of several Neovims that start at once one migrates, the others wait and find it done.
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let version: u32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version > newest {
        return Err(StoreError::Newer { version, newest });
    }
    let strange = |error: rusqlite::Error| match (&error, error.sqlite_error_code()) {
        // What SQLite cannot understand; anything else has to do with the disk or with others.
        (rusqlite::Error::SqlInputError { .. }, _)
        | (_, Some(ErrorCode::Unknown | ErrorCode::ConstraintViolation)) => {
            StoreError::SchemaMismatch { version, error }
        }
        _ => error.into(),
    };
    for migration in MIGRATIONS.iter().skip(version as usize) {
        transaction.execute_batch(migration).map_err(strange)?;
    }
    transaction.execute_batch(SHAPE).map_err(strange)?;
    transaction.pragma_update(None, "user_version", newest)?;
    transaction.commit()?;
    Ok(())
}

#[cfg(test)]
mod tests;
