//! The cost of a run, over all its finishing lines. It never falls.
//!
//! Amounts of single lines are added up; running totals are taken from the last line.

use super::event::ReportedAmounts;
use super::outcome::{UsageScope, UsageScopes};
use super::usage::Amounts;

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
        // It never falls; the sum of nothing is a negative zero.
        let cost_usd = self.since_last(told).map(|cost| if cost > 0.0 { cost } else { 0.0 });
        let before = self.amounts;
        self.amounts = before.plus(&Amounts { cost_usd, ..told.amounts });
        if told.scopes.usage != UsageScope::Run {
            self.amounts.usage = before.usage.raised(told.amounts.usage);
        }
        if told.scopes.num_turns != UsageScope::Run {
            self.amounts.num_turns = before.num_turns.max(told.amounts.num_turns);
        }
    }

    /// What a line cost beyond the one before it. Where the first one tells no more than the session's total, that is
    /// what there is.
    fn since_last(&mut self, told: &ReportedAmounts) -> Option<f64> {
        let (before, since_last) = (self.total, told.amounts.cost_usd);
        self.total = told.total_cost_usd.or(before.map(|total| total + since_last.unwrap_or(0.0)));
        match (since_last, told.total_cost_usd, before) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::Usage;

    /// The cost of lines that each tell a share, a total, or both; negative: not told.
    fn cost(lines: &[(f64, f64)]) -> (Option<f64>, UsageScope) {
        let mut tally = Tally::default();
        let told = |number: f64| Some(number).filter(|number| *number >= 0.0);
        for &(since_last, total) in lines {
            let amounts = Amounts { cost_usd: told(since_last), ..Amounts::default() };
            let total_cost_usd = told(total);
            tally.add(&ReportedAmounts { amounts, total_cost_usd, ..ReportedAmounts::default() });
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
            let amounts = Amounts { usage: usage(input), num_turns: Some(turns), ..Amounts::default() };
            tally.add(&ReportedAmounts { amounts, scopes, ..ReportedAmounts::default() });
        }
        assert_eq!(
            (tally.amounts.usage, tally.amounts.num_turns, tally.scopes),
            (usage(25), Some(3), scopes)
        );
    }
}
