//! The end of a stream: the end of the process goes in, the outcome of the job comes out.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::tools::ToolCall;
use super::usage::{Amounts, nested};
use crate::error::JobError;

/// How the agent's process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessEnd {
    /// Its exit code or the signal that ended it.
    pub exit: ExitStatus,
    /// Whether we ended it, and why.
    pub stopped: Option<Stopped>,
    /// The end of its standard error output, marked where it was cut; see [`super::Tail`].
    pub stderr: String,
}

impl ProcessEnd {
    /// An end with an exit code and nothing else to say.
    pub fn with_code(code: i32) -> Self {
        Self { exit: ExitStatus::Code(code), stopped: None, stderr: String::new() }
    }

    /// An end by a signal.
    pub fn with_signal(signal: i32) -> Self {
        Self { exit: ExitStatus::Signal(signal), ..Self::with_code(0) }
    }
}

/// What the operating system says of a process that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// It returned this code.
    Code(i32),
    /// It was ended by this signal while it worked.
    Signal(i32),
}

/// Why we ended a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// It took longer than this.
    Timeout(Duration),
    /// Neovim is going away.
    Shutdown,
}

/// The result of a job; its serialized form is the last line of `botglue parse`. The default is a run of which nothing
/// came.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(tag = "kind", rename = "finished")]
pub struct Outcome {
    /// Whether there is an answer.
    pub status: Status,
    /// The answer as the agent gave it.
    pub text: Option<String>,
    /// Why the answer must not land by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_for: Option<AnswerDoubt>,
    /// The same in one sentence, where the reason alone does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_why: Option<&'static str>,
    /// Why there is no answer.
    pub error: Option<JobError>,
    /// The agent's session.
    pub session_id: Option<String>,
    /// The model that answered.
    pub model: Option<String>,
    /// What this run cost, as far as the agent says.
    #[serde(flatten, serialize_with = "nested")]
    pub amounts: Amounts,
    /// What those amounts cover: more than this run if the agent does not report the run alone.
    #[serde(skip)]
    pub scopes: UsageScopes,
    /// Every tool call, in the order of the calls; none is `running`.
    pub tools: Vec<ToolCall>,
    /// Ids of the user's own messages, the newest hundred.
    pub checkpoints: Vec<String>,
    /// What its lines were.
    #[serde(flatten)]
    pub counts: LineCounts,
}

/// How many lines of a kind a stream had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct LineCounts {
    /// Non-empty lines.
    pub lines: u64,
    /// Lines that were well formed and had nothing to say.
    pub ignored: u64,
    /// Lines that were no JSON object, or too long to be read.
    pub malformed: u64,
}

impl Outcome {
    /// The outcome of a job that never started its agent.
    pub fn failed(error: JobError) -> Self {
        Self { status: Status::Failed, error: Some(error), ..Self::default() }
    }
}

/// What an agent's amounts cover, each kind for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UsageScopes {
    /// Money.
    pub cost: UsageScope,
    /// Tokens.
    pub usage: UsageScope,
    /// Turns.
    pub num_turns: UsageScope,
}

/// What an amount covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum UsageScope {
    /// This run alone.
    #[default]
    Run,
    /// The whole session so far; a fork of it begins with zero.
    Session,
    /// The whole session so far; a fork of it begins with the amounts so far.
    Lineage,
}

/// Whether a job has an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// There is one.
    #[default]
    Done,
    /// There is none; the outcome's error says why.
    Failed,
}

/// Why an answer that a stream gave must not land by itself. The serialized names are those of `held_for` in Lua.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerDoubt {
    /// The agent ended well, but said nothing in its protocol, or ended in a way that we do not know, or it is not
    /// known which part of its text is the answer: the text is what it printed.
    Raw,
    /// The agent's result and its last message are two texts; this is the result's.
    #[serde(rename = "doubtful")]
    Disagrees,
    /// It has bytes that are no UTF-8; the text has U+FFFD in their place.
    #[serde(rename = "doubtful")]
    NotUtf8,
}

impl AnswerDoubt {
    /// What is doubtful, in one sentence: `held_why` in Lua.
    pub const fn why(self) -> Option<&'static str> {
        match self {
            Self::Raw => None,
            Self::Disagrees => Some("the agent's result is not what its last message says"),
            Self::NotUtf8 => Some("the answer has bytes that are not UTF-8"),
        }
    }
}
