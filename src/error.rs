//! The failures of jobs: a closed set of codes for Lua, and one sentence for people.

use serde::Serialize;

use crate::limit_end::LimitEnd;
use crate::named::named;

named! {
    /// What kind of failure ended a job. The names are part of the public contract (`error.code` in Lua).
    pub enum Code {
        /// The agent's command is not in PATH.
        AgentNotFound = "agent_not_found",
        /// The agent's command is there but could not be started.
        SpawnFailed = "spawn_failed",
        /// The agent has no valid login or key (HTTP 401 counts).
        NotLoggedIn = "not_logged_in",
        /// The service refused for too many requests (HTTP 429).
        RateLimited = "rate_limited",
        /// The service is overloaded (HTTP 529).
        Overloaded = "overloaded",
        /// Any other error of the service, an output limit among them.
        ApiError = "api_error",
        /// Prompt and context are too long for the model.
        PromptTooLong = "prompt_too_long",
        /// The model refused to answer.
        Refused = "refused",
        /// The limit on turns ended the job.
        MaxTurns = "max_turns",
        /// The limit on the cost ended the job.
        Budget = "budget",
        /// Something the job needed was not permitted.
        PermissionDenied = "permission_denied",
        /// The session to go on with does not exist.
        SessionNotFound = "session_not_found",
        /// The agent ended well and said nothing.
        EmptyAnswer = "empty_answer",
        /// The job took longer than its `timeout`.
        Timeout = "timeout",
        /// The agent ended with a bad exit code or by a signal.
        Exited = "exited",
        /// The host ended before the job did.
        HostLost = "host_lost",
        /// The agent's output breaks its own protocol.
        Protocol = "protocol",
        /// The request itself is wrong.
        BadRequest = "bad_request",
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
