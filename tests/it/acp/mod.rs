//! Agents that speak the Agent Client Protocol: recorded dialogues played by a process, and a real agent.

mod played;
mod real;
mod unshipped;
