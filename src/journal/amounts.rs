//! The amounts of one job, out of the totals that its agent counted. Pure.
//!
//! Some agents report the cost of the run, some the cost of the session so far, and some of those begin a fork at the
//! cost of its parent. A job's usage is what is left when everything counted before it is subtracted.

use serde::{Deserialize, Serialize};

use crate::stream::{UsageScope, UsageScopes};

/// What a job, or several, cost.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
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

    /// What a job itself used whose agent reported `self`. A counter that is lower than before started again.
    #[must_use]
    fn job_usage(&self, scopes: UsageScopes, before: &CountedBefore) -> Self {
        let of = |count| match count {
            UsageScope::Run => Self::default(),
            UsageScope::Session => before.session,
            UsageScope::Lineage => before.lineage,
        };
        let cost = of(scopes.cost).cost_usd.unwrap_or(0.0);
        let tokens = of(scopes.usage).tokens;
        let turns = of(scopes.num_turns).num_turns.unwrap_or(0);
        Self {
            cost_usd: self
                .cost_usd
                .map(|told| if whole(told) < whole(cost) { told } else { whole(told - cost) }),
            tokens: if self.tokens.reach(tokens) {
                self.tokens.each(tokens, u64::wrapping_sub)
            } else {
                self.tokens
            },
            num_turns: self.num_turns.map(|told| told.checked_sub(turns).unwrap_or(told)),
            duration_ms: self.duration_ms,
        }
    }

    /// The amounts of the job alone whose agent reported `self`, and what its session has counted by now. `before` is
    /// what was counted in the session that it went on from, where that is known; else only what the agent reports for
    /// the run itself is the job's. A fork (not `is_same` session) has counted nothing of its own yet.
    #[must_use]
    pub fn shared(&self, scopes: UsageScopes, before: Option<CountedBefore>, is_same: bool) -> (Self, Self) {
        let Some(mut before) = before else { return (self.run_only(scopes), *self) };
        if !is_same {
            before.session = Self::default();
        }
        let share = self.job_usage(scopes, &before);
        (share, before.lineage.plus(&share))
    }

    /// The same if the earlier counts are unknown: only what the agent reports for the run itself.
    #[must_use]
    fn run_only(&self, scopes: UsageScopes) -> Self {
        Self {
            cost_usd: self.cost_usd.filter(|_| scopes.cost == UsageScope::Run),
            tokens: if scopes.usage == UsageScope::Run { self.tokens } else { Tokens::default() },
            num_turns: self.num_turns.filter(|_| scopes.num_turns == UsageScope::Run),
            duration_ms: self.duration_ms,
        }
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

    #[test]
    fn what_was_counted_before_is_taken_off() {
        let before = CountedBefore { session: amounts(0.0, 4, 1), lineage: amounts(0.3, 9, 2) };
        let told = amounts(0.4, 10, 5);
        assert_eq!(told.job_usage(UsageScopes::default(), &before), told);
        assert_eq!(told.job_usage(LINEAGE, &before), amounts(0.1, 10, 3));
        let droid =
            UsageScopes { cost: UsageScope::Run, usage: UsageScope::Session, num_turns: UsageScope::Lineage };
        assert_eq!(told.job_usage(droid, &before), amounts(0.4, 6, 3));
        assert_eq!(told.job_usage(LINEAGE, &CountedBefore::default()), told);
    }

    #[test]
    fn a_counter_that_began_anew_tells_the_share_itself() {
        let before = CountedBefore { session: Amounts::default(), lineage: amounts(0.5, 0, 9) };
        assert_eq!(amounts(0.2, 0, 2).job_usage(LINEAGE, &before), amounts(0.2, 0, 2));
        assert_eq!(amounts(0.5, 0, 9).job_usage(LINEAGE, &before), amounts(0.0, 0, 0));
    }

    #[test]
    fn nothing_is_claimed_of_what_nobody_knows() {
        let run_only = amounts(0.5, 8, 2).run_only(LINEAGE);
        let tokens = Tokens { input: 8, ..Tokens::default() };
        assert_eq!(run_only, Amounts { cost_usd: None, tokens, num_turns: None, duration_ms: Some(7) });
    }
}
