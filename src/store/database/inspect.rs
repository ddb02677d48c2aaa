//! Detects that another program has written, cut or overwritten the database's files while they are open, and checks
//! whether the answers that wait for a decision are still there. SQLite itself goes on with what it has in memory, and
//! does not report the damage until the last process that has the old contents has ended.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension};

use super::ledger::OpenAnswer;
use super::open;
use crate::store::StoreError;

/// What the log beside the database begins with: its header's length, and the two numbers that it may begin with.
const HEADER: usize = 32;
const MAGIC: [u32; 2] = [0x377f_0682, 0x377f_0683];
/// How often a log with a wrong header is read again: its writer may be writing it.
const TRIES: u32 = 3;

/// How long a locked database is waited for: it is looked at again with the next write.
const PATIENCE: Duration = Duration::from_millis(20);

/// Size and time of the last change of a file.
type FileState = (u64, i64, i64);

/// How the database's files were after this host used them last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Files {
    database: Option<FileState>,
    log: Option<FileState>,
}

impl Files {
    /// Looks at the files of a database.
    pub fn of(path: &Path) -> Self {
        let state = |path: &Path| {
            let metadata = fs::symlink_metadata(path).ok()?;
            Some((metadata.len(), metadata.mtime(), metadata.mtime_nsec()))
        };
        Self { database: state(path), log: state(&log_of(path)) }
    }

    /// Whether the database is shorter than before: another program has cut it, directly or by SQLite.
    pub fn is_shorter(&self, before: &Self) -> bool {
        let size = |files: &Self| files.database.map_or(0, |(size, ..)| size);
        size(self) < size(before)
    }
}

/// Reads the database from the disk as another process would; with `whole` all of it. Returns those of the open answers
/// that are not there.
pub fn inspect(
    data_dir: &Path,
    path: &Path,
    whole: bool,
    answers: &[OpenAnswer],
) -> Result<Vec<u64>, StoreError> {
    // SQLite would take it for a new one, and delete the log.
    if fs::symlink_metadata(path)?.len() < open::PAGE {
        return Err(StoreError::damage());
    }
    check_log(path)?;
    let opened = open::to_read(data_dir, PATIENCE).map_err(|error| match error {
        // It was of the newest version when it was opened to write.
        StoreError::Closed => StoreError::damage(),
        error => error,
    })?;
    if whole {
        quick_check(&opened.connection)?;
    }
    let mut missing = Vec::new();
    for OpenAnswer { id, uuid, record } in answers {
        let found: Option<Option<String>> = opened
            .connection
            .prepare_cached("SELECT text FROM jobs JOIN texts ON job = key WHERE uuid = ?1")?
            .query_row([uuid], |row| row.get(0))
            .optional()?;
        match found {
            None => missing.push(*id),
            Some(text) if text != record.text => return Err(StoreError::damage()),
            Some(_) => {}
        }
    }
    Ok(missing)
}

/// Looks for damage in the whole database.
pub fn quick_check(connection: &Connection) -> Result<(), StoreError> {
    let found: String = connection.pragma_query_value(None, "quick_check", |row| row.get(0))?;
    if found == "ok" { Ok(()) } else { Err(StoreError::damage()) }
}

/// The next process that opens the database alone ignores a log with a wrong header: all that is in it is lost.
fn check_log(path: &Path) -> Result<(), StoreError> {
    for _ in 0..TRIES {
        if has_sound_header(&log_of(path)) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Err(StoreError::damage())
}

/// Whether a log is empty, or begins as SQLite writes it.
fn has_sound_header(log: &Path) -> bool {
    let mut header = [0; HEADER];
    // Closing this file takes no locks away: SQLite has none on it.
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let Ok(mut file) = fs::OpenOptions::new().read(true).custom_flags(flags).open(log) else { return true };
    match file.read_exact(&mut header) {
        Ok(()) => {}
        Err(_) => return file.metadata().is_ok_and(|metadata| metadata.len() == 0),
    }
    let words: Vec<u32> = header.chunks_exact(4).map(|word| be(word, 0)).collect();
    let is_big = words[0] == MAGIC[1];
    let (mut first, mut second) = (0_u32, 0_u32);
    for pair in header[..HEADER - 8].chunks_exact(8) {
        let word = |at| if is_big { be(pair, at) } else { be(pair, at).swap_bytes() };
        first = first.wrapping_add(word(0)).wrapping_add(second);
        second = second.wrapping_add(word(4)).wrapping_add(first);
    }
    MAGIC.contains(&words[0]) && words[6..] == [first, second]
}

fn be(bytes: &[u8], at: usize) -> u32 {
    bytes[at..at + 4].iter().fold(0, |word, byte| word << 8 | u32::from(*byte))
}

fn log_of(path: &Path) -> std::path::PathBuf {
    open::with_end(path, "-wal")
}
