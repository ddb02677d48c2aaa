//! `botglue serve` with the test in the place of Neovim: it says what it likes, sees each call of the host as it is
//! sent, and decides when one is answered.

use std::process::{Child, Command, Stdio};
use std::time::Instant;

use rmpv::Value;
use serde_json::{Value as Json, json};

use super::rpc::{Channel, from_json, to_json};
use super::scratch::Scratch;
use super::{DEADLINE, process};

/// A running host.
pub struct Serve {
    /// Its directories.
    pub scratch: Scratch,
    child: Child,
    channel: Channel,
}

impl Serve {
    /// Starts it, with a store and transcripts in the scratch directory.
    pub fn start(scratch: Scratch) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_botglue"))
            .arg("serve")
            .arg("--data-dir")
            .arg(scratch.path("data"))
            .arg("--log")
            .arg(scratch.path("host.log"))
            .env_clear()
            .envs(scratch.environment())
            // As where Neovim was started within a session of Claude's CLI.
            .envs([("CLAUDECODE", "1"), ("NVIM", "/the/socket")])
            .current_dir(scratch.project())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let channel = Channel::new(child.stdout.take().unwrap(), child.stdin.take().unwrap());
        Self { scratch, child, channel }
    }

    /// The channel, for a test that says what no plugin does.
    pub fn channel(&self) -> &Channel {
        &self.channel
    }

    /// Sends a notification, as the plugin does.
    pub fn notify(&self, method: &str, argument: &Json) {
        self.channel.notify(method, vec![from_json(argument)]);
    }

    /// Starts a job of a shell script whose output is the answer; `more` is laid over the request and the options.
    pub fn run(&self, id: u64, script: &str, more: &Json) {
        let request = self.request(id, script, more);
        self.notify("options", &request);
        self.notify("run", &request);
    }

    /// The request for such a job, with the options in the same map.
    pub fn request(&self, id: u64, script: &str, more: &Json) -> Json {
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

    /// The arguments of all calls of one function so far.
    pub fn calls(&self, name: &str) -> Vec<Value> {
        let inbox = self.channel.inbox();
        inbox
            .calls
            .iter()
            .filter(|(called, _)| called == name)
            .map(|(_, argument)| argument.clone())
            .collect()
    }

    /// Waits until a call of this function gives a value.
    ///
    /// # Panics
    /// At the deadline, and where the host has ended.
    #[track_caller]
    pub fn wait_for<T>(&self, name: &str, mut look: impl FnMut(&Value) -> Option<T>) -> T {
        let found = self.channel.wait(DEADLINE, |inbox| {
            inbox.calls.iter().filter(|(called, _)| called == name).find_map(|(_, argument)| look(argument))
        });
        found.unwrap_or_else(|| panic!("no such call of {name:?}\n{}", self.report()))
    }

    /// Waits for the patch of a job that this is found in.
    #[track_caller]
    pub fn told<T>(&self, id: u64, look: impl Fn(&Value) -> Option<T>) -> T {
        self.wait_for("jobs", |patches| {
            let mut of_job = patches.as_array()?.iter().filter(|patch| *field(patch, "id") == id.into());
            of_job.find_map(&look)
        })
    }

    /// Waits for the outcome of a job: its fields.
    #[track_caller]
    pub fn finished(&self, id: u64) -> Json {
        self.told(id, |patch| {
            let set = field(patch, "set");
            let status = field(set, "status").as_str();
            matches!(status, Some("done" | "failed")).then(|| to_json(set))
        })
    }

    /// Waits until the agent of a job runs.
    #[track_caller]
    pub fn runs(&self, id: u64) {
        let status = |patch: &Value| field(field(patch, "set"), "status").clone();
        self.told(id, |patch| (status(patch) == "running".into()).then_some(()));
    }

    /// How the tools of a job ended, or what they do.
    pub fn tools(&self, id: u64) -> Vec<String> {
        let calls = self.calls("jobs");
        let patches = calls.iter().filter_map(Value::as_array).flatten();
        let of_job = patches.filter(|patch| *field(patch, "id") == id.into());
        let tools = of_job.filter_map(|patch| field(patch, "tools").as_array()).next_back();
        let status = |tool: &Value| field(tool, "status").as_str().unwrap().to_owned();
        tools.into_iter().flatten().map(status).collect()
    }

    /// The host's process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What the host has logged.
    pub fn report(&self) -> String {
        std::fs::read_to_string(self.scratch.path("host.log")).unwrap_or_default()
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        // The end of its input is the end of Neovim.
        self.channel.close();
        let start = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            if start.elapsed() > DEADLINE {
                self.child.kill().unwrap();
                self.child.wait().unwrap();
                assert!(std::thread::panicking(), "the host does not end");
            }
            std::thread::sleep(super::POLL);
        }
        if std::thread::panicking() {
            process::kill_all(&self.scratch);
        } else {
            process::wait_for_none_but(&self.scratch, &[], "the host has ended");
        }
    }
}

/// A field of a map; nil where it is absent.
pub fn field<'a>(map: &'a Value, name: &str) -> &'a Value {
    let found = map.as_map().and_then(|map| map.iter().find(|(key, _)| key.as_str() == Some(name)));
    found.map_or(&Value::Nil, |(_, value)| value)
}
