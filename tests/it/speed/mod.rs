//! How fast it is: each row of the table is measured seven times, beside what it is compared with, on a real Neovim.
//! Only what takes minutes is measured three times.
//!
//! `make bench` runs it, no test does. It fails where a row is missed or could not be measured.

mod asked;
mod editor;
mod history;
mod landing;
mod memory;
mod pure;
mod row;
mod starting;
mod streaming;
mod streams;

use row::{AtMost, Measure, RUNS, SLOW_RUNS, Verdict};

const MEASURES: &[Measure] = &[
    Measure(&[("Neovim's CPU for 32 jobs of 10 MB ÷ in-process", AtMost(0.025, "×"))], streaming::cpu),
    Measure(
        &[("longest stall of Neovim's loop meanwhile, beyond idle", AtMost(8.0, "ms"))],
        streaming::stall,
    ),
    Measure(&[("64 jobs with 80 pieces of text a second each: of a core", AtMost(3.0, "%"))], || {
        streaming::share(64, "")
    }),
    Measure(&[("32 such jobs with the job list open: of a core", AtMost(4.0, "%"))], || {
        streaming::share(32, "Botglue jobs")
    }),
    Measure(
        &[("result line → buffer, p50", AtMost(1.5, "ms")), ("result line → buffer, p99", AtMost(4.0, "ms"))],
        || landing::to_the_buffer(false),
    ),
    Measure(
        &[
            ("the same while the database is locked, p50", AtMost(1.5, "ms")),
            ("the same while the database is locked, p99", AtMost(4.0, "ms")),
        ],
        || landing::to_the_buffer(true),
    ),
    Measure(&[("32 answers ready at once in one buffer", AtMost(20.0, "ms"))], landing::at_once),
    Measure(
        &[("a small job's CPU of Neovim, 128 at once ÷ 8 at once", AtMost(1.5, "×"))],
        streaming::cost_of_128,
    ),
    Measure(&[("editor blocked by `:Botglue run`, buffer attached", AtMost(0.5, "ms"))], starting::blocked),
    Measure(
        &[("prompt sent → API has the request, prewarmed ÷ cold", AtMost(0.334, "×"))],
        starting::request_arrives,
    ),
    Measure(
        &[("host start → ready", AtMost(5.0, "ms")), ("the plugin's share of start-up", AtMost(0.3, "ms"))],
        starting::host_and_plugin,
    ),
    Measure(&[("a key in an attached buffer of 1,000 rows, beyond plain", AtMost(2.0, "µs"))], || {
        starting::keys(1000)
    }),
    Measure(&[("a key in an attached buffer of 100,000 rows, beyond plain", AtMost(10.0, "µs"))], || {
        starting::keys(100_000)
    }),
    Measure(
        &[("host memory, idle", AtMost(6.0, "MB")), ("host memory, 32 jobs streaming", AtMost(16.0, "MB"))],
        memory::with_jobs,
    ),
    Measure(&[("host memory after 1,000 jobs, beyond idle", AtMost(3.0, "MB"))], memory::after_jobs),
    Measure(&[("mirrors of 300 buffers of 1,000 rows", AtMost(64.0, "MB"))], memory::with_buffers),
    Measure(&[("tool-heavy stream: ours ÷ `serde_json::Value`", AtMost(1.0 / 2.3, "×"))], pure::tool_output),
    Measure(&[("one job's stream: 40,000 tools ÷ 10,000", AtMost(5.0, "×"))], pure::many_tools),
    Measure(&[("2,000 rows into 20,000, each tenth changed", AtMost(20.0, "ms"))], landing::long_answer),
    Measure(
        &[
            ("completion of a command by the host, p50", AtMost(0.5, "ms")),
            ("completion of a command by the host, p99", AtMost(1.0, "ms")),
            ("key in a list → other rows, p50", AtMost(3.0, "ms")),
        ],
        asked::waited_for,
    ),
    Measure(&[("first `:Botglue` → prompt drawn", AtMost(8.0, "ms"))], asked::first_prompt),
    Measure(
        &[
            ("history of 100,000 jobs: its first page", AtMost(5.0, "ms")),
            ("history of 100,000 jobs: words that none has", AtMost(50.0, "ms")),
        ],
        history::of_100_000_jobs,
    ),
];

const SLOW: &[Measure] = &[Measure(
    &[
        ("release build from nothing, 2 cores", AtMost(90.0, "s")),
        ("release build: the host's size", AtMost(5.0, "MB")),
    ],
    pure::release_build,
)];

/// `BOTGLUE_BENCH` chooses the rows with this in their names.
#[test]
#[ignore = "measures: make bench"]
fn table() -> Result<(), String> {
    let wanted = std::env::var("BOTGLUE_BENCH").unwrap_or_default();
    let is_chosen = |measure: &&Measure| measure.0.iter().any(|(name, _)| name.contains(&wanted));
    let chosen = MEASURES.iter().filter(is_chosen).map(|measure| (measure, RUNS));
    let slow = SLOW.iter().filter(is_chosen).map(|measure| (measure, SLOW_RUNS));
    let verdicts: Vec<Verdict> =
        chosen.chain(slow).flat_map(|(measure, runs)| measure.measure(runs)).collect();
    if verdicts.is_empty() {
        return Err(format!("no row has `{wanted}` in its name"));
    }
    let count = |verdict| verdicts.iter().filter(|other| **other == verdict).count();
    let (missed, not_measured) = (count(Verdict::Missed), count(Verdict::NotMeasured));
    if missed + not_measured > 0 {
        return Err(format!("{missed} rows are missed, {not_measured} are not measured"));
    }
    Ok(())
}
