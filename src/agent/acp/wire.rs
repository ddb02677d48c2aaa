//! What an agent's lines say, as far as a dialogue reads them: nine methods of the Agent Client Protocol, version 1.
//!
//! One flat structure for each part, since keys come in any order: `params` may be before `method`. A value of
//! another kind than expected reads as absent. Shapes as seen from seven agents; what a vendor adds is in `_meta`.

mod meta;
mod reply;
mod update;

pub use meta::{AcpTokens, SessionFailure};
pub use reply::{AcpReply, RpcError};
pub use update::SessionUpdate;

use crate::agent::json::{Raw, Read, Reader};
use crate::stream::event::Text;

/// Any line: a request, a notification or a response.
#[derive(Debug, Default)]
pub struct AcpMessage<'a> {
    /// A number or a string; absent in a notification.
    pub id: Option<Raw<'a>>,
    pub method: Option<Text<'a>>,
    pub params: Params<'a>,
    pub result: AcpReply<'a>,
    /// The line has an `error`, so it is a response that failed.
    pub error: Option<RpcError<'a>>,
}

impl<'a> AcpMessage<'a> {
    /// Reads a whole line.
    pub fn read(json: &mut Reader<'a>) -> Read<Self> {
        let mut message = Self::default();
        json.object(|json, key| {
            match key {
                b"id" => message.id = Some(json.raw()?).filter(|id| id.written() != b"null"),
                b"method" => message.method = json.text()?,
                b"params" => message.params = Params::read(json)?,
                b"result" => message.result = AcpReply::read(json)?,
                b"error" if json.peek() == Some(b'{') => message.error = Some(RpcError::read(json)?),
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(message)
    }

    /// The id of a response as the number that a request of ours had.
    pub fn own_id(&self) -> Option<u64> {
        let written = str::from_utf8(self.id?.written()).ok()?;
        written.trim_matches('"').parse().ok()
    }
}

/// The `params` of a request or a notification.
#[derive(Debug, Default)]
pub struct Params<'a> {
    pub session_id: Option<Text<'a>>,
    /// Of `session/update`.
    pub update: SessionUpdate<'a>,
    /// Of `session/request_permission`.
    pub options: Vec<PermissionOption<'a>>,
    /// Of `session/request_permission`: the call that it is about.
    pub tool_call: SessionUpdate<'a>,
    /// Of a request of the client in a recording: the mode or the model that is to be set.
    pub setting: Option<Text<'a>>,
    /// Of `session/prompt` in a recording: the message.
    pub prompt: Option<Raw<'a>>,
}

impl<'a> Params<'a> {
    fn read(json: &mut Reader<'a>) -> Read<Self> {
        let mut params = Self::default();
        json.object(|json, key| {
            match key {
                b"sessionId" => params.session_id = json.text()?,
                b"update" => params.update = SessionUpdate::read(json)?,
                b"options" => json.list(|json| {
                    params.options.push(PermissionOption::read(json)?);
                    Ok(())
                })?,
                b"toolCall" => params.tool_call = SessionUpdate::read(json)?,
                b"modeId" | b"modelId" | b"value" => params.setting = json.text()?,
                b"prompt" => params.prompt = Some(json.raw()?),
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(params)
    }
}

/// One way to answer a request for permission.
#[derive(Debug, Default)]
pub struct PermissionOption<'a> {
    pub id: Option<Text<'a>>,
    pub kind: Option<Text<'a>>,
}

impl<'a> PermissionOption<'a> {
    fn read(json: &mut Reader<'a>) -> Read<Self> {
        let mut option = Self::default();
        json.object(|json, key| {
            match key {
                b"optionId" => option.id = json.text()?,
                b"kind" => option.kind = json.text()?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(option)
    }
}
