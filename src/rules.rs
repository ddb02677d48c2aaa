//! Reads a project's own rules for agents, so that they can go along with a request.
//!
//! The CLI does not load them by itself unless the project is trusted. Only plain files inside the project
//! are read, and only so much of them: a project that is not trusted must not get any other file sent.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The names of rules files.
const NAMES: [&str; 2] = ["CLAUDE.md", "AGENTS.md"];

/// How much of one file goes along, in bytes.
const LIMIT: usize = 64 * 1024;

/// A rules file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// The file's name within the project.
    pub name: String,
    /// Its text, marked where it was cut.
    pub text: String,
}

/// The rules files in a project's directory: `CLAUDE.md`, then `AGENTS.md`. A file that is not there, is
/// blank, cannot be read, leads out of the project or says the same as the one before is left out.
pub fn find(cwd: &Path) -> Vec<Rules> {
    let Ok(root) = cwd.canonicalize() else { return Vec::new() };
    let mut found: Vec<Rules> = Vec::new();
    for name in NAMES {
        let Ok(Some(text)) = read(&root, name) else { continue };
        if !text.trim().is_empty() && found.iter().all(|rules| rules.text != text) {
            found.push(Rules { name: name.to_owned(), text });
        }
    }
    found
}

/// The text of a plain file inside the project; none for anything else, a link that leads out among it.
fn read(root: &Path, name: &str) -> io::Result<Option<String>> {
    let path = root.join(name).canonicalize()?;
    if !path.starts_with(root) || !path.metadata()?.is_file() {
        return Ok(None);
    }
    let file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut bytes = Vec::new();
    file.take(LIMIT as u64 + 1).read_to_end(&mut bytes)?;
    Ok(Some(bounded(bytes, size)))
}

/// The text of at most [`LIMIT`] bytes, cut after a line, or within one that does not end.
fn bounded(mut bytes: Vec<u8>, size: u64) -> String {
    let is_cut = bytes.len() > LIMIT;
    if is_cut {
        bytes.truncate(LIMIT);
        let lines = memchr::memrchr(b'\n', &bytes).map_or(LIMIT, |end| end + 1);
        bytes.truncate(lines);
        // Half a character at the end is no text.
        let half = bytes.utf8_chunks().last().map_or(0, |chunk| chunk.invalid().len());
        bytes.truncate(bytes.len() - half);
    }
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_start_matches('\u{feff}');
    if !is_cut {
        return text.to_owned();
    }
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{end}[cut here: the file has {size} bytes, these are its first {}]", bytes.len())
}

#[cfg(test)]
mod tests;
