//! Whatever watches a job, its work for an event is that of the event alone: ten times the events are ten times the
//! work, however much was said before. Counted in bytes, those that are allocated and those that Neovim is sent.

use std::sync::Arc;

use rmpv::Value;
use serde_json::json;

use super::pending::Pending;
use super::{StateChange, watch};
use crate::agent::Protocol;
use crate::job::Observer;
use crate::land::Capture;
use crate::request::sample;
use crate::stream::Stream;

/// How many events a short stream has.
const FEW: u64 = 200;

/// How many times as many a long one has.
const TIMES: u64 = 10;

/// One job with all that can watch it, and the writer that takes what they fold.
struct WatchedJob {
    stream: Stream,
    pending: Arc<Pending>,
    observers: Vec<Box<dyn Observer>>,
    sent: u64,
}

impl WatchedJob {
    fn new() -> Self {
        let (id, pending) = (1, Arc::new(Pending::default()));
        let capture = Capture::new(&sample::lines("rust", &["value = 1"]), 3);
        pending.with(|updates| updates.frames.preview(id, capture));
        pending.with(|updates| updates.frames.change(id, StateChange::Started { pgid: 1 }));
        let observers: Vec<Box<dyn Observer>> = vec![
            Box::new(watch::StatusObserver { id, pending: Arc::clone(&pending) }),
            Box::new(watch::PreviewObserver { id, pending: Arc::clone(&pending) }),
            Box::new(watch::ForwardObserver { id, pending: Arc::clone(&pending), thinking: true }),
        ];
        Self { stream: Stream::new(Protocol::Claude, "/project"), pending, observers, sent: 0 }
    }

    fn event(&mut self, line: &str) {
        let observers = &mut self.observers;
        self.stream.line(line.as_bytes(), &mut |update| {
            for observer in observers.iter_mut() {
                observer.update(&update);
            }
        });
    }

    /// As the writer does, whenever Neovim has taken what went before.
    fn send(&mut self) {
        let mut updates = self.pending.lock();
        let calls = [updates.observed.take(), updates.frames.take()];
        self.sent += calls.into_iter().flatten().map(|call| encoded(&call)).sum::<u64>();
    }
}

fn encoded(value: &Value) -> u64 {
    let mut bytes = Vec::new();
    rmpv::encode::write_value(&mut bytes, value).unwrap();
    bytes.len() as u64
}

/// What a stream of so many events costs: bytes allocated, bytes sent.
fn cost(events: u64, taken: TakeTime, line: fn(u64) -> String) -> [u64; 2] {
    let lines: Vec<String> = (0..events).map(line).collect();
    let mut sent = 0;
    let allocated = allocation_counter::measure(|| {
        let mut watched = WatchedJob::new();
        for line in &lines {
            watched.event(line);
            if taken == TakeTime::Always {
                watched.send();
            }
        }
        watched.send();
        sent = watched.sent;
    });
    [allocated.bytes_total, sent]
}

/// When the writer takes what there is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TakeTime {
    /// After each event.
    Always,
    /// Once: Neovim was busy all the time.
    AtTheEnd,
}

#[track_caller]
fn is_linear(line: fn(u64) -> String) {
    for taken in [TakeTime::Always, TakeTime::AtTheEnd] {
        let (few, many) = (cost(FEW, taken, line), cost(FEW * TIMES, taken, line));
        for (what, few, many) in [("allocated", few[0], many[0]), ("sent", few[1], many[1])] {
            // What grows is grown by doubling, which may be up to twice what is needed, and once just right.
            assert!(
                many <= few * (TIMES + 2),
                "{what}, taken {taken:?}: {few} bytes for {FEW} events, {many} for {TIMES} times as many"
            );
        }
    }
}

fn delta(kind: &str, field: &str, text: &str) -> String {
    let delta = json!({"type": kind, field: text});
    let event = json!({"type": "content_block_delta", "index": 0, "delta": delta});
    json!({"type": "stream_event", "event": event}).to_string()
}

#[test]
fn lines_of_code() {
    is_linear(|n| {
        if n == 0 {
            delta("text_delta", "text", "```\n")
        } else {
            delta("text_delta", "text", "let a = 1;\n")
        }
    });
}

#[test]
fn one_line_without_an_end() {
    is_linear(|_| delta("text_delta", "text", "some words "));
}

#[test]
fn blocks_of_code() {
    is_linear(|n| delta("text_delta", "text", if n % 2 == 0 { "```\nlet a = 1;\n" } else { "```\n\n" }));
}

#[test]
fn thinking() {
    is_linear(|_| delta("thinking_delta", "thinking", "some thoughts "));
}

#[test]
fn tools() {
    is_linear(|n| {
        let content = json!({"type": "tool_use", "id": format!("t{n:05}"), "name": "Read", "input": {"file_path": "a"}});
        json!({"type": "assistant", "message": {"content": [content]}}).to_string()
    });
}
