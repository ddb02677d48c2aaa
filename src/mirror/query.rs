//! The queries that a mirror answers, and its findings.

use super::view::MirrorView;
use crate::land::HeldFor;
use crate::review::EditId;

/// What is asked of a mirror, of the review of a held answer if nothing else is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MirrorQuery {
    /// What it knows of its buffer. Tests ask that, to compare the text and to know that it has read all that was sent.
    Mirror,
    /// To take hunks, or all.
    Take(Option<Vec<EditId>>),
    /// To take hunks, and to keep the user's rows where they have changed the same.
    Both(Option<Vec<EditId>>),
    /// To drop hunks, or all.
    Drop(Option<Vec<EditId>>),
    /// To take back the last drop.
    Undrop(Vec<EditId>),
}

/// What a mirror knows of its buffer, where that is asked, or why it does not do what is asked.
pub type Findings = Result<Option<MirrorView>, Obstacle>;

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

impl MirrorQuery {
    /// What is said where there is no mirror.
    pub fn without_mirror(&self) -> Findings {
        match self {
            Self::Mirror => Ok(None),
            _ => Err(HeldFor::BufferGone.into()),
        }
    }
}
