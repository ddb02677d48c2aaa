//! Finds a program. It is looked up before the agent's directory becomes the project's, and only in those entries of
//! PATH that are absolute: `./bin` and an empty entry would find the project's own program, not the user's.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The absolute entries of an agent's PATH: `own` from its options, else the host's. The agent gets the same, because
/// programs look up programs: a script's `#!/usr/bin/env node` for one.
pub fn search_path(own: Option<&String>) -> OsString {
    let path = own.map(OsString::from).or_else(|| std::env::var_os("PATH")).unwrap_or_default();
    let absolute: Vec<PathBuf> = std::env::split_paths(&path).filter(|entry| entry.is_absolute()).collect();
    // The entries come from one such list, so they can be joined again.
    std::env::join_paths(absolute).unwrap_or_default()
}

/// Whether `program` names a file relative to whatever directory it is started in.
pub fn is_relative_path(program: &str) -> bool {
    program.contains('/') && !program.starts_with('/')
}

/// Where `program`, a name or an absolute path, is.
fn find(program: &str, path: &OsStr) -> Option<PathBuf> {
    if program.is_empty() {
        return None;
    }
    if program.starts_with('/') {
        return Some(PathBuf::from(program)).filter(|file| file.exists());
    }
    let found = || std::env::split_paths(path).map(|entry| entry.join(program)).filter(|file| file.is_file());
    // A file that cannot be executed is better than none: the error then says so.
    found().find(|file| is_executable(file)).or_else(|| found().next())
}

/// Where the program of an agent is, whose options name it so; `own` is the PATH of those.
pub fn find_program(program: &str, own: Option<&String>) -> Option<PathBuf> {
    if is_relative_path(program) { None } else { find(program, &search_path(own)) }
}

fn is_executable(file: &Path) -> bool {
    file.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
}
