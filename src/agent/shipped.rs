//! The descriptions of the agents and their sessions.

use super::{Isolation, ResumeSupport};
use crate::stream::failure::AgentLabel;

/// What is known of one agent beside how it talks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    /// The name of its protocol in options and on the command line; of a shipped agent its key in the option `agents`.
    pub name: &'static str,
    /// What messages say of it.
    pub label: AgentLabel,
    /// What keeps it from writing and from running programs: goes on from "read-only by".
    pub keeps: &'static str,
    /// How it is kept from loading the settings of a project that is not trusted.
    pub isolation: Isolation,
    /// What it can go on from.
    pub resume: ResumeSupport,
    /// How a session of it is opened in a terminal, if that is known.
    pub open: Option<OpenCommand>,
    /// Variables that log it in.
    pub login_variables: &'static [&'static str],
    /// Where it keeps a login, as far as that is a file; `~` is the user's own directory.
    pub login_file: Option<&'static str>,
}

/// How a session is opened in a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenCommand {
    /// The program, where that is another one than the agent's.
    pub program: Option<&'static str>,
    /// What stands before the session's id.
    pub flag: &'static str,
}

impl About {
    /// Of an agent of which nothing is known.
    pub const UNKNOWN: Self = Self {
        name: "",
        label: AgentLabel { name: "the agent", login: "its own login command" },
        keeps: "nothing",
        isolation: Isolation::None,
        resume: ResumeSupport::None,
        open: None,
        login_variables: &[],
        login_file: None,
    };

    /// What the user does to log in.
    pub fn login(&self) -> String {
        format!("run {}", self.label.login)
    }
}
