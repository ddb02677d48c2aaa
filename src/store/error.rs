//! Why the store could not keep or read something.

use std::path::PathBuf;

use rusqlite::ErrorCode;
use rusqlite::ffi::{Error, SQLITE_IOERR_SHORT_READ};

/// Why something could not be kept, or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database is of another version.
    #[error("the store is of version {0}")]
    OtherVersion(u32),
    /// The database was cut by another program.
    #[error("the store was cut short")]
    Short,
    /// The path of the database, or of a file beside it, leads to something else.
    #[error("{} is a symbolic link, or no regular file; remove it, or set `data_dir` to another folder", .0.display())]
    NotAFile(PathBuf),
    /// SQLite failed.
    #[error("the store failed: {0}; see `:help botglue-store`")]
    Sqlite(#[from] rusqlite::Error),
    /// A file could not be made or read.
    #[error(
        "the store cannot be written ({0}); give yourself the right to write in `data_dir`, or set it to another folder"
    )]
    File(#[from] std::io::Error),
    /// It has not answered in time.
    #[error("the store is busy; ask again")]
    Busy,
    /// There is no store, or it is closed.
    #[error("there is no store to read from; see :Botglue log")]
    Closed,
    /// The store does not have the job.
    #[error("the store has no such job")]
    NoSuchJob,
    /// A row does not hold what it should. Where, but not what: that would be part of the user's text.
    #[error("a job in the store cannot be read: its JSON is wrong at column {}", .0.column())]
    Row(#[from] serde_json::Error),
}

impl StoreError {
    /// Whether the file is to be put aside.
    pub(super) fn is_unusable(&self) -> bool {
        match self {
            Self::OtherVersion(_) | Self::Short => true,
            Self::Sqlite(error) => matches!(
                error.sqlite_error(),
                Some(
                    Error { code: ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase, .. }
                    // It ends before the place where SQLite knows that it has written: another program has cut it.
                    | Error { extended_code: SQLITE_IOERR_SHORT_READ, .. }
                )
            ),
            _ => false,
        }
    }

    /// Whether the database will never take what it was given.
    pub(super) fn is_refusal(&self) -> bool {
        use ErrorCode::{ConstraintViolation, TooBig, TypeMismatch};
        match self {
            Self::Row(_) => true,
            Self::Sqlite(error) => error
                .sqlite_error_code()
                .is_none_or(|code| matches!(code, ConstraintViolation | TypeMismatch | TooBig)),
            _ => false,
        }
    }
}
