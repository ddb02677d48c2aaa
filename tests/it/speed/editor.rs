//! A Neovim on a terminal in which jobs are run to be measured.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::agents;
use crate::support::nvim::{Builder, Nvim};
use crate::support::scratch::Scratch;

/// How many rows a buffer has unless a row says so.
pub const ROWS: usize = 1000;
/// As long as all jobs of a run may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// See the module.
pub struct Editor {
    pub nvim: Nvim,
}

impl Editor {
    /// With this as the agent, and a buffer that is mirrored.
    pub fn new(scratch: Scratch, agents: Value) -> Self {
        Self::with(Builder::new(scratch).option("agents", agents))
    }

    /// The same with other options.
    pub fn with(builder: Builder) -> Self {
        let nvim = builder
            .option("status", json!({}))
            .option("max_parallel", 256)
            .option("record", false)
            .option("notify", "none")
            .terminal(200, 50)
            .start();
        nvim.exec_with(include_str!("drive.lua"), &[channel(&nvim)]);
        nvim.edit("many.txt", &text(ROWS));
        nvim.mirrored();
        Self { nvim }
    }

    /// With an agent that answers at once.
    pub fn small_jobs() -> Self {
        let scratch = Scratch::new();
        let agent = scratch.path("agent");
        let answer = "cat >/dev/null\nfor row in 1 2 3 4; do echo \"changed by $$ in row $row\"; done\n";
        agents::write_script(&agent, answer);
        let agents = json!({"small": {"protocol": "text", "command": [agent]}});
        Self::with(Builder::new(scratch).option("agents", agents).option("agent", "small"))
    }

    /// Without a host: `P` runs the jobs of this command.
    pub fn in_process(scratch: Scratch, command: &Path) -> Self {
        let nvim = Builder::new(scratch).terminal(200, 50).start();
        nvim.exec_with(include_str!("in_process.lua"), &[channel(&nvim), json!([command])]);
        nvim.edit("many.txt", &text(ROWS));
        Self { nvim }
    }

    /// Runs jobs to their end by `D` or `P`, so many at once: four rows each, `every` rows apart.
    #[track_caller]
    pub fn run(&self, driver: &str, jobs: usize, at_once: usize, every: usize) {
        self.start(driver, jobs, at_once, every);
        self.ended();
    }

    /// Starts them.
    pub fn start(&self, driver: &str, jobs: usize, at_once: usize, every: usize) {
        let run = json!({"jobs": jobs, "at_once": at_once, "every": every, "rows": 4});
        self.nvim.exec_with(&format!("{driver}.run(...)"), &[run]);
    }

    /// Waits for their end, without a call to Neovim.
    #[track_caller]
    pub fn ended(&self) {
        let failed = self.nvim.channel.wait(PATIENCE, |inbox| inbox.notifications.pop());
        let failed = failed.expect("all jobs end");
        assert_eq!(failed.1[1].as_str(), Some(""), "all answers land");
    }

    /// The buffer has its first text again, and the mirror knows it.
    pub fn reset(&self) {
        self.nvim.wait_for_no_agent();
        let rows = "vim.api.nvim_buf_set_lines(0, 0, -1, true, vim.split(..., '\\n', { trimempty = true }))";
        self.nvim.exec_with(rows, &[text(ROWS).into()]);
        self.nvim.mirrored();
    }

    /// The milliseconds for which Neovim computed since it started, in all of its threads that live.
    pub fn cpu(&self) -> f64 {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.nvim.pid())).unwrap();
        let milliseconds = threads.flatten().map(|thread| {
            let used = std::fs::read_to_string(thread.path().join("schedstat")).unwrap_or_default();
            used.split(' ').next().and_then(|used| used.parse().ok()).unwrap_or(0.0) / 1e6
        });
        milliseconds.sum()
    }
}

/// The channel of the bench in this Neovim.
fn channel(nvim: &Nvim) -> Value {
    nvim.call("nvim_get_api_info", &[])[0].clone()
}

/// So many rows.
pub fn text(rows: usize) -> String {
    "a line of a file that is not so short\n".repeat(rows)
}

/// An agent that reads its message and prints a stream.
pub fn printing(scratch: &Scratch, stream: &str) -> std::path::PathBuf {
    let (printed, agent) = (scratch.path("agent.out"), scratch.path("agent"));
    std::fs::write(&printed, stream).unwrap();
    agents::write_script(&agent, &format!("cat >/dev/null\nexec cat '{}'\n", printed.display()));
    agent
}

/// The agent of `agent.py` with these arguments.
pub fn paced(scratch: &Scratch, pieces: u32, seconds: f64, then: &str) -> Value {
    let script = scratch.path("agent.py");
    std::fs::write(&script, include_str!("agent.py")).unwrap();
    let (folder, pieces, seconds) = (scratch.path("run"), pieces.to_string(), seconds.to_string());
    json!({"claude": {"command": ["python3", "-I", "-S", script, folder, pieces, seconds, then]}})
}

/// The value below which so many of a hundred are.
pub fn percentile(values: &mut [f64], percent: usize) -> f64 {
    values.sort_by(f64::total_cmp);
    values[(values.len() * percent).div_ceil(100).max(1) - 1]
}
