//! Recorded streams and what becomes of them: shared by the tests that read streams without a process.

use std::fs;
use std::path::{Path, PathBuf};

use botglue::agent::{Protocol, Recipe};
use botglue::stream::{ExitStatus, Lines, Outcome, ProcessEnd, Stream, Update};

/// One recorded stream.
pub struct Recording {
    /// `claude/read.jsonl`, `acp/codex/read.jsonl`.
    pub name: String,
    pub path: PathBuf,
    pub protocol: Protocol,
    /// What `botglue parse --agent` is told.
    pub agent: &'static Recipe,
    pub bytes: Vec<u8>,
    /// How its process ended.
    pub end: ProcessEnd,
}

/// Every recording under `tests/fixtures`, by name.
pub fn recordings() -> Vec<Recording> {
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let ends = fs::read_to_string(fixtures.join("ends.txt")).unwrap();
    let mut found = Vec::new();
    for (folder, agent) in agents() {
        for path in files(&fixtures.join(&folder)) {
            let name = format!("{folder}/{}", path.file_name().unwrap().to_string_lossy());
            let end = ends
                .lines()
                .find_map(|line| end(line.strip_prefix(&name)?))
                .unwrap_or(ProcessEnd::with_code(0));
            let bytes = fs::read(&path).unwrap();
            found.push(Recording { name, path, protocol: agent.protocol, agent, bytes, end });
        }
    }
    assert!(found.len() > 100, "recordings are missing");
    found
}

/// The folders with recordings, and whose they are.
fn agents() -> impl Iterator<Item = (String, &'static Recipe)> {
    let folder = |agent: &Recipe| if agent.agent_name.is_some() { "acp/" } else { "" };
    let recorded = Recipe::ALL.into_iter().filter(|agent| agent.name != "acp");
    recorded.map(move |agent| (format!("{}{}", folder(agent), agent.name), agent))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Reads what follows the name in a line of `ends.txt`.
fn end(line: &str) -> Option<ProcessEnd> {
    let mut words = line.trim().splitn(3, ' ');
    let kind = words.next()?;
    let number = words.next()?.parse().ok()?;
    let exit = if kind == "signal" { ExitStatus::Signal(number) } else { ExitStatus::Code(number) };
    Some(ProcessEnd { exit, stopped: None, stderr: words.next().unwrap_or_default().to_owned() })
}

/// Reads a stream that comes in these chunks.
pub fn read<'a>(
    agent: &Recipe,
    chunks: impl IntoIterator<Item = &'a [u8]>,
    end: &ProcessEnd,
) -> (Vec<Update>, Outcome) {
    let mut updates = Vec::new();
    let mut emit = |update: Update| updates.push(update);
    let mut stream = Stream::new(agent.recorded(), "/home/dev/project");
    let mut lines = Lines::default();
    for chunk in chunks {
        lines.push(chunk, &mut |line| stream.take(line, &mut emit));
    }
    lines.finish(&mut |line| stream.take(line, &mut emit));
    let outcome = stream.end(end, &mut emit);
    (updates, outcome)
}
