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
    /// Each with the other's.
    fn each(self, other: Self, of: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            input_tokens: of(self.input_tokens, other.input_tokens),
            output_tokens: of(self.output_tokens, other.output_tokens),
            cache_read_input_tokens: of(self.cache_read_input_tokens, other.cache_read_input_tokens),
            cache_creation_input_tokens: of(
                self.cache_creation_input_tokens,
                other.cache_creation_input_tokens,
            ),
        }
    }

    /// Raises each to what another line of a count that runs on says.
    pub fn raise(&mut self, other: Self) {
        *self = self.each(other, u64::max);
    }

    /// Adds another run's tokens; each ends at [`MAX_COUNT`].
    pub fn add(&mut self, other: Self) {
        *self = self.each(other, |a, b| a.saturating_add(b).min(MAX_COUNT));
    }

    /// What was counted after `before`; all of it where one of them is lower now: then it was counted anew.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        if self.each(before, u64::min) == before { self.each(before, u64::saturating_sub) } else { self }
    }
}
