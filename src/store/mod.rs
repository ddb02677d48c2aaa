//! Everything that is kept in files: finished jobs with their answers in a database that all Neovims share,
//! and the raw stream of each job. Only this room opens files to write, the log apart.

#![expect(clippy::disallowed_methods, reason = "this is the room that writes files")]

mod amounts;
mod database;
mod error;
mod known;
mod owner;
mod queries;
mod record;
#[cfg(test)]
mod sample;
mod schema;
mod transcript;

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

pub use amounts::{Amounts, Tokens};
pub use database::{Database, Query, Reply};
pub use error::StoreError;
pub use queries::entry::Which;
pub use queries::history::Page;
pub use queries::info::Wanted;
pub use record::{Draft, Held, Landed, Record, Unsent};
pub use transcript::{Transcript, Transcripts};

/// A directory under `data_dir` that only its owner can write to, and in which there is nothing. Where it
/// cannot be made, the root directory: nobody but the system's owner puts settings of an agent there.
pub fn empty_directory(data_dir: Option<&Path>) -> PathBuf {
    let Some(path) = data_dir.map(|data_dir| data_dir.join("empty")) else { return PathBuf::from("/") };
    match DirBuilder::new().recursive(true).mode(0o700).create(&path) {
        Ok(()) => path,
        Err(error) => {
            tracing::warn!(path = %path.display(), %error, "no empty directory for agents");
            PathBuf::from("/")
        }
    }
}
