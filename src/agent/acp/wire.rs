//! The lines of an agent that a dialogue reads: nine methods of the Agent Client Protocol, version 1.
//!
//! One flat structure for each part, since keys come in any order: `params` may be before `method`. A value of
//! another kind than expected reads as absent. Shapes as seen from seven agents; what a vendor adds is in `_meta`.

mod meta;
mod reply;
mod update;

pub use meta::{AcpTokens, SessionFailure};
pub use reply::{AcpReply, RpcError};
pub use update::SessionUpdate;

use crate::agent::json::{self, Raw};
use crate::stream::event::Text;

json::object! {
    /// Any line: a request, a notification or a response.
    pub struct AcpMessage<'a> {
        /// A number or a string; absent in a notification.
        b"id" => pub id: Option<Raw<'a>>,
        b"method" => pub method: Option<Text<'a>>,
        b"params" => pub params: Params<'a>,
        b"result" => pub result: AcpReply<'a>,
        /// The line has an `error`, so it is a response that failed.
        b"error" => pub error: Option<RpcError<'a>>,
    }
}

impl AcpMessage<'_> {
    /// The id of a response as the number that a request of ours had.
    pub fn own_id(&self) -> Option<u64> {
        let written = str::from_utf8(self.id?.written()).ok()?;
        written.trim_matches('"').parse().ok()
    }
}

json::object! {
    /// The `params` of a request or a notification.
    pub struct Params<'a> {
        b"sessionId" => pub session_id: Option<Text<'a>>,
        /// Of `session/update`.
        b"update" => pub update: SessionUpdate<'a>,
        /// Of `session/request_permission`.
        b"options" => pub options: Vec<PermissionOption<'a>>,
        /// Of `session/request_permission`: the call that it is about.
        b"toolCall" => pub tool_call: SessionUpdate<'a>,
        /// Of a request of the client in a recording: the mode or the model that is to be set.
        b"modeId" | b"modelId" | b"value" => pub setting: Option<Text<'a>>,
        /// Of `session/prompt` in a recording: the message.
        b"prompt" => pub prompt: Option<Raw<'a>>,
    }
}

json::object! {
    /// One way to answer a request for permission.
    pub struct PermissionOption<'a> {
        b"optionId" => pub id: Option<Text<'a>>,
        b"kind" => pub kind: Option<Text<'a>>,
    }
}
