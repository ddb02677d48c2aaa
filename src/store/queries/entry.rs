//! A job as lists show it, and the same with its long texts.

use std::path::Path;

use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};
use serde::{Deserialize, Serialize};

use super::parse;
use crate::error::Code;
use crate::journal::{Accepted, Amounts};
use crate::request::{Resume, Selection};
use crate::store::{StoreError, signed};

/// A finished job in a list, or one that was interrupted. Its field names are those that the editor gets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobEntry {
    /// Its key in the store.
    #[serde(default)]
    pub uuid: String,
    /// Only of a job of the asking Neovim.
    pub id: Option<u64>,
    /// Which agent ran it: the option's name.
    pub agent: String,
    /// How that agent talks.
    pub protocol: Option<String>,
    /// The model that answered.
    pub model: Option<String>,
    /// The agent's session.
    pub session_id: Option<String>,
    /// The project's directory.
    pub project: String,
    /// The file; empty for a buffer without a name.
    pub path: String,
    /// Neovim's `'filetype'`.
    pub filetype: String,
    /// Its first line when it was asked for, from 1.
    pub first_line: u64,
    /// The user's prompt.
    pub prompt: String,
    /// It was a question.
    pub question: bool,
    /// `done`, `failed` or `interrupted`.
    #[serde(skip_deserializing)]
    pub status: &'static str,
    /// What became of its answer.
    pub landing: Option<String>,
    /// Why that is held.
    pub held_for: Option<String>,
    /// Why it failed.
    pub error: Option<StoredFailure>,
    /// When it was asked for, Unix time in milliseconds.
    pub started_ms: i64,
    /// When it ended, likewise.
    pub ended_ms: i64,
    /// The same where the user is; the editor gets `ended_ms`.
    #[serde(skip)]
    pub ended: LocalTime,
    /// What it took.
    #[serde(flatten)]
    pub amounts: Amounts,
    /// Where its raw stream is, as long as that is kept.
    pub transcript: Option<String>,
    /// Whether there is an answer.
    #[serde(default)]
    pub has_answer: bool,
    /// Where its answer stood in the file when that was last written.
    pub landed_first: Option<u64>,
    /// Likewise.
    pub landed_last: Option<u64>,
}

/// A time where the user is, as the system knows it. The database tells: the standard library has no time zones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LocalTime {
    /// The year.
    pub year: u32,
    /// The month, from 1.
    pub month: u32,
    /// The day of the month, from 1.
    pub day: u32,
    /// The hour, from 0 to 23.
    pub hour: u32,
    /// The minute.
    pub minute: u32,
}

/// The column from which a row has [`JobEntry::ended`].
pub const ENDED: &str = "strftime('%Y-%m-%d-%H-%M', ended_ms / 1000, 'unixepoch', 'localtime') AS ended";

impl LocalTime {
    /// What SQLite makes of a time, for [`Self::parse`].
    pub const FORMAT: &str = "%Y-%m-%d-%H-%M";

    /// Reads a time in that format; zeros where it is none.
    pub fn parse(text: &str) -> Self {
        let mut parts = text.split('-').map(|part| part.parse().unwrap_or_default());
        let mut next = || parts.next().unwrap_or_default();
        Self { year: next(), month: next(), day: next(), hour: next(), minute: next() }
    }
}

/// Why a job failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StoredFailure {
    /// The public name of its kind.
    pub code: String,
    /// What happened and what to do.
    pub message: String,
}

/// A job with everything that is known of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FullJob {
    /// The job as in a list.
    #[serde(flatten)]
    pub entry: JobEntry,
    /// The answer as the agent gave it.
    pub text: Option<String>,
    /// The rows of its range when its file was last written.
    pub landed_rows: Option<Vec<String>>,
    /// The tidied answer.
    pub lines: Option<Vec<String>>,
    /// What was selected, and where.
    pub selection: Selection,
    /// Its answer was to be held for review.
    pub review: bool,
    /// The session that it went on from.
    pub resume: Option<Resume>,
}

/// Which job is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobKey {
    /// The one with this key.
    Uuid(String),
    /// The one with this number in the asking Neovim.
    Id(u64),
}

/// What an interrupted job has of a record, too.
#[derive(Debug, Deserialize)]
struct Texts {
    #[serde(flatten)]
    job: Accepted,
    text: Option<String>,
    lines: Option<Vec<String>>,
}

/// The Neovim that asks, and the folder of transcripts.
#[derive(Debug, Clone, Copy)]
pub struct QueryContext<'a> {
    pub session: &'a str,
    pub transcripts: &'a Path,
}

impl QueryContext<'_> {
    /// Reads a row of `jobs`.
    pub fn entry(&self, row: &Row<'_>) -> Result<JobEntry, StoreError> {
        let own = row.get::<_, String>("session")? == self.session;
        let entry: JobEntry = parse(&row.get::<_, String>("entry")?)?;
        let transcript =
            entry.transcript.map(|name| self.transcripts.join(name)).filter(|path| path.exists());
        Ok(JobEntry {
            uuid: row.get("uuid")?,
            id: u64::try_from(row.get::<_, i64>("id")?).ok().filter(|_| own),
            status: match &entry.error {
                None => "done",
                Some(error) if error.code == Code::HostLost.name() => "interrupted",
                Some(_) => "failed",
            },
            ended: LocalTime::parse(&row.get::<_, String>("ended")?),
            transcript: transcript.map(|path| path.to_string_lossy().into_owned()),
            ..entry
        })
    }

    /// One whole job; none if it does not exist.
    pub fn job(&self, connection: &Connection, which: &JobKey) -> Result<Option<FullJob>, StoreError> {
        let full = |row: &Row<'_>| {
            let landed_rows: Option<String> = row.get("landed_rows")?;
            let Texts { job, text, lines } = parse(&row.get::<_, String>("record")?)?;
            Ok(FullJob {
                entry: self.entry(row)?,
                text,
                landed_rows: landed_rows.as_deref().map(parse).transpose()?,
                lines,
                selection: job.selection,
                review: job.review,
                resume: job.resumed,
            })
        };
        let (condition, key): (_, Vec<Value>) = match which {
            JobKey::Uuid(uuid) => ("uuid = ?", vec![uuid.clone().into()]),
            JobKey::Id(id) => {
                ("session = ? AND id = ?", vec![self.session.to_owned().into(), signed(*id).into()])
            }
        };
        connection
            .prepare_cached(&format!(
                "SELECT *, {ENDED} FROM jobs JOIN texts USING (uuid) WHERE ended_ms IS NOT NULL AND {condition}"
            ))?
            .query_and_then(params_from_iter(key), full)?
            .next()
            .transpose()
    }
}
