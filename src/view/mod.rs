//! What windows show, made of what the host knows: rows, and what is highlighted and folded in them. Pure.

pub mod transcript;
