//! The actions on a listed job.

use serde::Serialize;

/// The name of one action; the editor maps keys to it, and does it with the job of the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Go to its place.
    Jump,
    /// Show the held answer, or the answer to a question.
    Review,
    /// Show the prompt whole.
    Prompt,
    /// Show what was there beside the answer.
    Diff,
    /// Yank the answer.
    Yank,
    /// Send the same prompt once more.
    Retry,
    /// Go on in its session.
    Followup,
    /// Open its session in a terminal.
    Open,
    /// Show what its agent printed.
    Transcript,
}

impl Action {
    /// All of them.
    pub(super) const ALL: [Self; 9] = [
        Self::Jump,
        Self::Review,
        Self::Prompt,
        Self::Diff,
        Self::Yank,
        Self::Retry,
        Self::Followup,
        Self::Open,
        Self::Transcript,
    ];

    /// The name that the editor knows it by.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Jump => "jump",
            Self::Review => "review",
            Self::Prompt => "prompt",
            Self::Diff => "diff",
            Self::Yank => "yank",
            Self::Retry => "retry",
            Self::Followup => "followup",
            Self::Open => "open",
            Self::Transcript => "transcript",
        }
    }
}
