//! `botglue parse`: a recorded stream, read as a job would have read it.
//!
//! Prints each update and last the outcome, one JSON object a line. It runs the very code of a job; only where
//! the bytes come from is its own.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::num::NonZeroU8;
use std::path::{Path, PathBuf};

use lexopt::prelude::{Long, Value, ValueExt};
use serde::Serialize;

use crate::agent::Recipe;
use crate::stream::{ExitStatus, Lines, ProcessEnd, Status, Stream, Tail, Update};

const USAGE: &str = "usage: botglue parse --agent claude|droid|text|acp|PRESET [--exit-code N] [--signal N] [--stderr FILE] [FILE]";

/// What the command line asks for.
#[derive(Debug)]
struct ParseOptions {
    /// The agent that printed the stream.
    agent: &'static Recipe,
    exit: ExitStatus,
    stderr: Option<PathBuf>,
    file: Option<PathBuf>,
}

/// Runs the command with the arguments after `parse`: 0 where the outcome is `done`, 1 where it is `failed`.
///
/// # Errors
/// For wrong usage, or a file that cannot be read.
pub fn run(arguments: impl Iterator<Item = OsString>) -> Result<u8, String> {
    let options = options(arguments).map_err(|misuse| format!("{misuse}\n{USAGE}"))?;
    let mut output = BufWriter::new(io::stdout().lock());
    let status = match &options.file {
        Some(path) => parse(&options, &mut open(path)?, &mut output)?,
        None => parse(&options, &mut io::stdin().lock(), &mut output)?,
    };
    Ok(u8::from(status == Status::Failed))
}

fn options(arguments: impl Iterator<Item = OsString>) -> Result<ParseOptions, lexopt::Error> {
    let mut parser = lexopt::Parser::from_args(arguments);
    let (mut agent, mut code, mut signal, mut stderr, mut file) = (None, None, None, None, None);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("agent") => {
                let known = |name: &str| Recipe::named(name).ok_or_else(unknown_agent);
                agent = Some(parser.value()?.parse_with(known)?);
            }
            Long("exit-code") => code = Some(parser.value()?.parse::<u8>()?),
            Long("signal") => signal = Some(parser.value()?.parse::<NonZeroU8>()?),
            Long("stderr") => stderr = Some(PathBuf::from(parser.value()?)),
            Value(path) if file.is_none() => file = Some(PathBuf::from(path)),
            other => return Err(other.unexpected()),
        }
    }
    let exit = match signal {
        Some(signal) => ExitStatus::Signal(signal.get().into()),
        None => ExitStatus::Code(code.unwrap_or(0).into()),
    };
    let agent = agent.ok_or("--agent is missing")?;
    Ok(ParseOptions { agent, exit, stderr, file: file.filter(|file| file != Path::new("-")) })
}

fn unknown_agent() -> String {
    let names = Recipe::ALL.map(|recipe| recipe.name);
    format!("it is one of {}", names.join(", "))
}

/// Reads a whole stream and prints what became of it; fails where the input cannot be read.
fn parse(options: &ParseOptions, input: &mut dyn Read, output: &mut dyn Write) -> Result<Status, String> {
    let stderr = match &options.stderr {
        Some(path) => read_end(path)?,
        None => String::new(),
    };
    let (end, mut lines) = (ProcessEnd { exit: options.exit, stopped: None, stderr }, Lines::default());
    let mut stream = Stream::new(options.agent.recorded(), "");
    // A reader that went away wants no more lines; the exit status still tells the outcome.
    let mut emit = |update: Update| _ = print(output, &update);
    let mut chunk = vec![0; 64 << 10];
    loop {
        match input.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => lines.push(&chunk[..length], &mut |line| stream.take(line, &mut emit)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(format!("cannot read the stream: {error}")),
        }
    }
    lines.finish(&mut |line| stream.take(line, &mut emit));
    let outcome = stream.end(&end, &mut emit);
    _ = print(output, &outcome).and_then(|()| output.flush());
    Ok(outcome.status)
}

fn print(output: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *output, value)?;
    output.write_all(b"\n")
}

fn open(path: &Path) -> Result<File, String> {
    File::open(path).map_err(|error| format!("cannot open {}: {error}", path.display()))
}

/// The end of a file, as much as a job keeps of standard error output.
fn read_end(path: &Path) -> Result<String, String> {
    let (mut tail, mut said) = (Tail::default(), Vec::new());
    let failed = |error| format!("cannot read {}: {error}", path.display());
    open(path)?.read_to_end(&mut said).map_err(failed)?;
    tail.push(&said);
    Ok(tail.text())
}
