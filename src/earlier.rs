//! `botglue held`: tells a Neovim that starts and has no host yet what Neovims that are gone have left.

use std::ffi::OsString;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use serde_json::json;

use crate::journal;

/// Prints what the journals under a data directory have, as JSON: the files of all held answers, how many of these are
/// below a project's directory, and a sentence about that project, if there is anything to say. What cannot be read
/// counts as nothing.
pub fn run(mut arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let (dir, project) = (arguments.next().unwrap_or_default(), arguments.next().unwrap_or_default());
    let (held, interrupted) = journal::left_by_others(Path::new(&dir));
    let here = |paths: &[String]| paths.iter().filter(|path| Path::new(path).starts_with(&project)).count();
    let (count, words) = (here(&held), words(here(&held), here(&interrupted)));
    let printed = json!({ "paths": held, "here": count, "words": words }).to_string();
    let printed = std::io::stdout().write_all(printed.as_bytes());
    if printed.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn words(held: usize, interrupted: usize) -> Option<String> {
    let one = |count: usize, one: &str, some: &str| match count {
        1 => one.to_owned(),
        _ => format!("{count} {some}"),
    };
    let held = (held > 0).then(|| (one(held, "an answer held", "answers held"), "review"));
    let interrupted =
        (interrupted > 0).then(|| (one(interrupted, "a job interrupted", "jobs interrupted"), "history"));
    match (held, interrupted) {
        (Some((held, _)), Some((interrupted, _))) => {
            Some(format!("{held}: :Botglue review, {interrupted}: :Botglue history"))
        }
        (held, interrupted) => {
            held.or(interrupted).map(|(left, see)| format!("{left} in an earlier session: :Botglue {see}"))
        }
    }
}
