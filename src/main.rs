//! The command line of the host.

use std::io::Write;
use std::process::ExitCode;

use botglue::{earlier, parse, reap, replay, serve};

const HELP: &str = "\
botglue: the host of botglue.nvim

  botglue serve [--log FILE] [--data-dir DIR]
      msgpack-RPC on stdin and stdout; what the plugin starts
  botglue parse --agent claude|droid|text|acp|PRESET [--exit-code N] [--signal N] [--stderr FILE] [FILE]
      reads a recorded stream, or a dialogue of acp or of a shipped agent (codex, gemini, ...), and prints one JSON object a line: the updates, and last the outcome;
      exit status 0 where that is done, 1 where it is failed, 2 for wrong usage
  botglue replay [--delay-ms N] [--chunk N] [--exit-code N] FILE [ANYTHING...]
      plays a recorded stream to stdout as an agent would; of a dialogue the agent's side, in answer to stdin
  botglue held DIR PROJECT
      prints what Neovims that are gone have left, as JSON; what the plugin asks as Neovim starts
  botglue reap
      ends the process groups that stdin names and that are left at its end; what the host starts, should it die
  botglue --version
  botglue --help
";

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let name = arguments.next();
    match name.as_deref().and_then(|name| name.to_str()) {
        Some("serve") => match serve::ServeOptions::parse(arguments) {
            Ok(options) => serve::run(&options),
            Err(error) => wrong_usage(&format!("serve: {error}")),
        },
        Some("parse") => ended("parse", parse::run(arguments)),
        Some("replay") => ended("replay", replay::run(arguments)),
        Some("held") => earlier::run(arguments),
        Some("reap") => reap::run(std::io::stdin().lock()),
        Some("--version" | "-V") => say(concat!("botglue ", env!("CARGO_PKG_VERSION"), "\n")),
        Some("--help" | "-h") => say(HELP),
        Some(other) => wrong_usage(&format!("unknown command `{other}`")),
        None => wrong_usage("a command is missing"),
    }
}

fn say(text: &str) -> ExitCode {
    match std::io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// The exit code that it ended with; 2 where it says why it could not run.
fn ended(name: &str, result: Result<u8, String>) -> ExitCode {
    result.map_or_else(
        |why| {
            // Nothing can be done for a standard error output that is closed.
            let _ = writeln!(std::io::stderr(), "botglue {name}: {why}");
            ExitCode::from(2)
        },
        ExitCode::from,
    )
}

fn wrong_usage(what: &str) -> ExitCode {
    // Nowhere is left to report this.
    let _ = write!(std::io::stderr(), "botglue: {what}\n\n{HELP}");
    ExitCode::from(2)
}
