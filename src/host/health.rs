//! What `:checkhealth` asks: looks for the agents' programs, asks them for their versions, and looks whether the
//! directories can be written to.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use serde_json::json;
use tokio::task::JoinSet;

use super::Host;
use crate::agent::{Directory, Isolation, Protocol, Recipe};
use crate::job::{Groups, find_program, version};
use crate::options::{AgentOption, Options, home};
use crate::render::health::{self, CheckedAgent};

type Versions = BTreeMap<PathBuf, Result<String, String>>;

impl Host {
    /// Replies with the report.
    pub(super) fn health(&self, token: u64, options: Options, log: String) {
        let (editor, groups) = (self.editor.clone(), self.context.groups.clone());
        tokio::spawn(async move {
            let versions = versions(&options, &groups).await;
            let agents: Vec<_> =
                options.agents.values().map(|agent| checked(agent, &versions, &options)).collect();
            let directories = [("data", options.data_dir), ("log", log)].map(|(what, path)| {
                let is_writable = is_writable(&path);
                (what, path, is_writable)
            });
            let sections = [
                health::agents(&agents, &options.agent, options.trust_project),
                health::directories(&directories),
            ];
            editor.reply(token, Ok(json!({ "sections": sections })));
        });
    }
}

/// The path of an agent's program, where that is there.
pub(super) fn path(agent: &AgentOption) -> Option<PathBuf> {
    find_program(&agent.command.command[0], agent.command.env.get("PATH"))
}

/// The versions of all programs, each asked once. One of the protocol `text` is not: it may do anything with what it is
/// given.
async fn versions(options: &Options, groups: &Groups) -> Versions {
    let (mut running, mut known) = (JoinSet::new(), Versions::new());
    for agent in options.agents.values().filter(|agent| agent.command.protocol != Protocol::Text) {
        let Some(path) = path(agent) else { continue };
        if known.insert(path.clone(), Err("it was not asked".to_owned())).is_some() {
            continue;
        }
        let environment = agent.command.env.iter().filter(|(name, _)| *name == "PATH");
        let (environment, groups) =
            (environment.map(|(k, v)| (k.clone(), v.clone())).collect(), groups.clone());
        running.spawn(async move {
            let said = version(&path, environment, &groups).await;
            (path, said)
        });
    }
    known.extend(running.join_all().await);
    known
}

fn checked(agent: &AgentOption, versions: &Versions, options: &Options) -> CheckedAgent {
    let path = path(agent);
    let recipe = agent.command.recipe();
    CheckedAgent {
        name: agent.command.name.clone(),
        program: agent.command.command[0].clone(),
        version: path
            .as_ref()
            .and_then(|path| versions.get(path))
            .cloned()
            .filter(|_| agent.command.protocol != Protocol::Text),
        path: path.map(|path| path.to_string_lossy().into_owned()),
        login: login(agent, recipe),
        is_apart: agent.command.directory(options.trust_project) == Directory::Empty,
        weakened_by: if recipe.isolation == Isolation::None { Vec::new() } else { agent.weakened_by() },
        keeps: recipe.keeps,
    }
}

/// How an agent is logged in, as far as it can be seen without asking it; none where that is not known.
fn login(agent: &AgentOption, recipe: &Recipe) -> Option<String> {
    if recipe.login_variables.is_empty() && recipe.login_file.is_none() {
        return None;
    }
    let is_set =
        |variable: &&&str| agent.command.env.contains_key(**variable) || std::env::var_os(variable).is_some();
    if let Some(variable) = recipe.login_variables.iter().find(is_set) {
        return Some(format!("{variable} is set"));
    }
    let file = recipe.login_file.filter(|file| home(file).is_some_and(|path| Path::new(&path).exists()));
    let unknown = || format!("not found by botglue; if a job fails because of it, {}", recipe.login());
    Some(file.map_or_else(unknown, str::to_owned))
}

/// Whether files can be made in a directory, which is made if it is not there.
fn is_writable(path: &str) -> bool {
    // Whether that went well the next line tells.
    let _ = std::fs::create_dir_all(path);
    let Ok(name) = CString::new(Path::new(path).as_os_str().as_bytes()) else { return false };
    // SAFETY: the name is a string that ends with a zero and outlives the call.
    Path::new(path).is_dir() && unsafe { libc::access(name.as_ptr(), libc::W_OK | libc::X_OK) } == 0
}
