//! The amounts of one job, out of the totals that its agent counted. Pure.
//!
//! Some agents report the cost of the run, some the cost of the session so far, and some of those begin a fork at the
//! cost of its parent. A job's usage is what is left when everything counted before it is subtracted.

pub use crate::stream::{Amounts, whole};
use crate::stream::{UsageScope, UsageScopes};

/// What was counted before a job.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CountedBefore {
    /// In its session.
    pub session: Amounts,
    /// The same, with what that had taken over from the one it was forked from.
    pub lineage: Amounts,
}

impl Amounts {
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
        let share = Self {
            cost_usd: of(scopes.cost).and_then(cost),
            usage: of(scopes.usage).map(|before| self.usage.since(before.usage)).unwrap_or_default(),
            num_turns: of(scopes.num_turns).and_then(turns),
            duration_ms: self.duration_ms,
        };
        (share, before.map_or(*self, |before| before.lineage.plus(&share)))
    }
}
