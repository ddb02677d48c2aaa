//! Everything that is kept in files: finished jobs with their answers in a database that all Neovims share,
//! and the raw stream of each job. Only this room opens files to write, the log apart.

#![expect(clippy::disallowed_methods, reason = "this is the room that writes files")]

mod amounts;
mod database;
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
pub use queries::entry::Which;
pub use queries::history::Page;
pub use queries::info::Wanted;
pub use record::{Held, Landed, Record, Resumed, Selected};
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

/// Why something could not be kept, or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database was made by a newer version.
    #[error("the store is of version {version}, this host knows versions up to {newest}; update the plugin")]
    Newer {
        /// The version found.
        version: u32,
        /// The newest one known.
        newest: u32,
    },
    /// SQLite failed.
    #[error("{0}")]
    Sqlite(#[from] rusqlite::Error),
    /// A file could not be made or read.
    #[error("{0}")]
    File(#[from] std::io::Error),
    /// There is no store, or it is closed.
    #[error("there is no store to read from")]
    Closed,
    /// It was asked for one that it does not have.
    #[error("the store has no such job")]
    NoSuchJob,
    /// A row does not hold what it should.
    #[error("a job in the store cannot be read: {0}")]
    Row(#[from] serde_json::Error),
}
