//! The lines of Claude's stream, as far as anybody here reads them.
//!
//! One flat structure for all kinds of line: `type` is often the last key, so the kind is known only when the
//! line has been read. Everything else is skipped where it stands, a tool's output first of all.

use serde::de::{MapAccess, SeqAccess};
use serde_json::value::RawValue;

use crate::agent::json::{self, Lenient, key, raw, skip, value};
use crate::agent::values::{Input, Tokens};
use crate::stream::Usage;
use crate::stream::event::Words;

/// Any line.
#[derive(Debug, Default)]
pub struct Line<'a> {
    pub kind: Option<Words<'a>>,
    pub subtype: Option<Words<'a>>,
    pub session_id: Option<Words<'a>>,
    pub uuid: Option<Words<'a>>,
    pub parent_tool_use_id: Option<Words<'a>>,
    pub message: Message<'a>,
    /// Of a `stream_event`.
    pub event: ApiEvent<'a>,
    /// Of an event of the Messages API that is a line of its own.
    pub delta: Delta<'a>,
    /// Of an `init`.
    pub model: Option<Words<'a>>,
    /// Of a `user` line: text that the CLI put in by itself.
    pub is_synthetic: Option<bool>,
    /// Of an `assistant` line that is none.
    pub is_api_error_message: Option<bool>,
    /// Of an `assistant` line that was cut off in its middle.
    pub aborted: Option<bool>,
    /// Of a `stream_event`: blocks of the message that will never be whole.
    pub abandoned_blocks: Present,
    pub api_error_status: Option<f64>,
    /// Of a `result` and of a `tool_result`.
    pub is_error: Option<bool>,
    pub result: Option<Words<'a>>,
    pub errors: Vec<Option<Words<'a>>>,
    pub stop_reason: Option<Words<'a>>,
    pub terminal_reason: Option<Words<'a>>,
    pub num_turns: Option<f64>,
    pub duration_ms: Option<f64>,
    pub total_cost_usd: Option<f64>,
    pub usage: Tokens,
    pub usage_since: Option<Since>,
    pub permission_denials: Vec<Denial<'a>>,
    /// Of a `permission_denied` and of a `tool_result`.
    pub tool_use_id: Option<Words<'a>>,
    pub content: Option<&'a RawValue>,
    /// Of an `api_retry`.
    pub attempt: Option<f64>,
    pub max_retries: Option<f64>,
    pub retry_delay_ms: Option<f64>,
    pub error_status: Option<f64>,
    pub error: Option<Words<'a>>,
}

impl<'a> Lenient<'a> for Line<'a> {
    fn object<A: MapAccess<'a>>(mut map: A) -> Result<Self, A::Error> {
        let mut line = Self::default();
        while let Some(key) = key(&mut map)? {
            match &*key {
                "type" => line.kind = value(&mut map)?,
                "event" => line.event = value(&mut map)?,
                "delta" => line.delta = value(&mut map)?,
                "message" => line.message = value(&mut map)?,
                "parent_tool_use_id" => line.parent_tool_use_id = value(&mut map)?,
                "session_id" => line.session_id = value(&mut map)?,
                "uuid" => line.uuid = value(&mut map)?,
                "subtype" => line.subtype = value(&mut map)?,
                "model" => line.model = value(&mut map)?,
                "isSynthetic" => line.is_synthetic = value(&mut map)?,
                "aborted" => line.aborted = value(&mut map)?,
                "abandoned_blocks" => line.abandoned_blocks = value(&mut map)?,
                "is_api_error_message" => line.is_api_error_message = value(&mut map)?,
                "api_error_status" => line.api_error_status = value(&mut map)?,
                "is_error" => line.is_error = value(&mut map)?,
                "result" => line.result = value(&mut map)?,
                "errors" => line.errors = value(&mut map)?,
                "stop_reason" => line.stop_reason = value(&mut map)?,
                "terminal_reason" => line.terminal_reason = value(&mut map)?,
                "num_turns" => line.num_turns = value(&mut map)?,
                "duration_ms" => line.duration_ms = value(&mut map)?,
                "total_cost_usd" => line.total_cost_usd = value(&mut map)?,
                "usage" => line.usage = value(&mut map)?,
                "model_usage_since_last_result" => line.usage_since = value(&mut map)?,
                "permission_denials" => line.permission_denials = value(&mut map)?,
                "tool_use_id" => line.tool_use_id = value(&mut map)?,
                "content" => line.content = raw(&mut map)?,
                "attempt" => line.attempt = value(&mut map)?,
                "max_retries" => line.max_retries = value(&mut map)?,
                "retry_delay_ms" => line.retry_delay_ms = value(&mut map)?,
                "error_status" => line.error_status = value(&mut map)?,
                "error" => line.error = value(&mut map)?,
                _ => skip(&mut map)?,
            }
        }
        Ok(line)
    }
}

/// Whether there is an object.
#[derive(Debug, Default)]
pub struct Present(pub bool);

impl<'a> Lenient<'a> for Present {
    fn object<A: MapAccess<'a>>(mut map: A) -> Result<Self, A::Error> {
        while key(&mut map)?.is_some() {
            skip(&mut map)?;
        }
        Ok(Self(true))
    }
}

/// An event of the Messages API.
#[derive(Debug, Default)]
pub struct ApiEvent<'a> {
    pub kind: Option<Words<'a>>,
    pub delta: Delta<'a>,
}

impl<'a> Lenient<'a> for ApiEvent<'a> {
    fn object<A: MapAccess<'a>>(mut map: A) -> Result<Self, A::Error> {
        let mut event = Self::default();
        while let Some(key) = key(&mut map)? {
            match &*key {
                "type" => event.kind = value(&mut map)?,
                "delta" => event.delta = value(&mut map)?,
                _ => skip(&mut map)?,
            }
        }
        Ok(event)
    }
}

/// The `message` of a line: an API message, or plain words.
#[derive(Debug, Default)]
pub struct Message<'a> {
    pub id: Option<Words<'a>>,
    pub model: Option<Words<'a>>,
    pub stop_reason: Option<Words<'a>>,
    pub content: Vec<Block<'a>>,
    /// Where the message is a string.
    pub words: Option<Words<'a>>,
}

impl<'a> Lenient<'a> for Message<'a> {
    fn text(text: Words<'a>) -> Self {
        Self { words: Some(text), ..Self::default() }
    }

    fn object<A: MapAccess<'a>>(mut map: A) -> Result<Self, A::Error> {
        let mut message = Self::default();
        while let Some(key) = key(&mut map)? {
            match &*key {
                "id" => message.id = value(&mut map)?,
                "model" => message.model = value(&mut map)?,
                "stop_reason" => message.stop_reason = value(&mut map)?,
                "content" => message.content = value::<Content<'_>, _>(&mut map)?.0,
                _ => skip(&mut map)?,
            }
        }
        Ok(message)
    }
}

/// A message's `content`: blocks, or a string that stands for one block of text.
#[derive(Default)]
struct Content<'a>(Vec<Block<'a>>);

impl<'a> Lenient<'a> for Content<'a> {
    fn text(text: Words<'a>) -> Self {
        Self(vec![Block { kind: Some("text".into()), text: Some(text), ..Block::default() }])
    }

    fn list<A: SeqAccess<'a>>(list: A) -> Result<Self, A::Error> {
        Vec::list(list).map(Self)
    }
}

/// One block of a message.
#[derive(Debug, Default)]
pub struct Block<'a> {
    kind: Option<Words<'a>>,
    pub text: Option<Words<'a>>,
    pub thinking: Option<Words<'a>>,
    /// Of a tool call.
    pub id: Option<Words<'a>>,
    pub name: Option<Words<'a>>,
    pub argument: Input<'a>,
    /// Of a tool's result.
    pub tool_use_id: Option<Words<'a>>,
    pub is_error: Option<bool>,
    pub content: Option<&'a RawValue>,
}

impl Block<'_> {
    /// Whether it is of this kind or of one that the API derives from it (`server_tool_use`).
    pub fn is_kind_of(&self, kind: &str) -> bool {
        self.kind
            .as_deref()
            .is_some_and(|own| own == kind || own.strip_suffix(kind).is_some_and(|of| of.ends_with('_')))
    }
}

impl<'a> Lenient<'a> for Block<'a> {
    fn object<A: MapAccess<'a>>(mut map: A) -> Result<Self, A::Error> {
        let mut block = Self::default();
        while let Some(key) = key(&mut map)? {
            match &*key {
                "type" => block.kind = value(&mut map)?,
                "text" => block.text = value(&mut map)?,
                "thinking" => block.thinking = value(&mut map)?,
                "id" => block.id = value(&mut map)?,
                "name" => block.name = value(&mut map)?,
                "input" => block.argument = value(&mut map)?,
                "tool_use_id" => block.tool_use_id = value(&mut map)?,
                "is_error" => block.is_error = value(&mut map)?,
                "content" => block.content = raw(&mut map)?,
                _ => skip(&mut map)?,
            }
        }
        Ok(block)
    }
}

/// The part of a message that a streamed event adds.
#[derive(Debug, Default)]
pub struct Delta<'a> {
    pub kind: Option<Words<'a>>,
    pub text: Option<Words<'a>>,
    pub thinking: Option<Words<'a>>,
    pub stop_reason: Option<Words<'a>>,
}

impl<'a> Lenient<'a> for Delta<'a> {
    fn object<A: MapAccess<'a>>(mut map: A) -> Result<Self, A::Error> {
        let mut delta = Self::default();
        while let Some(key) = key(&mut map)? {
            match &*key {
                "type" => delta.kind = value(&mut map)?,
                "text" => delta.text = value(&mut map)?,
                "thinking" => delta.thinking = value(&mut map)?,
                "stop_reason" => delta.stop_reason = value(&mut map)?,
                _ => skip(&mut map)?,
            }
        }
        Ok(delta)
    }
}

/// `model_usage_since_last_result`: this run's share, summed over the models.
#[derive(Debug, Default, Clone, Copy)]
pub struct Since {
    pub cost: f64,
    pub usage: Usage,
}

impl<'a> Lenient<'a> for Option<Since> {
    fn object<A: MapAccess<'a>>(mut map: A) -> Result<Self, A::Error> {
        let mut sum = Since::default();
        while key(&mut map)?.is_some() {
            let OneModel(model) = value(&mut map)?;
            sum.cost += model.cost;
            sum.usage.add(model.usage);
        }
        Ok(Some(sum))
    }
}

#[derive(Default)]
struct OneModel(Since);

impl<'a> Lenient<'a> for OneModel {
    fn object<A: MapAccess<'a>>(mut map: A) -> Result<Self, A::Error> {
        let mut model = Since::default();
        while let Some(key) = key(&mut map)? {
            let tokens = match &*key {
                "costUSD" => {
                    model.cost = value::<Option<f64>, _>(&mut map)?.unwrap_or_default();
                    continue;
                }
                "inputTokens" => &mut model.usage.input_tokens,
                "outputTokens" => &mut model.usage.output_tokens,
                "cacheReadInputTokens" => &mut model.usage.cache_read_input_tokens,
                "cacheCreationInputTokens" => &mut model.usage.cache_creation_input_tokens,
                _ => {
                    skip(&mut map)?;
                    continue;
                }
            };
            *tokens = json::count(value::<Option<f64>, _>(&mut map)?.unwrap_or_default());
        }
        Ok(Self(model))
    }
}

/// One entry of `permission_denials`: the id of the call.
#[derive(Debug, Default)]
pub struct Denial<'a>(pub Option<Words<'a>>);

impl<'a> Lenient<'a> for Denial<'a> {
    fn object<A: MapAccess<'a>>(mut map: A) -> Result<Self, A::Error> {
        let mut denial = Self::default();
        while let Some(key) = key(&mut map)? {
            match &*key {
                "tool_use_id" => denial.0 = value(&mut map)?,
                _ => skip(&mut map)?,
            }
        }
        Ok(denial)
    }
}
