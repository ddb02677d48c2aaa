//! The real CLIs: where they are, and the environment in which they talk to a test's [`Api`] alone.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::api::Api;
use super::scratch::Scratch;

/// A real CLI, as the agent of the main job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cli {
    /// Claude Code.
    Claude,
    /// Factory's Droid.
    Droid,
}

impl Cli {
    /// Its key in the option `agents`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Droid => "droid",
        }
    }

    /// The option `agents` with it, asking `api` instead of the service.
    pub fn agents(self, scratch: &Scratch, api: &Api) -> Value {
        match self {
            Self::Claude => claude(api),
            Self::Droid => droid(scratch, api),
        }
    }
}

/// Neovim for this run: what `make test` says, else what it would have installed.
pub fn nvim() -> PathBuf {
    std::env::var_os("BOTGLUE_TEST_NVIM").map_or_else(|| installed("nvim/nvim"), PathBuf::from)
}

/// The option `agents` with the real Claude CLI, asking `api` instead of the service.
pub fn claude(api: &Api) -> Value {
    json!({"claude": {"command": [program("claude")], "env": claude_environment(api)}})
}

/// The variables that make the Claude CLI ask `api` alone.
pub fn claude_environment(api: &Api) -> BTreeMap<String, String> {
    let pairs = [
        ("ANTHROPIC_BASE_URL", api.url()),
        ("ANTHROPIC_API_KEY", "test-key"),
        ("CLAUDE_CODE_MAX_RETRIES", "1"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        ("DISABLE_ERROR_REPORTING", "1"),
        ("DISABLE_TELEMETRY", "1"),
    ];
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}

/// The option `agents` with the real Droid CLI, asking `api`. Writes Droid's settings into the test's home: they let it
/// do whatever can be allowed there.
pub fn droid(scratch: &Scratch, api: &Api) -> Value {
    let model = json!({
        "model": "mock-model", "displayName": "Mock", "baseUrl": format!("{}/llm", api.url()), "apiKey": "test-key",
        "provider": "anthropic", "maxOutputTokens": 4096,
    });
    let settings = json!({
        "customModels": [model], "commandAllowlist": ["touch"], "autonomyMode": "auto-high",
        "sessionDefaultSettings": {"autonomyMode": "auto-high"},
    });
    let directory = scratch.path("home/.factory");
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("settings.json"), settings.to_string()).unwrap();
    json!({"droid": {
        "command": [program("droid")], "model": "custom:Mock-0", "env": {"FACTORY_AIRGAP_ENABLED": "true"},
    }})
}

/// The path of a CLI by its name.
pub fn program(name: &str) -> PathBuf {
    let directory = std::env::var_os("BOTGLUE_TEST_CLIS").map(PathBuf::from);
    let path = directory
        .map_or_else(|| installed(&format!("npm/node_modules/.bin/{name}")), |found| found.join(name));
    assert!(
        path.exists(),
        "{} is not there: run the tests with `make test`, it gets what they need",
        path.display()
    );
    path
}

fn installed(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tools").join(name)
}
