//! What an answer comes to: tidies it, and makes edits of what is to be written. Pure.
//!
//! Its input is text alone: the selection that was sent, the answer, and the current rows of the range. The document
//! locates the range; the editor writes.

mod blocks;
mod capture;
mod doubt;
mod fence;
mod indent;
mod newline;
mod patch;
mod place;
mod primitive;
mod replaced;
mod step;
mod strip;
mod style;
mod target;
mod text;
mod tidy;

pub use self::blocks::{Block, blocks_of};
pub use self::capture::Capture;
pub use self::doubt::Doubt;
pub use self::fence::{FencedBlock, blocks as fenced_blocks};
pub use self::primitive::{At, Primitive};
pub use self::replaced::{Bytes, Replaced};
pub use self::step::{RowChange, RowEdit, changes, edits};
pub use self::target::Target;
pub use self::text::is_prose;
use crate::named::named;
use crate::request::{Request, SelectionKind};
use crate::stream::AnswerDoubt;

named! {
    /// Why an answer waits for the user instead of landing. The names are part of the public contract
    /// (`held_for` in Lua).
    pub enum HeldFor {
        /// The user asked to review it first.
        Review = "review",
        /// The user changed the text meanwhile.
        Conflict = "conflict",
        /// The text is gone.
        RangeLost = "range_lost",
        /// The buffer is gone.
        BufferGone = "buffer_gone",
        /// The buffer does not take changes.
        NotModifiable = "not_modifiable",
        /// The answer has several parts that could be the replacement.
        Ambiguous = "ambiguous",
        /// The answer has more or fewer rows than the selected block.
        BlockRows = "block_rows",
        /// The agent exited without an error, but its output was not in its protocol.
        Raw = "raw",
        /// The buffer is too large to be mirrored, and the text at the display mark is not what was sent.
        TooLarge = "too_large",
        /// The answer would do damage as it is; `held_why` says how.
        Doubtful = "doubtful",
    }
}

/// An answer, ready for the editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Landing {
    /// Why the answer has to be held; none if it may land by itself.
    pub held_for: Option<HeldFor>,
    /// The lines of the tidied answer. If empty, the rows of a linewise range are deleted; for a part of a row and
    /// for a block it is never empty.
    pub lines: Vec<String>,
    /// What damage it would do as it is.
    pub doubt: Option<Doubt>,
}

/// Why an answer has to be held, by what its stream says of it and by what its text and its request say. An answer
/// outside the protocol may be none, so that comes first; a doubt about it comes last.
pub fn held(doubt: Option<AnswerDoubt>, landing: Option<&Landing>) -> Option<HeldFor> {
    match doubt {
        Some(AnswerDoubt::Raw) => Some(HeldFor::Raw),
        _ => landing.and_then(|landing| landing.held_for).or(doubt.map(|_| HeldFor::Doubtful)),
    }
}

/// Prepares an answer for its landing in the range of its request.
pub fn prepare(request: &Request, answer: &str) -> Landing {
    if request.job.question {
        let lines = answer.split('\n').map(str::to_owned).collect();
        return Landing { held_for: None, lines, doubt: None };
    }
    let tidied = tidy::tidy(request.into(), answer);
    Landing { held_for: held_for(request, &tidied), ..tidied }
}

/// Returns why the answer has to be held. That it has several parts, or another number of rows, takes precedence over the
/// user's request to review it, and that over a doubt.
fn held_for(request: &Request, tidied: &Landing) -> Option<HeldFor> {
    let selection = &request.job.selection;
    if tidied.held_for.is_some() {
        return tidied.held_for;
    }
    if selection.kind == SelectionKind::Block && tidied.lines.len() != selection.text.len() {
        return Some(HeldFor::BlockRows);
    }
    request.job.review.then_some(HeldFor::Review).or(tidied.doubt.map(|_| HeldFor::Doubtful))
}

#[cfg(test)]
mod tests;
