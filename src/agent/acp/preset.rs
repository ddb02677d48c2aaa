//! The agents that botglue has a recipe for: what keeps each one from writing and from loading a project's own
//! settings, and how its dialogue differs.
//!
//! Neither capabilities nor rejected permissions make an agent read-only, so each has a recipe of its own, tried with
//! the real program; see `Recipe` for what it may depend on. An agent without a recipe is not restricted by botglue.

use std::path::Path;

use serde_json::{Value, json};

use crate::agent::{Directory, Isolation, ResumeSupport};
use crate::stream::failure::AgentLabel;

/// One shipped agent.
#[derive(Debug)]
pub struct Preset {
    /// Its key in the option `agents`, also for `botglue parse --agent`.
    pub name: &'static str,
    /// What it calls itself in `agentInfo.name`.
    pub agent_name: &'static str,
    /// What messages say of it.
    pub label: AgentLabel,
    /// Its names for tools, each after Claude's name for the same one.
    pub tools: &'static [(&'static str, &'static str)],
    /// Its flags, after the command.
    pub flags: fn(&Recipe<'_>) -> Vec<String>,
    /// Variables of its environment.
    pub env: fn(&Recipe<'_>) -> Vec<(String, String)>,
    /// The mode of its sessions.
    pub mode: Option<&'static str>,
    /// The `_meta` of its sessions.
    pub meta: fn(&Recipe<'_>) -> Option<Value>,
    /// How it is kept from loading the settings of a project that is not trusted.
    pub isolation: Isolation,
    /// What it can go on from.
    pub resume: ResumeSupport,
    /// How it talks.
    pub habits: Habits,
}

impl PartialEq for Preset {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Preset {}

/// What is particular to how an agent talks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Habits {
    /// Chunks of its messages have ids; those without one are notices and failures.
    pub has_message_ids: bool,
    /// It can be asked to report failures apart from its text, by a key of a vendor's.
    pub reports_failures: bool,
    /// It ends a turn that failed with a text of its own, and reports no tokens then.
    pub fails_in_text: bool,
    /// What its token counts cover.
    pub tokens: Counting,
    /// What its cost covers.
    pub cost: Counting,
}

/// What an agent's amounts cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// This turn alone.
    Turn,
    /// The session; a fork begins with zero.
    Session,
    /// The session; a fork begins with the amounts of its parent.
    Lineage,
}

impl Habits {
    /// Those of an unknown agent.
    pub const UNKNOWN: Self = Self {
        has_message_ids: false,
        reports_failures: false,
        fails_in_text: false,
        tokens: Counting::Turn,
        cost: Counting::Lineage,
    };
}

/// What a recipe may depend on.
#[derive(Debug, Clone, Copy)]
pub struct Recipe<'a> {
    /// The tools that the agent may use, by Claude's names.
    pub tools: &'a [String],
    /// The agent's own names for tools, as its preset has them.
    pub names: &'static [(&'static str, &'static str)],
    /// A limit on its turns.
    pub max_turns: Option<u32>,
    /// It may load the project's own settings.
    pub trust_project: bool,
    /// The project's directory.
    pub project: &'a Path,
    /// Where it runs.
    pub directory: Directory,
}

impl Recipe<'_> {
    /// The agent's names of the tools that it may use.
    fn allowed(&self) -> impl Iterator<Item = &'static str> {
        self.named(true)
    }

    /// Its names of those that it may not use.
    fn forbidden(&self) -> impl Iterator<Item = &'static str> {
        self.named(false)
    }

    fn named(&self, is_allowed: bool) -> impl Iterator<Item = &'static str> {
        let is_tool = |tool: &str| self.tools.iter().any(|allowed| allowed == tool);
        self.names.iter().filter(move |(tool, _)| is_tool(tool) == is_allowed).map(|(_, name)| *name)
    }

    fn project(&self) -> String {
        self.project.to_string_lossy().into_owned()
    }
}

impl Preset {
    /// Every preset.
    pub const ALL: [Self; 7] = [CODEX, GEMINI, OPENCODE, QWEN, COPILOT, CLAUDE, DROID];

    /// The preset of this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// The preset of an agent that calls itself this.
    pub fn of_agent(agent_name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.agent_name == agent_name)
    }
}

const PRESETS: &[Preset] = &Preset::ALL;

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(",")
}

/// What a preset is as far as it does not say otherwise: nothing is known of the agent.
const UNKNOWN: Preset = Preset {
    name: "",
    agent_name: "",
    label: super::LABEL,
    tools: &[],
    flags: |_| Vec::new(),
    env: |_| Vec::new(),
    mode: None,
    meta: |_| None,
    isolation: Isolation::Directory,
    resume: ResumeSupport::None,
    habits: Habits::UNKNOWN,
};

/// It starts the MCP servers of the project at `session/new`. Its sandbox is the system's, and lets it read all files.
const CODEX: Preset = Preset {
    name: "codex",
    agent_name: "@agentclientprotocol/codex-acp",
    label: AgentLabel { name: "codex", login: "`codex login` in a terminal" },
    env: |_| vec![("INITIAL_AGENT_MODE".to_owned(), "read-only".to_owned())],
    resume: ResumeSupport::Sessions,
    habits: Habits { has_message_ids: true, reports_failures: true, ..Habits::UNKNOWN },
    ..UNKNOWN
};

/// Its flag `--approval-mode` does nothing here; the mode of the session does.
const GEMINI: Preset = Preset {
    name: "gemini",
    agent_name: "gemini-cli",
    label: AgentLabel { name: "gemini", login: "`gemini` in a terminal, or set `GEMINI_API_KEY`" },
    flags: |recipe| {
        let mut flags = words(&["--acp"]);
        if recipe.directory == Directory::Empty {
            flags.extend(["--include-directories".to_owned(), recipe.project()]);
        }
        flags
    },
    mode: Some("plan"),
    ..UNKNOWN
};

/// Its mode `plan` still runs commands; what it may do is decided by this variable alone. It loads the plugins of the
/// project it runs in, whatever its flags are.
const OPENCODE: Preset = Preset {
    name: "opencode",
    agent_name: "OpenCode",
    label: AgentLabel { name: "opencode", login: "`opencode auth login` in a terminal" },
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
    env: |recipe| {
        let mut permission = json!({"*": "deny"});
        for name in recipe.allowed() {
            permission[name] = "allow".into();
        }
        let below = Path::new(recipe.project).join("**").to_string_lossy().into_owned();
        permission["external_directory"] = json!({"*": "deny", below: "allow"});
        vec![("OPENCODE_PERMISSION".to_owned(), permission.to_string())]
    },
    resume: ResumeSupport::Sessions,
    habits: Habits { has_message_ids: true, ..Habits::UNKNOWN },
    ..UNKNOWN
};

/// Its flag `--core-tools` removes nothing, `--exclude-tools` does.
const QWEN: Preset = Preset {
    name: "qwen",
    agent_name: "qwen-code",
    label: AgentLabel { name: "qwen", login: "`qwen` in a terminal, or set `OPENAI_API_KEY`" },
    tools: &[
        ("Write", "write_file"),
        ("Edit", "edit"),
        ("Bash", "run_shell_command"),
        ("Agent", "agent"),
        ("Task", "task"),
        ("WebFetch", "web_fetch"),
        ("NotebookEdit", "notebook_edit"),
    ],
    flags: |recipe| {
        let mut flags = words(&["--acp", "--approval-mode", "default"]);
        if !recipe.trust_project {
            flags.push("--safe-mode".to_owned());
        }
        let excluded = list(recipe.forbidden());
        if !excluded.is_empty() {
            flags.extend(["--exclude-tools".to_owned(), excluded]);
        }
        flags
    },
    isolation: Isolation::Arguments,
    ..UNKNOWN
};

/// It runs the hooks of the project at each prompt.
const COPILOT: Preset = Preset {
    name: "copilot",
    agent_name: "Copilot",
    label: AgentLabel { name: "copilot", login: "`copilot` in a terminal and its command `/login`" },
    tools: &[
        ("Read", "view"),
        ("Grep", "grep"),
        ("Glob", "glob"),
        ("Bash", "bash"),
        ("Edit", "edit"),
        ("Write", "create"),
    ],
    flags: |recipe| {
        let mut flags = words(&["--acp", "--available-tools"]);
        flags.push(list(recipe.allowed()));
        flags
    },
    habits: Habits { fails_in_text: true, tokens: Counting::Session, ..Habits::UNKNOWN },
    ..UNKNOWN
};

/// Its options suffice against a hostile project. Without the mode it reads outside the project.
const CLAUDE: Preset = Preset {
    name: "claude-acp",
    agent_name: "@agentclientprotocol/claude-agent-acp",
    label: AgentLabel { name: "claude", login: "`claude` in a terminal and its command `/login`" },
    mode: Some("default"),
    meta: |recipe| {
        let mut options = json!({
            "tools": recipe.tools,
            "strictMcpConfig": true,
            "promptSuggestions": false,
            "allowDangerouslySkipPermissions": false,
        });
        if !recipe.trust_project {
            options["settingSources"] = json!(["user"]);
        }
        if let Some(turns) = recipe.max_turns {
            options["maxTurns"] = turns.into();
        }
        Some(json!({"claudeCode": {"options": options}}))
    },
    isolation: Isolation::Arguments,
    resume: ResumeSupport::Sessions,
    habits: Habits {
        has_message_ids: true,
        reports_failures: true,
        cost: Counting::Session,
        ..Habits::UNKNOWN
    },
    ..UNKNOWN
};

/// It ignores `--only-tools` here, and runs hooks and MCP servers of the project it runs in.
const DROID: Preset = Preset {
    name: "droid-acp",
    agent_name: "@factory/cli",
    label: AgentLabel { name: "droid", login: "`droid` in a terminal, or set `FACTORY_API_KEY`" },
    flags: |_| words(&["exec", "--output-format", "acp"]),
    mode: Some("spec"),
    ..UNKNOWN
};

#[cfg(test)]
mod tests;
