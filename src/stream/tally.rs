//! What a run cost, summed over all its finishing lines. Never falls.

use super::event::{Amounts, Cost};
use super::outcome::{Count, Counted, Usage};

/// The sums.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Tally {
    /// US dollars; unknown where no line told.
    pub cost_usd: Option<f64>,
    /// Tokens.
    pub usage: Usage,
    /// Turns.
    pub num_turns: Option<u64>,
    /// Milliseconds.
    pub duration_ms: Option<u64>,
    /// Of what those are.
    pub counted: Counted,
    /// The last running total of a session's cost.
    total: f64,
}

impl Tally {
    /// Adds what one finishing line reports.
    pub fn add(&mut self, amounts: &Amounts) {
        self.usage.add(amounts.usage);
        add(&mut self.num_turns, amounts.num_turns);
        add(&mut self.duration_ms, amounts.duration_ms);
        self.counted = Counted { cost: self.counted.cost, ..amounts.counted };
        let share = match amounts.cost {
            None => return,
            Some(Cost::Share(share)) => share,
            Some(Cost::RunningTotal(total)) => {
                let share = total - self.total;
                self.total = total;
                self.counted.cost = Count::Lineage;
                share
            }
        };
        let sum = self.cost_usd.unwrap_or(0.0) + share.max(0.0);
        // Sums of decimal fractions are off in their last digits, which nobody wants to read.
        self.cost_usd = Some((sum * 1e10).round() / 1e10);
    }
}

fn add(sum: &mut Option<u64>, more: Option<u64>) {
    if let Some(more) = more {
        *sum = Some(sum.unwrap_or(0).saturating_add(more));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(costs: &[Cost]) -> Option<f64> {
        let mut tally = Tally::default();
        for &cost in costs {
            tally.add(&Amounts { cost: Some(cost), ..Amounts::default() });
        }
        tally.cost_usd
    }

    #[test]
    fn shares_add_up_and_running_totals_do_not() {
        assert_eq!(cost(&[]), None);
        assert_eq!(cost(&[Cost::Share(0.5), Cost::Share(0.25)]), Some(0.75));
        assert_eq!(cost(&[Cost::RunningTotal(0.5), Cost::RunningTotal(0.75)]), Some(0.75));
        assert_eq!(cost(&[Cost::RunningTotal(0.5), Cost::RunningTotal(0.25)]), Some(0.5), "never falls");
        assert_eq!(cost(&[Cost::Share(0.000_91), Cost::Share(0.004_55)]), Some(0.005_46));
    }

    #[test]
    fn counts_never_overflow() {
        let mut tally = Tally::default();
        let most = Amounts { num_turns: Some(u64::MAX), ..Amounts::default() };
        tally.add(&most);
        tally.add(&most);
        assert_eq!((tally.num_turns, tally.duration_ms), (Some(u64::MAX), None));
    }
}
