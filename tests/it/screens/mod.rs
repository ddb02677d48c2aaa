//! Screens as a person sees them, compared with expected ones on three sizes; how to write one,
//! [`on_each_screen`](crate::support::picture::on_each_screen) says.

mod ask;
mod colours;
mod each;
mod held;
mod lists;
mod outcomes;
mod prompt;
mod review;
mod running;
mod transcript;
