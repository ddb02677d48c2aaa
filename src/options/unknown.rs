//! What may be meant by an option that does not exist.

use super::nearest;

/// The options of the plugin, by their paths.
const OPTIONS: [&str; 26] = [
    "agent",
    "agents",
    "context",
    "context.bytes",
    "context.diagnostics",
    "context.lines",
    "context.rules",
    "data_dir",
    "default_keymaps",
    "host",
    "max_cost_usd",
    "max_parallel",
    "max_turns",
    "model",
    "models",
    "notify",
    "prewarm",
    "prompts",
    "record",
    "review",
    "status",
    "status.outcome",
    "status.preview",
    "timeout",
    "tools",
    "trust_project",
];
/// Those of an agent.
const OF_AGENT: [&str; 9] =
    ["args", "command", "directory", "env", "meta", "mode", "model", "models", "protocol"];
/// What to do about an option that does not exist, where that is known.
pub fn unknown(path: &str) -> Option<String> {
    let agent = path.strip_prefix("agents.").and_then(|rest| rest.rsplit_once('.'));
    let of_agent: Vec<String> = agent
        .map(|(name, _)| OF_AGENT.map(|field| format!("agents.{name}.{field}")).to_vec())
        .unwrap_or_default();
    let meant = nearest(path, OPTIONS.into_iter().chain(of_agent.iter().map(String::as_str)));
    meant.map(|meant| format!("{path}: did you mean {meant}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_option_has_the_one_that_was_meant() {
        for (path, meant) in [
            ("status.preveiw", "status.preview"),
            ("timeuot", "timeout"),
            ("max_turn", "max_turns"),
            ("Review", "review"),
            ("preview", "status.preview"),
            ("agents.claude.comand", "agents.claude.command"),
            ("agents.my.own.protcol", "agents.my.own.protocol"),
        ] {
            assert_eq!(unknown(path), Some(format!("{path}: did you mean {meant}?")));
        }
        for path in ["keymaps", "x", "theme.dark", "agents.claude.colour"] {
            assert_eq!(unknown(path), None, "{path}");
        }
    }
}
