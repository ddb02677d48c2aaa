//! How a session of an agent is opened in a terminal: the program, its arguments, its PATH, and where it runs.

use serde_json::json;

use super::{Host, Reply};
use crate::agent::Directory;
use crate::job::{find_program, search_path};

impl Host {
    /// What the plugin starts; `job` is what an error calls the job.
    pub(super) fn terminal(&self, job: &str, agent: &str, session_id: Option<&str>, cwd: &str) -> Reply {
        let options = self.options.as_ref().map_err(Clone::clone)?;
        let (agent, session_id) = options.session(job, agent, session_id)?;
        let (name, path) = (&agent.command.name, agent.command.env.get("PATH"));
        let (other, flag) = agent.command.recipe().open.ok_or_else(|| {
            format!("{name} has no command of its own that botglue knows to open a session with")
        })?;
        let cwd = if agent.command.directory(options.trust_project) == Directory::Empty {
            // Where the host runs it: in a project that is not trusted it would run what that says.
            let empty = self.context.empty_directory.find().map_err(|_| {
                format!(
                    "there is no empty directory for it at {}: see :help botglue-security",
                    options.data_dir
                )
            })?;
            empty.to_string_lossy().into_owned()
        } else {
            cwd.to_owned()
        };
        let program = other.map_or_else(|| agent.command.command[0].clone(), str::to_owned);
        let found = find_program(&program, path)
            .ok_or_else(|| format!("{program} was not found: install it, or set agents.{name}.command"))?;
        let first =
            if other.is_some() { &[][..] } else { agent.command.command.get(1..).unwrap_or_default() };
        let mut command = vec![found.to_string_lossy().into_owned()];
        command.extend(first.iter().cloned().chain([flag.to_owned(), session_id.to_owned()]));
        if !std::path::Path::new(&cwd).is_dir() {
            return Err(format!("the directory of the session is gone: {cwd}"));
        }
        let mut env = agent.command.env.clone();
        env.insert("PATH".to_owned(), search_path(path).to_string_lossy().into_owned());
        Ok(Some(json!({ "terminal": { "command": command, "cwd": cwd, "env": env } })))
    }
}
