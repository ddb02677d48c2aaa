//! `botglue serve` with the test in the place of Neovim: it says what it likes, sees each call of the host as it is
//! sent, and decides when one is answered.

use std::process::{Child, Stdio};

use serde_json::{Value, json};

use super::rpc::{Channel, from_json};
use super::scratch::Scratch;
use super::{DEADLINE, process};

/// A running host.
pub struct Serve {
    /// Its directories.
    pub scratch: Scratch,
    child: Child,
    /// For a test that says what no plugin does.
    pub channel: Channel,
}

impl Serve {
    /// Starts it, with a store and transcripts in the scratch directory.
    pub fn start(scratch: Scratch) -> Self {
        let mut child = scratch
            .command(env!("CARGO_BIN_EXE_botglue"))
            .arg("serve")
            .arg("--data-dir")
            .arg(scratch.path("data"))
            .arg("--log")
            .arg(scratch.path("host.log"))
            // As where Neovim was started within a session of Claude's CLI.
            .envs([("CLAUDECODE", "1"), ("NVIM", "/the/socket")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let channel = Channel::new(child.stdout.take().unwrap(), child.stdin.take().unwrap());
        Self { scratch, child, channel }
    }

    /// Sends a notification, as the plugin does.
    pub fn notify(&self, method: &str, argument: &Value) {
        self.channel.notify(method, vec![from_json(argument)]);
    }

    /// Starts a job of a shell script whose output is the answer; `more` is laid over the request and the options.
    pub fn run(&self, id: u64, script: &str, more: &Value) {
        let request = self.request(id, script, more);
        self.notify("options", &request);
        self.notify("run", &request);
    }

    /// The request for such a job, with the options in the same map.
    pub fn request(&self, id: u64, script: &str, more: &Value) -> Value {
        let mut request = json!({
            "id": id, "buffer": 1, "prompt": "what", "timeout": 100, "max_parallel": 4, "cwd": self.scratch.project(),
            "path": "", "filetype": "lua", "record": true,
            "agent": "mine", "agents": {"mine": {"protocol": "text", "command": ["/bin/sh", "-c", script]}},
            "context": {}, "status": {},
            "selection": {"kind": "line", "first_line": 1, "last_line": 1, "text": ["local a"], "beside": {}},
        });
        for (key, value) in more.as_object().unwrap() {
            request[key] = value.clone();
        }
        request
    }

    /// All patches of jobs so far.
    pub fn patches(&self) -> Vec<Value> {
        self.channel.inbox().patches.clone()
    }

    /// Waits for the patch of a job that this is found in.
    ///
    /// # Panics
    /// At the deadline, and where the host has ended.
    #[track_caller]
    pub fn told<T>(&self, id: u64, look: impl Fn(&Value) -> Option<T>) -> T {
        let found = self
            .channel
            .wait(DEADLINE, |inbox| inbox.patches.iter().filter(|patch| patch["id"] == id).find_map(&look));
        found.unwrap_or_else(|| panic!("job {id} is not told of\n{}", self.report()))
    }

    /// Waits for the outcome of a job: its fields.
    #[track_caller]
    pub fn finished(&self, id: u64) -> Value {
        let has_ended = |set: &&Value| set["status"] == "done" || set["status"] == "failed";
        self.told(id, |patch| Some(&patch["set"]).filter(has_ended).cloned())
    }

    /// The host's process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What the host has logged.
    fn report(&self) -> String {
        std::fs::read_to_string(self.scratch.path("host.log")).unwrap_or_default()
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        // The end of its input is the end of Neovim.
        self.channel.close();
        let has_ended = process::wait_or_kill(&mut self.child, DEADLINE);
        assert!(has_ended || std::thread::panicking(), "the host does not end");
        process::all_over(&self.scratch, "the host has ended");
    }
}
