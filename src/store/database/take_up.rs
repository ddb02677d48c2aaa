//! Takes up the spill files of hosts that are gone: finds them, reads them, and brings what is in them into the
//! database.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::spill::{PREFIX, SUFFIX, SpillHeader, SpillLine, VERSION};
use super::writer::synced;
use crate::store::known::KnownJob;
use crate::store::queries::{put, unsent};
use crate::store::record::Unsent;
use crate::store::{StoreError, owner};

/// A spill file whose host has ended, and what it contains.
pub struct OrphanedSpill {
    path: PathBuf,
    /// Locked until this is dropped.
    _file: File,
    owner: String,
    host: String,
    jobs: Vec<KnownJob>,
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

/// Reads a spill file; `None` where its host still writes it, where another host takes it up, or where its Neovim
/// lives and has its own hosts for that.
///
/// # Errors
/// Also where another version wrote it.
pub fn read(path: PathBuf) -> Result<Option<OrphanedSpill>, StoreError> {
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK)
        .open(&path)
        .map(Some)
        .or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(None) } else { Err(error) })?;
    let Some(file) = file else { return Ok(None) };
    let locked = file.try_lock();
    if matches!(locked, Err(TryLockError::WouldBlock)) {
        return Ok(None);
    }
    let mut lines = BufReader::new(&file).split(b'\n');
    let header = lines.next().transpose()?.map(|line| serde_json::from_slice::<SpillHeader>(&line));
    let (owner, host, mut is_whole) = match header {
        Some(Ok(SpillHeader { version: VERSION, owner, host })) => (owner, host, true),
        Some(Ok(SpillHeader { version, .. })) => {
            tracing::warn!(path = %path.display(), version, "a spill file of another version is left alone");
            return Err(StoreError::LeftOver { path, why: "was written by another version" });
        }
        Some(Err(_)) | None => (String::new(), String::new(), false),
    };
    // The next host of a Neovim that lives takes it up before it writes anything newer.
    if (locked.is_err() || owner != owner::current()) && owner::is_alive(&owner) {
        return Ok(None);
    }
    let (mut jobs, mut prompts) = (Vec::<KnownJob>::new(), BTreeMap::new());
    if is_whole {
        for line in lines {
            match serde_json::from_slice(&line?) {
                Ok(SpillLine::Job(newer)) => match jobs.iter_mut().find(|job| job.id == newer.id) {
                    Some(job) => job.update(*newer),
                    None => jobs.push(*newer),
                },
                Ok(SpillLine::Prompt { id, unsent }) => _ = prompts.insert(id, unsent),
                Err(_) => is_whole = false,
            }
        }
    }
    let prompts = prompts.into_iter().collect();
    Ok(Some(OrphanedSpill { path, _file: file, owner, host, jobs, prompts, is_whole }))
}

impl OrphanedSpill {
    /// Brings all of it into the database, or nothing where that cannot be now.
    pub fn put(&mut self, connection: &mut Connection) -> Result<(), StoreError> {
        let Self { owner, host, jobs, prompts, is_whole, .. } = self;
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
                match put::put(transaction, owner, host, job) {
                    Err(error) if error.is_transient() => return Err(error),
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
    ///
    /// # Errors
    /// Also where it could not.
    pub fn finish(self) -> Result<(), StoreError> {
        tracing::info!(path = %self.path.display(), jobs = self.jobs.len(), whole = self.is_whole, "taken up");
        let mut aside = self.path.clone().into_os_string();
        aside.push(".damaged");
        let done = if self.is_whole { fs::remove_file(&self.path) } else { fs::rename(&self.path, &aside) };
        match done {
            Ok(()) if self.is_whole => Ok(()),
            Ok(()) => Err(StoreError::LeftOver { path: aside.into(), why: "is damaged" }),
            // Another host may have taken it up before.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}
