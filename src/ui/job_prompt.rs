//! The prompt of a finished job, whole, in a floating window.

use std::sync::Arc;

use super::frame::{Frame, Row};
use super::layout::{Border, CLOSE, MORE, float};
use super::opening::Opening;
use super::page::Page;
use super::width::width;
use crate::render::{BETWEEN, duration, money};
use crate::store::JobEntry;

/// The least and the most columns inside.
const WIDTHS: (usize, usize) = (30, 100);

/// The prompt of a job of the store, with its agent, time and cost.
pub fn job_prompt(entry: &JobEntry) -> Page {
    let opening = Opening::float("prompt-of-job", &[CLOSE]).with(true, &["wrap", "linebreak"]);
    let (took, prompt) = (took(entry), entry.record.job.prompt.clone());
    let ended = entry.ended.strftime("%-d %b %Y %H:%M").to_string();
    Page::new(opening, move |ui, page| {
        let wide = ui.columns.saturating_sub(8).clamp(WIDTHS.0, WIDTHS.1);
        let height: usize = prompt.split('\n').map(|row| width(row).div_ceil(wide).max(1)).sum();
        let size = (wide, height.min(ui.lines * 6 / 10));
        let border =
            Border { left: "prompt", right: &ended, note: Some(&took), keys: &[CLOSE], page, more: MORE };
        let rows = prompt.split('\n').map(|row| Arc::new(Row::plain(row))).collect();
        Frame { place: Some(float(size, border, ui)), rows, ..Frame::default() }
    })
}

/// `opus · 7s · $0.02`
fn took(entry: &JobEntry) -> String {
    let (record, job) = (&entry.record, &entry.record.job);
    // When a job was interrupted is not always known.
    let ms = u64::try_from(record.ended_ms - job.started_ms).ok().filter(|ms| *ms > 0);
    let model = record.model().unwrap_or(&job.agent).clone();
    let parts = [Some(model), ms.map(duration), record.share.cost_usd.map(money)];
    parts.into_iter().flatten().collect::<Vec<_>>().join(BETWEEN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Amounts;

    #[test]
    fn a_prompt_has_what_it_took() {
        let mut entry = crate::render::sample::entry();
        (entry.record.job.started_ms, entry.record.ended_ms) = (1_000, 8_400);
        assert_eq!(took(&entry), "claude · 7s · $0.02");
        (entry.record.ended_ms, entry.record.share) = (1_000, Amounts::default());
        entry.record.answered_by = Some("opus".to_owned());
        assert_eq!(took(&entry), "opus");
    }
}
