//! The cost of a run, over all its finishing lines. It never falls.
//!
//! Amounts of single lines are added up; running totals are taken from the last line.

use super::event::{Cost, ReportedAmounts};
use super::outcome::{UsageScope, UsageScopes};
use super::usage::{Amounts, MAX_AMOUNT, MAX_COUNT, whole};

/// The sums.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Tally {
    /// All of them.
    pub amounts: Amounts,
    /// What those amounts cover.
    pub scopes: UsageScopes,
    /// The last running total of the session's cost.
    total: Option<f64>,
}

impl Tally {
    /// Adds what one finishing line reports.
    pub fn add(&mut self, told: &ReportedAmounts) {
        self.scopes = UsageScopes { cost: self.scopes.cost, ..told.scopes };
        let since_last = self.since_last(told.cost);
        let Amounts { cost_usd, usage, num_turns, duration_ms } = &mut self.amounts;
        match told.scopes.usage {
            UsageScope::Run => usage.add(told.usage),
            UsageScope::Session | UsageScope::Lineage => usage.raise(told.usage),
        }
        match told.scopes.num_turns {
            UsageScope::Run => add(num_turns, told.num_turns),
            UsageScope::Session | UsageScope::Lineage => *num_turns = (*num_turns).max(told.num_turns),
        }
        add(duration_ms, told.duration_ms);
        if let Some(since_last) = since_last {
            *cost_usd = Some(whole((cost_usd.unwrap_or(0.0) + since_last.max(0.0)).min(MAX_AMOUNT)));
        }
    }

    /// What a line cost beyond the one before it. Where the first one tells no more than the session's total, that is
    /// what there is.
    fn since_last(&mut self, cost: Cost) -> Option<f64> {
        let before = self.total;
        self.total = cost.total.or(before.map(|total| total + cost.since_last.unwrap_or(0.0)));
        match (cost.since_last, cost.total, before) {
            (Some(since_last), ..) => Some(since_last),
            (None, Some(total), Some(before)) => Some(total - before),
            (None, Some(total), None) => {
                self.scopes.cost = UsageScope::Lineage;
                Some(total)
            }
            (None, None, _) => None,
        }
    }
}

fn add(sum: &mut Option<u64>, more: Option<u64>) {
    if let Some(more) = more {
        *sum = Some(sum.unwrap_or(0).saturating_add(more).min(MAX_COUNT));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Usage;

    /// The cost of lines that each tell a share, a total, or both; negative: not told.
    fn cost(lines: &[(f64, f64)]) -> (Option<f64>, UsageScope) {
        let mut tally = Tally::default();
        let told = |number: f64| Some(number).filter(|number| *number >= 0.0);
        for &(since_last, total) in lines {
            let cost = Cost { since_last: told(since_last), total: told(total) };
            tally.add(&ReportedAmounts { cost, ..ReportedAmounts::default() });
        }
        (tally.amounts.cost_usd, tally.scopes.cost)
    }

    #[test]
    fn shares_add_up_and_running_totals_do_not() {
        assert_eq!(cost(&[]), (None, UsageScope::Run));
        assert_eq!(cost(&[(-1.0, -1.0)]), (None, UsageScope::Run));
        assert_eq!(cost(&[(0.5, -1.0), (0.25, -1.0)]), (Some(0.75), UsageScope::Run));
        assert_eq!(cost(&[(-1.0, 0.5), (-1.0, 0.75)]), (Some(0.75), UsageScope::Lineage));
        assert_eq!(cost(&[(-1.0, 0.5), (-1.0, 0.25)]), (Some(0.5), UsageScope::Lineage), "never falls");
        assert_eq!(cost(&[(0.000_91, -1.0), (0.004_55, -1.0)]), (Some(0.005_46), UsageScope::Run));
    }

    #[test]
    fn a_total_behind_a_share_tells_what_came_after_it() {
        assert_eq!(cost(&[(0.25, 1.25), (-1.0, 1.75)]), (Some(0.75), UsageScope::Run));
        assert_eq!(cost(&[(-1.0, 1.25), (0.25, 1.5), (-1.0, 1.75)]), (Some(1.75), UsageScope::Lineage));
    }

    #[test]
    fn what_runs_on_is_not_added() {
        let mut tally = Tally::default();
        let usage = |input_tokens| Usage { input_tokens, ..Usage::default() };
        let scopes =
            UsageScopes { cost: UsageScope::Run, usage: UsageScope::Session, num_turns: UsageScope::Lineage };
        for (input, turns) in [(10, 1), (25, 3)] {
            tally.add(&ReportedAmounts {
                usage: usage(input),
                num_turns: Some(turns),
                scopes,
                ..ReportedAmounts::default()
            });
        }
        assert_eq!(
            (tally.amounts.usage, tally.amounts.num_turns, tally.scopes),
            (usage(25), Some(3), scopes)
        );
    }
}
