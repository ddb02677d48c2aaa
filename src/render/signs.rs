//! The signs in a list: plain characters that every terminal font has.

pub const QUEUED: &str = "○";
pub const UNCHANGED: &str = "=";
pub const BAR: &str = "│";
pub const READY: &str = "●";
pub const FAILED: &str = "✗";
pub const LANDED: &str = "✓";
pub const HELD: &str = "◆";
pub const LET_GO: &str = "·";
/// In place of an amount that is not known.
pub const UNKNOWN: &str = "–";
pub const BETWEEN: &str = " · ";
