//! How a session of an agent is opened in a terminal: the program, its arguments, its PATH, and where it runs.

use serde_json::{Value, json};

use super::Host;
use super::health::{is_apart, known, program};
use crate::job::{find_program, search_path};
use crate::rpc::TerminalOf;

impl Host {
    /// Replies with what the plugin starts.
    pub(super) fn terminal(&mut self, token: u64, wanted: &TerminalOf) {
        let reply = self.session_command(wanted);
        self.draw(Some((token, reply)));
    }

    fn session_command(&self, wanted: &TerminalOf) -> Result<Value, String> {
        let TerminalOf { agent, session_id, cwd, trust_project, data_dir } = wanted;
        let (name, known, path) = (&agent.name, known(agent), agent.env.get("PATH"));
        let open = known.about.open.as_ref().ok_or_else(|| {
            format!("{name} has no command of its own that botglue knows to open a session with")
        })?;
        let cwd = if is_apart(agent, &known, *trust_project) {
            // Where the host runs it: in a project that is not trusted it would run what that says.
            let empty = self.context.empty_directory.find().map_err(|_| {
                format!("see :help botglue-security: there is no empty directory for it at {data_dir}")
            })?;
            empty.to_string_lossy().into_owned()
        } else {
            cwd.clone()
        };
        let program = open.program.map_or_else(|| program(agent), str::to_owned);
        let found = find_program(&program, path).ok_or_else(|| {
            format!("install {program}, or set agents.{name}.command: there is no such program")
        })?;
        let first = if open.program.is_some() { &[][..] } else { agent.command.get(1..).unwrap_or_default() };
        let mut command = vec![found.to_string_lossy().into_owned()];
        command.extend(first.iter().cloned().chain([open.flag.to_owned(), session_id.clone()]));
        if !std::path::Path::new(&cwd).is_dir() {
            return Err(format!("the directory of the session is gone: {cwd}"));
        }
        let path = search_path(path).to_string_lossy().into_owned();
        Ok(json!({ "command": command, "cwd": cwd, "path": path }))
    }
}
