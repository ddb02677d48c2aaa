//! What a mirror replies to what it is asked.

use serde_json::Value as Json;

use crate::land::HeldFor;

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
