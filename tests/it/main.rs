//! Integration tests: the host and the plugin with a real Neovim, real CLIs and agents made for one fault each.

#![cfg(test)]
#![expect(clippy::disallowed_methods, reason = "tests start processes and write files of their own")]

mod acp;
mod agents;
mod demo;
mod document;
mod fuzz;
mod holding;
mod install;
mod job;
mod large;
mod leaks;
mod leaving;
mod leftovers;
mod limits;
mod log;
mod model;
mod modules;
mod parse;
mod prewarm;
mod prompt;
mod properties;
mod release;
mod replay;
mod screens;
mod scripts;
mod speed;
mod store;
mod stored;
mod streams;
mod support;
#[cfg(target_os = "linux")]
mod transcripts;
mod watched;
#[cfg(test)]
mod writing;
