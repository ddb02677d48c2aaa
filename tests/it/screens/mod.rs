//! Screens as a person sees them, one of each window and state, compared with expected ones; how to write one,
//! [`STAGE`](crate::support::picture::STAGE) says.

mod ask;
mod each;
mod held;
mod lists;
mod outcomes;
mod prompt;
mod review;
mod running;
mod transcript;
