//! The lines of Claude's stream, as far as the host reads them: `--output-format stream-json --verbose`, with
//! `--include-partial-messages`. Shapes as 2.1.330 prints them; a key that another version leaves out is `None`.
//!
//! One flat structure for all kinds of line: `type` is often the last key, so the kind is known only when the line has
//! been read. Everything else is skipped in place, above all the output of tools.

use crate::agent::json::{self, FromJson, Object, Raw, Read, Reader};
use crate::stream::Usage;
use crate::stream::event::{Argument, Text};

json::object! {
    /// Any line.
    pub struct ClaudeLine<'a> {
        b"type" => pub kind: Option<Text<'a>>,
        b"subtype" => pub subtype: Option<Text<'a>>,
        b"session_id" => pub session_id: Option<Text<'a>>,
        b"uuid" => pub uuid: Option<Text<'a>>,
        b"parent_tool_use_id" => pub parent_tool_use_id: Option<Text<'a>>,
        b"message" => pub message: ApiMessage<'a>,
        /// Of a `stream_event`.
        b"event" => pub event: ApiEvent<'a>,
        /// Of an event of the Messages API that is a line of its own.
        b"delta" => pub delta: Delta<'a>,
        /// Of an `init`.
        b"model" => pub model: Option<Text<'a>>,
        /// Of a `user` line: text that the CLI put in by itself.
        b"isSynthetic" => pub is_synthetic: Option<bool>,
        /// Of an `assistant` line that is none.
        b"is_api_error_message" => pub is_api_error_message: Option<bool>,
        /// Of an `assistant` line that was cut off in its middle.
        b"aborted" => pub aborted: Option<bool>,
        /// Of a `stream_event`: there where blocks of the message will never be whole.
        b"abandoned_blocks" => pub abandoned_blocks: Option<Object>,
        b"api_error_status" => pub api_error_status: Option<u64>,
        /// Of a `result` and of a `tool_result`.
        b"is_error" => pub is_error: Option<bool>,
        /// Of a `result` that is a success: the answer.
        b"result" => pub result: Option<Text<'a>>,
        /// Of a `result` that is none: why, in sentences.
        b"errors" => pub errors: Vec<Text<'a>>,
        /// Of a `result`: whose turn it ends, where that is not the user's (`task-notification`).
        b"origin" / b"kind" => pub origin: Option<Text<'a>>,
        b"stop_reason" => pub stop_reason: Option<Text<'a>>,
        b"terminal_reason" => pub terminal_reason: Option<Text<'a>>,
        b"num_turns" => pub num_turns: Option<u64>,
        b"duration_ms" => pub duration_ms: Option<u64>,
        /// Of the session so far, in US dollars; it runs on from one `result` to the next, and over a fork.
        b"total_cost_usd" => pub total_cost_usd: Option<f64>,
        /// Of this run, mostly; all zero where a limit ended it.
        b"usage" => pub usage: Usage,
        /// Of this run, since its last `result`; older versions do not report it.
        b"model_usage_since_last_result" => pub usage_since: Option<UsageSince>,
        b"permission_denials" => pub permission_denials: Vec<Denial<'a>>,
        /// Of a `permission_denied` and of a `tool_result`.
        b"tool_use_id" => pub tool_use_id: Option<Text<'a>>,
        b"content" => pub content: Option<Raw<'a>>,
        /// Of an `api_retry`.
        b"attempt" => pub attempt: Option<u64>,
        b"max_retries" => pub max_retries: Option<u64>,
        b"retry_delay_ms" => pub retry_delay_ms: Option<u64>,
        /// The HTTP status; none where there was no answer at all.
        b"error_status" => pub error_status: Option<u64>,
        b"error" => pub error: Option<Text<'a>>,
    }
}

json::object! {
    /// A call that was denied.
    pub struct Denial<'a> {
        b"tool_use_id" => pub tool_use_id: Option<Text<'a>>,
    }
}

json::object! {
    /// An event of the Messages API, within a `stream_event` line.
    pub struct ApiEvent<'a> {
        b"type" => pub kind: Option<Text<'a>>,
        b"delta" => pub delta: Delta<'a>,
    }
}

json::object! {
    /// The part of a message that a streamed event adds.
    pub struct Delta<'a> {
        b"type" => pub kind: Option<Text<'a>>,
        b"text" => pub text: Option<Text<'a>>,
        b"thinking" => pub thinking: Option<Text<'a>>,
        b"stop_reason" => pub stop_reason: Option<Text<'a>>,
    }
}

json::object! {
    /// The `message` of a line: an API message, or plain words.
    pub struct ApiMessage<'a> or words: Option<Text<'a>> {
        b"id" => pub id: Option<Text<'a>>,
        b"model" => pub model: Option<Text<'a>>,
        b"stop_reason" => pub stop_reason: Option<Text<'a>>,
        b"content" => pub content: Blocks<'a>,
    }
}

/// A message's `content`: a list of blocks, or a string that stands for one block of text.
#[derive(Debug, Default)]
pub struct Blocks<'a>(pub Vec<ContentBlock<'a>>);

impl<'a> FromJson<'a> for Blocks<'a> {
    fn fits(first: u8) -> bool {
        matches!(first, b'[' | b'"')
    }

    fn read(json: &mut Reader<'a>) -> Read<Self> {
        if json.peek() != Some(b'"') {
            return Vec::read(json).map(Self);
        }
        let text = json.text()?;
        Ok(Self(vec![ContentBlock { kind: Some("text".into()), text, ..ContentBlock::default() }]))
    }
}

json::object! {
    /// One block of a message.
    pub struct ContentBlock<'a> {
        b"type" => kind: Option<Text<'a>>,
        b"text" => pub text: Option<Text<'a>>,
        b"thinking" => pub thinking: Option<Text<'a>>,
        /// Of a tool call.
        b"id" => pub id: Option<Text<'a>>,
        b"name" => pub name: Option<Text<'a>>,
        b"input" => pub argument: Argument<'a>,
        /// Of a tool's result.
        b"tool_use_id" => pub tool_use_id: Option<Text<'a>>,
        b"is_error" => pub is_error: Option<bool>,
        b"content" => pub content: Option<Raw<'a>>,
    }
}

impl ContentBlock<'_> {
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

json::object! {
    struct ModelUsage {
        b"inputTokens" => input_tokens: u64,
        b"outputTokens" => output_tokens: u64,
        b"cacheReadInputTokens" => cache_read_input_tokens: u64,
        b"cacheCreationInputTokens" => cache_creation_input_tokens: u64,
        b"costUSD" => cost: f64,
    }
}

impl<'a> FromJson<'a> for UsageSince {
    fn fits(first: u8) -> bool {
        first == b'{'
    }

    fn read(json: &mut Reader<'a>) -> Read<Self> {
        let mut sum = Self::default();
        json.object(|json, _model| {
            let ModelUsage {
                input_tokens,
                output_tokens,
                cache_read_input_tokens,
                cache_creation_input_tokens,
                cost,
            } = FromJson::read(json)?;
            sum.cost += cost;
            sum.usage.add(Usage {
                input_tokens,
                output_tokens,
                cache_read_input_tokens,
                cache_creation_input_tokens,
            });
            Ok(())
        })?;
        Ok(sum)
    }
}
