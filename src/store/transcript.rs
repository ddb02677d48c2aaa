//! The raw stream of each job, kept for bug reports and for the user to read what a job had said.
//!
//! One file a job under `transcripts/`, readable by its owner alone. The newest [`MAX_TRANSCRIPTS`] stay, one file
//! never grows beyond [`LIMIT`], and all together never beyond [`MAX_TOTAL_BYTES`]: the oldest go first, those that are
//! being written never.
//!
//! A thread of its own does all that touches the disk, so a slow one holds up no stream. What waits for that thread is
//! bounded: beyond [`WAITING`] a transcript is cut, and its last line says so. One that cannot be written is logged and
//! given up: it never disturbs its job.

mod budget;
mod folder;
mod name;
mod writer;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::Instant;

use budget::Budget;
use folder::Folder;
use name::TranscriptName;
use writer::{TranscriptTask, TranscriptWriter};

/// How many transcripts are kept.
pub const MAX_TRANSCRIPTS: usize = 200;
/// The most that is kept of one stream, in bytes.
pub const LIMIT: u64 = 32 << 20;
/// The most that all of them take, in bytes. Below the promised 200 MB by what several hosts might take for
/// themselves in the same moment: each knows of the others' files only how long they are.
pub const MAX_TOTAL_BYTES: u64 = 176 << 20;
/// The most that waits to be written, in bytes.
const WAITING: usize = 16 << 20;
/// What each thing that waits takes besides its own bytes.
const OVERHEAD: usize = 128;
/// Room is taken in pieces of this many bytes.
const PIECE: u64 = 1 << 20;

/// The folder of transcripts under a data directory.
pub fn folder(data_dir: &Path) -> PathBuf {
    data_dir.join("transcripts")
}

/// A handle to the thread that writes transcripts, which ends with the last one; without a thread nothing is kept.
/// Nothing here waits for the disk.
#[derive(Debug, Clone, Default)]
pub struct Transcripts {
    channel: Option<Channel>,
}

#[derive(Debug, Clone)]
struct Channel {
    folder: Arc<Path>,
    tasks: mpsc::Sender<TranscriptTask>,
    budget: Arc<Budget>,
}

impl Transcripts {
    /// Keeps transcripts under `data_dir`.
    pub fn under(data_dir: &Path) -> Self {
        let folder = folder(data_dir);
        let (tasks, waiting) = mpsc::channel();
        let budget = Arc::new(Budget::new(WAITING));
        let writer = TranscriptWriter::new(Folder::new(&folder), Arc::clone(&budget));
        // A thread of its own, and none of the agents' parents: it starts no process.
        std::thread::spawn(move || writer.run(&waiting));
        Self { channel: Some(Channel { folder: folder.into(), tasks, budget }) }
    }

    /// Keeps nothing, for jobs with `record = false`.
    pub fn none() -> Self {
        Self::default()
    }

    /// Begins the transcript of the job `id`.
    pub fn open(&self, id: u64) -> Transcript {
        let open = self.channel.clone().and_then(|channel| {
            let name = TranscriptName::new(id);
            if !channel.budget.take(OVERHEAD) {
                tracing::warn!(%name, "the disk is too slow: this job keeps no transcript");
                return None;
            }
            channel.send(TranscriptTask::Begin(name));
            Some(OpenTranscript { path: channel.folder.join(name.to_string()), name, channel, is_cut: false })
        });
        Transcript { open }
    }

    /// Opens a transcript once all that was handed over is written; `then` is called on a thread of its own, so it may
    /// read for as long as it takes.
    pub fn read(&self, path: PathBuf, then: impl FnOnce(io::Result<File>) + Send + 'static) {
        let start = || {
            std::thread::spawn(move || then(open(&path)));
        };
        match &self.channel {
            Some(channel) => channel.send(TranscriptTask::Then(Box::new(start))),
            None => start(),
        }
    }

    /// Waits until all that was handed over is written, but no longer than until then.
    pub async fn close(&self, until: Instant) {
        let Some(channel) = &self.channel else { return };
        let (done, closed) = tokio::sync::oneshot::channel();
        channel.send(TranscriptTask::Then(Box::new(move || {
            // The waiting task may have given up.
            let _ = done.send(());
        })));
        if tokio::time::timeout_at(until.into(), closed).await.is_err() {
            tracing::warn!("transcripts were still being written when the host ended");
        }
    }
}

/// Opens a file to read it; never what would be waited for, as a pipe.
fn open(path: &Path) -> io::Result<File> {
    if !std::fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    File::open(path)
}

impl Channel {
    fn send(&self, task: TranscriptTask) {
        if self.tasks.send(task).is_err() {
            // It never ends by itself; a panic of it has ended the host.
            tracing::error!("the thread that writes transcripts is gone");
        }
    }
}

/// A transcript that is being written; dropping it is its end.
#[derive(Debug)]
pub struct Transcript {
    open: Option<OpenTranscript>,
}

#[derive(Debug)]
struct OpenTranscript {
    path: PathBuf,
    name: TranscriptName,
    channel: Channel,
    /// More was printed than could be written.
    is_cut: bool,
}

impl Transcript {
    /// Its file; none where nothing is kept. Whether it can be written shows later, and in the log.
    pub fn path(&self) -> Option<&Path> {
        self.open.as_ref().map(|open| open.path.as_path())
    }

    /// Adds bytes to it; never waits.
    pub fn append(&mut self, chunk: &[u8]) {
        let Some(open) = self.open.as_mut().filter(|open| !open.is_cut) else { return };
        if open.channel.budget.take(chunk.len() + OVERHEAD) {
            open.channel.send(TranscriptTask::Append(open.name, chunk.to_vec()));
        } else {
            open.is_cut = true;
            open.channel.send(TranscriptTask::Cut(open.name));
        }
    }
}

impl Drop for OpenTranscript {
    fn drop(&mut self) {
        self.channel.send(TranscriptTask::End(self.name));
    }
}

#[cfg(test)]
mod tests;
