//! The raw stream of each job, kept for bug reports and for the user to read what a job had said.
//!
//! One file a job under `transcripts/`, readable by its owner alone. The newest [`MAX_TRANSCRIPTS`] stay, as long as all
//! together are not longer than [`MAX_TOTAL_BYTES`]; one file never grows beyond [`LIMIT`]. Each is written by a thread
//! that lives as long as its job, so a disk that stands still holds up no stream: what cannot be written in time is left
//! out, as the log says. A transcript that cannot be written never disturbs its job.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::Instant;

use tokio::sync::watch;

use crate::journal::now_ms;

/// How many transcripts are kept.
const MAX_TRANSCRIPTS: usize = 200;
/// The most that is kept of one stream, in bytes.
const LIMIT: usize = 32 << 20;
/// The most that all of them take when one begins, in bytes.
const MAX_TOTAL_BYTES: u64 = 176 << 20;
/// How many chunks of a stream may wait to be written.
const WAITING: usize = 256;

/// The folder of transcripts under a data directory.
pub fn folder(data_dir: &Path) -> PathBuf {
    data_dir.join("transcripts")
}

/// Where transcripts are kept; nowhere without a folder.
#[derive(Debug, Clone, Default)]
pub struct Transcripts {
    folder: Option<Arc<Path>>,
    /// Each thread that writes has a receiver.
    running: watch::Sender<()>,
}

impl Transcripts {
    /// Keeps transcripts under `data_dir`.
    pub fn under(data_dir: &Path) -> Self {
        Self { folder: Some(folder(data_dir).into()), ..Self::default() }
    }

    /// Begins the transcript of the job `id`.
    pub fn open(&self, id: u64) -> Transcript {
        let Some(folder) = self.folder.clone() else { return Transcript { path: None, chunks: None } };
        let path = folder.join(format!("{:015}-{}-{id}.jsonl", now_ms(), std::process::id()));
        let (chunks, waiting) = mpsc::sync_channel::<Vec<u8>>(WAITING);
        let (written, running) = (path.clone(), self.running.subscribe());
        // A thread of its own, and none of the agents' parents: it starts no process.
        std::thread::spawn(move || {
            if let Err(error) = write(&folder, &written, &waiting) {
                tracing::warn!(path = %written.display(), %error, "the transcript ends here");
            }
            drop(running);
        });
        Transcript { path: Some(path), chunks: Some(chunks) }
    }

    /// Opens a transcript; `then` is called on a thread of its own, so it may read for as long as it takes.
    pub fn read(&self, path: PathBuf, then: impl FnOnce(io::Result<File>) + Send + 'static) {
        std::thread::spawn(move || then(open(&path)));
    }

    /// Waits until all transcripts are written, but no longer than until then.
    pub async fn close(&self, until: Instant) {
        if tokio::time::timeout_at(until.into(), self.running.closed()).await.is_err() {
            tracing::warn!("transcripts were still being written when the host ended");
        }
    }
}

/// A transcript that is being written; dropping it is its end.
#[derive(Debug)]
pub struct Transcript {
    path: Option<PathBuf>,
    /// None once more was printed than could be written.
    chunks: Option<mpsc::SyncSender<Vec<u8>>>,
}

impl Transcript {
    /// Its file; none where nothing is kept. Whether it can be written shows later, and in the log.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Adds bytes to it; never waits.
    pub fn append(&mut self, chunk: &[u8]) {
        if self.chunks.take_if(|chunks| chunks.try_send(chunk.to_vec()).is_err()).is_some() {
            tracing::warn!(path = ?self.path, "the transcript is cut: it cannot be written as fast");
        }
    }
}

/// Opens a file to read it; never what would be waited for, as a pipe.
fn open(path: &Path) -> io::Result<File> {
    if !fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    File::open(path)
}

/// Writes all chunks to a new file, as far as they are kept.
fn write(folder: &Path, path: &Path, chunks: &mpsc::Receiver<Vec<u8>>) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    if !fs::symlink_metadata(folder)?.is_dir() {
        return Err(io::Error::other("the folder is a symbolic link, which is not followed"));
    }
    let mut file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(path)?;
    make_room(folder, path)?;
    let mut written = 0;
    for chunk in chunks {
        if written + chunk.len() > LIMIT {
            let note = serde_json::json!({ "type": "botglue", "cut": "no transcript is longer than 32 MB" });
            return file.write_all(format!("\n{note}\n").as_bytes());
        }
        file.write_all(&chunk)?;
        written += chunk.len();
    }
    Ok(())
}

/// Drops the oldest transcripts until those that are left may stay; never the one at `own`.
fn make_room(folder: &Path, own: &Path) -> io::Result<()> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // This does not follow links. Another host may have been quicker.
        if let Ok(metadata) = entry.metadata()
            && metadata.is_file()
            && entry.file_name().to_str().is_some_and(is_ours)
        {
            found.push((entry.file_name(), metadata.len()));
        }
    }
    // Their names begin with the time.
    found.sort_unstable_by(|a, b| b.cmp(a));
    let mut total = 0;
    for (count, (name, size)) in found.into_iter().enumerate() {
        total += size;
        let path = folder.join(name);
        if (count >= MAX_TRANSCRIPTS || total > MAX_TOTAL_BYTES) && path != own {
            let _ = fs::remove_file(path);
        }
    }
    Ok(())
}

/// Whether it is the name of a transcript. The time has 15 digits, so that no date is taken for one.
fn is_ours(name: &str) -> bool {
    let name = name.strip_suffix(".jsonl").unwrap_or_default();
    name.find('-') == Some(15) && name.chars().all(|c| c.is_ascii_digit() || c == '-')
}

#[cfg(test)]
mod tests;
