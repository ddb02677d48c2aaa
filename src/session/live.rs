//! What a list shows of a job of this Neovim.

/// A job of this Neovim that goes on, or whose answer is held.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Live {
    /// Its number.
    pub id: u64,
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiveState {
    /// It waits for others to end: how many start before it, itself included.
    Queued(usize),
    /// Its agent runs.
    Running {
        /// What that does.
        doing: Option<String>,
        /// What it does has failed.
        is_failing: bool,
    },
    /// It waits for a moment at which it can land.
    Ready,
    /// Its answer is held for this reason.
    Held(String),
}

impl Default for LiveState {
    fn default() -> Self {
        Self::Queued(1)
    }
}
