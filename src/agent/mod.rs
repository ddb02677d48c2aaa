//! The agents: how each CLI is started and what its lines mean. Pure but for the argument vector.

/// How an agent talks: the option `agents.NAME.protocol`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// `claude -p --output-format stream-json`.
    Claude,
    /// `droid exec -o stream-json`.
    Droid,
    /// Standard output is the answer.
    Text,
}
