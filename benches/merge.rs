//! How long 20,000 lines take to be merged, beside a plain copy of the same lines. `make bench-parts` runs it.
//!
//! Merging and copying take turns, and of each the best of its turns counts.

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Write as _;
use std::time::{Duration, Instant};

use botglue::land::{Merge, merge};

const LINES: usize = 20_000;
const TURNS: u32 = 15;
/// The most that a merge may take.
const GOAL: Duration = Duration::from_millis(50);

struct Case {
    name: &'static str,
    base: Vec<String>,
    ours: Vec<String>,
    theirs: Vec<String>,
}

fn main() {
    let mut report = String::new();
    for case in &cases() {
        measure(case, &mut report).unwrap_or_default();
    }
    // A closed output has nobody to tell.
    _ = std::io::stdout().write_all(report.as_bytes());
}

fn cases() -> Vec<Case> {
    let base: Vec<String> = (0..LINES).map(|row| format!("    let value_{row} = compute({row});")).collect();
    let with = |first: usize, step: usize, what: &str| -> Vec<String> {
        let mut lines = base.clone();
        lines.iter_mut().skip(first).step_by(step).for_each(|line| line.push_str(what));
        lines
    };
    let case = |name, ours: Vec<String>, theirs: Vec<String>| Case { name, base: base.clone(), ours, theirs };
    let few = |period: usize| -> Vec<String> { (0..LINES).map(|row| format!("{}", row % period)).collect() };
    let reversed = || base.iter().rev().cloned().collect();
    let mut moved = base.clone();
    moved.rotate_left(LINES / 2);
    vec![
        case("one line each", with(10, LINES, " // ours"), with(LINES - 10, LINES, " // theirs")),
        case("each tenth line, both", with(0, 10, " // ours"), with(5, 10, " // theirs")),
        case("each fourth line, both", with(0, 4, " // ours"), with(2, 4, " // theirs")),
        case("all lines against none", with(0, 1, " // ours"), base.clone()),
        case("all lines, both the same", with(0, 1, " // both"), with(0, 1, " // both")),
        case("all lines, both differently", with(0, 1, " // ours"), with(0, 1, " // theirs")),
        case("one half moved", moved, with(10, LINES, " // theirs")),
        case("turned round", reversed(), with(10, LINES, " // theirs")),
        Case { name: "lines that repeat", base: few(7), ours: few(5), theirs: few(7) },
        Case { name: "more lines that repeat", base: few(199), ours: few(211), theirs: few(199) },
        Case { name: "one line over and over", base: few(1), ours: few(1)[1..].to_vec(), theirs: few(1) },
    ]
}

fn measure(case: &Case, report: &mut String) -> std::fmt::Result {
    let Case { name, base, ours, theirs } = case;
    let (mut merging, mut copying) = (Duration::MAX, Duration::MAX);
    let mut is_clean = false;
    for _ in 0..TURNS {
        let merged = || black_box(merge(black_box(base), black_box(ours), black_box(theirs)));
        is_clean = matches!(merged(), Merge::Clean(_));
        merging = merging.min(time(merged));
        copying = copying.min(time(|| black_box(black_box(ours).clone())));
    }
    let what = if is_clean { "clean" } else { "conflict" };
    let verdict = if merging < GOAL { "" } else { "  TOO SLOW" };
    let (ratio, took) = (merging.as_secs_f64() / copying.as_secs_f64(), merging.as_secs_f64() * 1000.0);
    writeln!(report, "merge, {name:<28}{what:<10}{took:>6.1} ms  {ratio:>5.1} copies of the lines{verdict}")
}

fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    drop(work());
    start.elapsed()
}
