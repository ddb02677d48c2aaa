//! Failures in sentences: what happened, what to do, and the agent's own words. A line is often cut at 60 cells: what
//! to do is before that, unless it is to try again; then the agent's words are what happened.

use std::borrow::Cow;
use std::time::Duration;

use super::answer::MAX_ANSWER;
use super::one_line;
use crate::error::{Code, JobError, WHEN_IT_ENDS};
use crate::limit_end::LimitEnd;

/// The longest quotation, in characters; as long as the end of standard error output that is kept.
const QUOTED: usize = 10_000;

const TRY_OR_SEE_LOG: &str = "try again, or see :Botglue log";

/// What a message has to know of the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AgentLabel {
    /// Its name at the beginning of a sentence.
    pub name: &'static str,
    /// How to log in: goes on from "run".
    pub login: &'static str,
}

impl AgentLabel {
    /// The error for a failure that the agent reported, quoting its words.
    pub fn error(self, code: Code, words: &str) -> JobError {
        let Self { name, login } = self;
        let log_in = format!("run {login}");
        let no_answer = format!("{name} ended without an answer");
        let no_whole_answer = format!("{name} ended without a whole answer");
        let reports = format!("{name} reports an error");
        let no_sessions = format!("{name} cannot go on in a session");
        let interrupted = format!("{name} was interrupted");
        let try_again = format!("try again {WHEN_IT_ENDS}");
        let is_unpaid = words.to_lowercase().contains("credit balance");
        let (fact, advice) = match code {
            Code::ApiError if is_unpaid => ("credit used up", "add credit to the account, or use a plan"),
            Code::NotLoggedIn => ("not logged in", &*log_in),
            Code::RateLimited => ("rate limit reached", &*try_again),
            Code::Overloaded => ("service overloaded", "try again in a few minutes"),
            Code::PromptTooLong => {
                ("too long for the model", "select less, or lower the option `context.lines`")
            }
            Code::Refused => ("refused", "put it in other words"),
            Code::MaxTurns => ("turn limit", "raise `max_turns`, or ask for less"),
            Code::Budget => ("cost limit", "raise `max_cost_usd`, or ask for less"),
            Code::PermissionDenied => ("not permitted", "ask for reading only, or widen the option `tools`"),
            Code::SessionNotFound => ("session not found", "start a new job instead"),
            Code::EmptyAnswer => (&*no_answer, "say more exactly what to do"),
            Code::Protocol => (&*no_whole_answer, TRY_OR_SEE_LOG),
            Code::BadRequest => (&*no_sessions, "start a new job instead"),
            Code::Exited => (&*interrupted, "try again"),
            // The words are whole sentences of ours.
            Code::AgentNotFound => return JobError::new(code, words.trim()),
            _ => (&*reports, TRY_OR_SEE_LOG),
        };
        let limit = if code == Code::RateLimited { LimitEnd::named(words) } else { None };
        JobError { limit, ..sentence(code, fact, advice, words) }
    }

    /// The error for an answer that is longer than one may be; `transcript` is where the raw stream is kept.
    pub fn too_long(self, transcript: Option<&str>) -> JobError {
        let whole = transcript.map(|path| format!("; its transcript is {path}")).unwrap_or_default();
        let fact = format!("answer longer than {} MB", MAX_ANSWER >> 20);
        JobError::new(Code::Protocol, format!("{fact}: ask for less{whole}"))
    }

    /// The error for a job that took longer than `limit`.
    pub fn timeout(self, limit: Duration, words: &str) -> JobError {
        let fact = format!("no answer within {} s", limit.as_secs_f64());
        sentence(Code::Timeout, &fact, "raise `timeout`, or ask for less", words)
    }

    /// The error for a process that was ended because the host ends.
    pub fn shutdown(self) -> JobError {
        let name = self.name;
        JobError::new(Code::HostLost, format!("the host ended: ask again; {name} was stopped with it"))
    }

    /// The error for a process that ended with a bad exit code.
    pub fn exit_code(self, code: i32, words: &str) -> JobError {
        let (said_nothing, advice) = if words.trim().is_empty() {
            (" and said nothing", "try it in a terminal")
        } else {
            ("", TRY_OR_SEE_LOG)
        };
        // By convention of shells, a code above 128 stands for the signal that ended it.
        let called = signal_name(code.saturating_sub(128));
        let fact = format!("{} exited with code {code}{called}{said_nothing}", self.name);
        sentence(Code::Exited, &fact, advice, words)
    }

    /// The error for a process that should have gone on in a session, and ended badly without a word: that is how
    /// Droid says that there is none.
    pub fn silent_about_session(self, code: i32) -> JobError {
        let advice = format!(
            "start a new job instead; {} exited with code {code} and said nothing, as it does for a missing session",
            self.name
        );
        sentence(Code::SessionNotFound, "session not found", &advice, "")
    }

    /// The error for a process that was ended by a signal.
    pub fn signal(self, signal: i32, words: &str) -> JobError {
        let called = signal_name(signal);
        let fact = format!("{} was ended by signal {signal}{called}", self.name);
        sentence(Code::Exited, &fact, "try again", words)
    }
}

/// What happened in a few words, then what to do and the agent's own words: where a line is cut, the last of these is
/// what can be spared.
fn sentence(code: Code, fact: &str, advice: &str, words: &str) -> JobError {
    let quotation = one_line::last_line(&unwrapped(words), QUOTED);
    let quotation = quotation.trim_end_matches(['.', ' ']);
    let message = match quotation {
        "" => format!("{fact}: {advice}"),
        words if advice == TRY_OR_SEE_LOG => format!("{fact}: {words}; {advice}"),
        words => format!("{fact}: {advice}; it says: {words}"),
    };
    JobError::new(code, message)
}

/// The words of an agent, where they end in JSON its message in the place of that: `400 {"error":{"message":"…"}}`.
pub fn unwrapped(words: &str) -> Cow<'_, str> {
    let message = |start: usize| {
        let value: serde_json::Value = serde_json::from_str(words[start..].trim()).ok()?;
        let value = value.get(0).unwrap_or(&value);
        let message = value.get("error").unwrap_or(value).get("message")?.as_str()?;
        Some(format!("{}{}", &words[..start], unwrapped(message)))
    };
    words.find(['{', '[']).and_then(message).map_or(Cow::Borrowed(words), Cow::Owned)
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
    let has_safety_block = words.contains("SAFETY");
    let words = one_line::clip(words, 4096).to_lowercase();
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
    let kinds: [(Code, &[&str]); 7] = [
        (Code::SessionNotFound, &["no conversation found", "session not found", "no message found with"]),
        (Code::NotLoggedIn, &["not logged in", "/login", "invalid api key", "authentication_error"]),
        (
            Code::Refused,
            &["content moderation", "content_filter", "content filter", "usage policy", "safeguards flagged"],
        ),
        (Code::PermissionDenied, &["insufficient permission"]),
        (Code::Overloaded, &["overloaded"]),
        (Code::RateLimited, &["rate_limit", "rate limit", "rate-limit", "limit reached", "usage limit"]),
        // "You've hit your session limit", "You're out of extra usage", "Spending cap reached", "You have exhausted your
        // capacity on this model".
        (Code::RateLimited, &["hit your ", "out of extra usage", "spending cap", "exhausted your capacity"]),
    ];
    if has_safety_block {
        return Code::Refused;
    }
    kinds.into_iter().find(|(_, parts)| says(parts)).map_or(Code::ApiError, |(code, _)| code)
}

const TOO_LONG: [&str; 9] = [
    "prompt is too long",
    "prompt as too long",
    "input is too long",
    "request_too_large",
    "exceed context limit",
    "context_length_exceeded",
    "maximum context length",
    "exceeds the maximum number of tokens",
    "context window",
];

/// The HTTP status in an error's words, in small letters: at their beginning, or behind a word that says that it is one
/// (`HTTP 401`, `last status: 429 Too Many Requests`).
fn status_in(words: &str) -> Option<u64> {
    let number = |words: &str| {
        let words = words.trim_start_matches([':', ' ', '/']);
        let digits = words.get(..3)?;
        let ends = !words[3..].starts_with(|next: char| next.is_ascii_alphanumeric());
        digits.parse().ok().filter(|status| ends && (400..600).contains(status))
    };
    let behind = |word: &str| words.match_indices(word).find_map(|(at, _)| number(&words[at + word.len()..]));
    number(words).or_else(|| ["api error", "status", "http"].into_iter().find_map(behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLAUDE: AgentLabel = AgentLabel { name: "claude", login: "`claude` and its command `/login`" };

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
            (None, "exceeded retry limit, last status: 429 Too Many Requests", Code::RateLimited),
            (None, "unexpected status 401 Unauthorized: no key", Code::NotLoggedIn),
            (None, "Authentication failed with provider at http://localhost:1 (HTTP 401)", Code::NotLoggedIn),
            (None, "unexpected status 503 Service Unavailable", Code::ApiError),
            (None, "the status of this", Code::ApiError),
            (None, "You've hit your session limit · resets 12:50pm (Europe/Paris)", Code::RateLimited),
            (None, "You've hit your Opus limit · resets 3pm", Code::RateLimited),
            (None, "You're out of extra usage · resets 11:30am (Asia/Colombo)", Code::RateLimited),
            (None, "Spending cap reached resets 7am", Code::RateLimited),
            (None, "You've reached your usage limit", Code::RateLimited),
            (None, "you have been rate-limited. Please wait 2 minutes", Code::RateLimited),
            (None, "You have exhausted your capacity on this model.", Code::RateLimited),
            (None, "Credit balance is too low", Code::ApiError),
            (None, "Incomplete response returned, reason: content_filter", Code::Refused),
            (None, "finishReason: SAFETY", Code::Refused),
            (None, "Your input exceeds the context window of this model.", Code::PromptTooLong),
            (
                None,
                "The input token count (9) exceeds the maximum number of tokens allowed (8).",
                Code::PromptTooLong,
            ),
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
            "not logged in: run `claude` and its command `/login`; it says: Not logged in · Please run /login"
        );
        assert_eq!(
            CLAUDE.timeout(Duration::from_secs(300), "").message,
            "no answer within 300 s: raise `timeout`, or ask for less"
        );
        assert!(CLAUDE.signal(9, "").message.contains("signal 9 (SIGKILL)"));
        assert!(CLAUDE.signal(64, "").message.contains("signal 64: "));
        assert_eq!(
            CLAUDE.exit_code(2, "usage: …").message,
            "claude exited with code 2: usage: …; try again, or see :Botglue log"
        );
        let nested = r#"API Error: 401 [{"error":{"code":401,"message":"API key not valid."}}]"#;
        assert!(CLAUDE.exit_code(2, nested).message.contains(": API Error: 401 API key not valid; "));
        assert!(CLAUDE.exit_code(2, "x [1]").message.contains(": x [1]; "));
        let unpaid = CLAUDE.error(Code::ApiError, "Credit balance is too low").message;
        assert!(unpaid.starts_with("credit used up: add credit"), "{unpaid}");
    }

    #[test]
    fn what_to_do_is_seen_where_a_line_is_cut() {
        // The beginning of the line that reports a failure.
        const CUT: usize = 60 - "botglue: job 12 failed: ".len();
        let advised = [
            (CLAUDE.error(Code::NotLoggedIn, "x"), "run `claude`"),
            (CLAUDE.error(Code::RateLimited, "x"), "try again"),
            (CLAUDE.error(Code::Overloaded, "x"), "try again"),
            (CLAUDE.error(Code::PromptTooLong, "x"), "select less"),
            (CLAUDE.error(Code::Refused, "x"), "put it in other words"),
            (CLAUDE.error(Code::MaxTurns, "x"), "raise `max_turns`"),
            (CLAUDE.error(Code::Budget, "x"), "raise `max_cost_usd`"),
            (CLAUDE.error(Code::PermissionDenied, "x"), "ask for reading"),
            (CLAUDE.error(Code::SessionNotFound, "x"), "start a new job"),
            (CLAUDE.error(Code::EmptyAnswer, "x"), "say"),
            (CLAUDE.error(Code::Exited, "x"), "try again"),
            (CLAUDE.timeout(Duration::from_secs(300), "x"), "raise `time"),
            (CLAUDE.shutdown(), "ask again"),
            (CLAUDE.too_long(None), "ask for"),
            (CLAUDE.silent_about_session(2), "start a new job"),
        ];
        for (error, advice) in advised {
            let shown: String = error.message.chars().take(CUT).collect();
            assert!(shown.contains(advice), "{shown}");
        }
    }

    #[test]
    fn a_quotation_is_bounded_and_keeps_its_end() {
        let message = CLAUDE.exit_code(1, &format!("{}the end", "x".repeat(1 << 20))).message;
        assert!(message.contains("the end; ") && message.len() < 11_000);
    }
}
