//! The whole prompt of a job of the store, with its agent, time and cost.

use serde::Serialize;

use super::amounts::{duration, money};
use super::job_row::{month, numbers};
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
    let (record, job) = (&entry.record, &entry.record.job);
    let [year, _, day] = numbers(&entry.ended);
    let (_, time) = entry.ended.split_once(' ').unwrap_or_default();
    // When a job was interrupted is not always known.
    let ms = u64::try_from(record.ended_ms - job.started_ms).ok().filter(|ms| *ms > 0);
    let took = [
        Some(record.model().unwrap_or(&job.agent).clone()),
        ms.map(duration),
        record.share.cost_usd.map(money),
    ];
    PromptView {
        prompt: job.prompt.clone(),
        ended: format!("{day} {} {year} {time}", month(&entry.ended)),
        took: took.into_iter().flatten().collect::<Vec<_>>().join(BETWEEN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Amounts;

    #[test]
    fn a_prompt_has_when_it_ended_and_what_it_took() {
        let mut entry = crate::render::sample::entry();
        (entry.record.job.started_ms, entry.record.ended_ms) = (1_000, 8_400);
        let shown = prompt(&entry);
        assert_eq!((shown.ended.as_str(), shown.took.as_str()), ("9 Mar 2025 09:05", "claude · 7s · $0.02"));
        (entry.record.ended_ms, entry.record.share) = (1_000, Amounts::default());
        entry.record.answered_by = Some("opus".to_owned());
        assert_eq!(prompt(&entry).took, "opus");
    }
}
