//! How long the proposal of a held answer takes: 2,000 rows of it in a buffer of 20,000. `make bench` runs it.

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Write as _;
use std::time::{Duration, Instant};

use botglue::document::{Document, Passage, Place};
use botglue::review::{Review, marks};

const ROWS: usize = 20_000;
/// One in so many rows is another one in the answer.
const STEP: usize = 10;
const TURNS: u32 = 15;
/// The most that a proposal may take, once the edits of the answer are known.
const GOAL: Duration = Duration::from_millis(10);

fn main() {
    let mut report = String::new();
    let text: Vec<String> = (0..ROWS).map(|row| format!("    let value_{row} = compute({row});")).collect();
    let mut lines = text.clone();
    lines.iter_mut().step_by(STEP).for_each(|line| line.push_str(" // by the agent"));
    for (name, edited) in [("nothing typed", 0), ("a row typed beside each tenth hunk", 10)] {
        let mut document = Document::new(&text);
        let anchor = document.anchor(&Place::Lines(0..ROWS));
        let Some(sent) = document.locate(anchor, None).map(|located| located.base) else { continue };
        for row in (1..ROWS).step_by(STEP * edited.max(1)).take(if edited > 0 { ROWS } else { 0 }) {
            document.apply(row..row + 1, &["typed"]);
        }
        let now = Passage::new(Place::Lines(0..ROWS), document.rows());
        let answer: Vec<Vec<u8>> = lines.iter().map(|line| line.clone().into_bytes()).collect();
        let opened = best(|| Review::new(&sent, answer.clone(), Vec::new()));
        let review = Review::new(&sent, answer, Vec::new());
        let hunks = review.hunks(document.rows(), &now, None).unwrap_or_default();
        let proposed = best(|| review.hunks(black_box(document.rows()), black_box(&now), None));
        let marked = best(|| {
            for hunk in &hunks {
                black_box(marks(&document.rows().slice(hunk.rows.clone()), &hunk.lines));
            }
        });
        let verdict = if proposed < GOAL { "" } else { "  TOO SLOW" };
        let [opened, proposed, marked] = [opened, proposed, marked].map(|time| time.as_secs_f64() * 1000.0);
        let count = hunks.len();
        // Writing to a string does not fail.
        _ = writeln!(
            report,
            "review, {name}: {count} hunks, opened {opened:.1} ms, proposed {proposed:.1} ms, words {marked:.1} ms{verdict}"
        );
    }
    // A closed output has nobody to tell.
    _ = std::io::stdout().write_all(report.as_bytes());
}

fn best<T>(mut work: impl FnMut() -> T) -> Duration {
    let turn = |_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed()
    };
    (0..TURNS).map(turn).min().unwrap_or_default()
}
