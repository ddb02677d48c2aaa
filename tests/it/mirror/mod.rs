//! The host's mirror of a buffer equals the buffer, whatever is done to that in a real Neovim: by rules with a name
//! (`rules`), and at random.
//!
//! `make test` plays a few hundred steps, always the same; `make soak` plays 10,000 others. A failure prints its seed
//! and its story; `make soak SEED=7` plays the round of a seed again.

mod cost;
mod editor;
mod random;
mod rules;
