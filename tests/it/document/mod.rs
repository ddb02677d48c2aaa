//! Following text by identity: named edits, and random schedules against a model that knows the truth.
//!
//! `editor` is a buffer that tells a document of its changes as Neovim does and knows by itself which character is
//! which (`line`); `truth` says where a range is and what may become of it; `schedule` plays at random. None of it shares code
//! with the document or the merge.

mod editor;
mod edits;
mod line;
mod parts;
mod schedule;
mod truth;

pub use schedule::play_all as play;
pub use schedule::random::Random;
