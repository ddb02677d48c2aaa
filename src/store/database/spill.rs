//! What cannot be written into the database, in a file beside it, until it can be: so it survives the end of the host.
//!
//! A spill file is a list of JSON lines: a header, then what is known of jobs and prompts, of which later lines replace
//! what earlier ones say. Its host keeps it locked. Any host takes up a file that is not locked: in one transaction, and
//! the file is deleted after that is on the disk. What was taken up twice is there once (`queries::put`).

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use super::ledger::{Key, Ledger};
use super::writer::synced;
use crate::record::now_ms;
use crate::store::known::Known;
use crate::store::queries::{put, unsent};
use crate::store::record::Unsent;
use crate::store::{StoreError, owner};

/// Spill files are called `botglue.spill-TIME-PROCESS.jsonl`; no other file is read or deleted.
const PREFIX: &str = "botglue.spill-";
const SUFFIX: &str = ".jsonl";
/// The version of the lines.
const VERSION: u32 = 1;
/// A file of more bytes than this is written anew when it has grown to twice what it was.
const LARGE: u64 = 8 << 20;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Header {
    version: u32,
    owner: String,
}

/// One line after the header.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    Job(Box<Known>),
    /// A prompt that was not sent; an empty text removes it.
    Prompt {
        id: u64,
        #[serde(flatten)]
        unsent: Unsent,
    },
}

/// The spill file of this host, where it has one.
pub struct Spill {
    data_dir: Option<PathBuf>,
    owner: String,
    open: Option<Open>,
}

struct Open {
    path: PathBuf,
    file: File,
    length: u64,
    /// At this length the file is written anew.
    most: u64,
    /// Which revision of what is in it.
    has: BTreeMap<Key, u64>,
}

impl Spill {
    pub fn new(data_dir: Option<PathBuf>, owner: String) -> Self {
        Self { data_dir, owner, open: None }
    }

    /// Writes all that waits and is not in the file yet; it is on the disk then.
    pub fn add(&mut self, ledger: &Mutex<Ledger>) -> io::Result<()> {
        let Some(data_dir) = &self.data_dir else { return Ok(()) };
        let has = self.open.as_ref().map(|open| open.has.clone()).unwrap_or_default();
        let lines = lock(ledger).lines(&has);
        if lines.is_empty() {
            return Ok(());
        }
        match &mut self.open {
            Some(open) if open.length < open.most => open.append(lines),
            _ => {
                let lines = lock(ledger).lines(&BTreeMap::new());
                let mut open = Open::create(data_dir, &self.owner)?;
                let written = open.append(lines);
                open.most = LARGE.max(2 * open.length);
                if written.is_err() && self.open.is_some() {
                    open.delete();
                } else if let Some(old) = self.open.replace(open) {
                    old.delete();
                }
                written
            }
        }
    }

    /// All of it is in the database: deletes the file.
    pub fn clear(&mut self) {
        if let Some(open) = self.open.take() {
            open.delete();
        }
    }
}

impl Open {
    fn create(data_dir: &Path, owner: &str) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(data_dir)?;
        let (pid, first) = (std::process::id(), now_ms());
        let names = (first..first + 1000).map(|ms| data_dir.join(format!("{PREFIX}{ms:015}-{pid}{SUFFIX}")));
        let path = names.into_iter().find(|path| !path.exists()).ok_or(io::ErrorKind::AlreadyExists)?;
        // Under another name until it is locked: nobody may take it up before.
        let part = path.with_extension("part");
        let file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(&part)?;
        if let Err(error) = lock_file(&file) {
            // Where the file system has no locks, the owner that lives keeps others away.
            tracing::debug!(path = %path.display(), %error, "the spill file is not locked");
        }
        let mut open = Self { path: part.clone(), file, length: 0, most: LARGE, has: BTreeMap::new() };
        let header = Header { version: VERSION, owner: owner.to_owned() };
        let renamed = open.write(&header).and_then(|()| fs::rename(&part, &path));
        if let Err(error) = renamed.and_then(|()| File::open(data_dir)?.sync_all()) {
            open.delete();
            return Err(error);
        }
        open.path = path;
        Ok(open)
    }

    /// Writes as many of the lines as there is room for.
    fn append(&mut self, lines: Vec<(Key, u64, Line)>) -> io::Result<()> {
        let mut left: BTreeMap<Key, usize> = BTreeMap::new();
        for (key, ..) in &lines {
            *left.entry(*key).or_default() += 1;
        }
        let mut written = Ok(());
        for (key, revision, line) in lines {
            written = self.write(&line);
            if written.is_err() {
                break;
            }
            if let Some(left) = left.get_mut(&key) {
                *left -= 1;
                if *left == 0 {
                    self.has.insert(key, revision);
                }
            }
        }
        self.file.sync_data().and(written)
    }

    fn write(&mut self, line: &impl Serialize) -> io::Result<()> {
        let mut bytes = serde_json::to_vec(line)?;
        bytes.push(b'\n');
        let written = self.file.write_all(&bytes);
        match &written {
            Ok(()) => self.length += bytes.len() as u64,
            // Half a line would spoil the one after it.
            Err(_) => self.file.set_len(self.length)?,
        }
        written
    }

    fn delete(self) {
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::error!(path = %self.path.display(), %error, "a spill file cannot be deleted");
        }
    }
}

/// A spill file that nobody writes any more, as it was read.
pub struct Found {
    path: PathBuf,
    /// Locked until this is dropped.
    _file: File,
    owner: String,
    jobs: Vec<Known>,
    prompts: Vec<(u64, Unsent)>,
    /// All of its lines could be read.
    is_whole: bool,
}

/// The spill files under `data_dir`, oldest first.
pub fn files(data_dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(data_dir) else { return Vec::new() };
    let mut found: Vec<_> = entries.flatten().filter(is_spill).map(|entry| entry.path()).collect();
    found.sort();
    found
}

fn is_spill(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let has_name = name
        .to_str()
        .and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.split_once('-'))
        .is_some_and(|(ms, pid)| digits(ms) && digits(pid));
    has_name && entry.file_type().is_ok_and(|kind| kind.is_file())
}

/// Reads a spill file; `None` where its host still writes it, where another host takes it up, or where a newer version
/// wrote it.
pub fn read(path: PathBuf) -> io::Result<Option<Found>> {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(&path)
        .map(Some)
        .or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(None) } else { Err(error) })?;
    let Some(file) = file else { return Ok(None) };
    let locked = lock_file(&file);
    if locked.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock) {
        return Ok(None);
    }
    let mut lines = BufReader::new(&file).split(b'\n');
    let header = lines.next().transpose()?.map(|line| serde_json::from_slice::<Header>(&line));
    let (owner, mut is_whole) = match header {
        Some(Ok(Header { version: VERSION, owner })) => (owner, true),
        Some(Ok(Header { version, .. })) => {
            tracing::warn!(path = %path.display(), version, "a spill file of another version is left alone");
            return Ok(None);
        }
        Some(Err(_)) | None => (String::new(), false),
    };
    if locked.is_err() && owner::is_alive(&owner) {
        return Ok(None);
    }
    let (mut jobs, mut prompts) = (Vec::<Known>::new(), BTreeMap::new());
    if is_whole {
        for line in lines {
            match serde_json::from_slice(&line?) {
                Ok(Line::Job(newer)) => match jobs.iter_mut().find(|job| job.id == newer.id) {
                    Some(job) => job.update(*newer),
                    None => jobs.push(*newer),
                },
                Ok(Line::Prompt { id, unsent }) => _ = prompts.insert(id, unsent),
                Err(_) => is_whole = false,
            }
        }
    }
    Ok(Some(Found { path, _file: file, owner, jobs, prompts: prompts.into_iter().collect(), is_whole }))
}

impl Found {
    /// Brings all of it into the database, or nothing where that cannot be now.
    pub fn put(&mut self, connection: &mut Connection) -> Result<(), StoreError> {
        let Self { owner, jobs, prompts, is_whole, .. } = self;
        synced(connection, |transaction| {
            for (id, Unsent { text, at_ms }) in prompts.iter() {
                let unsent = Unsent { text: text.clone(), at_ms: *at_ms };
                unsent::keep(
                    transaction,
                    owner,
                    *id,
                    Some(&unsent).filter(|unsent| !unsent.text.is_empty()),
                )?;
            }
            for job in jobs.iter() {
                transaction.execute_batch("SAVEPOINT job")?;
                match put::put(transaction, owner, job) {
                    Err(error) if error.may_pass() => return Err(error),
                    Err(error) => {
                        // One that can never be written holds up none of the others.
                        tracing::error!(job = job.id, %error, "a spilled job cannot be written");
                        *is_whole = false;
                        transaction.execute_batch("ROLLBACK TO job")?;
                    }
                    Ok(_) => {}
                }
                transaction.execute_batch("RELEASE job")?;
            }
            Ok(())
        })
    }

    /// It is in the database: deletes the file, but keeps one that could not be read to its end under another name.
    pub fn finish(self) -> io::Result<()> {
        tracing::info!(path = %self.path.display(), jobs = self.jobs.len(), whole = self.is_whole, "taken up");
        let mut aside = self.path.clone().into_os_string();
        aside.push(".damaged");
        let done = if self.is_whole { fs::remove_file(&self.path) } else { fs::rename(&self.path, aside) };
        // Another host may have taken it up before.
        done.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
    }
}

/// Locks a file at once or not at all, until it is closed.
fn lock_file(file: &File) -> io::Result<()> {
    // SAFETY: the descriptor is open as long as `file` is.
    let failed = unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } != 0;
    if failed { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// The ledger, for a moment: nobody holds it while a file or the database is used.
pub fn lock(ledger: &Mutex<Ledger>) -> std::sync::MutexGuard<'_, Ledger> {
    // A poisoned one does not matter: a panic ends the host.
    ledger.lock().unwrap_or_else(PoisonError::into_inner)
}
