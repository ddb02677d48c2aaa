//! What the editor tells of the agents, and does with their sessions. The host sends it with its greeting.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Dialect, Isolation, Preset, Protocol, ResumeSupport};
use crate::stream::failure::AgentLabel;

/// What is said of one agent beside what its protocol does.
#[derive(Debug, Clone, Copy)]
pub struct About {
    /// What keeps it from writing and from running programs: goes on from "read-only by".
    pub keeps: &'static str,
    /// How a session of it is opened in a terminal: the program, where that is another one, and what stands before the
    /// session's id. None where nobody knows.
    pub open: Option<(Option<&'static str>, &'static str)>,
    /// Variables that log it in.
    pub login_variables: &'static [&'static str],
    /// Where it keeps a login, as far as that is a file; `~` is the user's own directory.
    pub login_file: Option<&'static str>,
}

impl About {
    /// Of an agent of which nothing is known.
    pub const UNKNOWN: Self = Self { keeps: "nothing", open: None, login_variables: &[], login_file: None };
}

/// An agent, as the editor knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KnownAgent {
    protocol: &'static str,
    keeps: &'static str,
    /// What it loads of a project's own settings.
    loads: &'static str,
    /// Whether it can go on in a session; none where only the agent knows.
    goes_on: Option<bool>,
    open: Option<OpenCommand>,
    /// None where nothing is known of it.
    login: Option<Login>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct OpenCommand {
    program: Option<&'static str>,
    flag: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Login {
    /// What the user does to log in.
    how: String,
    env: &'static [&'static str],
    file: Option<&'static str>,
}

/// The agents that have a recipe, and what is known of any other by its protocol's name.
#[must_use]
pub fn known() -> BTreeMap<&'static str, KnownAgent> {
    let protocols = Protocol::ALL.map(|protocol| {
        let Dialect { name, label, about, isolation, resume, .. } = protocol.dialect();
        let loads = match isolation {
            Isolation::None => "everything",
            Isolation::Arguments => "nothing",
            Isolation::Directory => "directory",
        };
        let goes_on = (protocol != Protocol::Acp).then_some(*resume != ResumeSupport::None);
        (*name, agent(name, *label, *about, loads, goes_on))
    });
    let presets = Preset::ALL.map(|preset| {
        let goes_on = Some(preset.resume != ResumeSupport::None);
        (preset.name, agent("acp", preset.label, preset.about, "directory", goes_on))
    });
    protocols.into_iter().chain(presets).collect()
}

fn agent(
    protocol: &'static str,
    label: AgentLabel,
    about: About,
    loads: &'static str,
    goes_on: Option<bool>,
) -> KnownAgent {
    let About { keeps, open, login_variables: env, login_file: file } = about;
    let open = open.map(|(program, flag)| OpenCommand { program, flag });
    let is_known = file.is_some() || !env.is_empty();
    let login = is_known.then(|| Login { how: format!("run {}", label.login), env, file });
    KnownAgent { protocol, keeps, loads, goes_on, open, login }
}
