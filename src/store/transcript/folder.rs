//! The folder of transcripts: makes their files, and drops the oldest ones. Nothing but a regular file with a name of a
//! transcript is ever touched or counted, and a folder that is a symbolic link is not used.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::name::TranscriptName;
use super::{MAX_TOTAL_BYTES, MAX_TRANSCRIPTS};

#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// Makes the folder if there is none.
    pub fn prepare(&self) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.path)?;
        if fs::symlink_metadata(&self.path)?.is_dir() {
            return Ok(());
        }
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the folder is a symbolic link, which is not followed",
        ))
    }

    /// Makes the file of a transcript. It is locked as long as it is open, so that no host drops it; the lock ends with
    /// the process in any case.
    pub fn create(&self, name: TranscriptName) -> io::Result<File> {
        self.prepare()?;
        let path = self.path.join(name.to_string());
        let file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(&path)?;
        if let Err(error) = file.try_lock() {
            // Not every file system can; then it may be dropped while it is being written, which loses no more.
            tracing::debug!(%name, %error, "the transcript is not locked");
        }
        Ok(file)
    }

    pub fn remove(&self, name: TranscriptName) -> io::Result<()> {
        fs::remove_file(self.path.join(name.to_string()))
    }

    /// Drops the oldest transcripts until no more than [`MAX_TRANSCRIPTS`] are left and `more` bytes can be added to
    /// them; whether that could be. `own` are those that this host is writing, with the bytes that they may grow to.
    pub fn make_room(&self, own: &BTreeMap<TranscriptName, u64>, more: u64) -> io::Result<bool> {
        self.prepare()?;
        let most = MAX_TOTAL_BYTES.saturating_sub(more);
        let mut found = self.list()?;
        for (name, size) in &mut found {
            *size = own.get(name).copied().unwrap_or(*size);
        }
        found.sort_unstable();
        let mut count = found.len();
        let mut total: u64 = found.iter().map(|(_, size)| size).sum();
        for (name, size) in found {
            if count <= MAX_TRANSCRIPTS && total <= most {
                break;
            }
            // What is not to go is not opened: a lock for each file would be slow.
            if !own.contains_key(&name) && self.drop_unless_locked(name) {
                count -= 1;
                total -= size;
            }
        }
        Ok(total <= most)
    }

    /// The transcripts that are there, with their sizes.
    fn list(&self) -> io::Result<Vec<(TranscriptName, u64)>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            // Another host may have been quicker. (This does not follow links.)
            if let Some(name) = TranscriptName::parse(&entry.file_name())
                && let Ok(metadata) = entry.metadata()
                && metadata.is_file()
            {
                found.push((name, metadata.len()));
            }
        }
        Ok(found)
    }

    /// Whether it is gone. One that another host is writing stays.
    fn drop_unless_locked(&self, name: TranscriptName) -> bool {
        let path = self.path.join(name.to_string());
        let opened = OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW).open(&path);
        let is_locked = match &opened {
            Ok(file) => matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)),
            // Where it cannot be read it may be dropped all the same.
            Err(_) => false,
        };
        !is_locked && (fs::remove_file(&path).is_ok() || !path.exists())
    }
}
