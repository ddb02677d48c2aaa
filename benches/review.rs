//! How long the proposal of a held answer takes, in a buffer of 20,000 rows. `make bench-parts` runs it; it fails where
//! a target is missed.

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Write as _;
use std::ops::Range;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use botglue::document::{AnchorId, Document, Place};
use botglue::review::{Hunk, Review, marks, replaced};

const ROWS: usize = 20_000;
const TURNS: u32 = 15;
/// The most that a proposal may take, once the edits of the answer are known.
const GOAL: Duration = Duration::from_millis(10);

/// What is asked for and answered, and what the user types meanwhile.
struct Case {
    name: &'static str,
    /// The rows that were sent.
    sent: Range<usize>,
    /// One in so many rows is another one in the answer.
    step: usize,
    /// Beside one in so many of them the user has typed; none where they have not.
    typed: Option<usize>,
}

const CASES: [Case; 4] = [
    Case { name: "2,000 rows, each second differs", sent: 9_000..11_000, step: 2, typed: None },
    Case { name: "2,000 rows, a row typed at each tenth", sent: 9_000..11_000, step: 2, typed: Some(10) },
    Case { name: "20,000 rows, each tenth differs", sent: 0..ROWS, step: 10, typed: None },
    Case { name: "20,000 rows, a row typed at each tenth", sent: 0..ROWS, step: 10, typed: Some(10) },
];

/// A document, and the review of an answer in it.
struct Reviewed {
    document: Document,
    anchor: AnchorId,
    answer: Vec<Vec<u8>>,
}

impl Reviewed {
    fn new(case: &Case) -> Self {
        let row = |row| format!("    let value_{row} = compute({row});").into_bytes();
        let text: Vec<Vec<u8>> = (0..ROWS).map(row).collect();
        let mut answer = text[case.sent.clone()].to_vec();
        answer.iter_mut().step_by(case.step).for_each(|line| line.extend(b" // by the agent"));
        let mut document = Document::new(&text);
        let anchor = document.anchor(&Place::Lines(case.sent.clone()));
        for row in case.typed.into_iter().flat_map(|nth| case.sent.clone().skip(1).step_by(case.step * nth)) {
            document.apply(row..row + 1, &["typed"]);
        }
        Self { document, anchor, answer }
    }

    fn review(&self) -> Option<Review> {
        let sent = self.document.locate(self.anchor, None)?.base;
        Some(Review::new(&sent, self.answer.clone(), Vec::new()))
    }

    /// As a mirror computes it: the range is looked for each time.
    fn hunks(&self, review: &Review) -> Option<Vec<Hunk>> {
        review.hunks(&self.document.locate(self.anchor, None)?.now, None).ok()
    }
}

fn main() -> ExitCode {
    let (mut report, mut is_missed) = (String::new(), false);
    for case in &CASES {
        let world = Reviewed::new(case);
        let (Some(mut review), Some(now)) =
            (world.review(), world.document.locate(world.anchor, None).map(|located| located.now))
        else {
            return ExitCode::FAILURE;
        };
        let opened = best(|| world.review());
        let hunks = world.hunks(&review).unwrap_or_default();
        let proposed = best(|| world.hunks(black_box(&review)));
        let marked = best(|| {
            for hunk in &hunks {
                black_box(marks(&world.document.rows().slice(hunk.rows.clone()), &hunk.lines));
            }
        });
        let taken = best(|| {
            black_box(replaced(&now, &hunks));
            review.take(&hunks, (&now, &now), Some(1));
            review = world.review()?;
            Some(())
        });
        let is_slow = proposed >= GOAL || hunks.is_empty();
        is_missed |= is_slow;
        let verdict = if is_slow { "  TOO SLOW" } else { "" };
        let [opened, proposed, marked, taken] =
            [opened, proposed, marked, taken.saturating_sub(opened)].map(|time| time.as_secs_f64() * 1000.0);
        let (name, count) = (case.name, hunks.len());
        // Writing to a string does not fail.
        _ = writeln!(
            report,
            "review, {name}: {count} hunks, opened {opened:.1} ms, proposed {proposed:.1} ms (less than 10), \
             words {marked:.1} ms, all taken {taken:.1} ms{verdict}"
        );
    }
    // A closed output has nobody to tell.
    _ = std::io::stdout().write_all(report.as_bytes());
    if is_missed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn best<T>(mut work: impl FnMut() -> T) -> Duration {
    let turn = |_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed()
    };
    (0..TURNS).map(turn).min().unwrap_or_default()
}
