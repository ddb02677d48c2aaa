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
        let called = signal_name(code - 128);
        let sentence = if words.trim().is_empty() {
            format!("{name} ended with exit code {code}{called} and said nothing: try it in a terminal")
        } else {
            format!(
                "{name} ended with exit code {code}{called} and no answer: see what it said, then try again"
            )
        };
        quoting(Code::Exited, sentence, words)
    }

    /// The error for a process that was ended by a signal.
    pub fn signal(self, signal: i32, words: &str) -> JobError {
        let name = self.name;
        let called = signal_name(signal);
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

/// The signal's name in brackets, where it has one that people know.
fn signal_name(signal: i32) -> &'static str {
    match signal {
        1 => " (SIGHUP)",
        2 => " (SIGINT)",
        3 => " (SIGQUIT)",
        6 => " (SIGABRT)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        13 => " (SIGPIPE)",
        15 => " (SIGTERM)",
        _ => "",
    }
}

/// What kind of failure an HTTP status and the agent's words mean; [`Code::ApiError`] where nothing else fits.
pub fn classify(status: Option<u64>, words: &str) -> Code {
    let words = words::clip(words, 4096).to_lowercase();
    let says = |any: &[&str]| any.iter().any(|part| words.contains(part));
    if says(&TOO_LONG) {
        return Code::PromptTooLong;
    }
    match status.or_else(|| status_in(&words)) {
        Some(401) => return Code::NotLoggedIn,
        Some(403) if says(&["auth", "token", "api key", "log in", "login"]) => return Code::NotLoggedIn,
        Some(413) => return Code::PromptTooLong,
        Some(429) => return Code::RateLimited,
        Some(529) => return Code::Overloaded,
        _ => {}
    }
    let kinds: [(Code, &[&str]); 6] = [
        (Code::SessionNotFound, &["no conversation found", "session not found"]),
        (Code::NotLoggedIn, &["not logged in", "/login", "invalid api key", "authentication_error"]),
        (Code::Refused, &["content moderation", "usage policy", "safeguards flagged"]),
        (Code::PermissionDenied, &["insufficient permission"]),
        (Code::Overloaded, &["overloaded"]),
        (Code::RateLimited, &["rate_limit", "rate limit", "limit reached", "hit your limit"]),
    ];
    kinds.into_iter().find(|(_, parts)| says(parts)).map_or(Code::ApiError, |(code, _)| code)
}

const TOO_LONG: [&str; 6] = [
    "prompt is too long",
    "input is too long",
    "request_too_large",
    "exceed context limit",
    "context_length_exceeded",
    "maximum context length",
];

/// The HTTP status in an error's words: at their beginning, or after `API Error:`.
fn status_in(words: &str) -> Option<u64> {
    let status = words.find("api error: ").map_or(words, |at| &words[at + "api error: ".len()..]);
    let digits = status.get(..3)?;
    let ends = !status[3..].starts_with(|next: char| next.is_ascii_alphanumeric());
    digits.parse().ok().filter(|status| ends && (400..600).contains(status))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLAUDE: Speaker = Speaker { name: "claude", login: "`/login`" };

    #[test]
    fn failures_are_told_apart() {
        let cases = [
            (Some(401), "Invalid API key · Fix external API key", Code::NotLoggedIn),
            (Some(403), "Failed to authenticate. API Error: 403 no access", Code::NotLoggedIn),
            (Some(403), "the region is not supported", Code::ApiError),
            (Some(413), "Request too large (max 32MB).", Code::PromptTooLong),
            (Some(429), "Request rejected (429)", Code::RateLimited),
            (Some(529), "Overloaded", Code::Overloaded),
            (Some(500), "Internal server error", Code::ApiError),
            (Some(400), "Prompt is too long · the request is ~250000 tokens", Code::PromptTooLong),
            (None, "Not logged in · Please run /login", Code::NotLoggedIn),
            (None, "OAuth token has expired · Please run /login", Code::NotLoggedIn),
            (None, "API Error: 401 whatever", Code::NotLoggedIn),
            (None, "API Error: 5290 lines", Code::ApiError),
            (None, "529 {\"type\":\"error\"}", Code::Overloaded),
            (None, "Claude AI usage limit reached|1700000000", Code::RateLimited),
            (None, "No conversation found with session ID: x", Code::SessionNotFound),
            (None, "claude's response exceeded the 128000 output token maximum", Code::ApiError),
            (None, "triggering the model provider's content moderation policy", Code::Refused),
            (None, "Exec ended early: insufficient permission to proceed.", Code::PermissionDenied),
            (None, "ä", Code::ApiError),
            (None, "", Code::ApiError),
        ];
        for (status, words, expected) in cases {
            assert_eq!(classify(status, words), expected, "{status:?} {words}");
        }
    }

    #[test]
    fn a_message_says_what_happened_what_to_do_and_what_the_agent_said() {
        assert_eq!(
            CLAUDE.error(Code::NotLoggedIn, "Not logged in\n\x1b[1m· Please run /login").message,
            "claude has no valid login: log in with `/login`, then try again; it said: Not logged in [1m· Please \
             run /login"
        );
        assert_eq!(
            CLAUDE.timeout(Duration::from_secs(300), "").message,
            "timeout: claude gave no answer within 300 s and was stopped: raise the option `timeout`, or ask for less"
        );
        assert!(CLAUDE.signal(9, "").message.contains("signal 9 (SIGKILL)"));
        assert!(CLAUDE.signal(64, "").message.contains("signal 64 before"));
        assert!(CLAUDE.exit_code(2, "usage: …").message.ends_with("it said: usage: …"));
    }

    #[test]
    fn a_quotation_is_bounded_and_keeps_its_end() {
        let message = CLAUDE.exit_code(1, &format!("{}the end", "x".repeat(1 << 20))).message;
        assert!(message.ends_with("the end") && message.len() < 11_000);
    }
}
