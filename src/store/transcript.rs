//! The raw stream of each job, kept for bug reports and for the user to read what a failed job had said.
//!
//! One file a job under `transcripts/`, readable by its owner alone; the newest [`KEPT`] stay, and one file
//! never grows beyond [`LIMIT`]. A transcript that cannot be written is logged and given up: it never
//! disturbs its job.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// How many transcripts are kept.
pub const KEPT: usize = 200;
/// The most that is kept of one stream, in bytes.
pub const LIMIT: u64 = 32 * 1024 * 1024;

/// The folder of transcripts; without one nothing is kept.
#[derive(Debug, Clone, Default)]
pub struct Transcripts {
    folder: Option<PathBuf>,
}

impl Transcripts {
    /// Keeps transcripts under `data_dir`, creating the folder and dropping what is too old.
    pub fn under(data_dir: &Path) -> Self {
        let folder = data_dir.join("transcripts");
        match prepare(&folder) {
            Ok(()) => Self { folder: Some(folder) },
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
        let file = self.folder.as_deref().and_then(|folder| match create(folder, id) {
            Ok((path, file)) => {
                tracing::info!(job = id, transcript = %path.display(), "recording");
                Some(file)
            }
            Err(error) => {
                tracing::warn!(job = id, %error, "this job keeps no transcript");
                None
            }
        });
        Transcript { file, written: 0 }
    }
}

/// One open transcript.
#[derive(Debug)]
pub struct Transcript {
    file: Option<File>,
    written: u64,
}

impl Transcript {
    /// Appends what was read from the agent, up to the limit.
    pub fn write(&mut self, chunk: &[u8]) {
        let Some(file) = &mut self.file else { return };
        let room = usize::try_from(LIMIT - self.written).unwrap_or(usize::MAX);
        let chunk = &chunk[..chunk.len().min(room)];
        match file.write_all(chunk) {
            Ok(()) => self.written += chunk.len() as u64,
            Err(error) => {
                tracing::warn!(%error, "the transcript ends here");
                self.file = None;
            }
        }
    }
}

fn prepare(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let mut names: Vec<_> =
        fs::read_dir(folder)?.filter_map(|entry| entry.ok().map(|e| e.file_name())).collect();
    // Names begin with the time, in as many digits each: their order is their age.
    names.sort();
    // One is about to be added.
    for name in names.iter().take(names.len().saturating_sub(KEPT - 1)) {
        // Another Neovim may have been quicker.
        let _ = fs::remove_file(folder.join(name));
    }
    Ok(())
}

fn create(folder: &Path, id: u64) -> io::Result<(PathBuf, File)> {
    prepare(folder)?;
    let ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let path = folder.join(format!("{ms:015}-{}-{id}.jsonl", std::process::id()));
    let file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(&path)?;
    Ok((path, file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn only_the_newest_stay_and_only_their_owner_reads_them() {
        let dir = tempfile::tempdir().unwrap();
        let transcripts = Transcripts::under(dir.path());
        for id in 0..(KEPT as u64 + 5) {
            transcripts.open(id).write(b"{}\n");
        }
        let folder = dir.path().join("transcripts");
        let mut names: Vec<_> =
            fs::read_dir(&folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        assert_eq!(names.len(), KEPT);
        assert!(names.last().unwrap().ends_with("-204.jsonl"));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700);
        assert_eq!(mode(&folder.join(&names[0])), 0o600);
    }

    #[test]
    fn a_folder_that_cannot_be_made_disturbs_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let blocked = dir.path().join("file");
        fs::write(&blocked, "").unwrap();
        Transcripts::under(&blocked).open(1).write(b"lost");
    }
}
