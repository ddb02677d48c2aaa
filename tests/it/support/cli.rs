//! The real CLIs: where they are, and the environment in which they talk to a test's [`Api`] alone.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

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
            Self::Droid => droid(&scratch.path("home"), api),
        }
    }
}

/// Neovim for this run: what `make test` says, else what it would have installed.
pub fn nvim() -> PathBuf {
    std::env::var_os("BOTGLUE_TEST_NVIM").map_or_else(|| installed("nvim/nvim"), PathBuf::from)
}

/// The option `agents` with the real Claude CLI, asking `api` instead of the service.
fn claude(api: &Api) -> Value {
    let variables = claude_environment(api).into_iter().chain([("ANTHROPIC_API_KEY", "test-key".to_owned())]);
    let env: Map<String, Value> = variables.map(|(name, value)| (name.to_owned(), value.into())).collect();
    json!({"claude": {"command": [program("claude")], "env": env}})
}

/// The variables that make the Claude CLI ask `api` alone.
pub fn claude_environment(api: &Api) -> Vec<(&'static str, String)> {
    let pairs = [
        ("ANTHROPIC_BASE_URL", api.url()),
        ("CLAUDE_CODE_MAX_RETRIES", "1"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        ("DISABLE_ERROR_REPORTING", "1"),
        ("DISABLE_TELEMETRY", "1"),
    ];
    pairs.map(|(name, value)| (name, value.to_owned())).into()
}

/// The option `agents` with the real Droid CLI, asking `api`. Writes Droid's settings into this home: they let it do
/// whatever can be allowed there.
pub fn droid(home: &Path, api: &Api) -> Value {
    let settings = json!({
        "customModels": [droid_model(api.url(), "test-key")], "commandAllowlist": ["touch"],
        "autonomyMode": "auto-high", "sessionDefaultSettings": {"autonomyMode": "auto-high"},
    });
    std::fs::create_dir_all(home.join(".factory")).unwrap();
    std::fs::write(home.join(".factory/settings.json"), settings.to_string()).unwrap();
    json!({"droid": {
        "command": [program("droid")], "model": "custom:Mock-0", "env": {"FACTORY_AIRGAP_ENABLED": "true"},
    }})
}

/// A model of Droid's at this address.
pub fn droid_model(url: &str, key: &str) -> Value {
    json!({
        "model": "mock-model", "displayName": "Mock", "baseUrl": format!("{url}/llm"), "apiKey": key,
        "provider": "anthropic", "maxOutputTokens": 4096,
    })
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
