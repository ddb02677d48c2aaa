//! Agents that speak the Agent Client Protocol, as recorded dialogues.

mod played;
mod unshipped;
