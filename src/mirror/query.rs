//! The queries that a mirror answers, and its findings.

use rmpv::Value;

use super::view::MirrorView;
use crate::land::{Bytes, HeldFor};
use crate::review::EditId;

/// A question to a mirror.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MirrorQuery {
    /// What it knows of its buffer.
    Mirror,
    /// Something of the review of a held answer.
    Review {
        /// The job's id.
        job: u64,
        /// What.
        asked: ReviewQuery,
    },
}

/// What is asked of a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReviewQuery {
    /// To follow the proposal: each change of it is sent.
    Watch {
        /// The answer, as the user has edited it.
        lines: Vec<Bytes>,
        /// What was dropped of it.
        dropped: Vec<Vec<EditId>>,
    },
    /// To take hunks, or all.
    Take(Option<Vec<EditId>>),
    /// To take hunks, and to keep the user's rows where they have changed the same.
    Both(Option<Vec<EditId>>),
    /// To drop hunks, or all.
    Drop(Option<Vec<EditId>>),
    /// To take back the last drop.
    Undrop(Vec<EditId>),
}

/// What a mirror says.
#[derive(Debug)]
pub enum Findings {
    /// There is no mirror, or the reply is sent otherwise.
    Nothing,
    /// What it knows of its buffer.
    View(MirrorView),
    /// These hunks were taken, or dropped, or are back.
    Done(Vec<EditId>),
    /// Of the hunks that were asked for one is not there any more.
    Stale,
    /// Nothing can be said of an answer.
    Unknown(HeldFor),
}

impl MirrorQuery {
    /// What is said where there is no mirror.
    pub fn without_mirror(&self) -> Findings {
        match self {
            Self::Review { .. } => Findings::Unknown(HeldFor::BufferGone),
            Self::Mirror => Findings::Nothing,
        }
    }
}

impl Findings {
    /// The fields of a reply.
    pub fn fields(&self) -> Vec<(Value, Value)> {
        if let Self::View(view) = self { view.fields() } else { Vec::new() }
    }
}
