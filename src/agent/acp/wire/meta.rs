//! `_meta`: what vendors add to the protocol, and the tokens that they count.

use crate::agent::json::{Raw, Read, Reader};
use crate::stream::Usage;
use crate::stream::event::Text;

/// What vendors add.
#[derive(Debug, Default)]
pub struct Meta<'a> {
    /// Claude: the tool's name.
    pub tool_name: Option<Text<'a>>,
    /// Claude: the model that answers.
    pub model: Option<Text<'a>>,
    /// Qwen: of one request to the model, on an empty chunk.
    pub usage: Option<AcpTokens>,
    /// Codex: what a command printed.
    pub(super) terminal: Option<Raw<'a>>,
    /// Gemini, and also Claude and Codex: of this turn.
    pub quota: Option<AcpTokens>,
    /// The model that the quota names last.
    pub quota_model: Option<Text<'a>>,
    /// Claude and Codex, where it was announced: how the turn failed, or that it is tried again.
    pub failure: Option<SessionFailure<'a>>,
}

impl<'a> Meta<'a> {
    pub(super) fn read(json: &mut Reader<'a>) -> Read<Self> {
        let mut meta = Self::default();
        json.object(|json, key| {
            match key {
                b"claudeCode" => json.object(|json, key| match key {
                    b"toolName" => {
                        meta.tool_name = json.text()?;
                        Ok(())
                    }
                    _ => json.skip(),
                })?,
                b"_claude/model" => meta.model = json.text()?,
                b"usage" => meta.usage = AcpTokens::read(json)?,
                b"terminal_output_delta" => json.object(|json, key| match key {
                    b"data" => {
                        meta.terminal = Some(json.raw()?);
                        Ok(())
                    }
                    _ => json.skip(),
                })?,
                b"quota" => meta.read_quota(json)?,
                b"jetbrains" => json.object(|json, key| match key {
                    b"air" => json.object(|json, key| match key {
                        b"sessionFailure" if json.peek() == Some(b'{') => {
                            meta.failure = Some(SessionFailure::read(json)?);
                            Ok(())
                        }
                        _ => json.skip(),
                    }),
                    _ => json.skip(),
                })?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(meta)
    }

    fn read_quota(&mut self, json: &mut Reader<'a>) -> Read<()> {
        json.object(|json, key| match key {
            b"token_count" => {
                self.quota = AcpTokens::read(json)?;
                Ok(())
            }
            b"model_usage" => json.list(|json| {
                json.object(|json, key| match key {
                    b"model" => {
                        self.quota_model = json.text()?;
                        Ok(())
                    }
                    _ => json.skip(),
                })
            }),
            _ => json.skip(),
        })
    }
}

/// How a turn failed, in a vendor's key.
#[derive(Debug, Default)]
pub struct SessionFailure<'a> {
    pub category: Option<Text<'a>>,
    pub title: Option<Text<'a>>,
}

impl<'a> SessionFailure<'a> {
    pub(super) fn read(json: &mut Reader<'a>) -> Read<Self> {
        let mut failure = Self::default();
        json.object(|json, key| {
            match key {
                b"category" => failure.category = json.text()?,
                b"title" => failure.title = json.text()?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(failure)
    }
}

/// Tokens as agents count them.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct AcpTokens {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_creation: u64,
    total: Option<u64>,
}

impl AcpTokens {
    pub(super) fn read(json: &mut Reader<'_>) -> Read<Option<Self>> {
        if json.peek() != Some(b'{') {
            return json.skip().map(|()| None);
        }
        let mut tokens = Self::default();
        json.object(|json, key| {
            let count = match key {
                b"inputTokens" | b"input_tokens" => &mut tokens.input,
                b"outputTokens" | b"output_tokens" => &mut tokens.output,
                b"cachedReadTokens" | b"cachedInputTokens" => &mut tokens.cache_read,
                b"cachedWriteTokens" | b"cacheWriteInputTokens" => &mut tokens.cache_creation,
                b"totalTokens" => {
                    tokens.total = json.count()?;
                    return Ok(());
                }
                _ => return json.skip(),
            };
            *count = json.count()?.unwrap_or_default();
            Ok(())
        })?;
        Ok(Some(tokens))
    }

    /// The same with what came from a cache left out of `input`: Qwen and Copilot count it in, which the total shows.
    pub fn usage(self) -> Usage {
        let cached = self.cache_read.saturating_add(self.cache_creation);
        let counts_cached_in = self.total == Some(self.input.saturating_add(self.output));
        Usage {
            input_tokens: if counts_cached_in { self.input.saturating_sub(cached) } else { self.input },
            output_tokens: self.output,
            cache_read_input_tokens: self.cache_read,
            cache_creation_input_tokens: self.cache_creation,
        }
    }
}
