//! Recorded streams and what becomes of them: shared by the tests that read streams without a process.

use std::fs;
use std::path::PathBuf;

use botglue::agent::Protocol;
use botglue::stream::{End, Exit, Lines, Outcome, Stream, Update};

/// One recorded stream.
pub struct Recording {
    /// `claude/read.jsonl`.
    pub name: String,
    pub path: PathBuf,
    pub protocol: Protocol,
    pub bytes: Vec<u8>,
    /// How its process ended.
    pub end: End,
}

/// Every recording under `tests/fixtures`, by name.
pub fn recordings() -> Vec<Recording> {
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let ends = fs::read_to_string(fixtures.join("ends.txt")).unwrap();
    let mut found = Vec::new();
    for protocol in Protocol::ALL {
        let folder = protocol.dialect().name;
        let mut paths: Vec<PathBuf> =
            fs::read_dir(fixtures.join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            let name = format!("{folder}/{}", path.file_name().unwrap().to_string_lossy());
            let end =
                ends.lines().find_map(|line| end(line.strip_prefix(&name)?)).unwrap_or(End::with_code(0));
            found.push(Recording { bytes: fs::read(&path).unwrap(), name, path, protocol, end });
        }
    }
    assert!(found.len() > 60, "recordings are missing");
    found
}

/// Reads what follows the name in a line of `ends.txt`.
fn end(line: &str) -> Option<End> {
    let mut words = line.trim().splitn(3, ' ');
    let kind = words.next()?;
    let number = words.next()?.parse().ok()?;
    let exit = if kind == "signal" { Exit::Signal(number) } else { Exit::Code(number) };
    Some(End { exit, stopped: None, stderr: words.next().unwrap_or_default().to_owned() })
}

/// Reads a stream that comes in these chunks.
pub fn read<'a>(
    protocol: Protocol,
    chunks: impl IntoIterator<Item = &'a [u8]>,
    end: &End,
) -> (Vec<Update<'static>>, Outcome) {
    let mut updates = Vec::new();
    let mut emit = |update: Update<'_>| updates.push(update.into_owned());
    let mut stream = Stream::new(protocol, "/home/dev/project");
    let mut lines = Lines::default();
    for chunk in chunks {
        lines.push(chunk, &mut |line| stream.take(line, &mut emit));
    }
    lines.finish(&mut |line| stream.take(line, &mut emit));
    let outcome = stream.end(end, &mut emit);
    (updates, outcome)
}
