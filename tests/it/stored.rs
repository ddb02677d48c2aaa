//! What is stored, and who may read it: the table of `SECURITY.md`, after a job.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::json;

use crate::support::agents;
use crate::support::nvim::Builder;
use crate::support::scratch::Scratch;

/// A row of the table: what a path begins with, its mode, and that of the files in it.
struct Stored {
    path: String,
    mode: u32,
    files: Option<u32>,
}

/// The rows of files of ours.
fn table() -> Vec<Stored> {
    let document = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/SECURITY.md")).unwrap();
    let row = |line: &str| {
        let path =
            line.strip_prefix("| `data_dir/")?.split('`').next()?.trim_end_matches(['*', '/']).to_owned();
        let mut modes = line
            .rsplit('|')
            .nth(1)?
            .split_whitespace()
            .filter_map(|word| u32::from_str_radix(word.trim_end_matches(','), 8).ok());
        Some(Stored { path, mode: modes.next()?, files: modes.next() })
    };
    document.lines().filter_map(row).collect()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn what_is_stored_is_in_the_table_with_its_mode() {
    let scratch = Scratch::new();
    let agents = agents::fault(&scratch, "two", "");
    let nvim = Builder::new(scratch).option("agents", agents).option("review", true).start();
    nvim.edit("text.txt", "one\n");
    let id = nvim.run("it", (1, 1), json!({}));
    assert_eq!(nvim.finished(id)["landing"], "held");
    let folder = nvim.scratch.path("data/nvim/botglue");
    let (table, mut seen) = (table(), Vec::new());
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let row = table.iter().find(|row| name.starts_with(&row.path));
        let row = row.unwrap_or_else(|| panic!("the table has no row for {name}"));
        assert_eq!(mode(&path), row.mode, "{name}");
        if let Some(files) = row.files {
            let held: Vec<_> = fs::read_dir(&path).unwrap().map(|file| file.unwrap().path()).collect();
            assert!(!held.is_empty(), "{name} has a file");
            for file in &held {
                assert_eq!(mode(file), files, "{}", file.display());
            }
        }
        seen.push(row.path.as_str());
    }
    for expected in ["botglue.db", "journal", "transcripts"] {
        assert!(seen.contains(&expected), "{expected}: {seen:?}");
    }
    assert_eq!(mode(&folder), 0o700);
    assert_eq!(mode(&nvim.scratch.path("state/nvim/botglue.log")), 0o600);
}
