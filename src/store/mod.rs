//! Everything that is kept in files: finished jobs with their answers in a database that all Neovims share, and the raw
//! stream of each job. Only this module opens files to write, except for the log.

#![expect(clippy::disallowed_methods, reason = "this is the module that writes files")]

mod amounts;
mod clock;
mod database;
mod empty;
mod error;
mod known;
mod owner;
mod queries;
mod query;
mod record;
#[cfg(test)]
mod sample;
mod schema;
mod transcript;

pub use amounts::{Amounts, Tokens};
pub use clock::now_ms;
pub use database::{Database, Query, QueryReply};
pub use empty::EmptyDirectory;
pub use error::StoreError;
pub use queries::entry::{FullJob, JobEntry, JobKey, LocalTime, StoredFailure};
pub use queries::history::{Listed, Page};
pub use queries::info::{Breakdown, Info, InfoQuery, Sums};
pub use query::query;
pub use record::{Accepted, Draft, Held, Landed, OnDisk, Record, RowsOnDisk, SavedRange, Unsent};
pub use transcript::{Transcript, Transcripts};
