//! What is proposed of a held answer: the hunks in the present text, or why there are none.

use std::sync::Arc;

use crate::land::HeldFor;
use crate::review::{EditId, Hunk, WordMarks};

/// See the module.
#[derive(Debug)]
pub struct ReviewView {
    /// The job's id.
    pub job: u64,
    /// The changedtick of the text.
    pub tick: u64,
    /// How many edits are taken.
    pub taken: usize,
    /// The edits that were dropped, those of one hunk together.
    pub dropped: Vec<Vec<EditId>>,
    /// The hunks that were dropped and would still change something.
    pub gone: Vec<Hunk>,
    /// The hunks.
    pub hunks: Result<Vec<ShownHunk>, HeldFor>,
}

/// A hunk of a view.
#[derive(Debug)]
pub struct ShownHunk {
    /// The hunk.
    pub hunk: Hunk,
    /// What differs in the rows that go, and in those that come; none where the view before had this hunk.
    pub marks: Option<(Vec<WordMarks>, Vec<WordMarks>)>,
    /// The rows that go; none where the view before had this hunk.
    pub old: Vec<Arc<[u8]>>,
}
