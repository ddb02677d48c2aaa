//! What a review says: the windows in which it is drawn, and its keys.

use serde::Deserialize;

use crate::ui::review::Pane;

/// The windows in which the hunks of a held answer are drawn.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PanesOf {
    /// The job.
    pub id: u64,
    /// Its buffer.
    #[serde(default)]
    pub buffer: u64,
    /// The keys that are ours.
    #[serde(default)]
    pub keys: Vec<String>,
    /// The rows that the current window shows, where it is one of them: the first, from 0, and the one behind the last.
    pub sight: Option<(usize, usize)>,
    /// The windows; none: the review has ended.
    pub panes: Option<Vec<Pane>>,
}

/// What a key in a review means.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct HunkKey {
    /// The job.
    pub id: u64,
    /// The buffer.
    pub buffer: u64,
    /// What it does.
    pub verb: HunkVerb,
    /// With the hunk under the cursor, and as many from there.
    #[serde(default = "one")]
    pub count: usize,
    /// With those in these rows instead.
    pub range: Option<RowsOf>,
    /// The row of the cursor, from 0.
    pub row: usize,
    /// The changedtick of the text.
    pub tick: u64,
}

/// Rows of a buffer, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct RowsOf {
    /// The first one.
    pub first: usize,
    /// The one behind the last.
    pub past: usize,
}

/// What a key in a review does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HunkVerb {
    /// It goes to hunks further on.
    Next,
    /// It goes to hunks further back.
    Previous,
    /// It takes them.
    Take,
    /// It takes them, and the user's rows stay where both have changed the same.
    Both,
    /// It drops them, or brings back the dropped one under the cursor.
    Drop,
}

fn one() -> usize {
    1
}
