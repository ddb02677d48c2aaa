//! Opens the database's file, and puts one aside that is damaged or of another version. Nothing is ever deleted.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::StoreError;

/// The version of the database's shape, its `user_version`.
const VERSION: u32 = 3;

const TABLES: &str = include_str!("schema.sql");

/// How long another Neovim's write is waited for.
pub const BUSY: Duration = Duration::from_secs(1);

/// The database's file under the plugin's folder.
const FILE: &str = "botglue.db";
/// The least size of a database that is not empty.
const PAGE: u64 = 512;
/// What SQLite puts beside it.
const BESIDE: [&str; 2] = ["-wal", "-shm"];

/// An open database.
#[derive(Debug)]
pub struct Opened {
    pub connection: Connection,
    path: PathBuf,
    file: Option<Identity>,
}

/// Which file a path leads to.
type Identity = (u64, u64);

impl Opened {
    /// Whether the path leads to another file by now, or to none: another host put this one aside.
    pub fn is_replaced(&self) -> bool {
        identity(&self.path) != self.file
    }
}

/// Opens `botglue.db` under `data_dir` to write, and makes it if there is none. One that is locked is waited for as
/// long as `patience`.
pub fn to_write(data_dir: &Path, patience: Duration) -> Result<Opened, StoreError> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", data_dir.display()));
    DirBuilder::new().recursive(true).mode(0o700).create(data_dir).map_err(named)?;
    let path = database_path(data_dir)?;
    // Made here, so that it is never there with more rights, not even for a moment; SQLite gives the files
    // beside it the same.
    // One that is there is never opened: closing it would take SQLite's locks away, of which a process has one set.
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error.into()),
        _ => {}
    }
    let file = identity(&path);
    let is_new = fs::symlink_metadata(with_end(&path, BESIDE[0])).map_or(true, |log| log.len() == 0);
    if (u64::from(is_new)..PAGE).contains(&fs::symlink_metadata(&path)?.len()) {
        // SQLite takes a short file of anything for an empty database, and deletes the log beside it.
        return Err(StoreError::Short);
    }
    let mut connection =
        Connection::open_with_flags(&path, OpenFlags::default() | OpenFlags::SQLITE_OPEN_NOFOLLOW)?;
    connection.busy_timeout(patience)?;
    // Before anything is written to it.
    version(&connection)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    prepare(&mut connection)?;
    connection.busy_timeout(BUSY)?;
    Ok(Opened { connection, path, file })
}

/// The version of the database: this one's, or 0 for a new database.
fn version(connection: &Connection) -> Result<u32, StoreError> {
    match connection.pragma_query_value(None, "user_version", |row| row.get(0))? {
        version @ (0 | VERSION) => Ok(version),
        version => Err(StoreError::OtherVersion(version)),
    }
}

/// Makes the tables of a new database.
fn prepare(connection: &mut Connection) -> Result<(), StoreError> {
    // Immediate: of several Neovims that start at once one makes them, the others wait and find them.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if version(&transaction)? == 0 {
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()?;
    Ok(())
}

/// Puts the database aside in which `damaged`, or another process, found damage, and returns its new path. None
/// where another Neovim was quicker.
pub fn put_aside(data_dir: &Path, damaged: Option<&Opened>) -> Result<Option<PathBuf>, StoreError> {
    let path = database_path(data_dir)?;
    // One at a time; the lock ends with the handle.
    let folder = File::open(data_dir)?;
    let is_still_there = || match damaged {
        Some(damaged) => !damaged.is_replaced(),
        None => to_write(data_dir, BUSY).is_err_and(|error| error.is_unusable()),
    };
    if folder.try_lock().is_err() || !is_still_there() {
        return Ok(None);
    }
    let date: String = Connection::open_in_memory()?.query_row(
        "SELECT strftime('%Y-%m-%d-%H%M%f', 'now', 'localtime')",
        [],
        |row| row.get(0),
    )?;
    let aside = data_dir.join(format!("{FILE}.old-{date}"));
    // First what is beside it: found without its database it would be taken for the new one's.
    for end in BESIDE {
        match fs::rename(with_end(&path, end), with_end(&aside, end)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    fs::rename(&path, &aside)?;
    Ok(Some(aside))
}

/// Where the database is. A link in its place, or in that of a file beside it, is refused: what it leads to is not ours
/// to write to, nor to change the mode of. SQLite refuses one that is made later (`SQLITE_OPEN_NOFOLLOW`, which wants a
/// folder without links in its path).
fn database_path(data_dir: &Path) -> Result<PathBuf, StoreError> {
    let path = data_dir.canonicalize()?.join(FILE);
    for path in std::iter::once(path.clone()).chain(BESIDE.map(|end| with_end(&path, end))) {
        if let Ok(metadata) = fs::symlink_metadata(&path)
            && !metadata.is_file()
        {
            return Err(StoreError::NotAFile(path));
        }
    }
    Ok(path)
}

fn identity(path: &Path) -> Option<Identity> {
    fs::symlink_metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}
