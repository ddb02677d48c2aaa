//! The whole prompt of a job of the store, with its agent, time and cost.

use serde::Serialize;

use super::amounts::{duration, money};
use super::list::month;
use super::signs::BETWEEN;
use crate::store::JobEntry;

/// One prompt in a window of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PromptView {
    /// The prompt.
    pub prompt: String,
    /// `9 Mar 2025 09:05`
    pub ended: String,
    /// `opus · 7s · $0.02`
    pub took: String,
}

/// The prompt of a job.
pub fn prompt(entry: &JobEntry) -> PromptView {
    let ended = &entry.ended;
    let (day, month, year) = (ended.day, month(ended), ended.year);
    // When a job was interrupted is not always known.
    let ms = u64::try_from(entry.ended_ms - entry.started_ms).ok().filter(|ms| *ms > 0);
    let took = [
        Some(entry.model.clone().unwrap_or_else(|| entry.agent.clone())),
        ms.map(duration),
        entry.amounts.cost_usd.map(money),
    ];
    PromptView {
        prompt: entry.prompt.clone(),
        ended: format!("{day} {month} {year} {:02}:{:02}", ended.hour, ended.minute),
        took: took.into_iter().flatten().collect::<Vec<_>>().join(BETWEEN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Amounts;
    use crate::store::LocalTime;

    #[test]
    fn a_prompt_has_when_it_ended_and_what_it_took() {
        let entry = JobEntry {
            started_ms: 1_000,
            ended_ms: 8_400,
            ended: LocalTime { year: 2025, month: 3, day: 9, hour: 9, minute: 5 },
            amounts: Amounts { cost_usd: Some(0.02), ..Amounts::default() },
            ..crate::view::sample::entry()
        };
        let shown = prompt(&entry);
        assert_eq!((shown.ended.as_str(), shown.took.as_str()), ("9 Mar 2025 09:05", "claude · 7s · $0.02"));
        let unknown = JobEntry { ended_ms: 1_000, amounts: Amounts::default(), ..entry };
        let model = JobEntry { model: Some("opus".to_owned()), ..unknown };
        assert_eq!(prompt(&model).took, "opus");
    }
}
