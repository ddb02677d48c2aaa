//! What is kept of a job, in the words of the database.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::amounts::Amounts;
use crate::request::{Resume, Selection};
use crate::stream::UsageScopes;

/// A job that has not ended, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    /// This and the others: as in [`Record`].
    pub id: u64,
    /// The option's name.
    pub agent: String,
    /// How that agent talks.
    pub protocol: String,
    /// The model that was asked for.
    pub model: Option<String>,
    /// The session that it goes on from.
    pub resumed: Option<Resume>,
    /// The project's directory.
    pub project: String,
    /// The file.
    pub path: String,
    /// Neovim's `'filetype'`.
    pub filetype: String,
    /// The user's prompt.
    pub prompt: String,
    /// It is a question.
    pub question: bool,
    /// Its answer is held for review.
    pub review: bool,
    /// What was selected, and where.
    pub selection: Selection,
    /// When it was asked for.
    pub started_ms: i64,
}

/// A finished job, as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Its number in its Neovim.
    pub id: u64,
    /// Which agent ran it: the option's name.
    pub agent: String,
    /// How that agent talks; unknown of jobs of the first version.
    pub protocol: Option<String>,
    /// The model that answered.
    pub model: Option<String>,
    /// The agent's session.
    pub session_id: Option<String>,
    /// The session that it went on from.
    pub resumed: Option<Resume>,
    /// The project's directory.
    pub project: String,
    /// The file; empty for a buffer without a name.
    pub path: String,
    /// Neovim's `'filetype'`.
    pub filetype: String,
    /// The user's prompt.
    pub prompt: String,
    /// It was a question: the answer was shown, nothing landed.
    pub question: bool,
    /// Its answer was to be held for review.
    pub review: bool,
    /// What was selected, and where.
    pub selection: Selection,
    /// When it was asked for, Unix time in milliseconds.
    pub started_ms: i64,
    /// When its outcome was decided, likewise.
    pub ended_ms: i64,
    /// Code and message of a failure.
    pub error: Option<(String, String)>,
    /// The answer as the agent gave it.
    pub text: Option<String>,
    /// The tidied answer.
    pub lines: Option<Vec<String>>,
    /// Why it must not land by itself.
    pub held_for: Option<String>,
    /// What it cost, as its agent counts.
    pub amounts: Amounts,
    /// What those amounts cover.
    #[serde(rename = "counted")]
    pub scopes: UsageScopes,
    /// Ids of the user's messages in its session that can be gone back to, oldest first.
    pub checkpoints: Vec<String>,
    /// The file of its raw stream, without the folder.
    pub transcript: Option<String>,
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
    /// The file, where it has another name than when the job was sent.
    pub path: Option<String>,
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

/// The range of a job in its file, whatever became of its answer.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OnDisk {
    /// Where it is; `None` where that was not looked at.
    pub range: Option<RowsOnDisk>,
    /// The file's name.
    pub path: Option<String>,
}

impl OnDisk {
    /// The same, completed by an earlier one.
    #[must_use]
    pub fn over(&self, older: &Self) -> Self {
        let newer = self.clone();
        Self {
            range: newer.range.or_else(|| older.range.clone()),
            path: newer.path.or_else(|| older.path.clone()),
        }
    }
}

/// The whole rows of a range as they stood when its file was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SavedRange {
    /// Their first line, as a selection has it.
    pub first_line: u64,
    /// The rows; none where they were gone.
    pub rows: Vec<String>,
    /// What was selected with what was taken of its answer in it, where something was.
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
    /// What was dropped of it: for each drop the ids of its edits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<Vec<Vec<String>>>,
}

/// What is in a prompt and was not sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsent {
    /// What was typed.
    pub text: String,
    /// When that was changed last, Unix time in milliseconds.
    pub at_ms: i64,
}

/// An answer that waits for a decision, and whose Neovim is gone.
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    /// Its key in the store.
    pub uuid: String,
    /// What the user made of it.
    pub draft: Option<Draft>,
    /// Its range in the file, if that was written since the job was sent.
    pub saved: Option<SavedRange>,
    /// The rest of it.
    pub record: Record,
}

impl Held {
    /// The answer as the editor gets it, which makes a job of it.
    pub fn answer(&self) -> Value {
        let Self { uuid, draft, saved, record } = self;
        let Record { selection, amounts, .. } = record;
        json!({
            "uuid": uuid,
            "agent": record.agent,
            "model": record.model,
            "session_id": record.session_id,
            "project": record.project,
            "path": record.path,
            "prompt": record.prompt,
            "selection": selection,
            "elapsed_ms": record.ended_ms.saturating_sub(record.started_ms),
            "text": record.text,
            "lines": record.lines,
            "stands": saved,
            "draft": draft,
            "held_for": record.held_for,
            "cost_usd": amounts.cost_usd,
            "num_turns": amounts.num_turns,
            "input_tokens": amounts.tokens.input,
            "output_tokens": amounts.tokens.output,
        })
    }
}
