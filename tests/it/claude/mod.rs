//! The main job with the real Claude CLI: what lands, what its tools did, what each failure leaves behind.
//!
//! The CLI talks to a Messages API on loopback whose answers the tests write; nothing else is made up.

mod answers;
mod failures;
mod trust;

use serde_json::{Value, json};

use crate::support::api::Api;
use crate::support::cli;
use crate::support::nvim::{Builder, Nvim};
use crate::support::scratch::Scratch;

const TEXT: &str = "fn above() {}\n\nfn target() {\n    todo!()\n}\n\nfn below() {}\n";

/// A Neovim with [`TEXT`] in its buffer, and the API that its agent asks.
struct Fixture {
    nvim: Nvim,
    api: Api,
}

impl Fixture {
    fn new() -> Self {
        Self::with(|builder| builder)
    }

    fn with(configure: impl FnOnce(Builder) -> Builder) -> Self {
        Self::in_project(Scratch::new(), configure)
    }

    fn in_project(scratch: Scratch, configure: impl FnOnce(Builder) -> Builder) -> Self {
        let api = Api::start();
        let nvim = configure(Builder::new(scratch).option("agents", cli::claude(&api))).start();
        nvim.edit("src/a.rs", TEXT);
        Self { nvim, api }
    }

    /// Starts a job on `fn target`.
    #[track_caller]
    fn start(&self, prompt: &str) -> u64 {
        let range = json!({"kind": "line", "first": [3, 0], "last": [5, 0]});
        let options = json!({"prompt": prompt, "range": range});
        self.nvim.exec_with("return require('botglue').run(...)", &[options]).as_u64().unwrap()
    }

    /// Runs a job on `fn target` to its end and gives the job table back.
    #[track_caller]
    fn ask(&self, prompt: &str) -> Value {
        let id = self.start(prompt);
        let job = self.nvim.finished(id);
        self.nvim.wait_for_no_agent();
        job
    }

    /// The buffer with `fn target` replaced.
    #[track_caller]
    fn assert_landed(&self, job: &Value, answer: &[&str]) {
        assert_eq!((&job["status"], &job["landing"]), (&json!("done"), &json!("applied")), "{job:#}");
        let expected = [&["fn above() {}", ""], answer, &["", "fn below() {}"]].concat();
        assert_eq!(self.nvim.lines(), expected);
    }

    /// Nothing was written and nothing is drawn.
    #[track_caller]
    fn assert_untouched(&self) {
        // A job keeps an invisible mark, to be asked again where it was; invisible means no decoration at all.
        let drawn = "local marks = vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, { details = true })
            return vim.tbl_filter(function(mark)
              local details = mark[4]
              return details.virt_text or details.virt_lines or details.hl_group or details.sign_text
            end, marks)";
        assert_eq!(self.nvim.exec(drawn), json!([]));
        assert_eq!(
            self.nvim.exec("return { vim.bo.modified, vim.fn.undotree().seq_last }"),
            json!([false, 0])
        );
        assert_eq!(self.nvim.lines().join("\n") + "\n", TEXT);
    }

    /// The job failed with this code and a sentence with these words in it, and left the buffer alone.
    #[track_caller]
    fn assert_failed(&self, job: &Value, code: &str, words: &str) {
        assert_eq!((&job["status"], &job["error"]["code"]), (&json!("failed"), &json!(code)), "{job:#}");
        let message = job["error"]["message"].as_str().unwrap();
        assert!(message.contains(words), "{message:?} does not say {words:?}");
        assert!(!message.contains(['\n', '\r', '\x1b']), "{message:?} is more than one line");
        self.assert_untouched();
        let error = json!(4); // vim.log.levels.ERROR
        self.nvim.wait("the user is told", || self.nvim.notes().iter().any(|note| note["level"] == error));
    }
}

/// The tools of a job as name, status and error.
fn tools(job: &Value) -> Vec<(&str, &str, &str)> {
    job["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| {
            let text = |key: &str| tool[key].as_str().unwrap_or_default();
            (text("name"), text("status"), text("error"))
        })
        .collect()
}
