//! What a list shows of a job of this Neovim.

use crate::request::Accepted;

/// What a job is about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct About {
    /// The file; empty: the buffer has none.
    pub path: String,
    /// The name of a buffer without a file.
    pub name: Option<String>,
    /// The project's directory.
    pub project: String,
    /// Its first line, from 1.
    pub line: u64,
    /// The user's prompt.
    pub prompt: String,
    /// When it was asked for, in milliseconds since 1970.
    pub since_ms: i64,
    /// When it ended.
    pub ended_ms: Option<i64>,
}

/// A job of this Neovim that goes on, or whose answer is held.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Live {
    /// Its number.
    pub id: u64,
    /// What it is about.
    pub about: About,
    /// How far it is.
    pub state: LiveState,
    /// For how long it has been going on, or had until it ended.
    pub elapsed_ms: u64,
    /// What it cost so far.
    pub cost_usd: Option<f64>,
    /// Whether it has a session to go on in.
    pub has_session: bool,
    /// Whether what its agent printed is kept.
    pub has_transcript: bool,
}

/// How far a job is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum LiveState {
    /// It waits, for this.
    Queued(Wait),
    /// Its agent runs, and does this.
    Running(Doing),
    /// It waits for a moment at which it can land.
    #[default]
    Ready,
    /// Its answer is held for this reason.
    Held(String),
}

/// What a job waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wait {
    /// For others to end: how many start before it, itself included.
    Place(usize),
    /// For a limit of its agent to end.
    Limit {
        /// When that is.
        until: String,
        /// It has run before.
        again: bool,
    },
}

impl Wait {
    /// The same in words.
    pub fn words(&self) -> String {
        let then = match self {
            Self::Place(_) => "",
            Self::Limit { again: false, .. } => " · runs then",
            Self::Limit { again: true, .. } => " · runs again then",
        };
        self.brief() + then
    }

    /// The same in the words that a column of a list has room for.
    pub fn brief(&self) -> String {
        match self {
            Self::Place(number) => format!("queued, number {number}"),
            Self::Limit { until, .. } => format!("limit until {until}"),
        }
    }
}

/// What an agent does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Doing {
    /// In words, if that is known.
    pub words: Option<String>,
    /// How much it is worth.
    pub tone: Tone,
}

/// How much it is worth what an agent does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tone {
    /// Less than what was asked for.
    #[default]
    Calm,
    /// More: it has to wait.
    Urgent,
    /// More: something has failed.
    Failing,
}

/// What became of a job, for its line at the range.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    /// Its number.
    pub id: u64,
    /// How that looks; none: nothing is said at the range, because its question is answered, or its held answer decided
    /// on.
    pub look: Option<Look>,
    /// What is said of it.
    pub said: String,
    /// For how long it went on.
    pub elapsed_ms: u64,
    /// What it cost.
    pub cost_usd: Option<f64>,
}

/// How the end of a job looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Its answer is in the buffer.
    Landed,
    /// Its answer equals the text.
    Unchanged,
    /// It has failed.
    Failed,
    /// Its answer is held.
    Held,
}

impl About {
    pub(super) fn of(job: &Accepted) -> Self {
        Self {
            path: job.path.clone(),
            name: None,
            project: job.project.clone(),
            line: job.selection.first_line,
            prompt: job.prompt.clone(),
            since_ms: job.started_ms,
            ended_ms: None,
        }
    }

    /// For how long the job has been going on, or had until it ended.
    pub(super) fn elapsed(&self, now_ms: i64) -> u64 {
        u64::try_from(self.ended_ms.unwrap_or(now_ms) - self.since_ms).unwrap_or_default()
    }
}
