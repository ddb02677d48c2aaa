//! The intents of the host for the range of a job ([`Intent`]), and their results ([`Settlement`]).

use std::ops::Range;

use serde_json::Value as Json;

use crate::document::Passage;
use crate::land::{Bytes, HeldFor};
use crate::review::{EditId, ReviewEnd};

/// What the host wants of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intent {
    /// That its answer lands.
    Land(Vec<Bytes>),
    /// That its answer is held, whatever the text is.
    Hold(HeldFor),
    /// That its held answer lands, as the user has edited it.
    Accept {
        /// The answer.
        lines: Vec<Bytes>,
        /// Its dropped edits.
        dropped: Vec<Vec<EditId>>,
        /// The changedtick of the text beside which the user has seen its conflicts, if they have.
        shown: Option<u64>,
    },
    /// That something is done with hunks of its held answer.
    Hunks {
        /// What.
        act: HunkAct,
        /// With which; with all where none is named.
        hunks: Option<Vec<EditId>>,
        /// The token of the key that asks for it.
        token: u64,
    },
    /// That these rows become its answer, and its range.
    Put {
        /// The rows.
        rows: Range<usize>,
        /// The changedtick of the text in which they are those.
        tick: u64,
        /// The answer.
        lines: Vec<Bytes>,
    },
    /// That what was written to it last is reverted.
    Revert,
}

/// What is done with hunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HunkAct {
    /// They are taken.
    Take,
    /// They are taken; where the user has changed the same rows, theirs stay above those that come.
    TakeBoth,
    /// They are dropped.
    Drop,
    /// They were dropped, and are proposed again.
    Undrop,
}

/// What became of an intent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settlement {
    /// The text is what it should be; nothing was written.
    Unchanged,
    /// It was written, in one undo step.
    Written {
        /// Whether changes of the user's are in it, too.
        is_merged: bool,
    },
    /// It was taken back, or had been already.
    Reverted,
    /// Some of a held answer was written; the rest is held still.
    Taken,
    /// Nothing was written, and the answer is held still.
    Kept,
    /// All of it was dropped.
    Rejected,
    /// It was not written, and is not by itself.
    Held(HeldFor),
    /// It was not accepted, or not reverted: nothing changed.
    Refused(Obstacle),
}

impl Settlement {
    /// Whether nothing of the answer is left to decide.
    pub fn is_end(self) -> bool {
        matches!(self, Self::Unchanged | Self::Written { .. } | Self::Reverted | Self::Rejected)
    }

    /// The public name of the landing.
    pub fn landing(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Written { is_merged: false } => "applied",
            Self::Written { is_merged: true } => "merged",
            Self::Reverted => "reverted",
            Self::Taken => "taken",
            Self::Rejected => "rejected",
            Self::Kept | Self::Held(_) | Self::Refused(_) => "held",
        }
    }
}

impl Intent {
    /// Its settlement if it is impossible.
    pub fn denied(&self, why: HeldFor) -> Settlement {
        match self {
            Self::Hold(own) if why != HeldFor::BufferGone => Settlement::Held(*own),
            Self::Land(_) | Self::Hold(_) => Settlement::Held(why),
            Self::Accept { .. } | Self::Put { .. } | Self::Hunks { .. } | Self::Revert => {
                Settlement::Refused(Obstacle::Held(why))
            }
        }
    }

    /// The token of the key that asks for it.
    pub fn token(&self) -> Option<u64> {
        if let Self::Hunks { token, .. } = self { Some(*token) } else { None }
    }
}

impl From<Obstacle> for Settlement {
    fn from(why: Obstacle) -> Self {
        Self::Refused(why)
    }
}

impl From<ReviewEnd> for Settlement {
    fn from(end: ReviewEnd) -> Self {
        match end {
            ReviewEnd::Applied => Self::Written { is_merged: false },
            ReviewEnd::Merged => Self::Written { is_merged: true },
            ReviewEnd::Rejected => Self::Rejected,
        }
    }
}

/// An intent that is settled.
#[derive(Debug)]
pub struct SettledIntent {
    /// The job's id.
    pub job: u64,
    /// What.
    pub settlement: Settlement,
    /// The number of the step that was written.
    pub attempt: Option<u64>,
    /// The range as it is now, where no document knows it.
    pub passage: Option<Passage>,
    /// A reply that is to go out after it.
    pub reply: Option<(u64, Findings)>,
}

impl SettledIntent {
    /// Without a step.
    pub fn new(job: u64, settlement: Settlement) -> Self {
        Self { job, settlement, attempt: None, passage: None, reply: None }
    }
}

/// What a mirror knows of its buffer, where that is asked, or why it does not do what is asked.
pub type Findings = Result<Json, Obstacle>;

/// Why an accept or a revert is impossible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// A reason that also holds answers.
    Held(HeldFor),
    /// The text is not the one that the user has seen.
    Stale,
}

impl From<HeldFor> for Obstacle {
    fn from(why: HeldFor) -> Self {
        Self::Held(why)
    }
}

impl Obstacle {
    /// Its public name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Held(why) => why.name(),
            Self::Stale => "stale",
        }
    }
}
