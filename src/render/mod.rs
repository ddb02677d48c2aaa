//! The rows of the editor's lists: a job of this Neovim, a job of the store and sums become rows of cells, each a
//! text with its highlight group. All words, names, amounts and times of a list are made here, once.
//!
//! Pure: what is shown and for whom comes in, rows go out.

mod action;
mod amounts;
mod files;
mod info;
mod job_row;
mod place;
#[cfg(test)]
pub mod sample;
mod signs;
pub mod transcript;

use serde::{Deserialize, Serialize};

pub use action::Action;
pub(crate) use amounts::{counted, duration, money};
pub use files::find_files;
pub use info::info;
pub use job_row::{COLUMNS as JOB_COLUMNS, Totals, actions, stored};
pub use place::{file, place};
pub(crate) use signs::{BAR, BETWEEN, FAILED, HELD, LANDED, QUEUED, READY, UNCHANGED, UNKNOWN};

/// For whom it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Viewer {
    /// The directory to which names of files are relative.
    #[serde(default)]
    pub cwd: String,
    /// The user's own directory.
    #[serde(default)]
    pub home: String,
}

/// A text and its highlight group; an empty one is none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Cell(pub String, pub &'static str);

/// One row of a list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListRow {
    /// What the row is known by: `#` and its number for a job of this Neovim, else its key in the store.
    pub id: String,
    /// One for each column.
    pub cells: Vec<Cell>,
    /// What the row has no room for: shown whole where the cursor is.
    pub detail: Option<String>,
    /// The file; none where the text is in a buffer without one.
    pub path: Option<String>,
    /// The line in it, from 1.
    pub line: u64,
    /// Its first cell shows that the job goes on.
    pub runs: bool,
    /// What can be done with the job, what is most likely wanted first.
    pub actions: Vec<Action>,
}

/// How a column is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Column {
    /// What is written over it.
    pub head: &'static str,
    /// Its width in cells, at the least.
    pub least: u16,
    /// It is as wide as its cells need, up to this percentage of the room; none: without a bound.
    pub most: Option<u16>,
    /// It always has this percentage of the room, so that it keeps its width while jobs go on.
    pub share: Option<u16>,
    /// It has what the other columns leave.
    pub rest: bool,
    /// Where there is too little room the column with the smallest number is left out first; none: it never is.
    pub drop: Option<u16>,
    /// Its cells are at its right edge.
    pub right: bool,
    /// Of a text that is too wide the end is kept.
    pub keep_end: bool,
}

/// Rows with the same columns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// How they are laid out.
    pub columns: Vec<Column>,
    /// The rows, each with a cell for each column.
    pub rows: Vec<Vec<Cell>>,
}

/// The most characters of a prompt in a cell: more than any screen is wide.
const PROMPT: usize = 400;

impl Column {
    /// Without a head, as wide as its cells need.
    const PLAIN: Self = Self {
        head: "",
        least: 1,
        most: None,
        share: None,
        rest: false,
        drop: None,
        right: false,
        keep_end: false,
    };
}

impl Cell {
    /// The beginning of a prompt.
    fn prompt(prompt: &str) -> Self {
        Self::plain(prompt.chars().take(PROMPT).collect::<String>())
    }

    pub(crate) fn new(text: impl Into<String>, group: &'static str) -> Self {
        Self(text.into(), group)
    }

    fn plain(text: impl Into<String>) -> Self {
        Self::new(text, "")
    }

    fn label(text: impl Into<String>) -> Self {
        Self::new(text, "BotglueLabel")
    }
}
