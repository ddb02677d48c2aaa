//! The question for a transcript: whose it is.

use std::path::PathBuf;

use super::fields::{Fields, bad};
use crate::agent::Protocol;
use crate::error::JobError;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
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
}

impl TranscriptRequest {
    /// Reads the question.
    ///
    /// # Errors
    /// Names the field that is missing or wrong.
    pub fn read(fields: &Fields<'_>) -> Result<Self, JobError> {
        let protocol = fields.text("protocol")?;
        Ok(Self {
            path: fields.text("path")?.into(),
            protocol: Protocol::named(&protocol).ok_or_else(|| bad("protocol", "is unknown"))?,
            agent: fields.lossy("agent")?,
            cwd: fields.lossy("cwd")?,
            prompt: fields.lossy("prompt")?,
            is_over: fields.flag("over")?,
            error: fields.get("error").map(|_| fields.lossy("error")).transpose()?,
        })
    }
}
