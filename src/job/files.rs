//! What git knows of a project: its files, as paths below its directory, else those that a walk finds, and what has changed
//! in a file since the last commit. In paths bytes that are no UTF-8 are escaped, as [`bytes`] does it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

use super::find_program;
use super::groups::Groups;
use super::version::{Printed, run};
use crate::diff;
use crate::fields::bytes;
use crate::stream::ExitStatus;

/// The most that is read of what git prints, in bytes.
const MOST_LISTED: u64 = 32 << 20;
/// How long git may take: it may hang, on a `.gitignore` that is a pipe for one.
const WITHIN: Duration = Duration::from_secs(10);
/// The most files that a walk finds.
const MOST_WALKED: usize = 20_000;
/// Never walked into: what is in them was not written here.
const SKIPPED: [&str; 4] = ["node_modules", "target", "__pycache__", "vendor"];
/// The project's own configuration must run nothing: neither a monitor of files, nor a program that would fetch what a
/// partial clone lacks, whatever version of git it is.
const ENVIRONMENT: [(&str, &str); 3] =
    [("GIT_OPTIONAL_LOCKS", "0"), ("GIT_NO_LAZY_FETCH", "1"), ("GIT_ALLOW_PROTOCOL", "")];

/// The files of a project, whole or as many as were found.
pub async fn files(root: String, groups: Groups) -> Vec<String> {
    let all = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    if let Some((listed, _)) = git(Path::new(&root), &all, &groups).await {
        // What is cut is none.
        let end = memchr::memrchr(0, &listed).unwrap_or_default();
        let paths = listed[..end].split(|byte| *byte == 0).filter(|path| !path.is_empty());
        return paths.map(bytes::escape).collect();
    }
    tokio::task::spawn_blocking(move || walk(Path::new(&root))).await.unwrap_or_default()
}

/// How the text of a file differs from that in the last commit, as a unified diff of so many bytes at most. Git prints
/// the file as it is kept: no filter and no program of the project's runs.
pub async fn diff(path: &Path, now: &str, most: usize, groups: &Groups) -> String {
    let (folder, name) = (path.parent(), path.file_name().unwrap_or_default().to_string_lossy());
    let object = format!("HEAD:./{name}");
    let committed = match folder.filter(|folder| folder.is_absolute()) {
        Some(folder) => git(folder, &["cat-file", "blob", &object], groups).await,
        None => None,
    };
    let Some((committed, true)) = committed else {
        return "not known: git has no committed text of this file".to_owned();
    };
    let now = now.to_owned();
    let compared = tokio::task::spawn_blocking(move || {
        let before = String::from_utf8_lossy(&committed).replace("\r\n", "\n");
        diff::unified(&before, &now, WITHIN)
    });
    let lines = compared.await.unwrap_or_default();
    let mut end = lines.len().min(most);
    if end < lines.len() {
        end = memchr::memrchr(b'\n', &lines.as_bytes()[..end]).unwrap_or_default();
    }
    if lines.is_empty() { "nothing".to_owned() } else { lines[..end].trim_end_matches('\n').to_owned() }
}

/// What git prints, and whether that is all; none where it fails, or is not there.
async fn git(folder: &Path, arguments: &[&str], groups: &Groups) -> Option<(Vec<u8>, bool)> {
    let git = find_program("git", None)?.to_string_lossy().into_owned();
    let folder = folder.to_str()?;
    let fixed = ["-c", "core.fsmonitor=false", "-C", folder].into_iter().chain(arguments.iter().copied());
    let command = std::iter::once(git).chain(fixed.map(str::to_owned)).collect();
    let environment = ENVIRONMENT.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let Printed { out, exit, .. } =
        run(command, environment.into(), groups, (WITHIN, MOST_LISTED)).await.ok()?;
    let is_all = exit == Some(ExitStatus::Code(0));
    (is_all || !out.is_empty()).then_some((out, is_all))
}

/// One folder after another, nearest first.
fn walk(root: &Path) -> Vec<String> {
    let (mut found, mut folders) = (Vec::new(), std::collections::VecDeque::from([String::new()]));
    while let Some(folder) = folders.pop_front() {
        for entry in std::fs::read_dir(root.join(OsStr::from_bytes(&bytes::unescape(&folder))))
            .into_iter()
            .flatten()
            .flatten()
        {
            let name = bytes::escape(entry.file_name().as_bytes());
            let kind = entry.file_type().ok();
            if kind.is_some_and(|kind| kind.is_dir()) {
                if !name.starts_with('.') && !SKIPPED.contains(&name.as_str()) {
                    folders.push_back(format!("{folder}{name}/"));
                }
            } else if kind.is_some_and(|kind| kind.is_file() || kind.is_symlink()) {
                found.push(format!("{folder}{name}"));
            }
        }
        if found.len() >= MOST_WALKED {
            break;
        }
    }
    found
}
