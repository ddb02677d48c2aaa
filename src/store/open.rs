//! Opens the database's file, and puts one aside that is damaged or of another version. Nothing is ever deleted.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Zoned;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::StoreError;

/// The version of the database's shape, its `user_version`.
const VERSION: u32 = 1;

const TABLES: &str = include_str!("schema.sql");

/// How long another Neovim's write is waited for.
pub const BUSY: Duration = Duration::from_secs(1);

/// The database's file under the plugin's folder.
const FILE: &str = "botglue.db";
/// The ends of its name, those of what SQLite puts beside it first.
const ENDS: [&str; 3] = ["-wal", "-shm", ""];
/// The least size of a database that is not empty.
const PAGE: u64 = 512;

/// An open database.
#[derive(Debug)]
pub struct Opened {
    pub connection: Connection,
    path: PathBuf,
    /// Which file it is.
    file: Option<(u64, u64)>,
}

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
    let [log, _, path] = files(data_dir)?;
    // Made here, so that it is never there with more rights, not even for a moment; SQLite gives the files
    // beside it the same.
    // One that is there is never opened: closing it would take SQLite's locks away, of which a process has one set.
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error.into()),
        _ => {}
    }
    let length = |path| fs::symlink_metadata(path).map_or(0, |metadata: fs::Metadata| metadata.len());
    if length(&path) < PAGE && (length(&path) > 0 || length(&log) > 0) {
        // SQLite takes a short file of anything for an empty database, and deletes the log beside it.
        return Err(StoreError::Short);
    }
    let file = identity(&path);
    let mut connection =
        Connection::open_with_flags(&path, OpenFlags::default() | OpenFlags::SQLITE_OPEN_NOFOLLOW)?;
    connection.busy_timeout(patience)?;
    // Immediate: of several Neovims that start at once one makes the tables, the others wait and find them.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    match transaction.pragma_query_value(None, "user_version", |row| row.get(0))? {
        0 => {
            transaction.execute_batch(TABLES)?;
            transaction.pragma_update(None, "user_version", VERSION)?;
        }
        VERSION => {}
        version => return Err(StoreError::OtherVersion(version)),
    }
    transaction.commit()?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    // In KiB: the system keeps the file in memory, for all Neovims.
    connection.pragma_update(None, "cache_size", -512)?;
    Ok(Opened { connection, path, file })
}

/// Puts the database aside in which `damaged`, or another process, found damage, and returns its new path. None
/// where another Neovim was quicker.
pub fn put_aside(data_dir: &Path, damaged: Option<&Opened>) -> Result<Option<PathBuf>, StoreError> {
    // One at a time; the lock ends with the handle.
    let folder = File::open(data_dir)?;
    let is_still_there = || match damaged {
        Some(damaged) => !damaged.is_replaced(),
        None => to_write(data_dir, BUSY).is_err_and(|error| error.is_unusable()),
    };
    if folder.try_lock().is_err() || !is_still_there() {
        return Ok(None);
    }
    let date = Zoned::now().strftime("%Y-%m-%d-%H%M%S.%3f");
    let aside = |end| data_dir.join(format!("{FILE}.old-{date}{end}"));
    // First what is beside it: found without its database it would be taken for the new one's.
    for (file, end) in files(data_dir)?.iter().zip(ENDS) {
        match fs::rename(file, aside(end)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    Ok(Some(aside("")))
}

/// The database with what is beside it. A link in the place of one of them is refused: what it leads to is not ours to
/// write to, nor to change the mode of. SQLite refuses one that is made later (`SQLITE_OPEN_NOFOLLOW`, which wants a
/// folder without links in its path).
fn files(data_dir: &Path) -> Result<[PathBuf; 3], StoreError> {
    let data_dir = data_dir.canonicalize()?;
    let files = ENDS.map(|end| data_dir.join(format!("{FILE}{end}")));
    let is_other = |path: &&PathBuf| fs::symlink_metadata(path).is_ok_and(|metadata| !metadata.is_file());
    match files.iter().find(is_other) {
        Some(other) => Err(StoreError::NotAFile(other.clone())),
        None => Ok(files),
    }
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    fs::symlink_metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()))
}
