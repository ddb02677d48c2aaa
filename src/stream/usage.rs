//! Tokens, and the largest amounts that are taken over from an agent.

use serde::{Deserialize, Serialize};

/// The largest number that is taken over from an agent: no job reaches it, and the store can add it up over millions of
/// jobs without an overflow.
pub const MAX_AMOUNT: f64 = 1e12;
/// The same for counts.
pub const MAX_COUNT: u64 = 1_000_000_000_000;

/// Tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Sent, and not found in a cache.
    pub input_tokens: u64,
    /// Received.
    pub output_tokens: u64,
    /// Sent, and found in a cache.
    pub cache_read_input_tokens: u64,
    /// Sent, and put in a cache.
    pub cache_creation_input_tokens: u64,
}

impl Usage {
    /// Raises each to what another line of a count that runs on says.
    pub fn raise(&mut self, other: Self) {
        self.input_tokens = self.input_tokens.max(other.input_tokens);
        self.output_tokens = self.output_tokens.max(other.output_tokens);
        self.cache_read_input_tokens = self.cache_read_input_tokens.max(other.cache_read_input_tokens);
        self.cache_creation_input_tokens =
            self.cache_creation_input_tokens.max(other.cache_creation_input_tokens);
    }

    /// Adds another run's tokens; each ends at [`MAX_COUNT`].
    pub fn add(&mut self, other: Self) {
        let sum = |a: u64, b: u64| a.saturating_add(b).min(MAX_COUNT);
        self.input_tokens = sum(self.input_tokens, other.input_tokens);
        self.output_tokens = sum(self.output_tokens, other.output_tokens);
        self.cache_read_input_tokens = sum(self.cache_read_input_tokens, other.cache_read_input_tokens);
        self.cache_creation_input_tokens =
            sum(self.cache_creation_input_tokens, other.cache_creation_input_tokens);
    }

    /// What was counted after `before`; all of it where one of them is lower now: then it was counted anew.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        let since = || {
            Some(Self {
                input_tokens: self.input_tokens.checked_sub(before.input_tokens)?,
                output_tokens: self.output_tokens.checked_sub(before.output_tokens)?,
                cache_read_input_tokens: self
                    .cache_read_input_tokens
                    .checked_sub(before.cache_read_input_tokens)?,
                cache_creation_input_tokens: self
                    .cache_creation_input_tokens
                    .checked_sub(before.cache_creation_input_tokens)?,
            })
        };
        since().unwrap_or(self)
    }
}
