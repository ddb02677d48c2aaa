//! Factory's Droid: `droid exec -o stream-json`, read-only.
//!
//! It runs a project's own hooks and MCP servers, and sends its requests where the project's settings say, even
//! for one command; no flag stops that, so an untrusted project is not where it runs.
//! Seen with 0.215.0; streams of 2025 have fewer keys and no `completion`. A line is one whole block of text, one
//! call, one result. A `completion` is success unless the process was stopped: it prints one even then.

#[cfg(test)]
mod tests;

use super::json::{self, Object};
use super::one_way::OneWay;
use super::values::{REASON, argument, usage};
use super::{Invocation, Isolation, Protocol, Recipe, ResumeSupport, text};
use crate::stream::event::{
    Authority, Caller, Detail, Event, FinishLine, FinishVerdict, Output, Piece, Problem, ReportedAmounts,
    Returned, ToolCalled,
};
use crate::stream::failure::{AgentLabel, classify};
use crate::stream::{Amounts, LineStatus, OnEvent, UsageScope, UsageScopes};

/// See the module.
pub const RECIPE: Recipe = Recipe {
    name: "droid",
    protocol: Protocol::Droid,
    label: AgentLabel { name: "droid", login: "`droid` in a terminal, or set `FACTORY_API_KEY`" },
    keeps: "it has the tools of the option `tools` and no others",
    // With hooks, an MCP server and another base URL in `.factory/` of the project, each of them was used.
    isolation: Isolation::Directory,
    resume: ResumeSupport::Sessions,
    open: Some((None, "--resume")),
    login_variables: &["FACTORY_API_KEY"],
    flags,
    dialogue: |invocation| OneWay::boxed(read, input, invocation),
    waits: true,
    ..text::RECIPE
};

fn flags(invocation: &Invocation) -> Vec<String> {
    let mut flags: Vec<String> = ["exec", "-o", "stream-json"].map(str::to_owned).into();
    if let Some(model) = &invocation.start.agent.model {
        flags.extend(["-m".to_owned(), model.clone()]);
    }
    if let Some(resume) = &invocation.start.resume {
        flags.extend(["--fork".to_owned(), resume.session_id.clone()]);
        // Else it goes back to the directory of the session, which may be one that is not trusted any more.
        flags.extend(["--cwd", "."].map(str::to_owned));
    }
    flags.extend(["--only-tools".to_owned(), tools(&invocation.start.tools)]);
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
    json::read(line, |line| line_events(&line, each))
}

/// Every key but `type` may be missing.
fn line_events<'a>(line: &Object<'a>, each: &mut dyn FnMut(Event<'a>)) {
    let [subtype, role] = ["subtype", "role"].map(|key| line.get(key).text().unwrap_or_default());
    let (id, text) = (line.get("id").text(), line.get("text").text());
    match (&*line.get("type").text().unwrap_or_default(), text) {
        ("system", _) if subtype == "init" => {
            each(Event::Session { id: line.get("session_id").text(), model: line.get("model").text() });
        }
        ("message", Some(text)) if role == "assistant" => {
            each(Event::Text { piece: Piece::Whole, message: Some(id.unwrap_or_default()), text });
        }
        ("message", Some(text)) if role == "user" => each(Event::Asked(text)),
        ("reasoning", Some(text)) => each(Event::Thinking { piece: Piece::Whole, text }),
        ("tool_call", _) => each(Event::ToolCalled(ToolCalled {
            id,
            message: Some(line.get("messageId").text().unwrap_or_default()),
            name: ["toolName", "toolId"].iter().find_map(|key| line.get(key).text()).unwrap_or("tool".into()),
            argument: argument(line.get("parameters")),
            caller: Caller::Main,
        })),
        ("tool_result", _) => {
            let output = Output(line.get("value").0);
            each(Event::ToolReturned { id, returned: returned(line), output });
        }
        ("error", _) => each(Event::Problem(problem(line))),
        ("completion", _) => {
            let usage = usage(&line.get("usage").object());
            // The service had not said how many when it broke off.
            if usage.input_tokens > 0 && usage.output_tokens == 0 {
                each(Event::MessageInterrupted);
            }
            each(Event::Finished(FinishLine {
                verdict: FinishVerdict::LastBlock(line.get("finalText").text().unwrap_or_default()),
                authority: Authority::UnlessSignalled,
                amounts: ReportedAmounts {
                    amounts: Amounts {
                        cost_usd: None,
                        usage,
                        num_turns: line.get("numTurns").count(),
                        duration_ms: line.get("durationMs").count(),
                    },
                    total_cost_usd: None,
                    // A session's tokens and turns run on in it. Its fork begins with no tokens, but with all turns.
                    scopes: UsageScopes {
                        cost: UsageScope::Run,
                        usage: UsageScope::Session,
                        num_turns: UsageScope::Lineage,
                    },
                },
            }));
        }
        _ => {}
    }
}

/// How a tool came back: `isError` decides, the reason is the error's message or else the value.
fn returned(line: &Object<'_>) -> Returned {
    if line.get("isError").flag() != Some(true) {
        return Returned::Ok;
    }
    let error = line.get("error");
    let message = [error, line.get("value")].map(|said| said.words(REASON));
    let message = message.into_iter().find(|said| !said.is_empty()).unwrap_or_default();
    let reason = match error.get("type").text().as_deref() {
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
fn problem<'a>(line: &Object<'a>) -> Problem<'a> {
    let words = line.get("message").text().unwrap_or_default();
    let is_summary = line.get("source").text().as_deref() == Some("cli");
    let rank = if is_summary { Detail::Summary } else { Detail::Cause };
    Problem { code: classify(None, &words), words, rank }
}
