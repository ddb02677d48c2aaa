//! The host of botglue.nvim: it runs agent CLIs for Neovim, reads their streams, and lands their answers.
//!
//! The modules read in the order in which a request travels: `rpc` and `request` take it in, `host` queues
//! it, `job` runs the agent, `agent` and `stream` turn what the agent prints into updates and one outcome,
//! `land` prepares the edit, `editor` calls Neovim. ARCHITECTURE.md says which of them are pure.

pub mod agent;
pub mod agent_message;
mod command;
mod diff;
pub mod document;
pub mod earlier;
pub mod editor;
pub mod error;
pub mod fields;
pub mod host;
pub mod job;
pub mod journal;
pub mod land;
pub mod limit_end;
mod log;
mod memory;
pub mod mirror;
mod named;
pub mod options;
pub mod parse;
mod processes;
pub mod reap;
pub mod render;
pub mod replay;
pub mod request;
pub mod review;
pub mod rpc;
pub mod rules;
pub mod serve;
pub mod session;
pub mod store;
pub mod stream;
pub mod ui;
