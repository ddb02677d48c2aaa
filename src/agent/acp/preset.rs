//! The agents that botglue has a recipe for: what keeps each one from writing and from loading a project's own
//! settings, and how its dialogue differs.
//!
//! Neither capabilities nor rejected permissions make an agent read-only, so each has a recipe of its own, tried with
//! the real program. An agent without a recipe is not restricted by botglue.

use serde_json::json;

use crate::agent::{About, Directory, Invocation, Isolation, OpenCommand, ResumeSupport};
use crate::stream::UsageScope;
use crate::stream::failure::AgentLabel;

/// One shipped agent.
#[derive(Debug)]
pub struct Preset {
    /// What it calls itself in `agentInfo.name`.
    pub agent_name: &'static str,
    /// The npm package that has it.
    pub package: &'static str,
    /// The version with which the recipe was tried; it holds for later ones.
    pub tried: [u64; 3],
    /// Its names for tools, each after Claude's name for the same one.
    pub tools: &'static [(&'static str, &'static str)],
    /// Its flags, after the command.
    pub flags: fn(&Invocation<'_>) -> Vec<String>,
    /// Variables of its environment.
    pub env: fn(&Invocation<'_>) -> Vec<(String, String)>,
    /// The mode of its sessions.
    pub mode: Option<&'static str>,
    /// A file of rules that outranks the user's own: its name and what is in it.
    pub policy: Option<(&'static str, &'static str)>,
    /// How it talks.
    pub quirks: Quirks,
    /// What else is known of it. Its name is also that for `botglue parse --agent`.
    pub about: About,
}

impl PartialEq for Preset {
    fn eq(&self, other: &Self) -> bool {
        self.about.name == other.about.name
    }
}

impl Eq for Preset {}

/// What is particular to how an agent talks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Quirks {
    /// Chunks of its messages have ids; those without one are notices and failures.
    pub has_message_ids: bool,
    /// It can be asked to report failures apart from its text, by a key of a vendor's.
    pub reports_failures: bool,
    /// It says things of its own as text: before the first amounts of a turn and after `Info: ` and `Warning: `, and
    /// after `Error: ` where the turn failed, with no tokens then.
    pub has_notices: bool,
    /// At a limit on the length of its answer it asks again, and says all of them.
    pub repeats_at_limit: bool,
    /// It asks a model for the title of a session that has none: in a thread with the user's own settings, which may
    /// let it write and run.
    pub asks_for_title: bool,
    /// What its token counts cover.
    pub tokens: UsageScope,
}

impl Quirks {
    /// Those of an unknown agent.
    pub const UNKNOWN: Self = Self {
        has_message_ids: false,
        reports_failures: false,
        has_notices: false,
        repeats_at_limit: false,
        asks_for_title: false,
        tokens: UsageScope::Run,
    };
}

impl Preset {
    /// Every preset.
    pub const ALL: &[Self] = &[CODEX, GEMINI, OPENCODE, QWEN, COPILOT];

    /// The preset of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|preset| preset.about.name == name)
    }

    /// The preset of an agent that calls itself this.
    pub fn of_agent(agent_name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|preset| preset.agent_name == agent_name)
    }

    /// Why a program that calls itself this is not the one that the recipe is for; none where it is. A version that is
    /// no number is not compared.
    pub fn mismatch(&self, name: Option<&str>, version: Option<&str>) -> Option<String> {
        let parts =
            version.unwrap_or_default().split(['.', '-', '+', ' ']).map_while(|part| part.parse().ok());
        let number: Vec<u64> = parts.take(3).collect();
        let is_older = !number.is_empty() && number.as_slice() < &self.tried[..number.len()];
        if name == Some(self.agent_name) && !is_older {
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

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(",")
}

/// What a preset is as far as it does not say otherwise: nothing is known of the agent.
const UNKNOWN: Preset = Preset {
    agent_name: "",
    package: "",
    tried: [0; 3],
    tools: &[],
    flags: |_| Vec::new(),
    env: |_| Vec::new(),
    mode: None,
    policy: None,
    quirks: Quirks::UNKNOWN,
    about: About {
        isolation: Isolation::Directory,
        open: Some(OpenCommand { program: None, flag: "--resume" }),
        ..About::UNKNOWN
    },
};

/// It starts the MCP servers of the project at `session/new`. Its sandbox is the system's, and lets it read all files.
const CODEX: Preset = Preset {
    agent_name: "@agentclientprotocol/codex-acp",
    package: "@agentclientprotocol/codex-acp",
    tried: [2, 6, 0],
    env: |_| {
        let suggestions = ("CODEX_ACP_PROMPT_SUGGESTIONS".to_owned(), "false".to_owned());
        vec![("INITIAL_AGENT_MODE".to_owned(), "read-only".to_owned()), suggestions]
    },
    quirks: Quirks { has_message_ids: true, reports_failures: true, asks_for_title: true, ..Quirks::UNKNOWN },
    about: About {
        name: "codex",
        label: AgentLabel { name: "codex", login: "`codex login` in a terminal" },
        keeps: "its own sandbox (mode `read-only`), which lets it read all files",
        resume: ResumeSupport::Sessions,
        open: Some(OpenCommand { program: Some("codex"), flag: "resume" }),
        login_variables: &["CODEX_API_KEY", "OPENAI_API_KEY"],
        login_file: Some("~/.codex/auth.json"),
        ..UNKNOWN.about
    },
    ..UNKNOWN
};

/// Its flag `--approval-mode` does nothing here; the mode of the session does. In that mode a command runs all the same
/// that the user once allowed for good, or by the setting `tools.allowed`: the policy outranks both.
const GEMINI: Preset = Preset {
    agent_name: "gemini-cli",
    package: "@google/gemini-cli",
    tried: [0, 61, 0],
    flags: |started| {
        let mut flags = words(&["--acp"]);
        if started.start.directory() == Directory::Empty {
            flags.extend([
                "--include-directories".to_owned(),
                started.start.cwd.to_string_lossy().into_owned(),
            ]);
        }
        if let Some(policy) = started.policy {
            flags.extend(["--admin-policy".to_owned(), policy.to_string_lossy().into_owned()]);
        }
        flags
    },
    mode: Some("plan"),
    policy: Some(("gemini-policy.toml", GEMINI_POLICY)),
    about: About {
        name: "gemini",
        label: AgentLabel { name: "gemini", login: "`gemini` in a terminal, or set `GEMINI_API_KEY`" },
        keeps: "its mode `plan` and a policy of botglue's that outranks yours (`--admin-policy`)",
        login_variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        login_file: Some("~/.gemini/oauth_creds.json"),
        ..UNKNOWN.about
    },
    ..UNKNOWN
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
const OPENCODE: Preset = Preset {
    agent_name: "OpenCode",
    package: "opencode-ai",
    tried: [1, 18, 33],
    tools: &[
        ("Read", "read"),
        ("Grep", "grep"),
        ("Glob", "glob"),
        ("Glob", "list"),
        ("Bash", "bash"),
        ("Edit", "edit"),
        ("WebFetch", "webfetch"),
    ],
    flags: |_| words(&["acp"]),
    env: |started| {
        let mut permission = json!({"*": "deny"});
        for name in started.named(OPENCODE.tools, true) {
            permission[name] = "allow".into();
        }
        let below = started.start.cwd.join("**").to_string_lossy().into_owned();
        permission["external_directory"] = json!({"*": "deny", below: "allow"});
        let config = json!({"agent": {"botglue": {"mode": "primary", "permission": permission}}});
        vec![
            ("OPENCODE_PERMISSION".to_owned(), permission.to_string()),
            ("OPENCODE_CONFIG_CONTENT".to_owned(), config.to_string()),
        ]
    },
    mode: Some("botglue"),
    quirks: Quirks { has_message_ids: true, ..Quirks::UNKNOWN },
    about: About {
        name: "opencode",
        label: AgentLabel { name: "opencode", login: "`opencode auth login` in a terminal" },
        keeps: "its mode is an agent of botglue's, with the tools of the option `tools` within the project",
        resume: ResumeSupport::Sessions,
        open: Some(OpenCommand { program: None, flag: "--session" }),
        login_file: Some("~/.local/share/opencode/auth.json"),
        ..UNKNOWN.about
    },
    ..UNKNOWN
};

/// Its flag `--core-tools` removes nothing, `--exclude-tools` does. With `--safe-mode` it still sends the user's key to
/// the service that `.qwen/settings.json` or `.env` of the directory names in which it runs.
const QWEN: Preset = Preset {
    agent_name: "qwen-code",
    package: "@qwen-code/qwen-code",
    tried: [0, 24, 4],
    tools: &[
        ("Write", "write_file"),
        ("Edit", "edit"),
        ("Bash", "run_shell_command"),
        ("Agent", "agent"),
        ("Task", "task"),
        ("WebFetch", "web_fetch"),
        ("NotebookEdit", "notebook_edit"),
    ],
    flags: |started| {
        let mut flags = words(&["--acp", "--approval-mode", "default"]);
        if !started.start.trust_project {
            flags.push("--safe-mode".to_owned());
        }
        if started.start.directory() == Directory::Empty {
            flags.extend([
                "--include-directories".to_owned(),
                started.start.cwd.to_string_lossy().into_owned(),
            ]);
        }
        let excluded = list(started.named(QWEN.tools, false));
        if !excluded.is_empty() {
            flags.extend(["--exclude-tools".to_owned(), excluded]);
        }
        flags
    },
    quirks: Quirks { repeats_at_limit: true, ..Quirks::UNKNOWN },
    about: About {
        name: "qwen",
        label: AgentLabel { name: "qwen", login: "`qwen` in a terminal, or set `OPENAI_API_KEY`" },
        keeps: "it has no tools that write or run (`--exclude-tools`), and botglue refuses to write and to run",
        login_variables: &["OPENAI_API_KEY"],
        login_file: Some("~/.qwen/oauth_creds.json"),
        ..UNKNOWN.about
    },
    ..UNKNOWN
};

/// It runs the hooks of the project at each prompt. It asks before it reads what is not below its directory.
const COPILOT: Preset = Preset {
    agent_name: "Copilot",
    package: "@github/copilot",
    tried: [1, 0, 102],
    tools: &[
        ("Read", "view"),
        ("Grep", "grep"),
        ("Glob", "glob"),
        ("Bash", "bash"),
        ("Edit", "edit"),
        ("Write", "create"),
    ],
    flags: |started| {
        let mut flags = words(&["--acp", "--available-tools"]);
        flags.push(list(started.named(COPILOT.tools, true)));
        flags
    },
    quirks: Quirks { has_notices: true, tokens: UsageScope::Session, ..Quirks::UNKNOWN },
    about: About {
        name: "copilot",
        label: AgentLabel { name: "copilot", login: "`copilot` in a terminal and its command `/login`" },
        keeps: "it has the tools of the option `tools` and no others (`--available-tools`)",
        login_variables: &["COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"],
        ..UNKNOWN.about
    },
    ..UNKNOWN
};

#[cfg(test)]
mod tests;
