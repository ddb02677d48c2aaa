//! What is kept of a job, in the words of the database.

use serde::{Deserialize, Serialize};

use super::amounts::Amounts;
use crate::error::Code;
use crate::request::Accepted;

/// A finished job, as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// What was asked for.
    #[serde(flatten)]
    pub job: Accepted,
    /// The model that answered.
    pub answered_by: Option<String>,
    /// The agent's session.
    pub session_id: Option<String>,
    /// When its outcome was decided, Unix time in milliseconds.
    #[serde(default)]
    pub ended_ms: i64,
    /// Code and message of a failure.
    pub error: Option<(String, String)>,
    /// The answer as the agent gave it.
    pub text: Option<String>,
    /// The tidied answer.
    pub lines: Option<Vec<String>>,
    /// Why it must not land by itself.
    pub held_for: Option<String>,
    /// What is doubtful in it, where it is held for that.
    #[serde(default)]
    pub held_why: Option<String>,
    /// What this job alone cost.
    #[serde(default)]
    pub share: Amounts,
    /// What its session had counted when it ended, with what that took over from the one it was forked from.
    #[serde(default)]
    pub counted: Amounts,
    /// Ids of the user's messages in its session that can be gone back to, oldest first.
    #[serde(default)]
    pub checkpoints: Vec<String>,
    /// The file of its raw stream, without the folder.
    pub transcript: Option<String>,
}

impl Record {
    /// Whether there is an answer to decide on.
    pub fn is_to_decide(&self) -> bool {
        self.text.is_some() && !self.job.question
    }

    /// Its Neovim or its host ended before it did. When that was is not known.
    pub fn is_interrupted(&self) -> bool {
        self.error.as_ref().is_some_and(|(code, _)| code == Code::HostLost.name())
    }

    /// The model that answered, else the one that was asked for.
    pub fn model(&self) -> Option<&String> {
        self.answered_by.as_ref().or(self.job.model.as_ref())
    }
}

/// What became of an answer, and where it is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Landed {
    /// `applied`, `held`, and so on.
    pub landing: String,
    /// Why it is held.
    pub held_for: Option<String>,
    /// The first and the last row of the range afterwards, from 1.
    pub place: Option<(u64, u64)>,
    /// Its whole rows as they are now.
    pub rows: Option<Vec<String>>,
}

/// The rows of a range; no place and no rows where it was deleted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RowsOnDisk {
    /// The first and the last row, from 1.
    pub place: Option<(u64, u64)>,
    /// The whole rows.
    pub rows: Vec<String>,
    /// Of a held answer: what was selected with what is taken of it in it, where something is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Vec<String>>,
}

/// What the user made of a held answer in the review, beside the buffer's text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Draft {
    /// The answer.
    pub lines: Option<Vec<String>>,
    /// What is in the buffer of the answer and was not written there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typed: Option<Vec<String>>,
    /// Some of it was taken.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_taken: bool,
    /// What was dropped of it: for each drop the ids of its edits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<Vec<Vec<String>>>,
}

/// An answer that waits for a decision, and whose Neovim is gone.
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    /// Its key in the store.
    pub uuid: String,
    /// What the user made of it.
    pub draft: Option<Draft>,
    /// Its range in the file, if that was written since the job was sent.
    pub saved: Option<RowsOnDisk>,
    /// The rest of it.
    pub record: Record,
}
