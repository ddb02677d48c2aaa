//! Why the store could not keep or read something, in words that say what to do.

use std::path::PathBuf;

use rusqlite::ErrorCode;

/// Why something could not be kept, or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database is of another version.
    #[error("the store is of version {version}")]
    OtherVersion {
        /// The version found.
        version: u32,
    },
    /// The file was no database, or one of another version.
    #[error("the store cannot be used ({why}); it is kept as {}, and a new one is begun", aside.display())]
    PutAside {
        /// Where it is now.
        aside: PathBuf,
        /// Its fault.
        why: Box<StoreError>,
    },
    /// The path of the database, or of a file beside it, is not a regular file.
    #[error("{} is {}; remove it, or set `data_dir` to another folder", path.display(), what_it_is(*is_link))]
    NotAFile {
        /// What is not opened.
        path: PathBuf,
        /// Whether it is a symbolic link.
        is_link: bool,
    },
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
    /// The file is damaged; found by other means than SQLite's.
    pub(super) fn damage() -> Self {
        let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
        rusqlite::Error::SqliteFailure(code, None).into()
    }

    /// Another process holds the database; found by other means than SQLite's.
    pub(super) fn locked() -> Self {
        let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY);
        rusqlite::Error::SqliteFailure(code, None).into()
    }

    /// The message for the user.
    pub fn warning(&self) -> String {
        match self {
            Self::PutAside { .. } => self.to_string(),
            _ if self.is_transient() => {
                format!("answers are in no history yet: {self}; jobs run all the same")
            }
            _ => format!("answers are in no history: {self}; jobs run all the same"),
        }
    }

    /// Whether the file is to be put aside.
    pub(super) fn is_unusable(&self) -> bool {
        matches!(self, Self::OtherVersion { .. })
            || matches!(self.code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
            || matches!(self, Self::Sqlite(error) if is_short_read(error))
    }

    /// Whether another process holds the database.
    pub(super) fn is_lock(&self) -> bool {
        matches!(self.code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
    }

    /// Whether the same may work later.
    pub(super) fn is_transient(&self) -> bool {
        match self {
            Self::File(_) | Self::NotAFile { .. } | Self::OtherVersion { .. } | Self::Busy => true,
            Self::Sqlite(_) => {
                self.is_lock()
                    || self.is_unusable()
                    || matches!(
                        self.code(),
                        Some(
                            ErrorCode::DiskFull
                                | ErrorCode::ReadOnly
                                | ErrorCode::CannotOpen
                                | ErrorCode::PermissionDenied
                                | ErrorCode::SystemIoFailure
                                | ErrorCode::OutOfMemory
                        )
                    )
            }
            Self::PutAside { .. } | Self::Closed | Self::NoSuchJob | Self::Row(_) => false,
        }
    }

    fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Sqlite(error) => error.sqlite_error_code(),
            _ => None,
        }
    }
}

/// A file ends before the place where SQLite knows that it has written: another program has cut it.
fn is_short_read(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_IOERR_SHORT_READ)
}

fn what_it_is(is_link: bool) -> &'static str {
    if is_link { "a symbolic link, which the store does not follow" } else { "not a regular file" }
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
