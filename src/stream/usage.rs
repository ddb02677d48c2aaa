//! What a run costs, and the largest amounts that are taken over from an agent.

use serde::ser::SerializeStruct;
use serde::{Deserialize, Serialize, Serializer};

/// The largest number that is taken over from an agent: no job reaches it, and the store can add it up over millions of
/// jobs without an overflow.
pub const MAX_AMOUNT: f64 = 1e12;
/// The same for counts.
pub const MAX_COUNT: u64 = 1_000_000_000_000;

/// What a job, or several, cost.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Amounts {
    /// US dollars; unknown if the agent does not report it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Tokens.
    #[serde(flatten)]
    pub usage: Usage,
    /// Turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_turns: Option<u64>,
    /// How long the agent worked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

impl Amounts {
    /// Both together.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        fn both<T>(a: Option<T>, b: Option<T>, sum: impl Fn(T, T) -> T) -> Option<T> {
            match (a, b) {
                (Some(a), Some(b)) => Some(sum(a, b)),
                (a, b) => a.or(b),
            }
        }
        let cost_usd = both(self.cost_usd, other.cost_usd, |a, b| a + b);
        Self {
            cost_usd: cost_usd.map(|cost| whole(cost.min(MAX_AMOUNT))),
            usage: self.usage.plus(other.usage),
            num_turns: both(self.num_turns, other.num_turns, sum),
            duration_ms: both(self.duration_ms, other.duration_ms, sum),
        }
    }
}

/// Two counts together; ends at [`MAX_COUNT`].
fn sum(a: u64, b: u64) -> u64 {
    a.saturating_add(b).min(MAX_COUNT)
}

/// The amounts as an outcome has them: all of them, the tokens by themselves.
pub fn nested<S: Serializer>(amounts: &Amounts, serializer: S) -> Result<S::Ok, S::Error> {
    let Amounts { cost_usd, usage, num_turns, duration_ms } = amounts;
    let mut nested = serializer.serialize_struct("Amounts", 4)?;
    nested.serialize_field("cost_usd", cost_usd)?;
    nested.serialize_field("usage", usage)?;
    nested.serialize_field("num_turns", num_turns)?;
    nested.serialize_field("duration_ms", duration_ms)?;
    nested.end()
}

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

    /// Each raised to what another line of a count that runs on says.
    #[must_use]
    pub fn raised(self, other: Self) -> Self {
        self.each(other, u64::max)
    }

    /// With another run's tokens.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        self.each(other, sum)
    }

    /// What was counted after `before`; all of it where one of them is lower now: then it was counted anew.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        if self.each(before, u64::min) == before { self.each(before, u64::saturating_sub) } else { self }
    }
}

/// Sums of decimal fractions are off in their last digits.
pub fn whole(dollars: f64) -> f64 {
    (dollars * 1e10).round() / 1e10
}
