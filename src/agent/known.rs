//! The descriptions of the agents and their sessions.

use std::collections::BTreeMap;

use super::{Dialect, Isolation, Preset, Protocol, ResumeSupport};
use crate::stream::failure::AgentLabel;

/// What is said of one agent beside what its protocol does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    /// What keeps it from writing and from running programs: goes on from "read-only by".
    pub keeps: &'static str,
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
    pub const UNKNOWN: Self = Self { keeps: "nothing", open: None, login_variables: &[], login_file: None };
}

/// An agent, as the editor knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownAgent {
    /// How it talks.
    pub protocol: &'static str,
    /// What it loads of a project's own settings.
    pub loads: &'static str,
    /// Whether it can go on in a session; none where only the agent knows.
    pub goes_on: Option<bool>,
    /// What the user does to log in.
    pub login: String,
    /// What is said of it.
    pub about: About,
}

/// The agents that have a recipe, and what is known of any other by its protocol's name.
pub fn known() -> BTreeMap<&'static str, KnownAgent> {
    let login = |label: AgentLabel| format!("run {}", label.login);
    let protocols = Protocol::ALL.map(|protocol| {
        let Dialect { name, label, about, isolation, resume, .. } = *protocol.dialect();
        let loads = match isolation {
            Isolation::None => "everything",
            Isolation::Arguments => "nothing",
            Isolation::Directory => "directory",
        };
        let goes_on = (protocol != Protocol::Acp).then_some(resume != ResumeSupport::None);
        (name, KnownAgent { protocol: name, loads, goes_on, login: login(label), about })
    });
    let presets = Preset::ALL.iter().map(|&Preset { name, label, about, resume, .. }| {
        let goes_on = Some(resume != ResumeSupport::None);
        (name, KnownAgent { protocol: "acp", loads: "directory", goes_on, login: login(label), about })
    });
    protocols.into_iter().chain(presets).collect()
}
