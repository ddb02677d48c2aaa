//! The main job with the real CLIs, asking a Messages API on loopback whose answers the tests write; nothing else is
//! made up.

mod claude_sessions;
mod droid_sessions;
mod limits;
mod prewarmed;
