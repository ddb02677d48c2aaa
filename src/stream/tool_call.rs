//! One tool call, as observers and the outcome have it.

use serde::Serialize;

use crate::named::named;

/// A tool call; its serialized form is an entry of a job's `tools`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolCall {
    /// The agent's id, or one made from its place where the agent gave none.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// How it went.
    pub status: ToolStatus,
    /// Why it failed, in one line.
    pub error: Option<String>,
    /// The name and the main argument in one line: `Read src/main.rs`.
    #[serde(skip)]
    pub title: String,
}

named! {
    /// How a tool call went.
    pub enum ToolStatus {
        /// It has not come back yet.
        Running = "running",
        /// It worked.
        Ok = "ok",
        /// It failed.
        Error = "error",
        /// It was not permitted.
        Denied = "denied",
        /// The job ended before it came back.
        Unfinished = "unfinished",
    }
}
