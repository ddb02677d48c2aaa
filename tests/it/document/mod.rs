//! Where a range is after named edits that random schedules seldom play, or once found; `editor` plays them.

mod editor;
mod edits;
mod parts;
