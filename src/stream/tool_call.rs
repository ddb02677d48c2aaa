//! One tool call, as observers and the outcome have it.

use serde::{Serialize, Serializer};

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

/// How a tool call went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolStatus {
    /// It has not come back yet.
    Running,
    /// It worked.
    Ok,
    /// It failed.
    Error,
    /// It was not permitted.
    Denied,
    /// The job ended before it came back.
    Unfinished,
}

impl ToolStatus {
    /// The public name: `status` of a tool in Lua.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Ok => "ok",
            Self::Error => "error",
            Self::Denied => "denied",
            Self::Unfinished => "unfinished",
        }
    }
}

impl Serialize for ToolStatus {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
