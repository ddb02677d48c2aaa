//! Integration tests: the host and the plugin with a real Neovim, real CLIs and agents made for one fault each.

#![expect(clippy::disallowed_methods, reason = "tests start processes and write files of their own")]

#[cfg(test)]
mod acp;
#[cfg(test)]
mod clis;
#[cfg(test)]
mod demo;
#[cfg(test)]
mod document;
#[cfg(test)]
mod endings;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod holding;
#[cfg(test)]
mod install;
#[cfg(test)]
mod job;
#[cfg(test)]
mod large;
#[cfg(test)]
mod leaks;
#[cfg(test)]
mod leaving;
#[cfg(test)]
mod leftovers;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod log;
#[cfg(test)]
mod model;
#[cfg(test)]
mod modules;
#[cfg(test)]
mod parallel;
#[cfg(test)]
mod parse;
#[cfg(test)]
mod prewarm;
#[cfg(test)]
mod prompt;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod release;
#[cfg(test)]
mod replay;
#[cfg(test)]
mod review;
#[cfg(test)]
mod scenarios;
#[cfg(test)]
mod screens;
#[cfg(test)]
mod scripts;
#[cfg(test)]
mod speed;
#[cfg(test)]
mod store;
#[cfg(test)]
mod stored;
#[cfg(test)]
mod streams;
#[cfg(test)]
mod support;
#[cfg(test)]
mod text;
#[cfg(test)]
#[cfg(target_os = "linux")]
mod transcripts;
#[cfg(test)]
mod trust;
#[cfg(test)]
mod watched;
#[cfg(test)]
mod writing;
