//! What is proposed of a held answer: the hunks in the present text, or why there are none.

use crate::document::Rows;
use crate::land::HeldFor;
use crate::review::{EditId, Hunk};

/// See the module.
#[derive(Debug)]
pub struct ReviewView {
    /// The job's id.
    pub job: u64,
    /// The text; empty where it is not known.
    pub text: Rows,
    /// Its changedtick.
    pub tick: u64,
    /// How many edits are taken.
    pub taken: usize,
    /// The edits that were dropped, those of one hunk together.
    pub dropped: Vec<Vec<EditId>>,
    /// The hunks that were dropped and would still change something.
    pub gone: Vec<Hunk>,
    /// The hunks.
    pub hunks: Result<Vec<Hunk>, HeldFor>,
}
