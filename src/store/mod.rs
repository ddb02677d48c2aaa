//! Everything that is kept in files: finished jobs with their answers in a database that all Neovims share,
//! and the raw stream of each job. Only this room opens files to write, the log apart.

mod database;
mod owner;
mod queries;
mod schema;
mod transcript;

pub use database::Database;
pub use queries::{Held, Record, Selected};
pub use transcript::{Transcript, Transcripts};

/// Why something could not be kept.
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
    /// A row does not hold what it should.
    #[error("a job in the store cannot be read: {0}")]
    Row(#[from] serde_json::Error),
}
