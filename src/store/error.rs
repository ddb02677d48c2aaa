//! Why the store could not keep or read something, in words that say what to do.

use std::path::PathBuf;

use rusqlite::ErrorCode;

/// Why something could not be kept, or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database is of another version.
    #[error("the store is of version {0}")]
    OtherVersion(u32),
    /// The path of the database, or of a file beside it, leads to something else.
    #[error("{} is a symbolic link, or no regular file; remove it, or set `data_dir` to another folder", .0.display())]
    NotAFile(PathBuf),
    /// SQLite failed.
    #[error("{}", explain(.0))]
    Sqlite(#[from] rusqlite::Error),
    /// A file could not be made or read.
    #[error("{}", forbidden(.0))]
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

const CANNOT: &str = "the store cannot be written";

impl StoreError {
    /// Whether the file is to be put aside.
    pub(super) fn is_unusable(&self) -> bool {
        let is_short = self.sqlite().is_some_and(|error| {
            // A file ends before the place where SQLite knows that it has written: another program has cut it.
            error.extended_code == rusqlite::ffi::SQLITE_IOERR_SHORT_READ
        });
        is_short
            || matches!(self, Self::OtherVersion(_))
            || matches!(self.code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
    }

    /// Whether another process holds the database.
    pub(super) fn is_lock(&self) -> bool {
        matches!(self.code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
    }

    /// Whether the database will never take what it was given.
    pub(super) fn is_refusal(&self) -> bool {
        match self {
            Self::Row(_) => true,
            Self::Sqlite(error) => error.sqlite_error().is_none_or(|error| {
                matches!(
                    error.code,
                    ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch | ErrorCode::TooBig
                )
            }),
            _ => false,
        }
    }

    fn sqlite(&self) -> Option<&rusqlite::ffi::Error> {
        match self {
            Self::Sqlite(error) => error.sqlite_error(),
            _ => None,
        }
    }

    fn code(&self) -> Option<ErrorCode> {
        self.sqlite().map(|error| error.code)
    }
}

fn explain(error: &rusqlite::Error) -> String {
    if let rusqlite::Error::SqlInputError { msg, .. } = error {
        // Without the statement, which does not help the user.
        return msg.clone();
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "another program keeps the store locked (botglue.db); end that one, then what waits is kept"
                .to_owned()
        }
        Some(ErrorCode::DiskFull) => {
            format!("{CANNOT}: the disk is full; free some space, then what waits is kept")
        }
        Some(ErrorCode::SystemIoFailure) => {
            format!("{CANNOT} ({error}); see whether its disk is full, then what waits is kept")
        }
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => forbidden(error),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            format!("the store is damaged ({error}); see `:help botglue-store`")
        }
        _ => error.to_string(),
    }
}

fn forbidden(error: &impl std::fmt::Display) -> String {
    format!("{CANNOT} ({error}); give yourself the right to write in `data_dir`, or set it to another folder")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_cannot_be_read_is_told_of_without_its_text() {
        let error = serde_json::from_str::<Vec<u64>>(r#"["the secret code"]"#).unwrap_err();
        assert!(error.to_string().contains("secret"), "{error}");
        let told = StoreError::from(error).to_string();
        assert!(told.contains("cannot be read") && !told.contains("secret"), "{told}");
    }
}
