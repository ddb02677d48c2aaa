//! The question for a transcript: whose it is, and what the editor shows of it already.

use std::path::PathBuf;

use super::fields::{Fields, bad};
use crate::agent::Protocol;
use crate::error::JobError;

/// See the module.
#[derive(Debug, PartialEq, Eq)]
pub struct TranscriptRequest {
    /// The file.
    pub path: PathBuf,
    /// How the agent talks.
    pub protocol: Protocol,
    /// Its name.
    pub agent: String,
    /// Paths below it are shortened.
    pub cwd: String,
    /// The user's prompt.
    pub prompt: String,
    /// The job has ended.
    pub is_over: bool,
    /// Why it failed.
    pub error: Option<String>,
    /// How many rows the editor has of it, and what tells whether they are the same.
    pub known: Option<(usize, String)>,
    /// How long the file was that they were made of: where it has not grown there is nothing new.
    pub bytes: Option<u64>,
}

impl TranscriptRequest {
    /// Reads the question.
    ///
    /// # Errors
    /// Names the field that is missing or wrong.
    pub fn read(fields: &Fields<'_>) -> Result<Self, JobError> {
        let protocol = fields.text("protocol")?;
        let known = fields.get("known").map(|_| {
            let known = fields.fields("known")?;
            Ok((usize::try_from(known.count("rows")?).unwrap_or(usize::MAX), known.text("mark")?))
        });
        Ok(Self {
            path: fields.text("path")?.into(),
            protocol: Protocol::named(&protocol).ok_or_else(|| bad("protocol", "is unknown"))?,
            agent: fields.lossy("agent")?,
            cwd: fields.lossy("cwd")?,
            prompt: fields.lossy("prompt")?,
            is_over: fields.flag("over")?,
            error: fields.get("error").map(|_| fields.lossy("error")).transpose()?,
            known: known.transpose()?,
            bytes: fields.get("bytes").map(|_| fields.count("bytes")).transpose()?,
        })
    }
}
