//! What `:checkhealth` says of the agents and of the directories.

use serde::Serialize;

/// A part of the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Section {
    /// Its title.
    pub title: &'static str,
    /// How each line is reported, the line, and what to do.
    pub lines: Vec<(&'static str, String, Option<String>)>,
}

/// What is known of an agent in the options.
#[derive(Debug, Clone)]
pub struct CheckedAgent {
    /// Its name in the options.
    pub name: String,
    /// The program that its options name.
    pub program: String,
    /// Where that is.
    pub path: Option<String>,
    /// What the program says of its version, or why it does not; none where it is not started.
    pub version: Option<Result<String, String>>,
    /// What keeps it from writing and from running programs.
    pub keeps: &'static str,
    /// How it is logged in, as far as that can be seen.
    pub login: Option<String>,
    /// It runs in an empty directory.
    pub is_apart: bool,
    /// The options that weaken what keeps it read-only.
    pub weakened_by: Vec<&'static str>,
}

/// The agents, of which one runs the jobs.
pub fn agents(agents: &[CheckedAgent], chosen: &str, trust_project: bool) -> Section {
    let lines = agents.iter().flat_map(|agent| agent.lines(agent.name == chosen, trust_project));
    Section { title: "botglue: agents", lines: lines.collect() }
}

/// The directories, each with what it is for, and whether it can be written to.
pub fn directories(directories: &[(&str, String, bool)]) -> Section {
    let line = |(what, path, is_writable): &(&str, String, bool)| match is_writable {
        true => ("ok", format!("{what}: {path} can be written to"), None),
        false => {
            ("error", format!("{what}: {path} cannot be written to"), Some("make it writable".to_owned()))
        }
    };
    Section { title: "botglue: directories", lines: directories.iter().map(line).collect() }
}

impl CheckedAgent {
    fn lines(&self, is_chosen: bool, trust_project: bool) -> Vec<(&'static str, String, Option<String>)> {
        let name = &self.name;
        let title = if is_chosen { format!("{name} (runs the jobs)") } else { name.clone() };
        let Some(path) = &self.path else {
            let level = if is_chosen { "error" } else { "info" };
            let advice = format!("install it, or set agents.{name}.command");
            return vec![(level, format!("{title}: {} is not in PATH", self.program), Some(advice))];
        };
        let program = match &self.version {
            None => ("ok", format!("{title}: {path}, of the protocol text: it is not asked for its version")),
            Some(Ok(version)) => ("ok", format!("{title}: {path}, {version}")),
            Some(Err(error)) => ("warn", format!("{title}: {path} reports no version: {error}")),
        };
        let mut lines = vec![(program.0, program.1, None)];
        if let Some(login) = &self.login {
            lines.push(("info", format!("{name}: login: {login}"), None));
        }
        let keeps = match () {
            () if self.is_apart => "; runs in an empty directory",
            () if trust_project => "; loads the project's own settings, as trust_project says",
            () => "",
        };
        lines.push(("info", format!("{name}: read-only by: {}{keeps}", self.keeps), None));
        let advice = || Some("it may lift the limits named above".to_owned());
        lines.extend(
            self.weakened_by
                .iter()
                .map(|field| ("warn", format!("{name}: agents.{name}.{field} is set"), advice())),
        );
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(name: &str) -> CheckedAgent {
        CheckedAgent {
            name: name.to_owned(),
            program: name.to_owned(),
            path: Some(format!("/bin/{name}")),
            version: Some(Ok("1.2.3".to_owned())),
            keeps: "its own sandbox",
            login: Some("OPENAI_API_KEY is set".to_owned()),
            is_apart: true,
            weakened_by: vec!["mode"],
        }
    }

    #[test]
    fn an_agent_has_its_version_its_login_and_what_keeps_it() {
        let lines = agents(&[agent("codex")], "codex", false).lines;
        let texts: Vec<_> = lines.iter().map(|(level, text, _)| format!("{level} {text}")).collect();
        assert_eq!(texts[0], "ok codex (runs the jobs): /bin/codex, 1.2.3");
        assert_eq!(texts[1], "info codex: login: OPENAI_API_KEY is set");
        assert!(texts[2].ends_with("; runs in an empty directory"), "{}", texts[2]);
        assert_eq!(texts[3], "warn codex: agents.codex.mode is set");
    }

    #[test]
    fn an_agent_that_is_not_there_matters_where_it_runs_the_jobs() {
        let missing = CheckedAgent { path: None, ..agent("codex") };
        for (chosen, level) in [("codex", "error"), ("claude", "info")] {
            assert_eq!(agents(std::slice::from_ref(&missing), chosen, false).lines[0].0, level);
        }
    }
}
