//! Failures in sentences: what happened, what to do, and the agent's own words.

use std::time::Duration;

use super::answer::MAX_ANSWER;
use super::words;
use crate::error::{Code, JobError};

/// The longest quotation, in characters; as long as the end of standard error output that is kept.
const QUOTED: usize = 10_000;

/// What a message has to know of the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgentLabel {
    /// Its name at the beginning of a sentence.
    pub name: &'static str,
    /// How to log in: goes on from "log in with".
    pub login: &'static str,
}

impl AgentLabel {
    /// The error for a failure that the agent reported, quoting its words.
    pub fn error(self, code: Code, words: &str) -> JobError {
        let Self { name, login } = self;
        let log_in = format!("log in with {login}, then try again");
        let no_answer = format!("{name} ended without an answer");
        let no_whole_answer = format!("the output of {name} ended without a whole answer");
        let reports = format!("{name} reports an error");
        let no_valid_login = format!("{name} has no valid login");
        let not_permitted = format!("{name} wanted to do what it may not do");
        let no_session = format!("{name} does not know the session to go on with");
        let no_sessions = format!("{name} cannot go on in a session");
        let interrupted = format!("{name} was interrupted before it had answered");
        let (fact, advice) = match code {
            Code::NotLoggedIn => (&*no_valid_login, &*log_in),
            Code::RateLimited => {
                ("the service allows no more requests for now", "try again when the limit ends")
            }
            Code::Overloaded => ("the service is overloaded", "try again in a few minutes"),
            Code::PromptTooLong => (
                "the selection and its context are too long for the model",
                "select less, or lower the option `context.lines`",
            ),
            Code::Refused => ("the model refused to answer", "put the prompt in other words"),
            Code::MaxTurns => (
                "the limit on turns was reached before there was an answer",
                "raise the option `max_turns`, or ask for less",
            ),
            Code::Budget => (
                "the limit on the cost was reached before there was an answer",
                "raise the option `max_cost_usd`, or ask for less",
            ),
            Code::PermissionDenied => {
                (&*not_permitted, "ask for something that needs only reading, or widen the option `tools`")
            }
            Code::SessionNotFound => (&*no_session, "start a new job instead"),
            Code::EmptyAnswer => (&*no_answer, "the text stays as it is; say more exactly what to do"),
            Code::Protocol => {
                (&*no_whole_answer, "the text stays as it is; try again, or look at `:Botglue log`")
            }
            Code::BadRequest => (&*no_sessions, "start a new job instead"),
            Code::Exited => (&*interrupted, "try again"),
            _ => (&*reports, "try again, or look at `:Botglue log`"),
        };
        sentence(code, fact, words, advice)
    }

    /// The error for an answer that is longer than one may be; `transcript` is where the raw stream is kept.
    pub fn too_long(self, transcript: Option<&str>) -> JobError {
        let fact = format!("the answer of {} is longer than {} MB", self.name, MAX_ANSWER >> 20);
        let whole = transcript.map(|path| format!("; its transcript is {path}")).unwrap_or_default();
        JobError::new(Code::Protocol, format!("{fact}; ask for less{whole}"))
    }

    /// The error for a job that took longer than `limit`.
    pub fn timeout(self, limit: Duration, words: &str) -> JobError {
        let fact =
            format!("timeout: {} gave no answer within {} s and was stopped", self.name, limit.as_secs_f64());
        sentence(Code::Timeout, &fact, words, "raise the option `timeout`, or ask for less")
    }

    /// The error for a process that was ended because the host ends.
    pub fn shutdown(self) -> JobError {
        let name = self.name;
        JobError::new(Code::HostLost, format!("{name} was stopped because the host ended; ask again"))
    }

    /// The error for a process that ended with a bad exit code.
    pub fn exit_code(self, code: i32, words: &str) -> JobError {
        let (said_nothing, advice) = if words.trim().is_empty() {
            (" and said nothing", "try it in a terminal")
        } else {
            ("", "try again, or look at `:Botglue log`")
        };
        // By convention of shells, a code above 128 stands for the signal that ended it.
        let called = signal_name(code.saturating_sub(128));
        let fact = format!("{} exited with code {code}{called}{said_nothing}", self.name);
        sentence(Code::Exited, &fact, words, advice)
    }

    /// The error for a process that should have gone on in a session, and ended badly without a word: that is how
    /// Droid says that there is none.
    pub fn silent_about_session(self, code: i32) -> JobError {
        let fact = format!(
            "{} exited with code {code} and said nothing, as it does where it does not know the session to go on with",
            self.name
        );
        sentence(Code::SessionNotFound, &fact, "", "start a new job instead")
    }

    /// The error for a process that was ended by a signal.
    pub fn signal(self, signal: i32, words: &str) -> JobError {
        let called = signal_name(signal);
        let fact = format!("{} was ended by signal {signal}{called} before it had answered", self.name);
        sentence(Code::Exited, &fact, words, "try again")
    }
}

/// What happened, in the agent's own words where there are any, then what to do: where a line is cut, the
/// advice is what can be spared.
fn sentence(code: Code, fact: &str, words: &str, advice: &str) -> JobError {
    let quotation = words::last_line(words, QUOTED);
    let quotation = quotation.trim_end_matches(['.', ' ']);
    if quotation.is_empty() {
        return JobError::new(code, format!("{fact}; {advice}"));
    }
    JobError::new(code, format!("{fact}: {quotation}; {advice}"))
}

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
        (Code::SessionNotFound, &["no conversation found", "session not found", "no message found with"]),
        (Code::NotLoggedIn, &["not logged in", "/login", "invalid api key", "authentication_error"]),
        (Code::Refused, &["content moderation", "usage policy", "safeguards flagged"]),
        (Code::PermissionDenied, &["insufficient permission"]),
        (Code::Overloaded, &["overloaded"]),
        (Code::RateLimited, &["rate_limit", "rate limit", "limit reached", "hit your limit"]),
    ];
    kinds.into_iter().find(|(_, parts)| says(parts)).map_or(Code::ApiError, |(code, _)| code)
}

const TOO_LONG: [&str; 7] = [
    "prompt is too long",
    "prompt as too long",
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

    const CLAUDE: AgentLabel = AgentLabel { name: "claude", login: "`/login`" };

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
            (None, "No message found with message.uuid of: x", Code::SessionNotFound),
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
    fn a_message_says_what_happened_what_the_agent_said_and_what_to_do() {
        assert_eq!(
            CLAUDE.error(Code::NotLoggedIn, "Not logged in\n\x1b[1m· Please run /login").message,
            "claude has no valid login: Not logged in [1m· Please run /login; log in with `/login`, then try again"
        );
        assert_eq!(
            CLAUDE.timeout(Duration::from_secs(300), "").message,
            "timeout: claude gave no answer within 300 s and was stopped; raise the option `timeout`, or ask for less"
        );
        assert!(CLAUDE.signal(9, "").message.contains("signal 9 (SIGKILL)"));
        assert!(CLAUDE.signal(64, "").message.contains("signal 64 before"));
        assert!(CLAUDE.exit_code(2, "usage: …").message.contains("code 2: usage: …; "));
    }

    #[test]
    fn a_quotation_is_bounded_and_keeps_its_end() {
        let message = CLAUDE.exit_code(1, &format!("{}the end", "x".repeat(1 << 20))).message;
        assert!(message.contains("the end; ") && message.len() < 11_000);
    }
}
