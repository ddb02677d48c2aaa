//! One turn: what an agent says between the prompt and its result, and which of its texts is the answer.
//!
//! A new tool call makes the text before it a comment. Where chunks have the ids of their messages, the last message is
//! the answer, and a chunk without an id is a notice. Where they have none, text after another request of the agent to
//! its model may or may not continue the text before it: then both are kept, and the answer is held.

use std::borrow::Cow;
use std::collections::HashSet;

use super::failure;
use super::wire::{AcpReply, SessionUpdate, session_failure, tokens};
use crate::agent::Recipe;
use crate::error::Code;
use crate::stream::event::{
    Argument, Caller, Certainty, Detail, Event, FinishVerdict, Piece, Problem, ReportedAmounts, Retry,
    Returned, Text, ToolCalled,
};
use crate::stream::failure::classify;
use crate::stream::{Amounts, OnEvent, Usage, UsageScopes, one_line};

/// How Copilot begins what it says of its own, and the text with which a turn ends that failed.
const NOTICES: [&str; 2] = ["Info: ", "Warning: "];
const ERROR: &str = "Error: ";
/// What pi-acp says of a request that failed and is sent again, and of the end of that, whatever came of it.
const RETRYING: &str = "Retrying (attempt ";
const RETRIED: &str = "Retry finished, resuming.";
/// The most that is shown of a step or a mode, in bytes.
const ACTIVITY: usize = 200;
/// The most of a text that is looked at for what it means, in bytes.
const QUOTED: usize = 2000;

/// See the module.
#[derive(Debug, Clone, Default)]
pub struct Turn {
    /// Any of its chunks had the id of its message.
    has_ids: bool,
    /// The message that is being said.
    message: Option<String>,
    /// The beginning of the text since the last tool call or message.
    text: String,
    /// The beginning of the last chunk of it.
    chunk: String,
    /// The half of a character with which that ended.
    half: Vec<u8>,
    /// A request to the model has ended since that text.
    request_ended: bool,
    /// The beginning of the texts since the last message that are none of one.
    notice: String,
    /// The agent has told any amounts.
    has_amounts: bool,
    calls: HashSet<String>,
    /// The call that was refused last.
    refused: Option<String>,
    model: Option<String>,
    /// Summed over its requests to the model, if each reports its own.
    usage: Option<Usage>,
    cost: Option<f64>,
}

impl Turn {
    /// Takes one update of it.
    pub fn update(&mut self, update: &SessionUpdate<'_>, talks: &Recipe, each: OnEvent<'_>) {
        let meta = update.get("_meta");
        if let Some(model) = meta.get("_claude/model").text() {
            self.model = Some(model.into_owned());
        }
        match &*update.kind() {
            "agent_message_chunk" => self.chunk(update, talks, each),
            "agent_thought_chunk" => {
                if let Some(text) = update.text(&mut Vec::new()) {
                    each(Event::Thinking { piece: Piece::Part, text });
                }
            }
            "tool_call" | "tool_call_update" => self.call(update, each),
            "usage_update" => {
                self.request_ended = true;
                self.has_amounts = true;
                self.cost = update.cost().or(self.cost);
            }
            "plan" => activity(&update.step().unwrap_or_default(), each),
            "current_mode_update" => {
                if let Some(mode) = update.get("currentModeId").text() {
                    activity(&format!("mode {mode}"), each);
                }
            }
            "session_info_update" => {
                let failure = session_failure(meta);
                if let Some(retry) = failure.and_then(|(category, title)| retry(&category, &title)) {
                    each(Event::Retry(retry));
                }
            }
            _ => {}
        }
    }

    /// A permission for this call was refused.
    pub fn refused(&mut self, call: &SessionUpdate<'_>, each: OnEvent<'_>) {
        self.refused = Some(one_line::line(&call.get("title").text().unwrap_or_default(), 200));
        self.announce(call, each);
        if let Some(id) = call.call() {
            each(Event::ToolDenied { id, reason: "it may only read".to_owned() });
        }
    }

    /// The model that answers, if the agent reports it.
    pub fn model(&self) -> Option<Text<'static>> {
        self.model.clone().map(Cow::Owned)
    }

    fn chunk(&mut self, update: &SessionUpdate<'_>, talks: &Recipe, each: OnEvent<'_>) {
        // Qwen: of one request to the model, on an empty chunk.
        if let Some(tokens) = tokens(update.get("_meta").get("usage")) {
            self.usage = Some(self.usage.unwrap_or_default().plus(tokens));
            self.request_ended = true;
        }
        let Some(text) = update.text(&mut self.half) else {
            // What is no text cannot land, and may have been a part of the answer.
            if update.is_other_content() {
                each(Event::Seam);
            }
            return;
        };
        match update.message().as_deref() {
            Some(id) => {
                if self.message.as_deref() != Some(id) {
                    self.message = Some(id.to_owned());
                    self.text.clear();
                    each(Event::MessageBegan);
                }
                self.has_ids = true;
                self.notice.clear();
            }
            None if self.has_ids || talks.has_message_ids || self.is_notice(&text, talks) => {
                let room = QUOTED.saturating_sub(self.notice.len());
                self.notice.push_str(one_line::clip(&text, room));
                return;
            }
            None => {
                if self.request_ended && !self.text.trim().is_empty() {
                    each(Event::Seam);
                }
            }
        }
        self.request_ended = false;
        if self.text.trim().is_empty() {
            self.text.clear();
        }
        one_line::clip(&text, QUOTED).clone_into(&mut self.chunk);
        let room = QUOTED.saturating_sub(self.text.len());
        self.text.push_str(one_line::clip(&text, room));
        each(Event::Text { piece: Piece::Part, message: None, text });
    }

    /// Whether a chunk is something that the agent says of its own, of which only the text tells: what begins a message,
    /// since a piece in the middle of an answer may begin with any word.
    fn is_notice(&self, text: &str, talks: &Recipe) -> bool {
        let is_own = if talks.has_notices {
            !text.starts_with(ERROR)
                && (!self.has_amounts || NOTICES.iter().any(|notice| text.starts_with(notice)))
        } else {
            text.trim() == RETRIED || text.starts_with(RETRYING) && text.trim_end().ends_with("...")
        };
        is_own && self.text.trim().is_empty()
    }

    /// Whether an update that came after the result belongs to the turn: a further piece of its last message, or an
    /// amount.
    pub fn is_tail(&self, update: &SessionUpdate<'_>) -> bool {
        match (&*update.kind(), update.message()) {
            ("agent_message_chunk", Some(id)) => {
                self.message.as_deref().map_or(self.text.trim().is_empty(), |own| own == id)
            }
            ("agent_message_chunk", None) => !self.has_ids,
            (kind, _) => kind == "usage_update",
        }
    }

    /// A call begins, goes on or returns; an update of an unknown call begins it.
    fn call(&mut self, update: &SessionUpdate<'_>, each: OnEvent<'_>) {
        let is_new = self.announce(update, each);
        let Some(id) = update.call() else { return };
        let argument = update.argument();
        if !is_new && argument != Argument::None {
            each(Event::ToolDetailed { id: id.clone(), argument });
        }
        let returned = match update.get("status").text().as_deref() {
            Some("completed") => Returned::Ok,
            Some("failed") => Returned::Failed(update.reason()),
            _ => return,
        };
        each(Event::ToolReturned { id: Some(id), returned, output: update.printed() });
    }

    /// Reports a call if it is new; returns whether it was.
    fn announce(&mut self, update: &SessionUpdate<'_>, each: OnEvent<'_>) -> bool {
        let Some(id) = update.call().filter(|id| !id.is_empty()) else { return false };
        if !self.calls.insert(one_line::clip(&id, 256).to_owned()) {
            return false;
        }
        self.text.clear();
        self.half.clear();
        self.request_ended = false;
        let name = update.tool();
        let title = update.get("title").text().filter(|title| *title != name);
        let argument = match (update.argument(), title) {
            (Argument::None, Some(title)) => Argument::Plain(title),
            (argument, _) => argument,
        };
        each(Event::ToolCalled(ToolCalled {
            id: Some(id),
            message: None,
            name,
            argument,
            caller: Caller::Main,
        }));
        true
    }

    /// What the result says of the answer.
    pub fn verdict<'a>(&'a self, reply: &AcpReply<'a>, talks: &Recipe) -> FinishVerdict<'a> {
        if let Some((category, title)) = session_failure(reply.get("_meta")) {
            return failed(failure::of_session(&category, &title), title);
        }
        let is_uncounted = !reply.get("usage").is_object();
        let certainty = match &*reply.get("stopReason").text().unwrap_or_default() {
            "end_turn" if talks.repeats_at_limit => Certainty::UnlessRepeated,
            "end_turn" => Certainty::Certain,
            "max_tokens" => {
                return failed(Code::ApiError, "the answer reached the limit on its length (max_tokens)");
            }
            "max_turn_requests" => return failed(Code::MaxTurns, ""),
            "refusal" => return failed(Code::Refused, ""),
            "cancelled" => return self.without_answer(Code::Exited),
            _ => Certainty::Doubtful,
        };
        if talks.has_notices
            && is_uncounted
            && let Some(words) = self.chunk.strip_prefix(ERROR)
        {
            return failed(classify(None, words), words);
        }
        // What is said outside of messages when there are no amounts is why there are none.
        if talks.has_message_ids && is_uncounted && !self.notice.trim().is_empty() {
            return failed(classify(None, &self.notice), &self.notice);
        }
        if !self.text.trim().is_empty() {
            return FinishVerdict::LastMessage(certainty);
        }
        if self.notice.starts_with(RETRYING) {
            return failed(Code::ApiError, &self.notice);
        }
        self.without_answer(Code::EmptyAnswer)
    }

    /// There is no answer: because something was refused, or for `code`.
    fn without_answer(&self, code: Code) -> FinishVerdict<'_> {
        match &self.refused {
            Some(call) => failed(Code::PermissionDenied, call),
            None => failed(code, ""),
        }
    }

    /// What it cost, by the agent's own way of counting. An agent's session is that of one job, so a session's amounts
    /// are this turn's where a fork begins with none.
    pub fn amounts(&self, reply: Option<&AcpReply<'_>>, talks: &Recipe) -> ReportedAmounts {
        let usage = reply.and_then(AcpReply::tokens).or(self.usage).unwrap_or_default();
        ReportedAmounts {
            amounts: Amounts { usage, ..Amounts::default() },
            total_cost_usd: self.cost,
            scopes: UsageScopes { usage: talks.tokens, ..UsageScopes::default() },
        }
    }
}

fn failed<'a>(code: Code, words: impl Into<Text<'a>>) -> FinishVerdict<'a> {
    FinishVerdict::Failed(Problem { code, words: words.into(), rank: Detail::Cause })
}

fn activity(words: &str, each: OnEvent<'_>) {
    let words = one_line::line(words, ACTIVITY);
    if !words.is_empty() {
        each(Event::Activity(words));
    }
}

/// `Retrying Claude, attempt 1 of 3.`
fn retry(category: &str, title: &str) -> Option<Retry> {
    let (_, counts) = title.split_once("attempt ")?;
    let (attempt, max) = counts.split_once(" of ")?;
    let (reason, code) = match classify(None, title) {
        Code::ApiError if category == "limit" => ("rate limited", Code::RateLimited),
        code => ("error", code),
    };
    Some(Retry {
        attempt: attempt.trim().parse().ok()?,
        max: max.trim_matches(['.', ' ']).parse().ok()?,
        delay_ms: 0,
        reason: reason.to_owned(),
        code,
    })
}
