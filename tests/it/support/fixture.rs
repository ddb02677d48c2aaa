//! The main job with a real CLI: one function to edit, and what can be said of the end of a job on it.

use serde_json::{Value, json};

use super::api::Api;
use super::cli::Cli;
use super::nvim::{Builder, Nvim};
use super::process::{self, Process};
use super::scratch::Scratch;

/// What stands in the buffer; the range is `fn target`.
pub const TEXT: &str = "fn above() {}\n\nfn target() {\n    todo!()\n}\n\nfn below() {}\n";

/// A Neovim with [`TEXT`] in its buffer, and the API that its agent asks.
pub struct Fixture {
    /// The editor.
    pub nvim: Nvim,
    /// What its agent asks.
    pub api: Api,
}

impl Fixture {
    /// With this CLI as the agent.
    pub fn new(cli: Cli) -> Self {
        Self::with(cli, |builder| builder)
    }

    /// With options.
    pub fn with(cli: Cli, configure: impl FnOnce(Builder) -> Builder) -> Self {
        Self::in_project(cli, Scratch::new(), configure)
    }

    /// In a project that the test has prepared.
    pub fn in_project(cli: Cli, scratch: Scratch, configure: impl FnOnce(Builder) -> Builder) -> Self {
        let api = Api::start();
        let agents = cli.agents(&scratch, &api);
        let builder = Builder::new(scratch).option("agent", cli.name()).option("agents", agents);
        let nvim = configure(builder).start();
        nvim.edit("src/a.rs", TEXT);
        Self { nvim, api }
    }

    /// Starts a job on `fn target`.
    #[track_caller]
    pub fn start(&self, prompt: &str) -> u64 {
        self.nvim.run(prompt, (3, 5), json!({}))
    }

    /// Runs a job on `fn target` to its end and gives the job table back.
    #[track_caller]
    pub fn ask(&self, prompt: &str) -> Value {
        let id = self.start(prompt);
        let job = self.nvim.finished(id);
        self.nvim.wait_for_no_agent();
        job
    }

    /// The process that the host started for the job.
    #[track_caller]
    pub fn agent(&self) -> Process {
        process::wait_for(&self.nvim.scratch, "stream-json")
    }

    /// The buffer with `fn target` replaced.
    #[track_caller]
    pub fn assert_landed(&self, job: &Value, answer: &[&str]) {
        assert_eq!((&job["status"], &job["landing"]), (&json!("done"), &json!("applied")), "{job:#}");
        let expected = [&["fn above() {}", ""], answer, &["", "fn below() {}"]].concat();
        assert_eq!(self.nvim.lines(), expected);
    }
}
