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
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// A transcript of long ago, of that many bytes.
    fn old(folder: &Path, name: &str, size: u64) {
        File::create_new(folder.join(name)).unwrap().set_len(size).unwrap();
    }

    #[test]
    fn only_the_newest_stay_and_only_their_owner_reads_them() {
        let dir = tempfile::tempdir().unwrap();
        let transcripts = Transcripts::under(dir.path());
        for id in 0..(KEPT as u64 + 5) {
            transcripts.open(id).printed(b"{}\n");
        }
        let folder = folder(dir.path());
        let names = names(&folder);
        assert_eq!(names.len(), KEPT);
        assert!(names.last().unwrap().ends_with("-204.jsonl"));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700);
        assert_eq!(mode(&folder.join(&names[0])), 0o600);
    }

    #[test]
    fn the_oldest_make_room_but_for_those_that_are_being_written() {
        let dir = tempfile::tempdir().unwrap();
        let transcripts = Transcripts::under(dir.path());
        let folder = folder(dir.path());
        let mut running = transcripts.open(1);
        running.printed(b"first");
        let ended = |name: &str| folder.join(name).exists();
        // Just enough is there for what is open already.
        old(&folder, "000000000000001-1-1.jsonl", TOTAL / 2);
        old(&folder, "000000000000002-1-1.jsonl", TOTAL / 2 - PIECE);
        let next = transcripts.open(2);
        assert_eq!((ended("000000000000001-1-1.jsonl"), ended("000000000000002-1-1.jsonl")), (false, true));
        running.printed(&vec![b'x'; usize::try_from(TOTAL / 2).unwrap()]);
        let written = running.path().unwrap().to_owned();
        assert_eq!(fs::metadata(&written).unwrap().len(), LIMIT, "one is never longer");

        old(&folder, "200000000000000-1-1.jsonl", TOTAL);
        drop(transcripts.open(3));
        assert!(written.exists() && !ended("200000000000000-1-1.jsonl"), "the oldest is still written");
        drop(running);
        old(&folder, "200000000000000-1-1.jsonl", TOTAL - 2 * PIECE);
        drop(transcripts.open(4));
        assert!(!written.exists() && next.path().unwrap().exists());
    }

    #[test]
    fn what_is_being_written_never_takes_more_than_all_the_room() {
        let dir = tempfile::tempdir().unwrap();
        let transcripts = Transcripts::under(dir.path());
        let mut running: Vec<_> = (0..8).map(|id| transcripts.open(id)).collect();
        let chunk = vec![b'x'; usize::try_from(PIECE).unwrap()];
        for _ in 0..LIMIT / PIECE {
            for transcript in &mut running {
                transcript.printed(&chunk);
            }
        }
        let folder = folder(dir.path());
        let taken: u64 =
            names(&folder).iter().map(|name| fs::metadata(folder.join(name)).unwrap().len()).sum();
        assert!(taken <= TOTAL && taken > TOTAL - LIMIT, "{taken}");
        assert_eq!(transcripts.open(9).path(), None, "there is no room for one more");
    }

    #[test]
    fn a_folder_that_cannot_be_made_disturbs_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let blocked = dir.path().join("file");
        fs::write(&blocked, "").unwrap();
        let mut transcript = Transcripts::under(&blocked).open(1);
        transcript.printed(b"lost");
        assert_eq!(transcript.path(), None);
    }
}
