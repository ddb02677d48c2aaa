//! The words that the plugin needs before a host may reply: what is said of an agent that is not logged in. The host
//! sends them with its greeting.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::agent::{self, KnownAgent};

/// All of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Words {
    agents: BTreeMap<&'static str, AgentWords>,
}

/// What is said of an agent that is not logged in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct AgentWords {
    /// How it talks: a user's agent may have the name of a shipped one and another protocol.
    protocol: &'static str,
    login: String,
}

/// All words.
pub fn words() -> Words {
    let login = |(name, known): (&'static str, KnownAgent)| {
        (name, AgentWords { protocol: known.protocol, login: known.login })
    };
    Words { agents: agent::known().into_iter().map(login).collect() }
}
