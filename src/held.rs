//! `botglue held`: names the files of held answers whose Neovim is gone, for a Neovim that starts and has no host yet.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use serde::Deserialize;

use crate::journal;

/// One line of the files `SESSION.held` beside the journals.
#[derive(Deserialize)]
struct Marker {
    owner: String,
    path: String,
}

/// Prints the paths, as one JSON list, of what is in the folder of journals. What cannot be read counts as nothing.
pub fn run(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    use std::io::Write;
    let paths = arguments.next().map(|folder| paths(Path::new(&folder))).unwrap_or_default();
    let printed = serde_json::to_string(&paths).map(|json| std::io::stdout().write_all(json.as_bytes()));
    if matches!(printed, Ok(Ok(()))) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn paths(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let markers = files.filter(|file| file.extension().is_some_and(|extension| extension == "held"));
    let lines: String = markers.filter_map(|file| fs::read_to_string(file).ok()).collect();
    let read = lines.lines().filter_map(|line| serde_json::from_str::<Marker>(line).ok());
    read.filter(|marker| !journal::is_owner_alive(&marker.owner)).map(|marker| marker.path).collect()
}
