//! The amounts of one job, out of the totals that its agent counted. Pure.
//!
//! Some agents report the cost of the run, some the cost of the session so far, and some of those begin a fork at the
//! cost of its parent. A job's usage is what is left when everything counted before it is subtracted.

use serde::{Deserialize, Serialize};

use crate::stream::{UsageScope, UsageScopes};

/// What a job, or several, cost.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Amounts {
    /// US dollars; unknown if the agent does not report it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Tokens.
    #[serde(flatten)]
    pub tokens: Tokens,
    /// Turns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_turns: Option<u64>,
    /// How long the agent worked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// Tokens by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Tokens {
    /// Sent, and not found in a cache.
    #[serde(rename = "input_tokens")]
    pub input: u64,
    /// Received.
    #[serde(rename = "output_tokens")]
    pub output: u64,
    /// Sent, and found in a cache.
    #[serde(rename = "cache_read_tokens")]
    pub cache_read: u64,
    /// Sent, and put in a cache.
    #[serde(rename = "cache_creation_tokens")]
    pub cache_creation: u64,
}

/// What was counted before a job.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CountedBefore {
    /// In its session.
    pub session: Amounts,
    /// The same, with what that had taken over from the one it was forked from.
    pub lineage: Amounts,
}

impl Amounts {
    /// Both together.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let money = |a: f64, b: f64| whole(a + b);
        Self {
            cost_usd: either(self.cost_usd, other.cost_usd, money),
            tokens: self.tokens.each(other.tokens, u64::saturating_add),
            num_turns: either(self.num_turns, other.num_turns, u64::saturating_add),
            duration_ms: either(self.duration_ms, other.duration_ms, u64::saturating_add),
        }
    }

    /// The amounts of the job alone whose agent reported `self`, and what its session has counted by now. `before` is
    /// what was counted in the session that it went on from, where that is known; else only what the agent reports for
    /// the run itself is the job's. A fork (not `is_same` session) has counted nothing of its own yet.
    #[must_use]
    pub fn shared(&self, scopes: UsageScopes, before: Option<CountedBefore>, is_same: bool) -> (Self, Self) {
        let of = |scope| match scope {
            UsageScope::Run => Some(Self::default()),
            UsageScope::Session => {
                before.map(|before| if is_same { before.session } else { Self::default() })
            }
            UsageScope::Lineage => before.map(|before| before.lineage),
        };
        // A counter that is lower than before started again.
        let cost = |before: Self| {
            let (told, before) = (whole(self.cost_usd?), whole(before.cost_usd.unwrap_or(0.0)));
            Some(if told < before { told } else { whole(told - before) })
        };
        let turns = |before: Self| {
            self.num_turns.map(|told| told.checked_sub(before.num_turns.unwrap_or(0)).unwrap_or(told))
        };
        let tokens = |before: Self| match before.tokens {
            before if self.tokens.reach(before) => self.tokens.each(before, u64::wrapping_sub),
            _ => self.tokens,
        };
        let share = Self {
            cost_usd: of(scopes.cost).and_then(cost),
            tokens: of(scopes.usage).map(tokens).unwrap_or_default(),
            num_turns: of(scopes.num_turns).and_then(turns),
            duration_ms: self.duration_ms,
        };
        (share, before.map_or(*self, |before| before.lineage.plus(&share)))
    }
}

impl Tokens {
    fn each(self, other: Self, of: impl Fn(u64, u64) -> u64) -> Self {
        Self {
            input: of(self.input, other.input),
            output: of(self.output, other.output),
            cache_read: of(self.cache_read, other.cache_read),
            cache_creation: of(self.cache_creation, other.cache_creation),
        }
    }

    /// Whether it is as much as `other` of each kind.
    fn reach(self, other: Self) -> bool {
        self.each(other, u64::max) == self
    }
}

fn either<T>(a: Option<T>, b: Option<T>, sum: impl Fn(T, T) -> T) -> Option<T> {
    match (a, b) {
        (Some(a), Some(b)) => Some(sum(a, b)),
        (a, b) => a.or(b),
    }
}

/// Sums of decimal fractions are off in their last digits.
pub fn whole(dollars: f64) -> f64 {
    (dollars * 1e10).round() / 1e10
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINEAGE: UsageScopes =
        UsageScopes { cost: UsageScope::Lineage, usage: UsageScope::Run, num_turns: UsageScope::Lineage };

    fn amounts(cost_usd: f64, input: u64, num_turns: u64) -> Amounts {
        let tokens = Tokens { input, ..Tokens::default() };
        Amounts { cost_usd: Some(cost_usd), tokens, num_turns: Some(num_turns), duration_ms: Some(7) }
    }

    fn share(told: Amounts, scopes: UsageScopes, before: Option<CountedBefore>) -> Amounts {
        told.shared(scopes, before, true).0
    }

    #[test]
    fn a_counter_that_began_anew_tells_the_share_itself() {
        let before = CountedBefore { session: Amounts::default(), lineage: amounts(0.5, 0, 9) };
        assert_eq!(share(amounts(0.2, 0, 2), LINEAGE, Some(before)), amounts(0.2, 0, 2));
        assert_eq!(share(amounts(0.5, 0, 9), LINEAGE, Some(before)), amounts(0.0, 0, 0));
    }

    #[test]
    fn nothing_is_claimed_of_what_nobody_knows() {
        let run_only = share(amounts(0.5, 8, 2), LINEAGE, None);
        let tokens = Tokens { input: 8, ..Tokens::default() };
        assert_eq!(run_only, Amounts { cost_usd: None, tokens, num_turns: None, duration_ms: Some(7) });
    }
}
