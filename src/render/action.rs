//! The actions on a listed job.

use crate::named::named;

named! {
    /// One of them, what is most likely wanted first. With a job of this Neovim the plugin does some, since they need
    /// its range.
    pub enum Action {
        /// Show the held answer, or the answer to a question.
        Review = "review",
        /// Go to its place.
        Jump = "jump",
        /// Show the prompt whole.
        Prompt = "prompt",
        /// Show what was there beside the answer.
        Diff = "diff",
        /// Yank the answer.
        Yank = "yank",
        /// Send the same prompt once more.
        Retry = "retry",
        /// The same once it was changed.
        Edit = "edit",
        /// Go on in its session.
        Followup = "followup",
        /// Open its session in a terminal.
        Open = "open",
        /// Show what its agent printed.
        Transcript = "transcript",
    }
}

impl Action {
    /// Those that are possible.
    pub(super) fn which(is_possible: impl Fn(Self) -> bool) -> Vec<Self> {
        Self::ALL.iter().copied().filter(|action| is_possible(*action)).collect()
    }

    /// Its words in a picker.
    pub fn words(self) -> &'static str {
        match self {
            Self::Jump => "jump to its place",
            Self::Review => "review the answer",
            Self::Prompt => "show the prompt",
            Self::Diff => "show the diff",
            Self::Yank => "yank the answer",
            Self::Retry => "retry",
            Self::Edit => "change the prompt and retry",
            Self::Followup => "follow up",
            Self::Open => "open the session",
            Self::Transcript => "show the transcript",
        }
    }

    /// Why it is impossible with a job of the store.
    pub fn impossible(self) -> &'static str {
        match self {
            Self::Review => "no answer of this job is held",
            Self::Diff | Self::Yank => "this job has no answer",
            Self::Followup | Self::Open => "this job has no session to go on in: start a new job",
            Self::Transcript => "no transcript is kept: only the newest 200 are, if `record` is on",
            Self::Jump | Self::Prompt | Self::Retry | Self::Edit => "this job has no such action",
        }
    }
}
