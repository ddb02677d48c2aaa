//! The agents that are not logged in.

use rusqlite::Connection;

use crate::error::Code;
use crate::store::StoreError;

/// The agents whose newest job failed with `not_logged_in`, by name. Of the newest jobs only: an agent that was not
/// used for long may have got a login since.
pub fn logged_out(connection: &Connection) -> Result<Vec<String>, StoreError> {
    connection
        .prepare_cached(
            // The other columns are those of the row with the maximum, as SQLite promises.
            "SELECT agent, error_code, max(ended_ms) FROM (
                SELECT agent, error_code, ended_ms FROM jobs WHERE ended_ms IS NOT NULL ORDER BY ended_ms DESC LIMIT 200)
             GROUP BY agent HAVING error_code = ?1 ORDER BY agent",
        )?
        .query_and_then([Code::NotLoggedIn.name()], |row| Ok(row.get(0)?))?
        .collect()
}
