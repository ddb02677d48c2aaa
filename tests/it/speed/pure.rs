//! What needs no editor: streams, beside another reader of the same bytes, and the release build, whose time and size are
//! bound because lazy.nvim stops a build after 120 seconds.

use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use botglue::agent::Protocol;
use botglue::stream::{Lines, ProcessEnd, Status, Stream, Update};
use serde_json::Value;

use super::row::Run;
use super::streams::{tool_heavy, tools};

/// As much as the host reads at once.
const CHUNK: usize = 64 << 10;
/// How often each reads in a run; the best time counts.
const TIMES: usize = 3;

/// Ours ÷ `serde_json::Value` for a stream of mostly tools' output.
pub fn tool_output() -> Run {
    let stream = tool_heavy();
    Box::new(move || {
        let bytes = stream.as_bytes();
        let other = best(|| each_line(bytes));
        vec![best(|| read_stream(bytes)) / other]
    })
}

/// The time for 40,000 tools in one job ÷ that for 10,000.
pub fn many_tools() -> Run {
    let [many, few] = [40_000, 10_000].map(tools);
    Box::new(move || {
        let (ours, other) = (best(|| read_stream(many.as_bytes())), best(|| read_stream(few.as_bytes())));
        vec![ours / other]
    })
}

/// The shortest time in milliseconds.
fn best(work: impl Fn()) -> f64 {
    let times = (0..TIMES).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64() * 1e3
    });
    times.fold(f64::MAX, f64::min)
}

/// Reads the way a job does, from chunks of bytes to the outcome.
fn read_stream(bytes: &[u8]) {
    let mut stream = Stream::new(Protocol::Claude.recipe().recorded(), "/home/dev/project");
    let mut lines = Lines::default();
    let mut emit = |update: Update| drop(black_box(update));
    for chunk in bytes.chunks(CHUNK) {
        lines.push(chunk, &mut |line| stream.take(line, &mut emit));
    }
    lines.finish(&mut |line| stream.take(line, &mut emit));
    let outcome = stream.end(&ProcessEnd::with_code(0), &mut emit);
    assert_eq!((outcome.status, outcome.counts.malformed), (Status::Done, 0));
}

fn each_line(mut bytes: &[u8]) {
    while let Some(end) = memchr::memchr(b'\n', bytes) {
        assert!(black_box(serde_json::from_slice::<Value>(&bytes[..end])).is_ok());
        bytes = &bytes[end + 1..];
    }
}

/// In seconds, on two cores with nothing built before; and in MB.
pub fn release_build() -> Run {
    Box::new(|| {
        let target =
            tempfile::Builder::new().prefix("build-").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let started = Instant::now();
        let status = Command::new(env!("CARGO"))
            .args(["build", "--release", "--locked", "--offline", "--quiet", "--jobs", "2", "--target-dir"])
            .arg(target.path())
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status()
            .unwrap();
        let seconds = started.elapsed().as_secs_f64();
        assert!(status.success(), "the build failed");
        vec![seconds, megabytes(&target.path().join("release/botglue"))]
    })
}

#[expect(clippy::cast_precision_loss, reason = "not so many bytes")]
fn megabytes(path: &Path) -> f64 {
    path.metadata().unwrap().len() as f64 / 1e6
}
