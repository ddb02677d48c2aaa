//! The lines of Claude's stream, as far as the host reads them: `--output-format stream-json --verbose`, with
//! `--include-partial-messages`. Shapes as 2.1.330 prints them; a key that another version leaves out is `None`.
//!
//! One flat structure for all kinds of line: `type` is often the last key, so the kind is known only when the line has
//! been read. Everything else is skipped in place, above all the output of tools.

use crate::agent::json::{Raw, Read, Reader};
use crate::agent::values;
use crate::stream::Usage;
use crate::stream::event::{Argument, Text};

/// Any line.
#[derive(Debug, Default)]
pub struct ClaudeLine<'a> {
    pub kind: Option<Text<'a>>,
    pub subtype: Option<Text<'a>>,
    pub session_id: Option<Text<'a>>,
    pub uuid: Option<Text<'a>>,
    pub parent_tool_use_id: Option<Text<'a>>,
    pub message: ApiMessage<'a>,
    /// Of a `stream_event`.
    pub event: ApiEvent<'a>,
    /// Of an event of the Messages API that is a line of its own.
    pub delta: Delta<'a>,
    /// Of an `init`.
    pub model: Option<Text<'a>>,
    /// Of a `user` line: text that the CLI put in by itself.
    pub is_synthetic: Option<bool>,
    /// Of an `assistant` line that is none.
    pub is_api_error_message: Option<bool>,
    /// Of an `assistant` line that was cut off in its middle.
    pub aborted: Option<bool>,
    /// Of a `stream_event`: whether blocks of the message will never be whole.
    pub has_abandoned_blocks: bool,
    pub api_error_status: Option<u64>,
    /// Of a `result` and of a `tool_result`.
    pub is_error: Option<bool>,
    /// Of a `result` that is a success: the answer.
    pub result: Option<Text<'a>>,
    /// Of a `result` that is none: why, in sentences.
    pub errors: Vec<Text<'a>>,
    /// Of a `result`: whose turn it ends, where that is not the user's (`task-notification`).
    pub origin: Option<Text<'a>>,
    pub stop_reason: Option<Text<'a>>,
    pub terminal_reason: Option<Text<'a>>,
    pub num_turns: Option<u64>,
    pub duration_ms: Option<u64>,
    /// Of the session so far, in US dollars; it runs on from one `result` to the next, and over a fork.
    pub total_cost_usd: Option<f64>,
    /// Of this run, mostly; all zero where a limit ended it.
    pub usage: Usage,
    /// Of this run, since its last `result`; older versions do not report it.
    pub usage_since: Option<UsageSince>,
    /// The ids of the calls.
    pub permission_denials: Vec<Text<'a>>,
    /// Of a `permission_denied` and of a `tool_result`.
    pub tool_use_id: Option<Text<'a>>,
    pub content: Option<Raw<'a>>,
    /// Of an `api_retry`.
    pub attempt: Option<u64>,
    pub max_retries: Option<u64>,
    pub retry_delay_ms: Option<u64>,
    /// The HTTP status; none where there was no answer at all.
    pub error_status: Option<u64>,
    pub error: Option<Text<'a>>,
}

impl<'a> ClaudeLine<'a> {
    /// Reads a whole line.
    pub fn read(json: &mut Reader<'a>) -> Read<Self> {
        let mut line = Self::default();
        json.object(|json, key| {
            match key {
                b"type" => line.kind = json.text()?,
                b"event" => line.event = ApiEvent::read(json)?,
                b"delta" => line.delta = Delta::read(json)?,
                b"message" => line.message = ApiMessage::read(json)?,
                b"parent_tool_use_id" => line.parent_tool_use_id = json.text()?,
                b"session_id" => line.session_id = json.text()?,
                b"uuid" => line.uuid = json.text()?,
                b"subtype" => line.subtype = json.text()?,
                b"model" => line.model = json.text()?,
                b"isSynthetic" => line.is_synthetic = json.flag()?,
                b"is_api_error_message" => line.is_api_error_message = json.flag()?,
                b"aborted" => line.aborted = json.flag()?,
                b"abandoned_blocks" => {
                    line.has_abandoned_blocks = json.peek() == Some(b'{');
                    json.skip()?;
                }
                b"api_error_status" => line.api_error_status = json.count()?,
                b"is_error" => line.is_error = json.flag()?,
                b"origin" => json.object(|json, key| match key {
                    b"kind" => {
                        line.origin = json.text()?;
                        Ok(())
                    }
                    _ => json.skip(),
                })?,
                b"result" => line.result = json.text()?,
                b"errors" => json.list(|json| {
                    line.errors.extend(json.text()?);
                    Ok(())
                })?,
                b"stop_reason" => line.stop_reason = json.text()?,
                b"terminal_reason" => line.terminal_reason = json.text()?,
                b"num_turns" => line.num_turns = json.count()?,
                b"duration_ms" => line.duration_ms = json.count()?,
                b"total_cost_usd" => line.total_cost_usd = json.number()?,
                b"usage" => line.usage = values::tokens(json)?,
                b"model_usage_since_last_result" => line.usage_since = UsageSince::read(json)?,
                b"permission_denials" => json.list(|json| {
                    json.object(|json, key| match key {
                        b"tool_use_id" => {
                            line.permission_denials.extend(json.text()?);
                            Ok(())
                        }
                        _ => json.skip(),
                    })
                })?,
                b"tool_use_id" => line.tool_use_id = json.text()?,
                b"content" => line.content = Some(json.raw()?),
                b"attempt" => line.attempt = json.count()?,
                b"max_retries" => line.max_retries = json.count()?,
                b"retry_delay_ms" => line.retry_delay_ms = json.count()?,
                b"error_status" => line.error_status = json.count()?,
                b"error" => line.error = json.text()?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(line)
    }
}

/// An event of the Messages API, within a `stream_event` line.
#[derive(Debug, Default)]
pub struct ApiEvent<'a> {
    pub kind: Option<Text<'a>>,
    pub delta: Delta<'a>,
}

impl<'a> ApiEvent<'a> {
    fn read(json: &mut Reader<'a>) -> Read<Self> {
        let mut event = Self::default();
        json.object(|json, key| {
            match key {
                b"type" => event.kind = json.text()?,
                b"delta" => event.delta = Delta::read(json)?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(event)
    }
}

/// The part of a message that a streamed event adds.
#[derive(Debug, Default)]
pub struct Delta<'a> {
    pub kind: Option<Text<'a>>,
    pub text: Option<Text<'a>>,
    pub thinking: Option<Text<'a>>,
    pub stop_reason: Option<Text<'a>>,
}

impl<'a> Delta<'a> {
    fn read(json: &mut Reader<'a>) -> Read<Self> {
        let mut delta = Self::default();
        json.object(|json, key| {
            match key {
                b"type" => delta.kind = json.text()?,
                b"text" => delta.text = json.text()?,
                b"thinking" => delta.thinking = json.text()?,
                b"stop_reason" => delta.stop_reason = json.text()?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(delta)
    }
}

/// The `message` of a line: an API message, or plain words.
#[derive(Debug, Default)]
pub struct ApiMessage<'a> {
    pub id: Option<Text<'a>>,
    pub model: Option<Text<'a>>,
    pub stop_reason: Option<Text<'a>>,
    pub content: Vec<ContentBlock<'a>>,
    /// Where the message is a string.
    pub words: Option<Text<'a>>,
}

impl<'a> ApiMessage<'a> {
    fn read(json: &mut Reader<'a>) -> Read<Self> {
        let mut message = Self::default();
        if json.peek() == Some(b'"') {
            message.words = json.text()?;
            return Ok(message);
        }
        json.object(|json, key| {
            match key {
                b"id" => message.id = json.text()?,
                b"model" => message.model = json.text()?,
                b"stop_reason" => message.stop_reason = json.text()?,
                b"content" => message.content = ContentBlock::read_all(json)?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(message)
    }
}

/// One block of a message.
#[derive(Debug, Default)]
pub struct ContentBlock<'a> {
    kind: Option<Text<'a>>,
    pub text: Option<Text<'a>>,
    pub thinking: Option<Text<'a>>,
    /// Of a tool call.
    pub id: Option<Text<'a>>,
    pub name: Option<Text<'a>>,
    pub argument: Argument<'a>,
    /// Of a tool's result.
    pub tool_use_id: Option<Text<'a>>,
    pub is_error: Option<bool>,
    pub content: Option<Raw<'a>>,
}

impl<'a> ContentBlock<'a> {
    /// A message's `content`: a list of blocks, or a string that stands for one block of text.
    fn read_all(json: &mut Reader<'a>) -> Read<Vec<Self>> {
        if json.peek() == Some(b'"') {
            return Ok(vec![Self { kind: Some("text".into()), text: json.text()?, ..Self::default() }]);
        }
        let mut blocks = Vec::new();
        json.list(|json| {
            blocks.push(Self::read(json)?);
            Ok(())
        })?;
        Ok(blocks)
    }

    fn read(json: &mut Reader<'a>) -> Read<Self> {
        let mut block = Self::default();
        json.object(|json, key| {
            match key {
                b"type" => block.kind = json.text()?,
                b"text" => block.text = json.text()?,
                b"thinking" => block.thinking = json.text()?,
                b"id" => block.id = json.text()?,
                b"name" => block.name = json.text()?,
                b"input" => block.argument = values::argument(json)?,
                b"tool_use_id" => block.tool_use_id = json.text()?,
                b"is_error" => block.is_error = json.flag()?,
                b"content" => block.content = Some(json.raw()?),
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(block)
    }

    /// Whether it is of this kind.
    pub fn is_kind(&self, kind: &str) -> bool {
        self.kind.as_deref() == Some(kind)
    }

    /// Whether it is of this kind or of one that the API derives from it (`server_tool_use`).
    pub fn is_kind_of(&self, kind: &str) -> bool {
        let prefix = self.kind.as_deref().and_then(|own| own.strip_suffix(kind));
        prefix.is_some_and(|prefix| prefix.is_empty() || prefix.ends_with('_'))
    }
}

/// `model_usage_since_last_result`: this run's share, summed over the models.
#[derive(Debug, Default, Clone, Copy)]
pub struct UsageSince {
    pub cost: f64,
    pub usage: Usage,
}

impl UsageSince {
    fn read(json: &mut Reader<'_>) -> Read<Option<Self>> {
        if json.peek() != Some(b'{') {
            return json.skip().map(|()| None);
        }
        let mut sum = Self::default();
        json.object(|json, _model| {
            let model = Self::read_model(json)?;
            sum.cost += model.cost;
            sum.usage.add(model.usage);
            Ok(())
        })?;
        Ok(Some(sum))
    }

    fn read_model(json: &mut Reader<'_>) -> Read<Self> {
        let mut model = Self::default();
        json.object(|json, key| {
            let tokens = match key {
                b"inputTokens" => &mut model.usage.input_tokens,
                b"outputTokens" => &mut model.usage.output_tokens,
                b"cacheReadInputTokens" => &mut model.usage.cache_read_input_tokens,
                b"cacheCreationInputTokens" => &mut model.usage.cache_creation_input_tokens,
                b"costUSD" => {
                    model.cost = json.number()?.unwrap_or_default();
                    return Ok(());
                }
                _ => return json.skip(),
            };
            *tokens = json.count()?.unwrap_or_default();
            Ok(())
        })?;
        Ok(model)
    }
}
