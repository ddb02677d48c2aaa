//! A side of msgpack-RPC with Neovim or with a host, as plain blocking calls: one thread reads, the caller waits for its
//! reply. What the other side asks is noted, and answered with nil.
//!
//! Not nvim-rs, which the host uses: a test may give a call up (Neovim is stuck, so the test fails), and with
//! nvim-rs that ends the channel for the report too.

use std::collections::HashMap;
use std::io::{BufReader, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use botglue::fields::json;
use rmpv::Value;
use serde_json::Value as Json;

use super::screen::Screen;

/// What the other side has sent so far.
#[derive(Default)]
pub struct Inbox {
    replies: HashMap<u64, Result<Value, Value>>,
    /// Notifications other than redraws: the method and its arguments, oldest first.
    pub notifications: Vec<(String, Vec<Value>)>,
    /// The patches of jobs that a host told, oldest first.
    pub patches: Vec<Json>,
    /// The screen, kept up to date by redraws.
    pub screen: Screen,
    closed: bool,
}

type Writer = Arc<Mutex<Option<Box<dyn Write + Send>>>>;

/// A channel to one Neovim, or to one host.
pub struct Channel {
    writer: Writer,
    next: AtomicU64,
    inbox: Arc<(Mutex<Inbox>, Condvar)>,
}

impl Channel {
    /// Starts to read.
    pub fn new(reader: impl Read + Send + 'static, writer: impl Write + Send + 'static) -> Self {
        let inbox = Arc::new((Mutex::new(Inbox::default()), Condvar::new()));
        let writer: Writer = Arc::new(Mutex::new(Some(Box::new(writer))));
        let (filled, replies) = (Arc::clone(&inbox), Arc::clone(&writer));
        std::thread::spawn(move || {
            let mut reader = BufReader::new(reader);
            while let Ok(message) = rmpv::decode::read_value(&mut reader) {
                let asked = filled.0.lock().unwrap().take(message);
                if let Some(id) = asked {
                    // The waiting test finds a side that is gone.
                    _ = write(&replies, &encoded(&Value::Array(vec![1.into(), id, Value::Nil, Value::Nil])));
                }
                filled.1.notify_all();
            }
            filled.0.lock().unwrap().closed = true;
            filled.1.notify_all();
        });
        Self { writer, next: AtomicU64::new(0), inbox }
    }

    /// Calls a function of Neovim's API and waits for what it gives back; an error is Neovim's own text.
    pub fn call(&self, method: &str, arguments: Vec<Value>, within: Duration) -> Result<Value, String> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let request = vec![0.into(), id.into(), method.into(), Value::Array(arguments)];
        self.send(&encoded(&Value::Array(request)))?;
        let reply = self.wait(within, |inbox| inbox.replies.remove(&id));
        match reply {
            Some(Ok(value)) => Ok(value),
            // Neovim's errors are pairs of a kind and a text.
            Some(Err(error)) => Err(error[1].as_str().map_or_else(|| error.to_string(), str::to_owned)),
            None if self.inbox().closed => Err(format!("{method}: Neovim has closed the channel")),
            None => Err(format!("{method}: no reply within {within:?}")),
        }
    }

    /// Sends a notification; nothing comes back.
    pub fn notify(&self, method: &str, arguments: Vec<Value>) {
        // A channel that is closed already is no fault here: this is how an editor is told to quit.
        let _ = self.send(&encoded(&Value::Array(vec![2.into(), method.into(), Value::Array(arguments)])));
    }

    /// Waits until something in the inbox gives a value; looked at whenever something arrives, and also now and
    /// then, for conditions that look elsewhere as well. None at the deadline or when the channel is closed.
    pub fn wait<T>(&self, within: Duration, mut look: impl FnMut(&mut Inbox) -> Option<T>) -> Option<T> {
        let start = Instant::now();
        let mut inbox = self.inbox();
        loop {
            if let Some(value) = look(&mut inbox) {
                return Some(value);
            }
            if inbox.closed || start.elapsed() >= within {
                return None;
            }
            inbox = self.inbox.1.wait_timeout(inbox, Duration::from_millis(50)).unwrap().0;
        }
    }

    /// What has arrived.
    pub fn inbox(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.0.lock().unwrap()
    }

    /// Sends bytes, whatever they are.
    pub fn send(&self, bytes: &[u8]) -> Result<(), String> {
        write(&self.writer, bytes).map_err(|error| format!("the channel: {error}"))
    }

    /// Ends what is sent.
    pub fn close(&self) {
        *self.writer.lock().unwrap() = None;
    }
}

fn write(writer: &Writer, bytes: &[u8]) -> std::io::Result<()> {
    let mut writer = writer.lock().unwrap();
    let writer = writer.as_mut().ok_or(std::io::ErrorKind::BrokenPipe)?;
    writer.write_all(bytes).and_then(|()| writer.flush())
}

/// A message as it is sent.
pub fn encoded(message: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    rmpv::encode::write_value(&mut bytes, message).unwrap();
    bytes
}

impl Inbox {
    /// Takes a message; gives the number of a request that is to be answered.
    fn take(&mut self, message: Value) -> Option<Value> {
        let Value::Array(parts) = message else { panic!("not msgpack-RPC: {message}") };
        match (parts[0].as_u64(), parts.len()) {
            (Some(0), 4) => {
                if parts[2].as_str() == Some("nvim_exec_lua") {
                    let calls = parts[3][1][0].as_array().unwrap().iter();
                    let told = calls.filter(|call| call[0].as_str() == Some("jobs"));
                    self.patches.extend(told.flat_map(|call| call[1].as_array().unwrap()).map(json));
                }
                return Some(parts[1].clone());
            }
            (Some(1), 4) => {
                let reply = if parts[2].is_nil() { Ok(parts[3].clone()) } else { Err(parts[2].clone()) };
                self.replies.extend(parts[1].as_u64().map(|id| (id, reply)));
            }
            (Some(2), 3) => {
                let method = parts[1].as_str().unwrap().to_owned();
                let arguments = parts[2].as_array().unwrap();
                if method == "redraw" {
                    self.screen.redraw(arguments);
                } else {
                    self.notifications.push((method, arguments.clone()));
                }
            }
            _ => panic!("no message: {parts:?}"),
        }
        None
    }
}

/// JSON as Neovim wants it.
pub fn from_json(json: &Json) -> Value {
    botglue::fields::value(json.clone())
}
