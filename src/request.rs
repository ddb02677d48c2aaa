//! The request of a job: the typed form of a `run` notification.
//!
//! Lua sends one map; [`decode()`] turns it into a [`Request`] or says which field is wrong. Nothing here acts.

mod decode;
mod mentions;
#[cfg(test)]
pub mod sample;
mod start;
mod wanted;

use serde::{Deserialize, Serialize};

pub use self::decode::decode;
pub use self::mentions::{DIAGNOSTICS, DIFF, QUICKFIX, buffers};
pub use self::start::{directory, start};
pub use self::wanted::Wanted;
pub use crate::agent::{AgentCommand, AgentStart, Resume};
pub use crate::options::Notify;
use crate::options::Options;

/// A job as it is kept from the moment at which it is accepted. Of a request the fields arrive under these names, but for
/// those that are made of others.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Accepted {
    /// Its number in its Neovim; given by the editor.
    pub id: u64,
    /// Which agent runs it: the option's name.
    #[serde(default)]
    pub agent: String,
    /// How that agent talks.
    #[serde(default)]
    pub protocol: String,
    /// The model that was asked for.
    pub model: Option<String>,
    /// The session that it goes on from.
    pub resumed: Option<Resume>,
    /// The project's directory.
    #[serde(default)]
    pub project: String,
    /// The file: absolute, or empty for a buffer without a name.
    #[serde(default)]
    pub path: String,
    /// Neovim's `'filetype'`.
    #[serde(default)]
    pub filetype: String,
    /// What the user wants, in their own words.
    pub prompt: String,
    /// A question: the answer is shown, the buffer stays as it is.
    #[serde(default)]
    pub question: bool,
    /// Hold the answer for review instead of applying it.
    #[serde(default)]
    pub review: bool,
    /// What was selected, and where.
    pub selection: Selection,
    /// When it was asked for, Unix time in milliseconds.
    #[serde(default)]
    pub started_ms: i64,
}

/// One job, as the editor asked for it. Its fields arrive under these names, but for those that are made of others.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
pub struct Request {
    /// What is kept of it.
    #[serde(skip)]
    pub job: Accepted,
    /// The number of the buffer in which its answer lands.
    pub buffer: u64,
    /// What it is asked, to be asked once more.
    #[serde(skip)]
    pub wanted: Wanted,
    /// What its prompt stands for, where it names another one: the agent gets this in its place.
    #[serde(skip)]
    pub instructions: Option<String>,
    /// The job whose held answer its own is to replace.
    pub replaces: Option<u64>,
    /// The prompt and the answer of that job, where the agent does not know them.
    #[serde(skip)]
    pub replaced: Option<(String, String)>,
    /// The agent that runs it.
    #[serde(skip)]
    pub start: AgentStart,
    /// The options that were in force.
    #[serde(skip)]
    pub options: Options,
    /// The name of a buffer without a file.
    pub name: Option<String>,
    /// Whole lines of the buffer above the selection's rows, nearest last.
    #[serde(default)]
    pub before: Vec<String>,
    /// Whole lines of the buffer below the selection's rows, nearest first.
    #[serde(default)]
    pub after: Vec<String>,
    /// Diagnostics on the selection's rows, and those that the prompt mentions.
    #[serde(skip)]
    pub diagnostics: Vec<Diagnostic>,
    /// The text of the whole buffer, where the prompt mentions what has changed in it, and the most bytes that this has.
    #[serde(skip)]
    pub whole: Option<(String, usize)>,
    /// What has changed in it since the last commit, once the job starts.
    #[serde(skip)]
    pub diff: String,
    /// The entries of the quickfix list, where the prompt mentions it.
    #[serde(default)]
    pub quickfix: Vec<String>,
    /// Other buffers that the prompt mentions.
    #[serde(default)]
    pub buffers: Vec<MentionedBuffer>,
    /// The agent that was started for this job while its prompt was typed.
    pub prewarmed: Option<u64>,
    /// Neovim's `'tabstop'`.
    #[serde(default)]
    pub tabstop: usize,
    /// Whether users' functions watch it from the start.
    #[serde(default)]
    pub observe: bool,
}

/// A buffer of the editor's.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct OpenBuffer {
    /// As a prompt names it; none where it cannot.
    pub name: Option<String>,
    /// Its file below the project's directory.
    pub path: Option<String>,
    /// Its number.
    pub number: u64,
}

/// The text of another buffer, as it is in the editor.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct MentionedBuffer {
    /// As the prompt names it; in a `run` as it is shown.
    #[serde(default)]
    pub name: String,
    /// Whole lines from its first one, as many as may go along.
    #[serde(default)]
    pub lines: Vec<String>,
    /// How many it has.
    pub count: u64,
    /// Its number.
    #[serde(default)]
    pub number: u64,
}

/// How the selection was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SelectionKind {
    /// Whole lines.
    #[default]
    Line,
    /// From one character to another.
    Char,
    /// A rectangle.
    Block,
    /// Nothing: the answer goes below `first_line`.
    Insert,
}

/// The selected text and where it stood when the job was asked for. The store keeps it under these names.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Selection {
    /// How the selection was made.
    pub kind: SelectionKind,
    /// The first row, from 1 (an insertion may be below line 0).
    pub first_line: u64,
    /// The last row, from 1.
    pub last_line: u64,
    /// The selected text, one entry a row; empty for an insertion. A row never holds `\n`.
    #[serde(default)]
    pub text: Vec<String>,
    /// The whole rows that the selection touches, as [`crate::fields::bytes`] has them; the same as `text` for whole lines.
    #[serde(default)]
    pub rows: Vec<String>,
    /// The byte in its row at which each entry of `text` begins.
    #[serde(default)]
    pub cols: Vec<u64>,
    /// The screen column at which a block begins, which its rows may end before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
    /// The lines next to its rows.
    #[serde(default)]
    pub beside: Beside,
}

/// What stood next to a selection, as [`crate::fields::bytes`] has it: none where the buffer begins or ends there.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Beside {
    /// The line above its rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<String>,
    /// The line below them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<String>,
}

/// One diagnostic on the selection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Its row, from 1.
    pub line: u64,
    /// `error`, `warning`, `info` or `hint`.
    #[serde(default)]
    pub severity: String,
    /// Its text.
    #[serde(default)]
    pub message: String,
    /// The tool that found it, `rustc` for example; may be empty.
    #[serde(default)]
    pub source: String,
}
