//! `_meta`: what vendors add to the protocol, and the tokens that they count.

use crate::agent::json::{self, Raw};
use crate::stream::Usage;
use crate::stream::event::Text;

json::object! {
    /// What vendors add.
    pub struct Meta<'a> {
        /// Claude: the tool's name.
        b"claudeCode" / b"toolName" => pub tool_name: Option<Text<'a>>,
        /// Claude: the model that answers.
        b"_claude/model" => pub model: Option<Text<'a>>,
        /// Qwen: of one request to the model, on an empty chunk.
        b"usage" => pub usage: Option<AcpTokens>,
        /// Codex: what a command printed.
        b"terminal_output_delta" / b"data" => pub(super) terminal: Option<Raw<'a>>,
        /// Gemini, and also Claude and Codex: of this turn.
        b"quota" => pub quota: Quota<'a>,
        /// Claude and Codex, where it was announced: how the turn failed, or that it is tried again.
        b"jetbrains" / b"air" / b"sessionFailure" => pub failure: Option<SessionFailure<'a>>,
    }
}

json::object! {
    /// The amounts of a turn.
    pub struct Quota<'a> {
        b"token_count" => pub tokens: Option<AcpTokens>,
        b"model_usage" => models: Vec<QuotaModel<'a>>,
    }
}

json::object! {
    struct QuotaModel<'a> {
        b"model" => name: Option<Text<'a>>,
    }
}

impl<'a> Quota<'a> {
    /// The model that it names last.
    pub fn model(&self) -> Option<Text<'a>> {
        self.models.iter().rev().find_map(|model| model.name.clone())
    }
}

json::object! {
    /// How a turn failed, in a vendor's key.
    pub struct SessionFailure<'a> {
        b"category" => pub category: Option<Text<'a>>,
        b"title" => pub title: Option<Text<'a>>,
    }
}

json::object! {
    /// Tokens as agents count them.
    pub struct AcpTokens {
        b"inputTokens" | b"input_tokens" => input: u64,
        b"outputTokens" | b"output_tokens" => output: u64,
        b"cachedReadTokens" | b"cachedInputTokens" => cache_read: u64,
        b"cachedWriteTokens" | b"cacheWriteInputTokens" => cache_creation: u64,
        b"totalTokens" => total: Option<u64>,
    }
}

impl AcpTokens {
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
