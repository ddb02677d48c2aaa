//! The signs in a list: plain characters that every terminal font has, or ASCII.

use super::Viewer;

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signs {
    pub queued: &'static str,
    pub ready: &'static str,
    pub failed: &'static str,
    pub landed: &'static str,
    pub held: &'static str,
    pub let_go: &'static str,
    /// In place of an amount that is not known.
    pub unknown: &'static str,
    pub between: &'static str,
}

const UNICODE: Signs = Signs {
    queued: "○",
    ready: "●",
    failed: "✗",
    landed: "✓",
    held: "◆",
    let_go: "·",
    unknown: "–",
    between: " · ",
};

const ASCII: Signs = Signs {
    queued: "o",
    ready: "*",
    failed: "x",
    landed: "v",
    held: "!",
    let_go: "-",
    unknown: "-",
    between: " - ",
};

impl Viewer {
    pub(super) fn signs(&self) -> Signs {
        if self.ascii { ASCII } else { UNICODE }
    }
}
