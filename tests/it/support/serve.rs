//! `botglue serve` with the test in the place of Neovim: it says what it likes, sees each call of the host as it is
//! sent, and decides when one is answered.

use std::io::{BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use rmpv::Value;
use serde_json::{Value as Json, json};

use super::rpc::{from_json, to_json};
use super::scratch::Scratch;
use super::{DEADLINE, process};

/// A running host.
pub struct Serve {
    /// Its directories.
    pub scratch: Scratch,
    child: Child,
    line: Arc<Line>,
}

/// The test's end of the channel.
struct Line {
    stdin: Mutex<Option<ChildStdin>>,
    heard: Mutex<Heard>,
    news: Condvar,
}

/// What the host has said so far.
#[derive(Default)]
struct Heard {
    /// The functions of `botglue.apply` that it called, each with its argument, oldest first.
    calls: Vec<(String, Value)>,
    /// Replies of the host.
    replies: Vec<Value>,
    closed: bool,
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
            .current_dir(scratch.project())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = Mutex::new(child.stdin.take());
        let line = Arc::new(Line { stdin, heard: Mutex::default(), news: Condvar::new() });
        let reader = BufReader::new(child.stdout.take().unwrap());
        let listening = Arc::clone(&line);
        std::thread::spawn(move || listening.listen(reader));
        Self { scratch, child, line }
    }

    /// Sends bytes, whatever they are.
    pub fn send(&self, bytes: &[u8]) {
        self.line.send(bytes);
    }

    /// Sends a notification, as the plugin does.
    pub fn notify(&self, method: &str, argument: &Json) {
        let arguments = Value::Array(vec![from_json(argument)]);
        self.send(&encoded(&Value::Array(vec![2.into(), method.into(), arguments])));
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
        let heard = self.line.heard();
        heard
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
        let found = self.line.wait(|heard| {
            heard.calls.iter().filter(|(called, _)| called == name).find_map(|(_, argument)| look(argument))
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

    /// Waits for the host's reply to a request of the test.
    #[track_caller]
    pub fn reply(&self, id: u64) -> Value {
        let found = self.line.wait(|heard| heard.replies.iter().find(|reply| reply[1] == id.into()).cloned());
        found.unwrap_or_else(|| panic!("no reply to {id}\n{}", self.report()))
    }

    /// The host's process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What the host has logged.
    pub fn report(&self) -> String {
        std::fs::read_to_string(self.scratch.path("host.log")).unwrap_or_default()
    }

    /// How much memory of its own the host has, in bytes. Reads Linux's `/proc`.
    pub fn memory(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap_or_default();
        let kilobytes = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        kilobytes.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0_usize) << 10
    }
}

impl Drop for Serve {
    fn drop(&mut self) {
        // The end of its input is the end of Neovim.
        *self.line.stdin.lock().unwrap() = None;
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

impl Line {
    fn heard(&self) -> MutexGuard<'_, Heard> {
        self.heard.lock().unwrap()
    }

    fn send(&self, bytes: &[u8]) {
        if let Some(stdin) = self.stdin.lock().unwrap().as_mut() {
            // The waiting test finds a host that is gone.
            let _ = stdin.write_all(bytes).and_then(|()| stdin.flush());
        }
    }

    fn reply(&self, id: Value) {
        self.send(&encoded(&Value::Array(vec![1.into(), id, Value::Nil, Value::Nil])));
    }

    fn listen(&self, mut reader: impl std::io::Read) {
        while let Ok(Value::Array(parts)) = rmpv::decode::read_value(&mut reader) {
            let answered = self.heard().take(parts);
            if let Some(id) = answered {
                self.reply(id);
            }
            self.news.notify_all();
        }
        self.heard().closed = true;
        self.news.notify_all();
    }

    fn wait<T>(&self, mut look: impl FnMut(&Heard) -> Option<T>) -> Option<T> {
        let start = Instant::now();
        let mut heard = self.heard();
        loop {
            if let Some(value) = look(&heard) {
                return Some(value);
            }
            if heard.closed || start.elapsed() > DEADLINE {
                return None;
            }
            heard = self.news.wait_timeout(heard, Duration::from_millis(50)).unwrap().0;
        }
    }
}

impl Heard {
    /// Takes a message; gives the number of a request that is to be answered.
    fn take(&mut self, parts: Vec<Value>) -> Option<Value> {
        if parts[0] != Value::from(0) {
            self.replies.push(Value::Array(parts));
            return None;
        }
        let (id, method, arguments) = (parts[1].clone(), &parts[2], &parts[3]);
        if method.as_str() == Some("nvim_exec_lua") {
            for call in arguments[1][0].as_array().unwrap() {
                self.calls.push((call[0].as_str().unwrap().to_owned(), call[1].clone()));
            }
        }
        Some(id)
    }
}

/// A field of a map; nil where it is absent.
pub fn field<'a>(map: &'a Value, name: &str) -> &'a Value {
    let found = map.as_map().and_then(|map| map.iter().find(|(key, _)| key.as_str() == Some(name)));
    found.map_or(&Value::Nil, |(_, value)| value)
}

/// A message as it is sent.
pub fn encoded(message: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    rmpv::encode::write_value(&mut bytes, message).unwrap();
    bytes
}
