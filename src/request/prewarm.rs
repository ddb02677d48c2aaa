//! The typed form of a `prewarm` notification: the editor requests an agent while a prompt is typed.

use rmpv::Value;

use super::{AgentStart, Fields};
use crate::error::JobError;

/// An agent to start before its job is sent, as the job's [`Request`] will say it.
///
/// [`Request`]: super::Request
#[derive(Debug, Clone, PartialEq)]
pub struct PrewarmRequest {
    /// What the job will name it by.
    pub token: u64,
    /// The agent.
    pub start: AgentStart,
}

impl PrewarmRequest {
    /// Reads the map of a `prewarm` notification.
    ///
    /// # Errors
    /// As [`AgentStart`] says, or `bad_request` without a token.
    pub fn decode(value: &Value) -> Result<Self, JobError> {
        let fields = Fields::root(value)?;
        Ok(Self { start: AgentStart::decode(&fields)?, token: fields.count("token")? })
    }
}
