//! The meaning of agents' failures: by the request that failed, by JSON-RPC's codes, and by each agent's own words.

use std::borrow::Cow;

use crate::agent::json::{Json, Object};
use crate::error::Code;
use crate::stream::failure::classify;

/// A request of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AcpRequest {
    Initialize,
    Session,
    Fork,
    /// The session's mode is to be this.
    Mode(String),
    /// The session is to have a title.
    Title,
    /// The session's model is to be this.
    Model(String),
    Prompt,
}

/// What an error in a response comes to: a code, and the agent's words. `logins` says how the user can log in.
pub fn of_error<'a>(asked: &AcpRequest, error: &Object<'a>, logins: &str) -> (Code, Cow<'a, str>) {
    let words = error_words(error);
    let code = code_of(asked, error, &words);
    let words = match (asked, code) {
        (_, Code::NotLoggedIn) if !logins.is_empty() => {
            // What the agent says of logging in is part of its own words.
            let words = words.trim_end_matches(['.', ' ']);
            Cow::Owned(if words.is_empty() { logins.to_owned() } else { format!("{words}: {logins}") })
        }
        (AcpRequest::Mode(mode), _) => Cow::Owned(format!("it does not take the mode `{mode}`: {words}")),
        (AcpRequest::Model(model), Code::ApiError) => {
            Cow::Owned(format!("it does not take the model `{model}`: {words}"))
        }
        _ => words,
    };
    (code, words)
}

fn code_of(asked: &AcpRequest, error: &Object<'_>, words: &str) -> Code {
    let says = |part: &str| words.to_lowercase().contains(part);
    let number: i64 = error.get("code").number().unwrap_or_default();
    // Claude's and OpenCode's.
    let [kind, name] = ["errorKind", "errorName"].map(|key| error.get("data").get(key).text());
    match (number, kind.as_deref(), name.as_deref()) {
        (-32000, ..) => return Code::NotLoggedIn,
        (1001, ..) => return Code::Exited,
        (_, Some("rate_limit"), _) => return Code::RateLimited,
        (_, Some("max_output_tokens"), _) => return Code::ApiError,
        (_, _, Some("ContextOverflowError")) => return Code::PromptTooLong,
        (-32603, ..) if says("maximum number of turns") => return Code::MaxTurns,
        _ => {}
    }
    if *asked == AcpRequest::Fork {
        match number {
            -32601 => return Code::BadRequest,
            -32002 | -32602 => return Code::SessionNotFound,
            -32603 if says("no rollout found") || says("service failure") => return Code::SessionNotFound,
            _ => {}
        }
    }
    // Gemini puts the HTTP status where JSON-RPC has its codes.
    classify(u64::try_from(number).ok().filter(|code| (400..600).contains(code)), words)
}

/// The agent's own words: its message, or the details beside it, where these alone tell what failed or say more.
fn error_words<'a>(error: &Object<'a>) -> Cow<'a, str> {
    let message = error.get("message").text().unwrap_or_default();
    let message = message.strip_prefix("Internal error: ").unwrap_or(&message);
    let is_empty = message.trim().is_empty() || message == "Internal error";
    let is_known = |words: &str| classify(None, words) != Code::ApiError;
    let data = error.get("data");
    // Droid's are the words alone, Qwen's are its details.
    let details = [data, data.get("details"), data.get("message")].into_iter().find_map(Json::text);
    match details {
        Some(details)
            if is_empty || is_known(&details) || !is_known(message) && details.len() > message.len() =>
        {
            details
        }
        _ => Cow::Owned(message.to_owned()),
    }
}

/// What a failure comes to that is reported apart from the text.
pub fn of_session(category: &str, title: &str) -> Code {
    match classify(None, title) {
        // The category says only that some limit was met: of a plan, or of the answer's length.
        Code::ApiError if category == "limit" && !title.contains("token maximum") => Code::RateLimited,
        code => code,
    }
}
