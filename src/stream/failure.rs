//! Failures in sentences: what happened, what to do, and the agent's own words.

use std::time::Duration;

use super::words;
use crate::error::{Code, JobError};

/// The longest quotation, in characters; as long as the end of standard error output that is kept.
const QUOTED: usize = 10_000;

/// What a message has to know of the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Speaker {
    /// Its name at the beginning of a sentence.
    pub name: &'static str,
    /// How to log in: goes on from "log in with".
    pub login: &'static str,
}

impl Speaker {
    /// The error for a failure that the agent reported, quoting its words.
    pub fn error(self, code: Code, words: &str) -> JobError {
        let Self { name, login } = self;
        let sentence = match code {
            Code::NotLoggedIn => format!("{name} has no valid login: log in with {login}, then try again"),
            Code::RateLimited => {
                "the service allows no more requests for now: wait for the limit to end, then try again"
                    .to_owned()
            }
            Code::Overloaded => "the service is overloaded: try again in a few minutes".to_owned(),
            Code::PromptTooLong => {
                "the selection and its context are too long for the model: select less, or \
                                    lower the option `context.lines`"
                    .to_owned()
            }
            Code::Refused => "the model refused to answer: put the prompt in other words".to_owned(),
            Code::MaxTurns => "the limit on turns was reached before there was an answer: raise the option \
                               `max_turns`, or ask for less"
                .to_owned(),
            Code::Budget => {
                "the limit on money was reached before there was an answer: raise it, or ask for less"
                    .to_owned()
            }
            Code::PermissionDenied => format!(
                "{name} wanted to do something that it may not do: ask for something that needs only reading, or \
                 widen the option `tools`"
            ),
            Code::SessionNotFound => {
                format!("{name} does not have the session to go on with any more: start a new job instead")
            }
            Code::EmptyAnswer => {
                format!(
                    "{name} ended without an answer, and the text stays as it is: say more exactly what to do"
                )
            }
            Code::Protocol => format!(
                "the output of {name} ended without a whole answer, and the text stays as it is: try again, or \
                 look at `:Botglue transcript`"
            ),
            Code::Exited => format!("{name} was interrupted before it had answered: try again"),
            _ => format!("{name} reports an error: try again, or look at `:Botglue log`"),
        };
        quoting(code, sentence, words)
    }

    /// The error for a job that took longer than `limit`.
    pub fn timeout(self, limit: Duration, words: &str) -> JobError {
        let name = self.name;
        let seconds = limit.as_secs_f64();
        let sentence = format!(
            "timeout: {name} gave no answer within {seconds} s and was stopped: raise the option `timeout`, or ask \
             for less"
        );
        quoting(Code::Timeout, sentence, words)
    }

    /// The error for a process that ended because Neovim did.
    pub fn shutdown(self) -> JobError {
        let name = self.name;
        JobError::new(Code::Exited, format!("{name} was stopped because Neovim ended: ask again"))
    }

    /// The error for a process that ended with a bad exit code.
    pub fn exit_code(self, code: i32, words: &str) -> JobError {
        let name = self.name;
        let sentence =
            format!("{name} ended with exit code {code} and no answer: see what it printed, then try again");
        quoting(Code::Exited, sentence, words)
    }

    /// The error for a process that was ended by a signal.
    pub fn signal(self, signal: i32, words: &str) -> JobError {
        let name = self.name;
        let called = signal_name(signal).map(|called| format!(" ({called})")).unwrap_or_default();
        let sentence =
            format!("{name} was ended by signal {signal}{called} before it had answered: try again");
        quoting(Code::Exited, sentence, words)
    }
}

fn quoting(code: Code, sentence: String, words: &str) -> JobError {
    let quotation = words::last_line(words, QUOTED);
    if quotation.is_empty() {
        return JobError::new(code, sentence);
    }
    JobError::new(code, format!("{sentence}; it said: {quotation}"))
}

fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        6 => "SIGABRT",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        _ => return None,
    })
}

/// What kind of failure an HTTP status and the agent's words mean; [`Code::ApiError`] where nothing else fits.
pub fn classify(status: Option<u64>, words: &str) -> Code {
    let words = words::clip(words, 4096).to_lowercase();
    let says = |needles: &[&str]| needles.iter().any(|needle| words.contains(needle));
    if says(&["prompt is too long", "input is too long", "request_too_large", "context_length_exceeded"]) {
        return Code::PromptTooLong;
    }
    match status {
        Some(401) => return Code::NotLoggedIn,
        Some(403) if says(&["auth", "token", "api key", "log in", "login"]) => return Code::NotLoggedIn,
        Some(413) => return Code::PromptTooLong,
        Some(429) => return Code::RateLimited,
        Some(529) => return Code::Overloaded,
        _ => {}
    }
    if says(&["no conversation found", "session not found"]) {
        return Code::SessionNotFound;
    }
    if says(&["not logged in", "/login", "invalid api key", "invalid x-api-key", "authentication_error"]) {
        return Code::NotLoggedIn;
    }
    if says(&["content moderation", "usage policy", "safeguards flagged"]) {
        return Code::Refused;
    }
    if says(&["insufficient permission"]) {
        return Code::PermissionDenied;
    }
    if says(&["overloaded"]) {
        return Code::Overloaded;
    }
    if says(&["rate_limit", "rate limit", "usage limit reached", "hit your limit"]) {
        return Code::RateLimited;
    }
    Code::ApiError
}
