//! Claude Code: `claude -p` with streams of JSON in and out.
//!
//! Seen with 2.1.330, and kept open for what older and newer versions print: unknown lines say nothing.
//! Whether a run failed is `is_error` alone; `subtype` says `success` for most failures too.

#[cfg(test)]
mod tests;

use super::json::{self, Json, Object};
use super::one_way::OneWay;
use super::values::{REASON, argument, usage};
use super::{Invocation, Isolation, Protocol, Recipe, ResumeSupport, text};
use crate::error::Code;
use crate::limit_end::LimitEnd;
use crate::stream::event::{
    Authority, Caller, Detail, Event, FinishLine, FinishVerdict, Output, Piece, Problem, ReportedAmounts,
    Retry, Returned, Text, ToolCalled,
};
use crate::stream::failure::{AgentLabel, classify};
use crate::stream::{Amounts, LineStatus, OnEvent, Usage, UsageScopes};

/// The model that the CLI names for messages which it wrote itself.
const SYNTHETIC: &str = "<synthetic>";

/// What the CLI says in the user's name when it was interrupted.
const INTERRUPTION: &str = "[Request interrupted by user";

/// See the module.
pub const RECIPE: Recipe = Recipe {
    name: "claude",
    protocol: Protocol::Claude,
    label: AgentLabel { name: "claude", login: "`claude` in a terminal and its command `/login`" },
    keeps: "it has the tools of the option `tools` and no others",
    isolation: Isolation::Arguments,
    resume: ResumeSupport::Checkpoints,
    open: Some((None, "--resume")),
    login_variables: &["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"],
    login_file: Some("~/.claude/.credentials.json"),
    flags,
    dialogue: |invocation| OneWay::boxed(read, input, invocation),
    block_separator: "",
    waits: true,
    ..text::RECIPE
};

fn flags(invocation: &Invocation) -> Vec<String> {
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
    if !invocation.start.trust_project {
        flags.extend(["--setting-sources", "user"].map(str::to_owned));
    }
    if let Some(model) = &invocation.start.agent.model {
        flags.extend(["--model".to_owned(), model.clone()]);
    }
    if let Some(turns) = invocation.start.max_turns {
        flags.extend(["--max-turns".to_owned(), turns.to_string()]);
    }
    if let Some(cost) = invocation.start.max_cost_usd {
        flags.extend(["--max-budget-usd".to_owned(), cost.to_string()]);
    }
    if let Some(resume) = &invocation.start.resume {
        flags.extend(["--resume".to_owned(), resume.session_id.clone(), "--fork-session".to_owned()]);
        if let Some(at) = &resume.at {
            flags.extend(["--resume-session-at".to_owned(), at.clone()]);
        }
    }
    flags.extend(["--tools".to_owned(), invocation.start.tools.join(",")]);
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
    json::read(line, |line| line_events(&line, each))
}

fn line_events<'a>(line: &Object<'a>, each: &mut dyn FnMut(Event<'a>)) {
    let is_sub = line.get("parent_tool_use_id").text().is_some();
    let caller = if is_sub { Caller::Sub } else { Caller::Main };
    match &*line.get("type").text().unwrap_or_default() {
        "stream_event" if caller == Caller::Main => {
            // Blocks of the message will never be whole.
            if line.get("abandoned_blocks").is_object() {
                each(Event::MessageAbandoned);
            }
            api_event(&line.get("event").object(), Piece::Preview, each);
        }
        "assistant" => assistant(line, caller, each),
        "user" => user(line, caller, each),
        "tool_result" => tool_result(line, each),
        "system" => system(line, each),
        "result" => result(line, each),
        "rate_limit_event" => {
            let info = line.get("rate_limit_info");
            // Beyond the limit of the plan another allowance may count.
            let is_reached = info.get("status").text().as_deref() == Some("rejected")
                && info.get("isUsingOverage").flag() != Some(true);
            let end = info.get("resetsAt").number().filter(|_| is_reached).and_then(LimitEnd::stamp);
            each(Event::Limit(end));
        }
        _ if caller == Caller::Main => api_event(line, Piece::Part, each),
        _ => {}
    }
}

/// An event of the Messages API: wrapped, where whole messages follow, or as a line of its own, where they may
/// not.
fn api_event<'a>(event: &Object<'a>, piece: Piece, each: &mut dyn FnMut(Event<'a>)) {
    let delta = event.get("delta").object();
    match &*event.get("type").text().unwrap_or_default() {
        "content_block_delta" => {
            let (kind, text) = (delta.get("type").text(), delta.get("text").text());
            match (kind.as_deref(), text, delta.get("thinking").text()) {
                (Some("text_delta") | None, Some(text), _) => {
                    each(Event::Text { piece, message: None, text });
                }
                (Some("thinking_delta") | None, _, Some(text)) => each(Event::Thinking { piece, text }),
                _ => {}
            }
        }
        "message_start" => each(Event::MessageBegan),
        "message_delta" if is_interrupted(&delta) => each(Event::MessageInterrupted),
        "message_stop" => each(Event::MessageEnded),
        _ => {}
    }
}

/// Whether a message stopped for a reason that makes it no answer: only one that ended by itself is one.
fn is_interrupted(message: &Object<'_>) -> bool {
    matches!(
        message.get("stop_reason").text().as_deref(),
        Some("tool_use" | "max_tokens" | "pause_turn" | "refusal" | "model_context_window_exceeded")
    )
}

/// Whether a block is of this kind or of one that the API derives from it (`server_tool_use`).
fn is_kind_of(block: &Object<'_>, kind: &str) -> bool {
    let own = block.get("type").text().unwrap_or_default();
    own.strip_suffix(kind).is_some_and(|prefix| prefix.is_empty() || prefix.ends_with('_'))
}

fn assistant<'a>(line: &Object<'a>, caller: Caller, each: &mut dyn FnMut(Event<'a>)) {
    let message = line.get("message").object();
    let (id, model) = (message.get("id").text(), message.get("model").text());
    let content = message.get("content");
    let blocks = content.objects();
    // The text blocks of one line belong to one message; a string stands for one.
    let texts = blocks.iter().filter(|block| is_kind_of(block, "text"));
    let texts: Vec<Text<'_>> =
        content.text().into_iter().chain(texts.filter_map(|block| block.get("text").text())).collect();
    let text = (!texts.is_empty()).then(|| Text::Owned(texts.concat()));
    let is_error = line.get("is_api_error_message").flag() == Some(true);
    if is_error || model.as_deref() == Some(SYNTHETIC) {
        let words = text.unwrap_or_default();
        each(Event::StandIn(words.clone()));
        if is_error {
            let code = classify(line.get("api_error_status").count(), &words);
            each(Event::Problem(Problem { code, words, rank: Detail::Cause }));
        }
        return;
    }
    if caller == Caller::Main {
        let session = line.get("session_id").text();
        if session.is_some() || model.is_some() {
            each(Event::Session { id: session, model });
        }
        for text in blocks.iter().filter_map(|block| block.get("thinking").text()) {
            each(Event::Thinking { piece: Piece::Whole, text });
        }
        if let Some(text) = text {
            each(Event::Text { piece: Piece::Whole, message: id.clone(), text });
        }
        if line.get("aborted").flag() == Some(true) || is_interrupted(&message) {
            each(Event::MessageInterrupted);
        }
    }
    for block in blocks.iter().filter(|block| is_kind_of(block, "tool_use")) {
        // Those that the service runs, as a search, are between the blocks of one answer.
        let is_own = block.get("type").text().as_deref() == Some("tool_use");
        each(Event::ToolCalled(ToolCalled {
            id: block.get("id").text(),
            message: id.clone(),
            name: block.get("name").text().unwrap_or_else(|| "tool".into()),
            argument: argument(block.get("input")),
            caller: if is_own { caller } else { Caller::Service },
        }));
    }
}

fn user<'a>(line: &Object<'a>, caller: Caller, each: &mut dyn FnMut(Event<'a>)) {
    let content = line.get("message").get("content");
    let mut has_result = false;
    let mut said: Vec<Text<'_>> = content.text().into_iter().collect();
    for block in content.objects() {
        if is_kind_of(&block, "tool_result") {
            has_result = true;
            tool_result(&block, each);
        } else {
            said.extend(block.get("text").text());
        }
    }
    said.retain(|text| !text.starts_with(INTERRUPTION));
    let is_own = caller == Caller::Main && line.get("isSynthetic").flag() != Some(true) && !has_result;
    let id = line.get("uuid").text().filter(|id| is_own && !said.is_empty() && !id.is_empty());
    if let Some(id) = id {
        each(Event::Asked(said.join("\n").into()));
        each(Event::Checkpoint(id));
    }
}

fn tool_result<'a>(result: &Object<'a>, each: &mut dyn FnMut(Event<'a>)) {
    let content = result.get("content");
    let returned = match result.get("is_error").flag() {
        Some(true) => Returned::Failed(reason(content)),
        _ => Returned::Ok,
    };
    each(Event::ToolReturned { id: result.get("tool_use_id").text(), returned, output: Output(content.0) });
}

/// The text of a failed result, without the tags that the CLI puts around some.
fn reason(content: Json<'_>) -> String {
    let text = content.words(REASON);
    let text = text.trim().strip_prefix("<tool_use_error>").unwrap_or(&text);
    text.strip_suffix("</tool_use_error>").unwrap_or(text).to_owned()
}

fn system<'a>(line: &Object<'a>, each: &mut dyn FnMut(Event<'a>)) {
    match &*line.get("subtype").text().unwrap_or_default() {
        "init" => each(Event::Session { id: line.get("session_id").text(), model: line.get("model").text() }),
        "api_retry" => {
            // None where there was no answer at all.
            let status = line.get("error_status").count();
            let error = line.get("error").text();
            let count = |key| line.get(key).count().unwrap_or_default();
            each(Event::Retry(Retry {
                reason: retry_reason(status, error.as_deref()),
                code: classify(status, error.as_deref().unwrap_or_default()),
                attempt: count("attempt"),
                max: count("max_retries"),
                delay_ms: count("retry_delay_ms"),
            }));
        }
        "permission_denied" => {
            if let Some(id) = line.get("tool_use_id").text() {
                each(Event::ToolDenied { id, reason: line.get("message").words(REASON) });
            }
        }
        _ => {}
    }
}

fn retry_reason(status: Option<u64>, error: Option<&str>) -> String {
    match (classify(status, error.unwrap_or_default()), error) {
        (Code::Overloaded, _) => "overloaded".to_owned(),
        (Code::RateLimited, _) => "rate limited".to_owned(),
        (_, Some(error)) => crate::stream::one_line::line(&error.replace('_', " "), 60),
        (_, None) => status.map_or("no answer".to_owned(), |status| format!("HTTP {status}")),
    }
}

fn result<'a>(line: &Object<'a>, each: &mut dyn FnMut(Event<'a>)) {
    if let Some(id) = line.get("session_id").text() {
        each(Event::Session { id: Some(id), model: None });
    }
    for denial in line.get("permission_denials").objects() {
        if let Some(id) = denial.get("tool_use_id").text() {
            each(Event::ToolDenied { id, reason: String::new() });
        }
    }
    let (verdict, amounts) = (verdict(line), amounts(line));
    each(Event::Finished(FinishLine { verdict, authority: Authority::Final, amounts }));
}

/// The total runs on from one result to the next, and over a fork; the usage is of this run, mostly, but all zero where
/// a limit ended it. Newer versions report this run's share for each model.
fn amounts(line: &Object<'_>) -> ReportedAmounts {
    let shares = line.get("model_usage_since_last_result");
    let mut amounts = Amounts {
        cost_usd: None,
        usage: usage(&line.get("usage").object()),
        num_turns: line.get("num_turns").count(),
        duration_ms: line.get("duration_ms").count(),
    };
    if shares.is_object() {
        let models: Vec<Object<'_>> = shares.object().entries().map(|(_, model)| model.object()).collect();
        let costs = || models.iter().filter_map(|model| model.get("costUSD").amount());
        amounts.cost_usd = costs().next().map(|_| costs().sum());
        amounts.usage = models.iter().map(usage).fold(Usage::default(), Usage::plus);
    }
    let total_cost_usd = line.get("total_cost_usd").amount();
    ReportedAmounts { amounts, total_cost_usd, scopes: UsageScopes::default() }
}

fn verdict<'a>(line: &Object<'a>) -> FinishVerdict<'a> {
    // Whose turn it ends, where that is not the user's.
    if line.get("origin").get("kind").text().is_some_and(|origin| origin != "human") {
        return FinishVerdict::OtherTurn;
    }
    let [subtype, terminal, stopped] =
        ["subtype", "terminal_reason", "stop_reason"].map(|key| line.get(key).text().unwrap_or_default());
    let answer = line.get("result").text();
    let is_error = match line.get("is_error").flag() {
        // Versions that leave `is_error` false at a limit print no `result` key with it.
        Some(false) => answer.is_none() && subtype.starts_with("error"),
        Some(true) => true,
        None => subtype.starts_with("error"),
    };
    let answer = answer.unwrap_or_default();
    let (code, words) = if is_error {
        let errors = line.get("errors").list().into_iter().filter_map(Json::text).collect::<Vec<_>>();
        let words = if answer.trim().is_empty() { errors.join("; ").into() } else { answer };
        let code = match (&*subtype, &*terminal, &*stopped) {
            ("error_max_turns", ..) | (_, "max_turns", _) => Code::MaxTurns,
            ("error_max_budget_usd", ..) | (_, "budget_exhausted", _) => Code::Budget,
            (_, "prompt_too_long", _) => Code::PromptTooLong,
            (_, "aborted_streaming" | "aborted_tools", _) => Code::Exited,
            (.., "refusal") => Code::Refused,
            _ => classify(line.get("api_error_status").count(), &words),
        };
        (code, words)
    } else {
        match &*stopped {
            "max_tokens" => {
                (Code::ApiError, "the answer reached the limit on its length (max_tokens)".into())
            }
            "model_context_window_exceeded" => (Code::PromptTooLong, "the context window is full".into()),
            "refusal" => (Code::Refused, answer),
            _ => return FinishVerdict::Answer(answer),
        }
    };
    FinishVerdict::Failed(Problem { code, words, rank: Detail::Cause })
}
