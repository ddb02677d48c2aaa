//! The response to a request of the host: a result or an error.

use super::meta::{AcpTokens, Meta};
use crate::agent::json::{Raw, Read, Reader};
use crate::stream::event::Text;

/// The `result` of a response to any request of ours.
#[derive(Debug, Default)]
pub struct AcpReply<'a> {
    /// Of `initialize`.
    pub protocol_version: Option<u64>,
    pub agent_name: Option<Text<'a>>,
    pub agent_version: Option<Text<'a>>,
    pub can_fork: bool,
    pub takes_system_prompt: bool,
    /// How the user can log in, in the agent's words.
    pub logins: Vec<Text<'a>>,
    /// Of `session/new` and `session/fork`.
    pub session_id: Option<Text<'a>>,
    pub has_modes: bool,
    pub model: Option<Text<'a>>,
    /// The models that there are, where no option has them.
    models: Vec<Text<'a>>,
    pub options: Vec<ConfigOption<'a>>,
    /// Of `session/prompt`.
    pub stop_reason: Option<Text<'a>>,
    pub usage: Option<AcpTokens>,
    pub meta: Meta<'a>,
}

impl<'a> AcpReply<'a> {
    pub(super) fn read(json: &mut Reader<'a>) -> Read<Self> {
        let mut reply = Self::default();
        json.object(|json, key| {
            match key {
                b"protocolVersion" => reply.protocol_version = json.count()?,
                b"agentInfo" => json.object(|json, key| match key {
                    b"name" => {
                        reply.agent_name = json.text()?;
                        Ok(())
                    }
                    b"version" => {
                        reply.agent_version = json.text()?;
                        Ok(())
                    }
                    _ => json.skip(),
                })?,
                b"agentCapabilities" => reply.read_capabilities(json)?,
                b"authMethods" => json.list(|json| {
                    reply.logins.extend(login(json)?);
                    Ok(())
                })?,
                b"sessionId" => reply.session_id = json.text()?,
                b"modes" => {
                    reply.has_modes = json.peek() == Some(b'{');
                    json.skip()?;
                }
                b"models" => json.object(|json, key| match key {
                    b"currentModelId" => {
                        reply.model = json.text()?;
                        Ok(())
                    }
                    b"availableModels" => values(json, b"modelId", &mut reply.models),
                    _ => json.skip(),
                })?,
                b"configOptions" => json.list(|json| {
                    reply.options.push(ConfigOption::read(json)?);
                    Ok(())
                })?,
                b"stopReason" => reply.stop_reason = json.text()?,
                b"usage" => reply.usage = AcpTokens::read(json)?,
                b"_meta" => reply.meta = Meta::read(json)?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(reply)
    }

    fn read_capabilities(&mut self, json: &mut Reader<'a>) -> Read<()> {
        json.object(|json, key| match key {
            b"sessionCapabilities" => json.object(|json, key| {
                let has = json.peek() == Some(b'{');
                match key {
                    b"fork" => self.can_fork = has,
                    b"systemPrompt" => self.takes_system_prompt = has,
                    _ => {}
                }
                json.skip()
            }),
            _ => json.skip(),
        })
    }

    /// The models to choose from, as a session takes them.
    pub fn offered(&self) -> &[Text<'a>] {
        self.option("model").map_or(&self.models, |option| &option.values)
    }

    /// The option of this category.
    pub fn option(&self, category: &str) -> Option<&ConfigOption<'a>> {
        self.options.iter().find(|option| option.category.as_deref() == Some(category))
    }
}

/// A way to log in: its description, else its name.
fn login<'a>(json: &mut Reader<'a>) -> Read<Option<Text<'a>>> {
    let (mut name, mut description) = (None, None);
    json.object(|json, key| {
        match key {
            b"name" => name = json.text()?,
            b"description" => description = json.text()?,
            _ => json.skip()?,
        }
        Ok(())
    })?;
    Ok(description.or(name).filter(|words| !words.trim().is_empty()))
}

/// A setting of a session.
#[derive(Debug, Default)]
pub struct ConfigOption<'a> {
    pub id: Option<Text<'a>>,
    pub category: Option<Text<'a>>,
    pub current: Option<Text<'a>>,
    pub values: Vec<Text<'a>>,
}

/// The texts under `key` in a list of objects, also in groups of them.
fn values<'a>(json: &mut Reader<'a>, key: &[u8], found: &mut Vec<Text<'a>>) -> Read<()> {
    json.list(|json| {
        json.object(|json, name| match name {
            name if name == key => {
                found.extend(json.text()?);
                Ok(())
            }
            b"options" => values(json, key, found),
            _ => json.skip(),
        })
    })
}

impl<'a> ConfigOption<'a> {
    pub(super) fn read(json: &mut Reader<'a>) -> Read<Self> {
        let mut option = Self::default();
        json.object(|json, key| {
            match key {
                b"id" => option.id = json.text()?,
                b"category" => option.category = json.text()?,
                b"currentValue" => option.current = json.text()?,
                b"options" => values(json, b"value", &mut option.values)?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(option)
    }
}

/// The `error` of a response.
#[derive(Debug, Default)]
pub struct RpcError<'a> {
    pub code: i64,
    pub message: Text<'a>,
    /// Claude: `data.errorKind`.
    pub kind: Option<Text<'a>>,
    /// `data.errorName`, of `OpenCode`.
    pub name: Option<Text<'a>>,
    /// Qwen: `data.details`; Droid: `data` itself; others: `data.message`.
    pub details: Option<Text<'a>>,
}

impl<'a> RpcError<'a> {
    pub(super) fn read(json: &mut Reader<'a>) -> Read<Self> {
        let mut failure = Self::default();
        json.object(|json, key| {
            match key {
                b"code" => failure.code = signed(json.raw()?),
                b"message" => failure.message = json.text()?.unwrap_or_default(),
                b"data" if json.peek() == Some(b'"') => failure.details = json.text()?,
                b"data" => json.object(|json, key| {
                    match key {
                        b"errorKind" => failure.kind = json.text()?,
                        b"errorName" => failure.name = json.text()?,
                        b"details" => failure.details = json.text()?,
                        b"message" if failure.details.is_none() => failure.details = json.text()?,
                        _ => json.skip()?,
                    }
                    Ok(())
                })?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(failure)
    }
}

/// A whole number that may be negative; 0 where it is none.
fn signed(number: Raw<'_>) -> i64 {
    str::from_utf8(number.written()).ok().and_then(|written| written.parse().ok()).unwrap_or_default()
}
