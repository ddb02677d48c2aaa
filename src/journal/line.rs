//! One line of a journal: a change of one job, or of one prompt, as JSON. Seen in `journal/*.jsonl`:
//! `{"v":1,"uuid":"…","what":"landed","is":{"landing":"applied",…}}`. Pure.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::amounts::Amounts;
use super::record::{Draft, Landed, Record, RowsOnDisk};
use crate::request::Accepted;

/// The version of a line. A line of another one is not read.
const VERSION: u32 = 1;

/// A change, with the job that it changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    v: u32,
    /// The job's key, the same in the database; empty where the change is not one of a job.
    pub uuid: String,
    /// What has changed.
    #[serde(flatten)]
    pub change: Change,
}

/// What has changed. Applying one twice changes nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", content = "is", rename_all = "snake_case")]
pub enum Change {
    /// The first line of each file.
    Begin {
        /// The session whose changes follow; that in the file's name holds them now.
        session: String,
        /// The Neovim of that session, see `owner`.
        neovim: String,
        /// A host has started: the jobs that an earlier one ran have ended with it.
        is_start: bool,
    },
    /// A job was accepted.
    Accepted(Box<Accepted>),
    /// It has ended.
    Ended(Arc<Record>),
    /// Later amounts of an ended job: as in [`Record`].
    Amended {
        /// Of this job alone.
        share: Amounts,
        /// By its session so far.
        counted: Amounts,
    },
    /// It has met a limit, and waits to run again.
    Limited {
        /// When this run was asked for, Unix time in milliseconds.
        started_ms: i64,
        /// When the limit ends, Unix time in seconds.
        until: i64,
        /// What it has cost so far.
        share: Amounts,
    },
    /// It had not ended when the user left Neovim, whatever its agent ended with because of that.
    Interrupted,
    /// What became of its answer.
    Landed(Landed),
    /// The rows of its range when its file was written.
    Range(RowsOnDisk),
    /// Its file has this name now.
    Path(String),
    /// What the user made of its held answer; nothing if it is unchanged.
    Draft(Option<Draft>),
    /// Its answer is held by the session of this file now, as the job with this number.
    Numbered(u64),
    /// What is in a prompt and was not sent.
    Unsent {
        /// The prompt's number in its session.
        id: u64,
        /// When it was changed last, Unix time in milliseconds.
        at_ms: i64,
        /// What was typed; nothing where it is empty now.
        text: String,
    },
    /// A line that the database refuses for good.
    Refused {
        /// Its error.
        why: String,
        /// The line.
        line: Box<Line>,
    },
}

impl Line {
    /// A line of this version.
    pub fn new(uuid: String, change: Change) -> Self {
        Self { v: VERSION, uuid, change }
    }

    /// Its bytes, with the end of the line.
    pub fn bytes(&self) -> Vec<u8> {
        // There is nothing in it that JSON does not have.
        let mut bytes = serde_json::to_vec(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// Reads a line without its end; none where it is torn, or of another version.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok().filter(|line: &Self| line.v == VERSION)
    }
}
