//! Asks a program for its version: what it prints with `--version`, within a time that a working CLI meets.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::timeout;

use super::groups::Groups;
use super::launch::Launch;
use super::process::{Pipes, Process};
use crate::stream::ExitStatus;

const WITHIN: Duration = Duration::from_secs(2);
/// The most that is read of what it prints, in bytes.
const MOST: u64 = 4096;

/// The first line that a program prints, or why it does not tell its version. What it has started ends with it.
pub async fn version(
    program: &Path,
    environment: BTreeMap<String, String>,
    groups: &Groups,
) -> Result<String, String> {
    let launch =
        Launch::of_command(vec![program.to_string_lossy().into_owned(), "--version".to_owned()], environment);
    let spawned = launch.and_then(|launch| Process::spawn(&launch, groups));
    let (mut process, Pipes { stdin, stdout, stderr }) = spawned.map_err(|error| error.message)?;
    drop(stdin);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let ended = async { tokio::join!(read(stdout, &mut out), read(stderr, &mut err), process.wait()) };
    // A process that it has left may hold the pipes open.
    let _ = timeout(WITHIN, ended).await;
    let exit = timeout(Duration::ZERO, process.wait()).await.ok();
    tokio::spawn(process.end(Duration::ZERO));
    match exit {
        Some(ExitStatus::Code(0)) => Ok(first_line(&out).unwrap_or_else(|| "no version".to_owned())),
        None => first_line(&out).ok_or_else(|| format!("no answer within {} s", WITHIN.as_secs())),
        Some(ExitStatus::Code(code)) => {
            let said = first_line(&[err, out].concat()).map(|line| format!(", {line}"));
            Err(format!("exit code {code}{}", said.unwrap_or_default()))
        }
        Some(ExitStatus::Signal(signal)) => Err(format!("it was ended by signal {signal}")),
    }
}

async fn read(pipe: impl AsyncRead + Unpin, into: &mut Vec<u8>) {
    // What was read until an error is all that there is.
    let _ = pipe.take(MOST).read_to_end(into).await;
}

fn first_line(said: &[u8]) -> Option<String> {
    let said = String::from_utf8_lossy(said);
    said.trim().lines().next().filter(|line| !line.is_empty()).map(str::to_owned)
}
