//! The failures of jobs: a closed set of codes for Lua, and one sentence for people.

use serde::{Serialize, Serializer};

use crate::limit::LimitEnd;

/// What kind of failure ended a job. The names are part of the public contract (`error.code` in Lua).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// The agent's command is not in PATH.
    AgentNotFound,
    /// The agent's command is there but could not be started.
    SpawnFailed,
    /// The agent has no valid login or key (HTTP 401 counts).
    NotLoggedIn,
    /// The service refused for too many requests (HTTP 429).
    RateLimited,
    /// The service is overloaded (HTTP 529).
    Overloaded,
    /// Any other error of the service, an output limit among them.
    ApiError,
    /// Prompt and context are too long for the model.
    PromptTooLong,
    /// The model refused to answer.
    Refused,
    /// The limit on turns ended the job.
    MaxTurns,
    /// The limit on the cost ended the job.
    Budget,
    /// Something the job needed was not permitted.
    PermissionDenied,
    /// The session to go on with does not exist.
    SessionNotFound,
    /// The agent ended well and said nothing.
    EmptyAnswer,
    /// The job took longer than its `timeout`.
    Timeout,
    /// The agent ended with a bad exit code or by a signal.
    Exited,
    /// The host ended before the job did.
    HostLost,
    /// The agent's output breaks its own protocol.
    Protocol,
    /// The request itself is wrong.
    BadRequest,
}

impl Code {
    /// The public name: `error.code` in Lua.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AgentNotFound => "agent_not_found",
            Self::SpawnFailed => "spawn_failed",
            Self::NotLoggedIn => "not_logged_in",
            Self::RateLimited => "rate_limited",
            Self::Overloaded => "overloaded",
            Self::ApiError => "api_error",
            Self::PromptTooLong => "prompt_too_long",
            Self::Refused => "refused",
            Self::MaxTurns => "max_turns",
            Self::Budget => "budget",
            Self::PermissionDenied => "permission_denied",
            Self::SessionNotFound => "session_not_found",
            Self::EmptyAnswer => "empty_answer",
            Self::Timeout => "timeout",
            Self::Exited => "exited",
            Self::HostLost => "host_lost",
            Self::Protocol => "protocol",
            Self::BadRequest => "bad_request",
        }
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// What a message about a limit says of its end, where that is not known.
pub const WHEN_IT_ENDS: &str = "when it ends";

/// Why a job failed: a code for programs and a sentence that says what happened and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct JobError {
    /// The kind of failure.
    pub code: Code,
    /// One sentence for the user; quotes the agent's own words where it gave any.
    pub message: String,
    /// When the limit ends because of which it failed, where that is named.
    #[serde(rename = "resets_at", skip_serializing_if = "LimitEnd::is_relative")]
    pub limit: Option<LimitEnd>,
}

impl JobError {
    /// Puts a code and a sentence together.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), limit: None }
    }

    /// The same of a limit that ends at `at`, Unix time in seconds, which `words` say.
    #[must_use]
    pub fn until(self, at: i64, words: &str) -> Self {
        let message = self.message.replacen(WHEN_IT_ENDS, &format!("after {words}"), 1);
        Self { message, limit: Some(LimitEnd::At(at)), ..self }
    }
}
