//! What becomes of an answer: tidied, compared with the text as it is, merged, turned into edits or held. Pure.
//!
//! It works on text alone: on what was selected when the job was asked for, on what the agent answered, and on the rows
//! that are there now. Where those are the document knows; writing is the editor's part.

mod blocks;
mod capture;
mod fence;
mod filetype;
mod indent;
mod merge;
mod newline;
mod place;
mod replaced;
mod step;
mod style;
mod target;
mod text;
mod tidy;
mod verdict;

pub use self::blocks::{Block, blocks_of};
pub use self::capture::Capture;
pub use self::filetype::is_prose;
pub use self::merge::{Merge, MergeHunk, merge, merge_known, merge_rows};
pub use self::replaced::{Bytes, Replaced};
pub use self::step::{RowChange, RowEdit, changes, edits, edits_at, edits_back, keeps_ends};
pub use self::target::Target;
pub use self::verdict::{MergeVerdict, verdict};
use crate::request::{Request, SelectionKind};

/// Why an answer waits for the user instead of landing. The names are part of the public contract
/// (`held_for` in Lua).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HeldFor {
    /// The user asked to review it first.
    Review,
    /// The user changed the text meanwhile.
    Conflict,
    /// The text is no longer there.
    RangeLost,
    /// The buffer is no longer there.
    BufferGone,
    /// The buffer does not take changes.
    NotModifiable,
    /// Several parts of the answer could be meant.
    Ambiguous,
    /// The answer has another number of rows than the block.
    BlockRows,
    /// The agent ended well, but what it printed was not in its protocol.
    Raw,
    /// The buffer is too large to be followed, and the text there is not what was sent.
    TooLarge,
}

impl HeldFor {
    const ALL: [Self; 9] = [
        Self::Review,
        Self::Conflict,
        Self::RangeLost,
        Self::BufferGone,
        Self::NotModifiable,
        Self::Ambiguous,
        Self::BlockRows,
        Self::Raw,
        Self::TooLarge,
    ];

    /// The reason with this public name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }

    /// The public name: `held_for` in Lua.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Review => "review",
            Self::Conflict => "conflict",
            Self::RangeLost => "range_lost",
            Self::BufferGone => "buffer_gone",
            Self::NotModifiable => "not_modifiable",
            Self::Ambiguous => "ambiguous",
            Self::BlockRows => "block_rows",
            Self::Raw => "raw",
            Self::TooLarge => "too_large",
        }
    }
}

/// An answer, ready for the editor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Landing {
    /// Why it must not land by itself; none where it may.
    pub held_for: Option<HeldFor>,
    /// The tidied answer by lines. No lines at all delete the rows of a linewise range, and insert nothing;
    /// for a part of a line and for a block there is always at least one.
    pub lines: Vec<String>,
    /// Which line of the answer the first of them was, from 0: tidying leaves lines out at both ends, and changes
    /// others.
    pub from: usize,
}

/// Prepares an answer for its landing in the range of its request.
pub fn prepare(request: &Request, answer: &str) -> Landing {
    if request.question {
        let lines = answer.split('\n').map(str::to_owned).collect();
        return Landing { held_for: None, lines, from: 0 };
    }
    let tidied = tidy::tidy(request.into(), answer);
    let held_for = held_for(request, &tidied);
    Landing { held_for, lines: tidied.lines, from: tidied.from }
}

/// The reason that would hold the answer in any case comes before the user's request to review it.
fn held_for(request: &Request, tidied: &tidy::Tidied) -> Option<HeldFor> {
    let selection = &request.selection;
    if tidied.ambiguous {
        return Some(HeldFor::Ambiguous);
    }
    if selection.kind == SelectionKind::Block && tidied.lines.len() != selection.text.len() {
        return Some(HeldFor::BlockRows);
    }
    request.review.then_some(HeldFor::Review)
}

#[cfg(test)]
mod tests;
