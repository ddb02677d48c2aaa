//! The agents that botglue has a recipe for: what keeps each one from writing and from loading a project's own
//! settings, and how its dialogue differs.
//!
//! Neither capabilities nor rejected permissions make an agent read-only, so each has a recipe of its own, tried with
//! the real program. An agent without a recipe is not restricted by botglue.

use serde_json::json;

use super::RECIPE;
use crate::agent::{Directory, Invocation, Isolation, Recipe, ResumeSupport};
use crate::stream::UsageScope;
use crate::stream::failure::AgentLabel;

impl Recipe {
    /// That of a shipped agent that calls itself this.
    pub fn of_agent(agent_name: &str) -> Option<&'static Self> {
        Self::ALL.into_iter().find(|recipe| recipe.agent_name == Some(agent_name))
    }

    /// Why a program that calls itself this is not the one that the recipe is for; none where it is. A version that is
    /// no number is not compared.
    pub fn mismatch(&self, name: Option<&str>, version: Option<&str>) -> Option<String> {
        let parts =
            version.unwrap_or_default().split(['.', '-', '+', ' ']).map_while(|part| part.parse().ok());
        let number: Vec<u64> = parts.take(3).collect();
        let is_older = !number.is_empty() && number.as_slice() < &self.tried[..number.len()];
        if self.agent_name.is_none() || name == self.agent_name && !is_older {
            return None;
        }
        let is = [name.unwrap_or("a program without a name"), version.unwrap_or_default()].join(" ");
        let tried = self.tried.map(|part| part.to_string()).join(".");
        Some(format!(
            "another program: install `npm i -g {}`, {tried} or newer; this is {}, which botglue cannot keep from \
             writing; under another name with protocol = \"acp\" it runs without limits",
            self.package,
            is.trim()
        ))
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// The flags that let it read the project from elsewhere.
fn include_project(invocation: &Invocation) -> Vec<String> {
    match invocation.start.directory() {
        Directory::Project => Vec::new(),
        Directory::Empty => words(&["--include-directories", &invocation.start.cwd.to_string_lossy()]),
    }
}

/// What a shipped agent is as far as it does not say otherwise.
const SHIPPED: Recipe = Recipe {
    isolation: Isolation::Directory,
    resume: ResumeSupport::None,
    open: Some((None, "--resume")),
    waits: true,
    ..RECIPE
};

/// It starts the MCP servers of the project at `session/new`. Its sandbox is the system's, and lets it read all files.
pub const CODEX: Recipe = Recipe {
    agent_name: Some("@agentclientprotocol/codex-acp"),
    package: "@agentclientprotocol/codex-acp",
    tried: [2, 6, 0],
    env: |_| {
        let suggestions = ("CODEX_ACP_PROMPT_SUGGESTIONS".to_owned(), "false".to_owned());
        vec![("INITIAL_AGENT_MODE".to_owned(), "read-only".to_owned()), suggestions]
    },
    has_message_ids: true,
    reports_failures: true,
    asks_for_title: true,
    name: "codex",
    label: AgentLabel { name: "codex", login: "`codex login` in a terminal" },
    keeps: "its own sandbox (mode `read-only`), which lets it read all files",
    resume: ResumeSupport::Sessions,
    open: Some((Some("codex"), "resume")),
    login_variables: &["CODEX_API_KEY", "OPENAI_API_KEY"],
    login_file: Some("~/.codex/auth.json"),
    ..SHIPPED
};

/// Its flag `--approval-mode` does nothing here; the mode of the session does. In that mode a command runs all the same
/// that the user once allowed for good, or by the setting `tools.allowed`: the policy outranks both.
pub const GEMINI: Recipe = Recipe {
    agent_name: Some("gemini-cli"),
    package: "@google/gemini-cli",
    tried: [0, 61, 0],
    flags: |invocation| {
        let mut flags = words(&["--acp"]);
        flags.extend(include_project(invocation));
        if let Some(policy) = &invocation.policy {
            flags.extend(["--admin-policy".to_owned(), policy.to_string_lossy().into_owned()]);
        }
        flags
    },
    mode: Some("plan"),
    policy: Some(("gemini-policy.toml", GEMINI_POLICY)),
    name: "gemini",
    label: AgentLabel { name: "gemini", login: "`gemini` in a terminal, or set `GEMINI_API_KEY`" },
    keeps: "its mode `plan` and a policy of botglue's that outranks yours (`--admin-policy`)",
    login_variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    login_file: Some("~/.gemini/oauth_creds.json"),
    ..SHIPPED
};

const GEMINI_POLICY: &str = r#"[[rule]]
toolName = "*"
decision = "deny"
priority = 1

[[rule]]
toolName = ["read_file", "read_many_files", "list_directory", "glob", "grep_search", "search_file_content"]
decision = "allow"
priority = 100
"#;

/// Its mode `plan` still runs commands, and what the user's settings say of an agent of theirs, or make the default
/// one, outranks its variable for permissions: the session's mode is an agent of ours. It loads the plugins of the
/// project it runs in, whatever its flags are.
pub const OPENCODE: Recipe = Recipe {
    agent_name: Some("OpenCode"),
    package: "opencode-ai",
    tried: [1, 18, 33],
    flags: |_| words(&["acp"]),
    env: |invocation| {
        let mut permission = json!({"*": "deny"});
        for name in invocation.named(OPENCODE_TOOLS, true) {
            permission[name] = "allow".into();
        }
        let below = invocation.start.cwd.join("**").to_string_lossy().into_owned();
        permission["external_directory"] = json!({"*": "deny", below: "allow"});
        let config = json!({"agent": {"botglue": {"mode": "primary", "permission": permission}}});
        vec![
            ("OPENCODE_PERMISSION".to_owned(), permission.to_string()),
            ("OPENCODE_CONFIG_CONTENT".to_owned(), config.to_string()),
        ]
    },
    mode: Some("botglue"),
    has_message_ids: true,
    name: "opencode",
    label: AgentLabel { name: "opencode", login: "`opencode auth login` in a terminal" },
    keeps: "its mode is an agent of botglue's, with the tools of the option `tools` within the project",
    resume: ResumeSupport::Sessions,
    open: Some((None, "--session")),
    login_file: Some("~/.local/share/opencode/auth.json"),
    ..SHIPPED
};

/// Its flag `--core-tools` removes nothing, `--exclude-tools` does. With `--safe-mode` it still sends the user's key to
/// the service that `.qwen/settings.json` or `.env` of the directory names in which it runs.
pub const QWEN: Recipe = Recipe {
    agent_name: Some("qwen-code"),
    package: "@qwen-code/qwen-code",
    tried: [0, 24, 4],
    flags: |invocation| {
        let mut flags = words(&["--acp", "--approval-mode", "default"]);
        if !invocation.start.trust_project {
            flags.push("--safe-mode".to_owned());
        }
        flags.extend(include_project(invocation));
        let excluded = invocation.named(QWEN_TOOLS, false).join(",");
        if !excluded.is_empty() {
            flags.extend(["--exclude-tools".to_owned(), excluded]);
        }
        flags
    },
    repeats_at_limit: true,
    name: "qwen",
    label: AgentLabel { name: "qwen", login: "`qwen` in a terminal, or set `OPENAI_API_KEY`" },
    keeps: "it has no tools that write or run (`--exclude-tools`), and botglue refuses to write and to run",
    login_variables: &["OPENAI_API_KEY"],
    login_file: Some("~/.qwen/oauth_creds.json"),
    ..SHIPPED
};

/// It runs the hooks of the project at each prompt. It asks before it reads what is not below its directory.
pub const COPILOT: Recipe = Recipe {
    agent_name: Some("Copilot"),
    package: "@github/copilot",
    tried: [1, 0, 102],
    flags: |invocation| {
        let mut flags = words(&["--acp", "--available-tools"]);
        flags.push(invocation.named(COPILOT_TOOLS, true).join(","));
        flags
    },
    has_notices: true,
    tokens: UsageScope::Session,
    name: "copilot",
    label: AgentLabel { name: "copilot", login: "`copilot` in a terminal and its command `/login`" },
    keeps: "it has the tools of the option `tools` and no others (`--available-tools`)",
    login_variables: &["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"],
    ..SHIPPED
};

const OPENCODE_TOOLS: &[(&str, &str)] = &[
    ("Read", "read"),
    ("Grep", "grep"),
    ("Glob", "glob"),
    ("Glob", "list"),
    ("Bash", "bash"),
    ("Edit", "edit"),
    ("WebFetch", "webfetch"),
];

const QWEN_TOOLS: &[(&str, &str)] = &[
    ("Write", "write_file"),
    ("Edit", "edit"),
    ("Bash", "run_shell_command"),
    ("Agent", "agent"),
    ("Task", "task"),
    ("WebFetch", "web_fetch"),
    ("NotebookEdit", "notebook_edit"),
];

const COPILOT_TOOLS: &[(&str, &str)] = &[
    ("Read", "view"),
    ("Grep", "grep"),
    ("Glob", "glob"),
    ("Bash", "bash"),
    ("Edit", "edit"),
    ("Write", "create"),
];

#[cfg(test)]
mod tests;
