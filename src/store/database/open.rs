//! Opens the database's file.

use std::fs::{DirBuilder, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::store::{StoreError, schema};

/// How long another Neovim's write is waited for.
const BUSY: Duration = Duration::from_secs(2);

/// The database's file under the plugin's folder.
const FILE: &str = "botglue.db";

/// Opens `botglue.db` under `data_dir` to write, and makes it where there is none.
pub fn to_write(data_dir: &Path) -> Result<Connection, StoreError> {
    DirBuilder::new().recursive(true).mode(0o700).create(data_dir)?;
    let path = data_dir.join(FILE);
    // Made here, so that it is never there with more rights, not even for a moment; SQLite gives the files
    // beside it the same.
    OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?;
    let mut connection = Connection::open(&path)?;
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    schema::migrate(&mut connection)?;
    Ok(connection)
}

/// Opens what [`to_write`] has made, to read alone.
pub fn to_read(data_dir: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(data_dir.join(FILE), flags)?;
    connection.busy_timeout(BUSY)?;
    Ok(connection)
}
