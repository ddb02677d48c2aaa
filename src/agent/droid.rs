//! Factory's Droid: `droid exec -o stream-json`, read-only.
//!
//! Seen with 0.215.0; streams of 2025 have fewer keys and no `completion`. A line is one whole block of text, one
//! call, one result. A `completion` is success unless the process was stopped: it prints one even then.

#[cfg(test)]
mod tests;

use serde::de::MapAccess;
use serde_json::value::RawValue;

use super::json::{self, Lenient, key, raw, skip, value};
use super::values::{Input, Tokens};
use super::{Dialect, Each, Invocation, Reading};
use crate::stream::event::{
    Amounts, Call, Caller, Event, Finish, Piece, Problem, Rank, Returned, Verdict, Weight, Words,
};
use crate::stream::failure::{Speaker, classify};

/// The most of a failed result's text that is looked at, in bytes.
const REASON: usize = 2000;

/// The row for [`super::Protocol::Droid`].
pub const DIALECT: Dialect = Dialect {
    name: "droid",
    speaker: Speaker { name: "droid", login: "`droid` in a terminal, or set `FACTORY_API_KEY`" },
    glue: "\n",
    read,
    arguments,
    input,
};

fn arguments(invocation: &Invocation<'_>) -> Vec<String> {
    let mut flags: Vec<String> = ["exec", "-o", "stream-json"].map(str::to_owned).into();
    if let Some(model) = &invocation.command.model {
        flags.extend(["-m".to_owned(), model.clone()]);
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

fn input(invocation: &Invocation<'_>) -> Vec<u8> {
    invocation.message.as_bytes().to_vec()
}

fn read(line: &[u8], each: Each<'_>) -> Reading {
    json::line(line, |line| json::read(line).map(|line| line_events(line, each)))
}

fn line_events<'a>(line: Line<'a>, each: &mut dyn FnMut(Event<'a>)) {
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
        "reasoning" => {
            if let Some(text) = line.text {
                each(Event::Thinking { piece: Piece::Whole, text });
            }
        }
        "tool_call" => each(Event::ToolCalled(Call {
            id: line.id,
            message: Some(line.message_id.unwrap_or_default()),
            name: line.tool_name.or(line.tool_id).unwrap_or_else(|| "tool".into()),
            argument: line.parameters.0,
            caller: Caller::Main,
        })),
        "tool_result" => {
            let returned = returned(&line);
            each(Event::ToolReturned { id: line.id, returned });
        }
        "error" => each(Event::Problem(problem(line))),
        "completion" => each(Event::Finished(Finish {
            verdict: Verdict::LastBlock(line.final_text.unwrap_or_default()),
            weight: Weight::UnlessStopped,
            amounts: Amounts {
                cost: None,
                usage: line.usage.0,
                num_turns: line.num_turns.map(json::count),
                duration_ms: line.duration_ms.map(json::count),
            },
        })),
        _ => {}
    }
}

/// How a tool came back: `isError` decides, the reason is the error's message or else the value.
fn returned(line: &Line<'_>) -> Returned {
    if line.is_error != Some(true) {
        return Returned::Ok;
    }
    let Failure { kind, message, words } = &line.error;
    let message = match (words, message.or(line.value)) {
        (Some(words), _) => words.to_string(),
        (None, Some(raw)) => json::beginning(raw, REASON),
        (None, None) => String::new(),
    };
    let reason = match kind.as_deref() {
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
fn problem(line: Line<'_>) -> Problem<'_> {
    let words = line.words.unwrap_or_default();
    let rank = if line.source.as_deref() == Some("cli") { Rank::Summary } else { Rank::Cause };
    Problem { code: classify(None, &words), words, rank }
}

/// Any line; every key but `type` may be missing.
#[derive(Debug, Default)]
struct Line<'a> {
    kind: Option<Words<'a>>,
    subtype: Option<Words<'a>>,
    session_id: Option<Words<'a>>,
    model: Option<Words<'a>>,
    role: Option<Words<'a>>,
    id: Option<Words<'a>>,
    text: Option<Words<'a>>,
    /// Of a call and a result: the message it stands in.
    message_id: Option<Words<'a>>,
    tool_id: Option<Words<'a>>,
    tool_name: Option<Words<'a>>,
    parameters: Input<'a>,
    is_error: Option<bool>,
    value: Option<&'a RawValue>,
    error: Failure<'a>,
    /// Of an `error`.
    source: Option<Words<'a>>,
    words: Option<Words<'a>>,
    /// Of a `completion`.
    final_text: Option<Words<'a>>,
    num_turns: Option<f64>,
    duration_ms: Option<f64>,
    usage: Tokens,
}

impl<'a> Lenient<'a> for Line<'a> {
    fn object<A: MapAccess<'a>>(mut map: A) -> Result<Self, A::Error> {
        let mut line = Self::default();
        while let Some(key) = key(&mut map)? {
            match &*key {
                "type" => line.kind = value(&mut map)?,
                "subtype" => line.subtype = value(&mut map)?,
                "session_id" => line.session_id = value(&mut map)?,
                "model" => line.model = value(&mut map)?,
                "role" => line.role = value(&mut map)?,
                "id" => line.id = value(&mut map)?,
                "text" => line.text = value(&mut map)?,
                "messageId" => line.message_id = value(&mut map)?,
                "toolId" => line.tool_id = value(&mut map)?,
                "toolName" => line.tool_name = value(&mut map)?,
                "parameters" => line.parameters = value(&mut map)?,
                "isError" => line.is_error = value(&mut map)?,
                "value" => line.value = raw(&mut map)?,
                "error" => line.error = value(&mut map)?,
                "source" => line.source = value(&mut map)?,
                "message" => line.words = value(&mut map)?,
                "finalText" => line.final_text = value(&mut map)?,
                "numTurns" => line.num_turns = value(&mut map)?,
                "durationMs" => line.duration_ms = value(&mut map)?,
                "usage" => line.usage = value(&mut map)?,
                _ => skip(&mut map)?,
            }
        }
        Ok(line)
    }
}

/// The `error` of a failed result.
#[derive(Debug, Default)]
struct Failure<'a> {
    kind: Option<Words<'a>>,
    message: Option<&'a RawValue>,
    /// Where it is a string.
    words: Option<Words<'a>>,
}

impl<'a> Lenient<'a> for Failure<'a> {
    fn text(text: Words<'a>) -> Self {
        Self { words: Some(text), ..Self::default() }
    }

    fn object<A: MapAccess<'a>>(mut map: A) -> Result<Self, A::Error> {
        let mut failure = Self::default();
        while let Some(key) = key(&mut map)? {
            match &*key {
                "type" => failure.kind = value(&mut map)?,
                "message" => failure.message = raw(&mut map)?,
                _ => skip(&mut map)?,
            }
        }
        Ok(failure)
    }
}
