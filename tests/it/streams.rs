//! Recorded streams and what becomes of them: shared by the tests that read streams without a process.

use std::fs;
use std::path::PathBuf;

use botglue::agent::Protocol;
use botglue::stream::{End, Lines, Outcome, Stream, Update};

/// One recorded stream.
pub struct Recording {
    /// `claude/read.jsonl`.
    pub name: String,
    pub protocol: Protocol,
    pub bytes: Vec<u8>,
}

/// Every recording under `tests/fixtures`, by name.
pub fn recordings() -> Vec<Recording> {
    let mut found = Vec::new();
    for protocol in Protocol::ALL {
        let folder =
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(protocol.dialect().name);
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"))
        {
            let file = path.file_name().unwrap().to_string_lossy();
            found.push(Recording {
                name: format!("{}/{file}", protocol.dialect().name),
                protocol,
                bytes: fs::read(path).unwrap(),
            });
        }
    }
    assert!(found.len() > 20, "the recordings are missing");
    found
}

/// Reads a stream that comes in these chunks.
pub fn read<'a>(
    protocol: Protocol,
    chunks: impl IntoIterator<Item = &'a [u8]>,
    end: &End,
) -> (Vec<Update>, Outcome) {
    let mut updates = Vec::new();
    let mut emit = |update| updates.push(update);
    let mut stream = Stream::new(protocol, "/home/dev/project");
    let mut lines = Lines::default();
    for chunk in chunks {
        lines.push(chunk, &mut |line| stream.take(line, &mut emit));
    }
    lines.finish(&mut |line| stream.take(line, &mut emit));
    let outcome = stream.end(end, &mut emit);
    (updates, outcome)
}
