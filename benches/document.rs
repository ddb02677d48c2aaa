//! What a document costs for each event, beside a plain copy of all rows. `make bench-parts` runs it.
//!
//! Each way and the copy take turns, and of each the median of its turns counts.

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Write as _;
use std::time::{Duration, Instant};

use botglue::document::{Document, Place};

const SIZES: [usize; 2] = [1_000, 100_000];
const TURNS: usize = 7;

/// What is done to a document that has these rows.
type Act = fn(&mut Document, &[String]);

/// An act, and the most that it may take at each size, in copies of all rows.
type Case = (&'static str, Act, [f64; 2]);

const CASES: [Case; 10] = [
    ("one key in a row", |document, _| document.apply(500..501, &["changed"]), [1.0, 0.05]),
    (
        "100 keys in a row",
        |document, _| (0..100).for_each(|_| document.apply(500..501, &["changed"])),
        [60.0, 1.0],
    ),
    ("a row put in", |document, _| document.apply(500..500, &["new"]), [1.0, 0.05]),
    (
        "100 rows put in one by one",
        |document, _| (0..100).for_each(|_| document.apply(500..500, &["new"])),
        [60.0, 1.0],
    ),
    ("a row deleted", |document, _| document.apply(500..501, &[""; 0]), [1.0, 0.05]),
    ("a range followed", |document, _| follow(document), [1.0, 0.05]),
    ("each row edited", |document, rows| write_all(document, rows, |row| format!("{row}!")), [60.0, 120.0]),
    ("each row indented", |document, rows| write_all(document, rows, |row| format!("  {row}")), [30.0, 50.0]),
    (
        "sorted backwards",
        |document, rows| {
            let turned: Vec<&String> = rows.iter().rev().collect();
            document.apply(0..rows.len(), &turned);
        },
        [60.0, 120.0],
    ),
    ("all rows deleted", |document, rows| document.apply(0..rows.len(), &[""; 0]), [30.0, 30.0]),
];

fn main() {
    let mut report = String::new();
    for (at, size) in SIZES.into_iter().enumerate() {
        let rows: Vec<String> =
            (0..size).map(|row| format!("    let value_{row} = compute({row});")).collect();
        let built = median(|| drop(black_box(Document::new(&rows))));
        let _ = writeln!(report, "a document of {size} rows: built in {}", show(built));
        for (name, act, reach) in CASES {
            measure(&mut report, &rows, (name, act, reach[at]));
        }
    }
    // A closed output has nobody to tell.
    _ = std::io::stdout().write_all(report.as_bytes());
}

fn measure(report: &mut String, rows: &[String], (name, act, reach): (&str, Act, f64)) {
    let (mut acts, mut copies) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let mut document = Document::new(rows);
        acts.push(time(|| act(&mut document, rows)));
        copies.push(time(|| drop(black_box(rows.to_vec()))));
    }
    let (act, copy) = (middle(acts), middle(copies));
    let ratio = act.as_secs_f64() / copy.as_secs_f64();
    let verdict = if ratio <= reach { "yes" } else { "NO" };
    let _ = writeln!(report, "  {name}: {}, {ratio:.3} of a copy, reach {reach}: {verdict}", show(act));
}

fn follow(document: &mut Document) {
    document.anchor(&Place::Lines(400..600));
}

fn write_all(document: &mut Document, rows: &[String], change: impl Fn(&String) -> String) {
    let new: Vec<String> = rows.iter().map(change).collect();
    document.apply(0..rows.len(), &new);
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn median(mut work: impl FnMut()) -> Duration {
    middle((0..TURNS).map(|_| time(&mut work)).collect())
}

fn middle(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn show(time: Duration) -> String {
    format!("{:.3} ms", time.as_secs_f64() * 1e3)
}
