//! Runs a program other than an agent, and reads what it prints: with `--version`, in the time that a working CLI needs.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::timeout;

use super::groups::Groups;
use super::launch::Launch;
use super::process::Process;
use crate::error::JobError;
use crate::stream::ExitStatus;

const WITHIN: Duration = Duration::from_secs(2);
/// The most that is read of what it prints, in bytes.
const MOST: u64 = 4096;

/// How long a program may take to end once it has printed all.
const TO_END: Duration = Duration::from_secs(1);

/// What a program has printed, and how it ended, if it has.
#[derive(Debug, Default)]
pub struct Printed {
    /// On standard output.
    pub out: Vec<u8>,
    /// On standard error output.
    pub err: Vec<u8>,
    /// Its end.
    pub exit: Option<ExitStatus>,
}

/// Runs a program, which may take so long and print so many bytes. What it has started ends with it.
pub async fn run(
    command: Vec<String>,
    environment: BTreeMap<String, String>,
    groups: &Groups,
    (within, most): (Duration, u64),
) -> Result<Printed, JobError> {
    let launch = Launch::of_command(command, environment)?;
    let (mut process, (stdin, stdout, stderr)) = Process::spawn(&launch, groups)?;
    drop(stdin);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let all = async { tokio::join!(read(stdout, most, &mut out), read(stderr, most, &mut err)) };
    // A process that it has left may hold the pipes open.
    let is_read = timeout(within, all).await.is_ok();
    let exit = timeout(if is_read { TO_END } else { Duration::ZERO }, process.wait()).await.ok();
    tokio::spawn(process.end(Duration::ZERO));
    Ok(Printed { out, err, exit })
}

/// The first line that a program prints, or why it does not tell its version.
pub async fn version(
    program: &Path,
    environment: BTreeMap<String, String>,
    groups: &Groups,
) -> Result<String, String> {
    let command = vec![program.to_string_lossy().into_owned(), "--version".to_owned()];
    let printed = run(command, environment, groups, (WITHIN, MOST)).await;
    let Printed { out, err, exit } = printed.map_err(|error| error.message)?;
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

async fn read(pipe: Option<impl AsyncRead + Unpin>, most: u64, into: &mut Vec<u8>) {
    if let Some(pipe) = pipe {
        // What was read until an error is all that there is.
        let _ = pipe.take(most).read_to_end(into).await;
    }
}

fn first_line(said: &[u8]) -> Option<String> {
    let said = String::from_utf8_lossy(said);
    said.trim().lines().next().filter(|line| !line.is_empty()).map(str::to_owned)
}
