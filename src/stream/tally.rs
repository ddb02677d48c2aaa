//! What a run cost, summed over all its finishing lines. Never falls.

use super::event::{Amounts, Cost};
use super::outcome::Usage;

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
    /// The last running total of a session's cost.
    total: f64,
}

impl Tally {
    /// Adds what one finishing line reports.
    pub fn add(&mut self, amounts: &Amounts) {
        self.usage.add(amounts.usage);
        add(&mut self.num_turns, amounts.num_turns);
        add(&mut self.duration_ms, amounts.duration_ms);
        let share = match amounts.cost {
            None => return,
            Some(Cost::Share(share)) => share,
            Some(Cost::RunningTotal(total)) => {
                let share = total - self.total;
                self.total = total;
                share
            }
        };
        self.cost_usd = Some(self.cost_usd.unwrap_or(0.0) + share.max(0.0));
    }
}

fn add(sum: &mut Option<u64>, more: Option<u64>) {
    if let Some(more) = more {
        *sum = Some(sum.unwrap_or(0).saturating_add(more));
    }
}
