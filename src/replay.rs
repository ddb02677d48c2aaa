//! `botglue replay`: plays a recorded stream to standard output, as an agent would.
//!
//! Standard input is read and dropped, and so are all arguments after the file: it stands in for an
//! agent's command in demos and tests. Of a recorded dialogue the agent's side is played, in answer to what comes on
//! standard input.

mod dialogue;

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use dialogue::Script;
use lexopt::prelude::{Long, Value, ValueExt};

const USAGE: &str = "usage: botglue replay [--delay-ms N] [--chunk N] [--exit-code N] FILE [ANYTHING…]";

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
struct ReplayOptions {
    /// The pause before each piece.
    delay: Duration,
    /// Bytes a piece; a line a piece if there is none.
    chunk: Option<u64>,
    exit_code: u8,
    file: PathBuf,
}

/// Runs the command with the arguments after `replay`: returns the exit code it was asked for.
///
/// # Errors
/// For wrong usage, or a file that cannot be read.
pub fn run(arguments: impl Iterator<Item = OsString>) -> Result<u8, String> {
    let options = options(arguments).map_err(|misuse| format!("{misuse}\n{USAGE}"))?;
    play(&options, &mut io::stdout().lock())?;
    Ok(options.exit_code)
}

fn options(arguments: impl Iterator<Item = OsString>) -> Result<ReplayOptions, lexopt::Error> {
    let mut parser = lexopt::Parser::from_args(arguments);
    let (mut delay, mut chunk, mut exit_code) = (0, None, 0);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("delay-ms") => delay = parser.value()?.parse()?,
            Long("chunk") => chunk = Some(parser.value()?.parse::<NonZeroU64>()?.get()),
            Long("exit-code") => exit_code = parser.value()?.parse()?,
            // What follows is an agent's business, and looks as if it were options of ours.
            Value(file) => {
                return Ok(ReplayOptions {
                    delay: Duration::from_millis(delay),
                    chunk,
                    exit_code,
                    file: file.into(),
                });
            }
            other => return Err(other.unexpected()),
        }
    }
    Err("FILE is missing".into())
}

fn play(options: &ReplayOptions, output: &mut dyn Write) -> Result<(), String> {
    let failed = |error: io::Error| format!("cannot read {}: {error}", options.file.display());
    let mut recording = Vec::new();
    File::open(&options.file).and_then(|mut file| file.read_to_end(&mut recording)).map_err(failed)?;
    let played = if let Some(mut script) = Script::read(&recording) {
        let mut say = |line: &str| pieces(options, format!("{line}\n").as_bytes(), output);
        script.play(BufReader::new(io::stdin()), &mut say)
    } else {
        // Not waited for: an agent need not read all it is sent, and the pipe may never be closed.
        thread::spawn(|| io::copy(&mut io::stdin().lock(), &mut io::sink()));
        pieces(options, &recording, output)
    };
    // The reader may have seen enough: that is not the recording's failure.
    drop(played);
    Ok(())
}

/// Writes bytes in pieces, with a pause before each.
fn pieces(options: &ReplayOptions, bytes: &[u8], output: &mut dyn Write) -> io::Result<()> {
    let mut rest = bytes;
    while !rest.is_empty() {
        let length = match options.chunk {
            Some(size) => usize::try_from(size).unwrap_or(usize::MAX),
            None => memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1),
        };
        let (piece, after) = rest.split_at(length.min(rest.len()));
        if !options.delay.is_zero() {
            thread::sleep(options.delay);
        }
        output.write_all(piece)?;
        output.flush()?;
        rest = after;
    }
    Ok(())
}
