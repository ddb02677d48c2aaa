//! Screens as a person sees them, one of each window and state, compared with expected ones, as [`picture`] writes them
//! down. A test brings the screen about, and says what it looks for.

mod ask;
mod each;
mod held;
mod lists;
mod outcomes;
mod picture;
mod prompt;
mod review;
mod running;
mod transcript;
