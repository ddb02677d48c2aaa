//! The question for a transcript: whose it is.

use std::path::PathBuf;

use crate::agent::Protocol;

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
