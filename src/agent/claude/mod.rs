//! Claude Code: `claude -p` with streams of JSON in and out.
//!
//! Seen with 2.1.330, and kept open for what older and newer versions print: unknown lines say nothing.
//! Whether a run failed is `is_error` alone; `subtype` says `success` for most failures too.

#[cfg(test)]
mod tests;
mod wire;

use std::borrow::Cow;

use super::json::{self, Raw};
use super::one_way::OneWay;
use super::{About, Dialect, Invocation, Isolation, OpenCommand, Opening, PrewarmSupport, ResumeSupport};
use crate::error::Code;
use crate::stream::UsageScopes;
use crate::stream::event::{
    Authority, Caller, Cost, Detail, Event, FinishLine, FinishVerdict, Piece, Problem, ReportedAmounts,
    Retry, Returned, Text, ToolCalled,
};
use crate::stream::failure::{AgentLabel, classify};
use crate::stream::{Decoder, LineStatus, OnEvent};
use wire::{ApiEvent, ApiMessage, ClaudeLine, ContentBlock, Delta};

/// The most of a failed result's text that is looked at, in bytes.
const REASON: usize = 2000;
/// The model that the CLI names for messages which it wrote itself.
const SYNTHETIC: &str = "<synthetic>";

/// What the CLI says in the user's name when it was interrupted.
const INTERRUPTION: &str = "[Request interrupted by user";

/// The row for [`super::Protocol::Claude`].
pub const DIALECT: Dialect = Dialect {
    name: "claude",
    block_separator: "",
    decoder,
    arguments,
    label: AgentLabel { name: "claude", login: "`claude` in a terminal and its command `/login`" },
    about: About {
        keeps: "it has the tools of the option `tools` and no others",
        open: Some(OpenCommand { program: None, flag: "--resume" }),
        login_variables: &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
        login_file: Some("~/.claude/.credentials.json"),
    },
    isolation: Isolation::Arguments,
    resume: ResumeSupport::Checkpoints,
    prewarm: PrewarmSupport::Waits,
};

fn decoder(opening: &Opening) -> Decoder {
    OneWay::decoder(&DIALECT, opening, read, input)
}

fn arguments(invocation: &Invocation<'_>) -> Vec<String> {
    let mut flags: Vec<String> = [
        "-p",
        "--verbose",
        "--output-format",
        "stream-json",
        "--input-format",
        "stream-json",
        "--replay-user-messages",
        "--include-partial-messages",
        "--strict-mcp-config",
        // The user's own may be one that lets it read everything, and as root ends it.
        "--permission-mode",
        "default",
    ]
    .map(str::to_owned)
    .into();
    if !invocation.trust_project {
        flags.extend(["--setting-sources", "user"].map(str::to_owned));
    }
    if let Some(model) = &invocation.command.model {
        flags.extend(["--model".to_owned(), model.clone()]);
    }
    if let Some(turns) = invocation.max_turns {
        flags.extend(["--max-turns".to_owned(), turns.to_string()]);
    }
    if let Some(cost) = invocation.max_cost_usd {
        flags.extend(["--max-budget-usd".to_owned(), cost.to_string()]);
    }
    if let Some(resume) = invocation.resume {
        flags.extend(["--resume".to_owned(), resume.session_id.clone(), "--fork-session".to_owned()]);
        if let Some(at) = &resume.at {
            flags.extend(["--resume-session-at".to_owned(), at.clone()]);
        }
    }
    flags.extend(["--tools".to_owned(), invocation.tools.join(",")]);
    flags.extend(["--append-system-prompt".to_owned(), invocation.system.to_owned()]);
    flags
}

fn input(_system: &str, message: &str) -> Vec<u8> {
    let message = serde_json::json!({
        "type": "user",
        "message": { "role": "user", "content": [{ "type": "text", "text": message }] },
    });
    format!("{message}\n").into_bytes()
}

fn read(line: &[u8], each: OnEvent<'_>) -> LineStatus {
    match json::line::<ClaudeLine<'_>>(line) {
        Ok(line) => line_events(line, each),
        Err(reading) => return reading,
    }
    LineStatus::Parsed
}

fn line_events<'a>(line: ClaudeLine<'a>, each: &mut dyn FnMut(Event<'a>)) {
    let caller = if line.parent_tool_use_id.is_some() { Caller::Sub } else { Caller::Main };
    match line.kind.as_deref().unwrap_or_default() {
        "stream_event" if caller == Caller::Main => {
            if line.abandoned_blocks.is_some() {
                each(Event::MessageInterrupted);
            }
            api_event(line.event, Piece::Preview, each);
        }
        "assistant" => assistant(line, caller, each),
        "user" => user(line, caller, each),
        "tool_result" => tool_result(line.tool_use_id, line.is_error, line.content, each),
        "system" => system(line, each),
        "result" => result(line, each),
        _ if caller == Caller::Main => {
            api_event(ApiEvent { kind: line.kind, delta: line.delta }, Piece::Part, each);
        }
        _ => {}
    }
}

/// An event of the Messages API: wrapped, where whole messages follow, or as a line of its own, where they may
/// not.
fn api_event<'a>(event: ApiEvent<'a>, piece: Piece, each: &mut dyn FnMut(Event<'a>)) {
    match event.kind.as_deref().unwrap_or_default() {
        "content_block_delta" => {
            let Delta { kind, text, thinking, .. } = event.delta;
            match (kind.as_deref(), text, thinking) {
                (Some("text_delta") | None, Some(text), _) => {
                    each(Event::Text { piece, message: None, text });
                }
                (Some("thinking_delta") | None, _, Some(text)) => each(Event::Thinking { piece, text }),
                _ => {}
            }
        }
        "message_start" => each(Event::MessageBegan),
        "message_delta" if is_interrupted(event.delta.stop_reason.as_deref()) => {
            each(Event::MessageInterrupted);
        }
        "message_stop" => each(Event::MessageEnded),
        _ => {}
    }
}

/// Whether a message stopped for a reason that makes it no answer: only one that ended by itself is one.
fn is_interrupted(stop_reason: Option<&str>) -> bool {
    matches!(
        stop_reason,
        Some("tool_use" | "max_tokens" | "pause_turn" | "refusal" | "model_context_window_exceeded")
    )
}

fn assistant<'a>(line: ClaudeLine<'a>, caller: Caller, each: &mut dyn FnMut(Event<'a>)) {
    let ClaudeLine { message, session_id, is_api_error_message, api_error_status, aborted, .. } = line;
    let ApiMessage { id, model, content, stop_reason, .. } = message;
    let synthetic = model.as_deref() == Some(SYNTHETIC);
    let content = content.0;
    let text = joined(&content);
    if is_api_error_message == Some(true) || synthetic {
        let words = text.unwrap_or_default();
        each(Event::StandIn { text: words.clone() });
        if is_api_error_message == Some(true) {
            let code = classify(api_error_status, &words);
            each(Event::Problem(Problem { code, words, rank: Detail::Cause }));
        }
        return;
    }
    if caller == Caller::Main {
        if session_id.is_some() || model.is_some() {
            each(Event::Session { id: session_id, model });
        }
        for thinking in content.iter().filter_map(|block| block.thinking.clone()) {
            each(Event::Thinking { piece: Piece::Whole, text: thinking });
        }
        if let Some(text) = text {
            each(Event::Text { piece: Piece::Whole, message: id.clone(), text });
        }
        if aborted == Some(true) || is_interrupted(stop_reason.as_deref()) {
            each(Event::MessageInterrupted);
        }
    }
    for block in content.into_iter().filter(|block| block.is_kind_of("tool_use")) {
        // Those that the service runs, as a search, are between the blocks of one answer.
        let caller = if block.is_kind("tool_use") { caller } else { Caller::Service };
        let ContentBlock { id: call, name, argument, .. } = block;
        each(Event::ToolCalled(ToolCalled {
            id: call,
            message: id.clone(),
            name: name.unwrap_or_else(|| "tool".into()),
            argument,
            caller,
        }));
    }
}

/// The text blocks of one line, which belong to one message.
fn joined<'a>(content: &[ContentBlock<'a>]) -> Option<Text<'a>> {
    let mut texts =
        content.iter().filter(|block| block.is_kind_of("text")).filter_map(|block| block.text.as_ref());
    let first = texts.next()?.clone();
    Some(texts.fold(first, |all, next| Cow::Owned(all.into_owned() + next)))
}

fn user<'a>(line: ClaudeLine<'a>, caller: Caller, each: &mut dyn FnMut(Event<'a>)) {
    let mut has_result = false;
    let mut said: Option<Text<'a>> = None;
    for block in line.message.content.0 {
        if block.is_kind_of("tool_result") {
            has_result = true;
            tool_result(block.tool_use_id, block.is_error, block.content, each);
        } else if let Some(text) = block.text.filter(|text| !text.starts_with(INTERRUPTION)) {
            said = Some(match said {
                Some(before) => Cow::Owned(before.into_owned() + "\n" + &text),
                None => text,
            });
        }
    }
    let is_own = caller == Caller::Main && line.is_synthetic != Some(true) && !has_result;
    let Some(text) = said.filter(|_| is_own) else { return };
    if let Some(id) = line.uuid.filter(|id| !id.is_empty()) {
        each(Event::Asked { text });
        each(Event::Checkpoint { id });
    }
}

fn tool_result<'a>(
    id: Option<Text<'a>>,
    is_error: Option<bool>,
    content: Option<Raw<'a>>,
    each: &mut dyn FnMut(Event<'a>),
) {
    let output = content.map(Raw::output).unwrap_or_default();
    let returned = if is_error == Some(true) {
        Returned::Failed(content.map(reason).unwrap_or_default())
    } else {
        Returned::Ok
    };
    each(Event::ToolReturned { id, returned, output });
}

/// The text of a failed result, without the tags that the CLI puts around some.
fn reason(content: Raw<'_>) -> String {
    let text = content.beginning(REASON);
    let text = text.trim().strip_prefix("<tool_use_error>").unwrap_or(&text);
    text.strip_suffix("</tool_use_error>").unwrap_or(text).to_owned()
}

fn system<'a>(line: ClaudeLine<'a>, each: &mut dyn FnMut(Event<'a>)) {
    match line.subtype.as_deref().unwrap_or_default() {
        "init" => each(Event::Session { id: line.session_id, model: line.model }),
        "api_retry" => each(Event::Retry(Retry {
            reason: retry_reason(line.error_status, line.error.as_deref()),
            code: classify(line.error_status, line.error.as_deref().unwrap_or_default()),
            attempt: line.attempt.unwrap_or_default(),
            max: line.max_retries.unwrap_or_default(),
            delay_ms: line.retry_delay_ms.unwrap_or_default(),
        })),
        "permission_denied" => {
            if let Some(id) = line.tool_use_id {
                each(Event::ToolDenied {
                    id,
                    reason: line.message.words.map(Cow::into_owned).unwrap_or_default(),
                });
            }
        }
        _ => {}
    }
}

fn retry_reason(status: Option<u64>, error: Option<&str>) -> String {
    match (classify(status, error.unwrap_or_default()), error) {
        (Code::Overloaded, _) => "overloaded".to_owned(),
        (Code::RateLimited, _) => "rate limited".to_owned(),
        (_, Some(error)) => crate::stream::words::line(&error.replace('_', " "), 60),
        (_, None) => status.map_or("no answer".to_owned(), |status| format!("HTTP {status}")),
    }
}

fn result<'a>(line: ClaudeLine<'a>, each: &mut dyn FnMut(Event<'a>)) {
    let amounts = ReportedAmounts {
        cost: Cost { since_last: line.usage_since.map(|since| since.cost), total: line.total_cost_usd },
        usage: line.usage_since.map_or(line.usage, |since| since.usage),
        num_turns: line.num_turns,
        duration_ms: line.duration_ms,
        scopes: UsageScopes::default(),
    };
    if line.session_id.is_some() {
        each(Event::Session { id: line.session_id.clone(), model: None });
    }
    for id in line.permission_denials.iter().filter_map(|denial| denial.tool_use_id.clone()) {
        each(Event::ToolDenied { id, reason: String::new() });
    }
    each(Event::Finished(FinishLine { verdict: verdict(line), authority: Authority::Final, amounts }));
}

fn verdict(line: ClaudeLine<'_>) -> FinishVerdict<'_> {
    if line.origin.as_deref().is_some_and(|origin| origin != "human") {
        return FinishVerdict::OtherTurn;
    }
    let subtype = line.subtype.as_deref().unwrap_or_default();
    let is_error = match line.is_error {
        // Versions that leave `is_error` false at a limit print no `result` key with it.
        Some(false) => line.result.is_none() && subtype.starts_with("error"),
        Some(true) => true,
        None => subtype.starts_with("error"),
    };
    if !is_error {
        let (code, words) = match line.stop_reason.as_deref() {
            Some("max_tokens") => {
                (Code::ApiError, "the answer reached the limit on its length (max_tokens)".into())
            }
            Some("model_context_window_exceeded") => {
                (Code::PromptTooLong, "the context window is full".into())
            }
            Some("refusal") => (Code::Refused, line.result.unwrap_or_default()),
            _ => return FinishVerdict::Answer(line.result.unwrap_or_default()),
        };
        return FinishVerdict::Failed(Problem { code, words, rank: Detail::Cause });
    }
    let terminal = line.terminal_reason.as_deref().unwrap_or_default();
    let words = match line.result {
        Some(text) if !text.trim().is_empty() => text,
        _ => line.errors.join("; ").into(),
    };
    let code = match (subtype, terminal, line.stop_reason.as_deref()) {
        ("error_max_turns", ..) | (_, "max_turns", _) => Code::MaxTurns,
        ("error_max_budget_usd", ..) | (_, "budget_exhausted", _) => Code::Budget,
        (_, "prompt_too_long", _) => Code::PromptTooLong,
        (_, "aborted_streaming" | "aborted_tools", _) => Code::Exited,
        (.., Some("refusal")) => Code::Refused,
        _ => classify(line.api_error_status, &words),
    };
    FinishVerdict::Failed(Problem { code, words, rank: Detail::Cause })
}
