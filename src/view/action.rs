//! The actions on a listed job.

/// One of them. With a job of this Neovim the plugin does some, since they need its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// The same once it was changed.
    Edit,
    /// Go on in its session.
    Followup,
    /// Open its session in a terminal.
    Open,
    /// Show what its agent printed.
    Transcript,
}

impl Action {
    const ALL: [(Self, &str); 10] = [
        (Self::Jump, "jump"),
        (Self::Review, "review"),
        (Self::Prompt, "prompt"),
        (Self::Diff, "diff"),
        (Self::Yank, "yank"),
        (Self::Retry, "retry"),
        (Self::Edit, "edit"),
        (Self::Followup, "followup"),
        (Self::Open, "open"),
        (Self::Transcript, "transcript"),
    ];

    /// The name that a key has for it.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(action, _)| *action == self).map_or("", |(_, name)| name)
    }

    /// The action with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, other)| *other == name).map(|(action, _)| *action)
    }

    /// Its words in a picker.
    pub fn words(self) -> &'static str {
        match self {
            Self::Jump => "jump to its place",
            Self::Review => "review the answer",
            Self::Prompt => "show the prompt",
            Self::Diff => "compare both texts",
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
            Self::Review => "this job is not held",
            Self::Diff | Self::Yank => "this job has no answer",
            Self::Followup | Self::Open => "this job has no session to go on in: start a new job",
            Self::Transcript => {
                "no transcript of this job is kept: the newest 200 are, where the option record is on"
            }
            Self::Jump | Self::Prompt | Self::Retry | Self::Edit => "this is not possible with this job",
        }
    }
}
