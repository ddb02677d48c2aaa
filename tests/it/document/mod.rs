//! Where a range is after named edits, most of which random schedules once found; `editor` plays them.

mod editor;
mod edits;
mod parts;
