//! A row of the table: its target, what seven runs of it gave, and the verdict.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How often a row is measured.
pub const RUNS: usize = 7;
/// How often one that takes minutes is.
pub const SLOW_RUNS: usize = 3;
/// The widest spread at which the median says something.
const MAX_SPREAD: f64 = 0.25;

/// What a value may be at most, and its unit.
#[derive(Debug, Clone, Copy)]
pub struct AtMost(pub f64, pub &'static str);

/// A run: measures all rows of a measure once, in their order.
pub type Run = Box<dyn FnMut() -> Vec<f64>>;

/// One way to measure, with the rows that it fills; prepares what all runs share.
pub struct Measure(pub &'static [(&'static str, AtMost)], pub fn() -> Run);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Reached,
    Missed,
    NotMeasured,
}

/// What all runs of a row gave.
#[derive(Debug)]
struct Result {
    median: f64,
    /// From the second lowest to the second highest (of a few runs, from the lowest to the highest), as a part of the
    /// median or of the target, whichever is greater: what is far below its target may vary by as much as that would
    /// allow.
    spread: f64,
    verdict: Verdict,
}

impl Measure {
    /// Measures its rows so often, prints each, and gives their verdicts.
    pub fn measure(&self, runs: usize) -> Vec<Verdict> {
        let runs = catch_unwind(AssertUnwindSafe(|| {
            let mut run = (self.1)();
            (0..runs).map(|_| run()).collect::<Vec<_>>()
        }));
        let Ok(runs) = runs else {
            return self.0.iter().map(|(name, target)| print(name, *target, None)).collect();
        };
        let measured = self.0.iter().enumerate().map(|(at, (name, target))| {
            let result = judge(*target, runs.iter().map(|run| run[at]).collect());
            print(name, *target, Some(&result))
        });
        measured.collect()
    }
}

fn judge(target: AtMost, mut values: Vec<f64>) -> Result {
    values.sort_by(f64::total_cmp);
    let median = values[values.len() / 2];
    let scale = median.abs().max(target.0);
    let left_out = usize::from(values.len() > SLOW_RUNS);
    let spread = (values[values.len() - 1 - left_out] - values[left_out]) / scale;
    let verdict = match median <= target.0 {
        // Also where a value is not a number.
        _ if !spread.is_finite() || spread > MAX_SPREAD => Verdict::NotMeasured,
        true => Verdict::Reached,
        false => Verdict::Missed,
    };
    Result { median, spread, verdict }
}

fn print(name: &str, target: AtMost, result: Option<&Result>) -> Verdict {
    let verdict = result.map_or(Verdict::NotMeasured, |result| result.verdict);
    let said = match verdict {
        Verdict::Reached => "reached",
        Verdict::Missed => "MISSED",
        Verdict::NotMeasured => "not measured",
    };
    let AtMost(most, unit) = target;
    let reach = format!("≤ {} {unit}", rounded(most));
    let (median, spread) = result.map_or_else(
        || ("-".to_owned(), "-".to_owned()),
        |result| (format!("{} {unit}", rounded(result.median)), format!("{:.0} %", result.spread * 100.0)),
    );
    // A closed output has no reader.
    _ = writeln!(std::io::stdout(), "{name:<66}{reach:>14}{median:>14}{spread:>8}  {said}");
    verdict
}

/// With about three digits.
fn rounded(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 0.1 || size == 0.0 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}
