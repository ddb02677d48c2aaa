//! Factory's Droid: `droid exec -o stream-json`, read-only.
//!
//! It runs a project's own hooks and MCP servers, and sends its requests where the project's settings say, even
//! for one command; no flag stops that, so an untrusted project is not where it runs.
//! Seen with 0.215.0; streams of 2025 have fewer keys and no `completion`. A line is one whole block of text, one
//! call, one result. A `completion` is success unless the process was stopped: it prints one even then.

#[cfg(test)]
mod tests;

use super::json::{self, Raw, Read, Reader};
use super::one_way::OneWay;
use super::values;
use super::{About, Dialect, Invocation, Isolation, Opening, PrewarmSupport, ResumeSupport};
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
        open: Some((None, "--resume")),
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
    match json::line(line, DroidLine::read) {
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
    let message = line.error.message.or(line.value).map(|raw| raw.beginning(REASON)).unwrap_or_default();
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

/// Any line; every key but `type` may be missing.
#[derive(Debug, Default)]
struct DroidLine<'a> {
    kind: Option<Text<'a>>,
    subtype: Option<Text<'a>>,
    session_id: Option<Text<'a>>,
    model: Option<Text<'a>>,
    role: Option<Text<'a>>,
    id: Option<Text<'a>>,
    text: Option<Text<'a>>,
    /// Of a call and a result: the message it is in.
    message_id: Option<Text<'a>>,
    tool_id: Option<Text<'a>>,
    tool_name: Option<Text<'a>>,
    parameters: Argument<'a>,
    is_error: Option<bool>,
    value: Option<Raw<'a>>,
    error: DroidFailure<'a>,
    /// Of an `error`.
    source: Option<Text<'a>>,
    words: Option<Text<'a>>,
    /// Of a `completion`.
    final_text: Option<Text<'a>>,
    num_turns: Option<u64>,
    duration_ms: Option<u64>,
    usage: Usage,
}

impl<'a> DroidLine<'a> {
    fn read(json: &mut Reader<'a>) -> Read<Self> {
        let mut line = Self::default();
        json.object(|json, key| {
            match key {
                b"type" => line.kind = json.text()?,
                b"subtype" => line.subtype = json.text()?,
                b"session_id" => line.session_id = json.text()?,
                b"model" => line.model = json.text()?,
                b"role" => line.role = json.text()?,
                b"id" => line.id = json.text()?,
                b"text" => line.text = json.text()?,
                b"messageId" => line.message_id = json.text()?,
                b"toolId" => line.tool_id = json.text()?,
                b"toolName" => line.tool_name = json.text()?,
                b"parameters" => line.parameters = values::argument(json)?,
                b"isError" => line.is_error = json.flag()?,
                b"value" => line.value = Some(json.raw()?),
                b"error" => line.error = DroidFailure::read(json)?,
                b"source" => line.source = json.text()?,
                b"message" => line.words = json.text()?,
                b"finalText" => line.final_text = json.text()?,
                b"numTurns" => line.num_turns = json.count()?,
                b"durationMs" => line.duration_ms = json.count()?,
                b"usage" => line.usage = values::tokens(json)?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(line)
    }
}

/// The `error` of a failed result, or the message alone.
#[derive(Debug, Default)]
struct DroidFailure<'a> {
    kind: Option<Text<'a>>,
    message: Option<Raw<'a>>,
}

impl<'a> DroidFailure<'a> {
    fn read(json: &mut Reader<'a>) -> Read<Self> {
        let mut failure = Self::default();
        if json.peek() == Some(b'"') {
            failure.message = Some(json.raw()?);
            return Ok(failure);
        }
        json.object(|json, key| {
            match key {
                b"type" => failure.kind = json.text()?,
                b"message" => failure.message = Some(json.raw()?),
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(failure)
    }
}
