//! `botglue held`: names the files of held answers whose Neovim is gone, for a Neovim that starts and has no host yet.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use crate::journal;

/// Prints the paths, as one JSON list, of what the journals under a data directory have. What cannot be read counts as
/// nothing.
pub fn run(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let paths = arguments.next().map(|dir| journal::held_paths(Path::new(&dir))).unwrap_or_default();
    let printed = serde_json::to_string(&paths).map(|json| std::io::stdout().write_all(json.as_bytes()));
    if matches!(printed, Ok(Ok(()))) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
