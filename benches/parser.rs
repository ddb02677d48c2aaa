//! How fast streams are read, beside other readers of the same bytes. `make bench` runs it.
//!
//! Two streams: one is mostly the output of tools (10 MB, 100 KB an output, each twice in its line), one is
//! 20,000 small parts of a text. The readers take turns, and of each the best of its turns counts.

#![expect(clippy::disallowed_methods, reason = "a bench starts processes of its own")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Write as _;
use std::process::Command;
use std::time::{Duration, Instant};

use botglue::agent::Protocol;
use botglue::stream::{End, Lines, Status, Stream, Update};
use serde::de::IgnoredAny;
use serde_json::Value;

/// For each reader and stream.
const TURNS: u32 = 25;
/// As much as the host reads at once.
const CHUNK: usize = 64 << 10;

struct Case {
    name: &'static str,
    stream: String,
    /// The least that ours has to be as a multiple of each reader, by its place in `READERS`.
    goals: [Option<f64>; 2],
}

type Reader = fn(&[u8]);

const READERS: [(&str, Reader); 2] =
    [("serde_json::Value", each_line::<Value>), ("serde_json IgnoredAny", each_line::<IgnoredAny>)];

fn main() {
    let cases = [
        Case { name: "tool-heavy", stream: tool_heavy(), goals: [Some(2.3), Some(0.7)] },
        Case { name: "delta-heavy", stream: delta_heavy(), goals: [Some(1.8), None] },
    ];
    let mut report = String::new();
    for case in &cases {
        measure(case, &mut report).unwrap_or_default();
    }
    // A closed output has nobody to tell.
    _ = std::io::stdout().write_all(report.as_bytes());
}

fn measure(case: &Case, report: &mut String) -> Result<(), std::fmt::Error> {
    let bytes = case.stream.as_bytes();
    let mut ours = Duration::MAX;
    let mut others = [Duration::MAX; READERS.len()];
    for _ in 0..TURNS {
        ours = ours.min(time(|| read_stream(bytes)));
        for (best, (_, reader)) in others.iter_mut().zip(READERS) {
            *best = (*best).min(time(|| reader(bytes)));
        }
    }
    writeln!(report, "{}: {} lines, {:.1} MB", case.name, case.stream.lines().count(), megabytes(bytes))?;
    writeln!(report, "  {:<24}{:>8.0} MB/s", "botglue", speed(bytes, ours))?;
    for (((name, _), other), goal) in READERS.iter().zip(others).zip(case.goals) {
        let ratio = other.as_secs_f64() / ours.as_secs_f64();
        let verdict = match goal {
            Some(goal) if ratio >= goal => format!(", reach {goal}: yes"),
            Some(goal) => format!(", reach {goal}: NO"),
            None => String::new(),
        };
        writeln!(
            report,
            "  {name:<24}{:>8.0} MB/s   botglue is {ratio:.2} times as fast{verdict}",
            speed(bytes, other)
        )?;
    }
    match neovim(bytes) {
        Some(other) => {
            let ratio = other.as_secs_f64() / ours.as_secs_f64();
            writeln!(
                report,
                "  {:<24}{:>8.0} MB/s   botglue is {ratio:.2} times as fast",
                "vim.json.decode",
                speed(bytes, other)
            )
        }
        None => writeln!(report, "  vim.json.decode          (no Neovim: name one in BOTGLUE_TEST_NVIM)"),
    }
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn speed(bytes: &[u8], time: Duration) -> f64 {
    megabytes(bytes) / time.as_secs_f64()
}

#[expect(clippy::cast_precision_loss, reason = "sizes are small")]
fn megabytes(bytes: &[u8]) -> f64 {
    bytes.len() as f64 / 1e6
}

/// Reads the way a job does, from chunks of bytes to the outcome.
fn read_stream(bytes: &[u8]) {
    let mut stream = Stream::new(Protocol::Claude, "/home/dev/project");
    let mut lines = Lines::default();
    let mut emit = |update: Update<'_>| drop(black_box(update));
    for chunk in bytes.chunks(CHUNK) {
        lines.push(chunk, &mut |line| stream.take(line, &mut emit));
    }
    lines.finish(&mut |line| stream.take(line, &mut emit));
    let outcome = stream.end(&End::with_code(0), &mut emit);
    assert_eq!((outcome.status, outcome.malformed), (Status::Done, 0));
}

fn each_line<T: serde::de::DeserializeOwned>(mut bytes: &[u8]) {
    while let Some(end) = memchr::memchr(b'\n', bytes) {
        assert!(black_box(serde_json::from_slice::<T>(&bytes[..end])).is_ok());
        bytes = &bytes[end + 1..];
    }
}

/// The time that Neovim needs to decode all lines, measured inside it.
fn neovim(bytes: &[u8]) -> Option<Duration> {
    const SCRIPT: &str = "
        local lines = vim.fn.readfile(vim.env.BOTGLUE_BENCH_STREAM)
        local best = math.huge
        for _ = 1, 5 do
          local start = vim.uv.hrtime()
          for _, line in ipairs(lines) do vim.json.decode(line) end
          best = math.min(best, vim.uv.hrtime() - start)
        end
        io.stdout:write(('%d'):format(best))";
    let nvim = std::env::var_os("BOTGLUE_TEST_NVIM")?;
    let folder = tempfile::tempdir().ok()?;
    let [stream, script] = ["stream.jsonl", "decode.lua"].map(|name| folder.path().join(name));
    std::fs::write(&stream, bytes).ok()?;
    std::fs::write(&script, SCRIPT).ok()?;
    let output = Command::new(nvim)
        .args(["--clean", "--headless", "-l"])
        .arg(script)
        .env("BOTGLUE_BENCH_STREAM", stream)
        .output()
        .ok()?;
    let nanoseconds = String::from_utf8(output.stdout).ok()?.trim().parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

const SESSION: &str = r#""session_id":"f699c389-fced-46a0-ab5c-1f459e1b453d","parent_tool_use_id":null"#;

/// What a tool that reads files returns: source code.
const SOURCE: &str = include_str!("../src/stream/tools.rs");

fn tool_heavy() -> String {
    let source: String = SOURCE.chars().cycle().take(100_000).collect();
    let output = Value::String(source).to_string();
    let round = |number: u32| {
        format!(
            r#"{{"type":"assistant","message":{{"id":"msg_{number}","type":"message","role":"assistant","model":"claude-opus-5-5","content":[{{"type":"tool_use","id":"toolu_{number}","name":"Read","input":{{"file_path":"/home/dev/project/src/{number}.rs"}}}}],"stop_reason":null,"usage":{{"input_tokens":25,"output_tokens":1}}}},{SESSION},"uuid":"02d0c82d-c1a4-4324-be09-e5b1af17e05f"}}
{{"type":"user","message":{{"role":"user","content":[{{"tool_use_id":"toolu_{number}","type":"tool_result","content":{output}}}]}},{SESSION},"uuid":"89016742-2a56-4d9c-a946-159c6c522661","tool_use_result":{{"type":"text","file":{{"filePath":"/home/dev/project/src/{number}.rs","content":{output},"numLines":2400,"startLine":1,"totalLines":2400}}}}}}
"#
        )
    };
    (0..50).map(round).collect::<String>() + RESULT
}

fn delta_heavy() -> String {
    let delta = |number: u32| {
        format!(
            r#"{{"type":"stream_event","event":{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"let x{number} ="}}}},{SESSION},"uuid":"d44f8239-0a09-4b15-b35a-5d3c6a17a692","api_message_id":"msg_1795294586307180"}}
"#
        )
    };
    (0..20_000).map(delta).collect::<String>() + RESULT
}

const RESULT: &str = r#"{"duration_api_ms":47,"stop_reason":"end_turn","total_cost_usd":0.00182,"usage":{"input_tokens":50,"output_tokens":30},"is_error":false,"num_turns":2,"subtype":"success","result":"fn main() {}","type":"result","duration_ms":145}
"#;
