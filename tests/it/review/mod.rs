//! Reviews of held answers at random: hunks that are taken, dropped and undone between the user's own edits and the
//! landings of other answers.
//!
//! `editor` is a buffer as Neovim has one, with undo; `answers` makes texts and answers of words of which no two are
//! the same; `schedule` plays, and looks at what the mirrors propose and write. None of it shares code with the review
//! or the merge: what was shown is what has to be written, and each word tells by itself whose it is.

mod answers;
mod editor;
mod schedule;
