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

type Versions = BTreeMap<PathBuf, Result<String, String>>;
/// How a line of the report is reported, the line, and what to do.
type Line = (&'static str, String, Option<String>);

impl Host {
    /// Replies with the report.
    pub(super) fn health(&self, token: u64, options: Options, log: String) {
        let (back, groups) = (self.back.clone(), self.context.groups.clone());
        tokio::spawn(async move {
            let versions = versions(&options, &groups).await;
            let agents = options.agents.values().flat_map(|agent| lines(agent, &versions, &options));
            let agents: Vec<_> = agents.collect();
            let directories = [("data", &options.data_dir), ("log", &log)];
            let sections = json!([
                { "title": "botglue: agents", "lines": agents },
                { "title": "botglue: directories", "lines": directories.map(directory) },
            ]);
            back.then(move |host| host.reply(token, Ok(json!({ "sections": sections }))));
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

/// What is said of an agent.
fn lines(agent: &AgentOption, versions: &Versions, options: &Options) -> Vec<Line> {
    let (name, recipe) = (&agent.command.name, agent.command.recipe());
    let is_chosen = *name == options.agent;
    let title = if is_chosen { format!("{name} (runs the jobs)") } else { name.clone() };
    let Some(path) = path(agent) else {
        let level = if is_chosen { "error" } else { "info" };
        let advice = format!("install it, or set agents.{name}.command");
        let program = &agent.command.command[0];
        return vec![(level, format!("{title}: {program} is not in PATH"), Some(advice))];
    };
    let asked = versions.get(&path).filter(|_| agent.command.protocol != Protocol::Text);
    let path = path.to_string_lossy();
    let mut lines = vec![match asked {
        None => {
            ("ok", format!("{title}: {path}, of the protocol text: it is not asked for its version"), None)
        }
        Some(Ok(version)) => ("ok", format!("{title}: {path}, {version}"), None),
        Some(Err(error)) => ("warn", format!("{title}: {path} reports no version: {error}"), None),
    }];
    lines.extend(login(agent, recipe).map(|login| ("info", format!("{name}: login: {login}"), None)));
    let where_it_runs = match agent.command.directory(options.trust_project) {
        Directory::Empty => "; runs in an empty directory",
        Directory::Project if options.trust_project => {
            "; loads the project's own settings, as trust_project says"
        }
        Directory::Project => "",
    };
    lines.push(("info", format!("{name}: read-only by: {}{where_it_runs}", recipe.keeps), None));
    let weakened_by = agent.weakened_by().into_iter().filter(|_| recipe.isolation != Isolation::None);
    let advice = || Some("it may lift the limits named above".to_owned());
    lines
        .extend(weakened_by.map(|field| ("warn", format!("{name}: agents.{name}.{field} is set"), advice())));
    lines
}

/// What is said of a directory, by what it is for.
fn directory((what, path): (&str, &String)) -> Line {
    if is_writable(path) {
        return ("ok", format!("{what}: {path} can be written to"), None);
    }
    ("error", format!("{what}: {path} cannot be written to"), Some("make it writable".to_owned()))
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
