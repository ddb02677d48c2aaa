//! The raw stream of each job, kept for bug reports and for the user to read what a job had said.
//!
//! One file a job under `transcripts/`, readable by its owner alone. The newest [`KEPT`] stay, one file never grows
//! beyond [`LIMIT`], and all together never beyond [`TOTAL`]: the oldest go first, those that are being written never.
//! A transcript that cannot be written is logged and given up: it never disturbs its job.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::job::Observer;

/// How many transcripts are kept.
pub const KEPT: usize = 200;
/// The most that is kept of one stream, in bytes.
pub const LIMIT: u64 = 32 << 20;
/// The most that all of them take, in bytes. Below the promised 200 MB by what several hosts might take for
/// themselves in the same moment.
pub const TOTAL: u64 = 184 << 20;
/// Room is taken in pieces of this many bytes.
const PIECE: u64 = 1 << 20;

/// The folder of transcripts under a data directory.
pub fn folder(data_dir: &Path) -> PathBuf {
    data_dir.join("transcripts")
}

/// The folder of transcripts; without one nothing is kept.
#[derive(Debug, Clone, Default)]
pub struct Transcripts {
    folder: Option<PathBuf>,
}

impl Transcripts {
    /// Keeps transcripts under `data_dir`, creating the folder and dropping what is too old.
    pub fn under(data_dir: &Path) -> Self {
        let folder = folder(data_dir);
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&folder);
        match made.and_then(|()| make_room(&folder, TOTAL)) {
            Ok(_) => Self { folder: Some(folder) },
            Err(error) => {
                tracing::warn!(folder = %folder.display(), %error, "no transcripts are kept");
                Self::default()
            }
        }
    }

    /// Keeps nothing, for jobs with `record = false`.
    pub fn none() -> Self {
        Self::default()
    }

    /// Opens the transcript of the job `id`.
    pub fn open(&self, id: u64) -> Transcript {
        let open = self.folder.as_deref().and_then(|folder| match Open::create(folder, id) {
            Ok(open) => {
                tracing::info!(job = id, transcript = %open.path.display(), "recording");
                Some(open)
            }
            Err(error) => {
                tracing::warn!(job = id, %error, "this job keeps no transcript");
                None
            }
        });
        Transcript { open }
    }
}

/// One open transcript.
#[derive(Debug)]
pub struct Transcript {
    open: Option<Open>,
}

impl Transcript {
    /// The file; none where nothing is kept.
    pub fn path(&self) -> Option<&Path> {
        self.open.as_ref().map(|open| open.path.as_path())
    }
}

impl Observer for Transcript {
    /// Appends what was read from the agent, up to the limits.
    fn printed(&mut self, chunk: &[u8]) {
        let Some(open) = self.open.as_mut().filter(|open| !open.is_full) else { return };
        if let Err(error) = open.append(chunk) {
            tracing::warn!(transcript = %open.path.display(), %error, "the transcript ends here");
            open.is_full = true;
        }
    }
}

/// A transcript that is being written. Its file is locked as long, which keeps it from being dropped; the lock ends
/// with the process in any case.
#[derive(Debug)]
struct Open {
    path: PathBuf,
    file: File,
    written: u64,
    /// How far it may grow before it has to ask again.
    granted: u64,
    /// Nothing more can be written. The file stays locked as long as its job runs.
    is_full: bool,
}

impl Open {
    fn create(folder: &Path, id: u64) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
        let path = folder.join(format!("{ms:015}-{}-{id}.jsonl", std::process::id()));
        let file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(&path)?;
        if let Err(error) = lock(&file, libc::LOCK_EX) {
            // Not every file system can; then it may be dropped while it is being written, which loses no more.
            tracing::debug!(path = %path.display(), %error, "the transcript is not locked");
        }
        // A new file counts as one piece already.
        if !make_room(folder, TOTAL)? {
            fs::remove_file(&path)?;
            return Err(io::Error::other("the transcripts that are being written take all the room"));
        }
        Ok(Self { path, file, written: 0, granted: PIECE, is_full: false })
    }

    fn append(&mut self, chunk: &[u8]) -> io::Result<()> {
        let room = usize::try_from(LIMIT.saturating_sub(self.written)).unwrap_or(usize::MAX);
        let chunk = &chunk[..chunk.len().min(room)];
        let wanted = self.written + chunk.len() as u64;
        if wanted > self.granted {
            let more = wanted.next_multiple_of(PIECE) - self.granted;
            let folder = self.path.parent().unwrap_or(&self.path);
            if !make_room(folder, TOTAL - more)? {
                return Err(io::Error::other("the transcripts that are being written take all the room"));
            }
            self.granted += more;
        }
        self.file.write_all(chunk)?;
        self.written = wanted;
        Ok(())
    }
}

/// Drops the oldest transcripts until no more than [`KEPT`] are left, which together take no more than `most` bytes;
/// whether that could be.
fn make_room(folder: &Path, most: u64) -> io::Result<bool> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        // Another host may have been quicker.
        if let Ok(metadata) = fs::symlink_metadata(&path)
            && metadata.is_file()
        {
            let is_open = is_locked(&path);
            let size = metadata.len();
            let size = if is_open { size.next_multiple_of(PIECE).max(PIECE) } else { size };
            found.push((path, size, is_open));
        }
    }
    // Names begin with the time, in as many digits each: their order is their age.
    found.sort();
    let mut count = found.len();
    let mut total: u64 = found.iter().map(|(_, size, _)| size).sum();
    for (path, size, _) in found.iter().filter(|(.., is_open)| !is_open) {
        if count <= KEPT && total <= most {
            break;
        }
        if fs::remove_file(path).is_ok() || !path.exists() {
            count -= 1;
            total -= size;
        }
    }
    Ok(total <= most)
}

/// Whether somebody writes it.
fn is_locked(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    lock(&file, libc::LOCK_SH).is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
}

/// Locks an open file, at once or not at all, until it is closed.
fn lock(file: &File, how: libc::c_int) -> io::Result<()> {
    // SAFETY: the descriptor is open as long as `file` is.
    let failed = unsafe { libc::flock(file.as_raw_fd(), how | libc::LOCK_NB) } != 0;
    if failed { Err(io::Error::last_os_error()) } else { Ok(()) }
}

#[cfg(test)]
mod tests;
