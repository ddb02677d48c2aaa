//! Factory's Droid: `droid exec -o stream-json`, read-only.
//!
//! It runs a project's own hooks and MCP servers, and sends its requests where the project's settings say, even
//! for one command; no flag stops that, so an untrusted project is not where it runs.
//! Seen with 0.215.0; streams of 2025 have fewer keys and no `completion`. A line is one whole block of text, one
//! call, one result. A `completion` is success unless the process was stopped: it prints one even then.

#[cfg(test)]
mod tests;

use super::json::{self, Raw};
use super::one_way::OneWay;
use super::{About, Dialect, Invocation, Isolation, OpenCommand, Opening, PrewarmSupport, ResumeSupport};
use crate::stream::event::{
    Argument, Authority, Caller, Cost, Detail, Event, FinishLine, FinishVerdict, Piece, Problem,
    ReportedAmounts, Returned, Text, ToolCalled,
};
use crate::stream::failure::{AgentLabel, classify};
use crate::stream::{Decoder, LineStatus, OnEvent};
use crate::stream::{Usage, UsageScope, UsageScopes};

/// The most of a failed result's text that is looked at, in bytes.
const REASON: usize = 2000;

/// The row for [`super::Protocol::Droid`].
pub const DIALECT: Dialect = Dialect {
    name: "droid",
    block_separator: "\n",
    decoder,
    arguments,
    label: AgentLabel { name: "droid", login: "`droid` in a terminal, or set `FACTORY_API_KEY`" },
    about: About {
        keeps: "it has the tools of the option `tools` and no others",
        open: Some(OpenCommand { program: None, flag: "--resume" }),
        login_variables: &["FACTORY_API_KEY"],
        login_file: None,
    },
    // With hooks, an MCP server and another base URL in `.factory/` of the project, each of them was used.
    isolation: Isolation::Directory,
    resume: ResumeSupport::Sessions,
    prewarm: PrewarmSupport::Waits,
};

fn decoder(opening: &Opening) -> Decoder {
    OneWay::decoder(&DIALECT, opening, read, input)
}

fn arguments(invocation: &Invocation<'_>) -> Vec<String> {
    let mut flags: Vec<String> = ["exec", "-o", "stream-json"].map(str::to_owned).into();
    if let Some(model) = &invocation.command.model {
        flags.extend(["-m".to_owned(), model.clone()]);
    }
    if let Some(resume) = invocation.resume {
        flags.extend(["--fork".to_owned(), resume.session_id.clone()]);
        // Else it goes back to the directory of the session, which may be one that is not trusted any more.
        flags.extend(["--cwd", "."].map(str::to_owned));
    }
    flags.extend(["--only-tools".to_owned(), tools(invocation.tools)]);
    flags.extend(["--append-system-prompt".to_owned(), invocation.system.to_owned()]);
    flags
}

/// The tools by Droid's names: it has one of its own to list a directory, which Claude reads with `Glob`.
fn tools(tools: &[String]) -> String {
    let own = tools.iter().flat_map(|tool| match tool.as_str() {
        "Read" => vec!["Read", "LS"],
        "Bash" => vec!["Execute"],
        "Write" => vec!["Create"],
        other => vec![other],
    });
    own.collect::<Vec<_>>().join(",")
}

fn input(_system: &str, message: &str) -> Vec<u8> {
    message.as_bytes().to_vec()
}

fn read(line: &[u8], each: OnEvent<'_>) -> LineStatus {
    match json::line::<DroidLine<'_>>(line) {
        Ok(line) => line_events(line, each),
        Err(reading) => return reading,
    }
    LineStatus::Parsed
}

fn line_events<'a>(line: DroidLine<'a>, each: &mut dyn FnMut(Event<'a>)) {
    match line.kind.as_deref().unwrap_or_default() {
        "system" if line.subtype.as_deref() == Some("init") => {
            each(Event::Session { id: line.session_id, model: line.model });
        }
        "message" if line.role.as_deref() == Some("assistant") => {
            if let Some(text) = line.text {
                let message = Some(line.id.unwrap_or_default());
                each(Event::Text { piece: Piece::Whole, message, text });
            }
        }
        "message" if line.role.as_deref() == Some("user") => {
            if let Some(text) = line.text {
                each(Event::Asked { text });
            }
        }
        "reasoning" => {
            if let Some(text) = line.text {
                each(Event::Thinking { piece: Piece::Whole, text });
            }
        }
        "tool_call" => each(Event::ToolCalled(ToolCalled {
            id: line.id,
            message: Some(line.message_id.unwrap_or_default()),
            name: line.tool_name.or(line.tool_id).unwrap_or_else(|| "tool".into()),
            argument: line.parameters,
            caller: Caller::Main,
        })),
        "tool_result" => {
            let output = line.value.map(Raw::output).unwrap_or_default();
            let returned = returned(&line);
            each(Event::ToolReturned { id: line.id, returned, output });
        }
        "error" => each(Event::Problem(problem(line))),
        "completion" => each(Event::Finished(FinishLine {
            verdict: FinishVerdict::LastBlock(line.final_text.unwrap_or_default()),
            authority: Authority::UnlessSignalled,
            amounts: ReportedAmounts {
                cost: Cost::default(),
                usage: line.usage,
                num_turns: line.num_turns,
                duration_ms: line.duration_ms,
                // A session's tokens and turns run on in it. Its fork begins with no tokens, but with all turns.
                scopes: UsageScopes {
                    cost: UsageScope::Run,
                    usage: UsageScope::Session,
                    num_turns: UsageScope::Lineage,
                },
            },
        })),
        _ => {}
    }
}

/// How a tool came back: `isError` decides, the reason is the error's message or else the value.
fn returned(line: &DroidLine<'_>) -> Returned {
    if line.is_error != Some(true) {
        return Returned::Ok;
    }
    let message = line
        .error
        .words
        .or(line.error.message)
        .or(line.value)
        .map(|raw| raw.beginning(REASON))
        .unwrap_or_default();
    let reason = match line.error.kind.as_deref() {
        None | Some("" | "tool_error") => message,
        Some(kind) if message.is_empty() => kind.to_owned(),
        Some(kind) => format!("{kind}: {message}"),
    };
    if reason.contains("insufficient permission") {
        Returned::Denied(reason)
    } else {
        Returned::Failed(reason)
    }
}

/// A failure of the run: the agent loop says what it was, the command line only that there was one.
fn problem(line: DroidLine<'_>) -> Problem<'_> {
    let words = line.words.unwrap_or_default();
    let rank = if line.source.as_deref() == Some("cli") { Detail::Summary } else { Detail::Cause };
    Problem { code: classify(None, &words), words, rank }
}

json::object! {
    /// Any line; every key but `type` may be missing.
    struct DroidLine<'a> {
        b"type" => kind: Option<Text<'a>>,
        b"subtype" => subtype: Option<Text<'a>>,
        b"session_id" => session_id: Option<Text<'a>>,
        b"model" => model: Option<Text<'a>>,
        b"role" => role: Option<Text<'a>>,
        b"id" => id: Option<Text<'a>>,
        b"text" => text: Option<Text<'a>>,
        /// Of a call and a result: the message it is in.
        b"messageId" => message_id: Option<Text<'a>>,
        b"toolId" => tool_id: Option<Text<'a>>,
        b"toolName" => tool_name: Option<Text<'a>>,
        b"parameters" => parameters: Argument<'a>,
        b"isError" => is_error: Option<bool>,
        b"value" => value: Option<Raw<'a>>,
        b"error" => error: DroidFailure<'a>,
        /// Of an `error`.
        b"source" => source: Option<Text<'a>>,
        b"message" => words: Option<Text<'a>>,
        /// Of a `completion`.
        b"finalText" => final_text: Option<Text<'a>>,
        b"numTurns" => num_turns: Option<u64>,
        b"durationMs" => duration_ms: Option<u64>,
        b"usage" => usage: Usage,
    }
}

json::object! {
    /// The `error` of a failed result, or the message alone.
    struct DroidFailure<'a> or words: Option<Raw<'a>> {
        b"type" => kind: Option<Text<'a>>,
        b"message" => message: Option<Raw<'a>>,
    }
}
