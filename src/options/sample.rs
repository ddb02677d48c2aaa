//! Options for tests.

use serde_json::json;

use super::Options;

/// Options with an agent of each kind.
pub fn options() -> Options {
    let given = json!({
        "agent": "claude",
        "agents": {
            "claude": { "protocol": "claude", "command": ["a"], "model": "own", "models": ["own", "opus", "sonnet"] },
            "droid": { "protocol": "droid", "command": ["a"] },
            "gemini": { "protocol": "acp", "command": ["a"] },
            "mine": { "protocol": "text", "command": ["a"], "model": "a", "models": ["a", "b"] },
        },
        "prompts": { "tests": "write tests", "fix": { "prompt": "fix it", "ask": true } },
        "max_parallel": 4,
        "timeout": 300,
    });
    Options::decode(&given).expect("options")
}
