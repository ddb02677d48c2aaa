//! The updates that a running stream sends to the observers of its job.

use serde::Serialize;

use super::event::Retry;
use super::tools::ToolCall;
use super::usage::{Amounts, nested};

/// One change of a job; its serialized form is a line of `botglue parse` and what observers in Lua get.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Update {
    /// The session or the model became known.
    Session {
        /// The agent's session.
        id: Option<String>,
        /// The model.
        model: Option<String>,
    },
    /// The models that the agent offers.
    Models {
        /// Their names, as a request names one.
        models: Vec<String>,
    },
    /// What the agent does: a step of its plan, its mode.
    Activity {
        /// In a few words.
        text: String,
    },
    /// More text of the main agent, the new part only; a new block begins on a new line.
    Text {
        /// The new part.
        text: String,
        /// It is the first of a message, or of a part of one that would be the answer alone: what came before it is
        /// none of that.
        #[serde(skip)]
        begins: bool,
    },
    /// More thinking of the main agent, the new part only.
    Thinking {
        /// The new part.
        text: String,
    },
    /// A tool call began or changed its status.
    Tool {
        /// Its place in the list of calls, from 0.
        #[serde(skip)]
        index: usize,
        /// The whole call.
        tool: ToolCall,
    },
    /// The service broke off in the middle of a message, which the agent will say again from its beginning: the text
    /// since the last tool or restart, or else since the start, is void.
    Restart,
    /// The service failed and will be asked again.
    Retry(Retry),
    /// The job's amounts so far; they never fall. May come after the answer was decided.
    #[serde(serialize_with = "nested")]
    Amounts(Amounts),
    /// A line that the protocol has no place for; for the log.
    Malformed {
        /// The line's number, empty lines counted, from 1.
        line: u64,
        /// What is wrong with it.
        reason: String,
        /// How it begins.
        start: String,
    },
}
