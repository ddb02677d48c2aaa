//! The database's shape. Its version is in `user_version`: a database of an earlier one is put aside.

use rusqlite::{Connection, ErrorCode};

use super::StoreError;

const VERSION: u32 = 6;

const TABLES: &str = include_str!("schema.sql");

/// Reads nothing, and fails where something is not there.
const SHAPE: &str =
    "SELECT jobs.key, is_landed, landed_rows, taken_base, draft, totals.jobs, family, counters.cost_usd, checkpoints.uuid,
        unsent.text, jobs.resumed, accepted.host
    FROM jobs, texts, totals, sessions, session_metadata AS counters, checkpoints, unsent, accepted LIMIT 0";

/// Whether the database is of this host's version.
///
/// # Errors
/// Where it is of another one.
pub fn check(connection: &Connection) -> Result<(), StoreError> {
    match connection.pragma_query_value(None, "user_version", |row| row.get(0))? {
        VERSION => Ok(()),
        0 => Err(StoreError::Closed),
        version if version > VERSION => Err(StoreError::Newer { version, newest: VERSION }),
        _ => Err(StoreError::SchemaMismatch),
    }
}

/// Makes the tables of a new database, and checks those of another.
///
/// # Errors
/// Where it is of another version or shape, or cannot be changed.
pub fn prepare(connection: &mut Connection) -> Result<(), StoreError> {
    // Immediate: of several Neovims that start at once one makes them, the others wait and find them.
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    let strange = |error: rusqlite::Error| match (&error, error.sqlite_error_code()) {
        // What SQLite cannot understand; anything else has to do with the disk or with others.
        (rusqlite::Error::SqlInputError { .. }, _) | (_, Some(ErrorCode::Unknown)) => {
            StoreError::SchemaMismatch
        }
        _ => error.into(),
    };
    match check(&transaction) {
        Err(StoreError::Closed) => {
            transaction.execute_batch(TABLES).map_err(strange)?;
            transaction.pragma_update(None, "user_version", VERSION)?;
        }
        checked => checked.and_then(|()| transaction.execute_batch(SHAPE).map_err(strange))?,
    }
    transaction.commit()?;
    Ok(())
}
