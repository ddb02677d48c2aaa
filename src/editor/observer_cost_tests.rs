//! Tests that the work of a job's observers for an event does not grow with the number of earlier events: ten times the
//! events cost ten times the work. Work is counted in bytes allocated and in bytes sent to Neovim.

use rmpv::Value;
use serde_json::json;

use super::StateChange;
use super::pending::Pending;
use crate::agent::Protocol;
use crate::land::Capture;
use crate::request::sample;
use crate::stream::{Line, Stream};

/// How many events a short stream has: more than the tools that are kept of a job, each of which is told whole.
const SHORT_STREAM: u64 = 400;

/// How many times more events a long stream has.
const LONG_FACTOR: u64 = 10;

/// One job of which all is shown, and the pending updates that they fold into.
struct WatchedJob {
    stream: Stream,
    pending: Pending,
    sent: u64,
}

impl WatchedJob {
    fn new() -> Self {
        let pending = Pending::default();
        let capture = Capture::new(&sample::lines("rust", &["value = 1"]), 3);
        pending.with(|updates| updates.watch(1, Some(capture), true));
        pending.with(|updates| updates.change(1, StateChange::Started));
        Self { stream: Stream::new(Protocol::Claude.recipe().recorded(), "/project"), pending, sent: 0 }
    }

    fn event(&mut self, line: &str) {
        let Self { stream, pending, .. } = self;
        stream.take(Line::Whole(line.as_bytes()), &mut |update| {
            pending.with(|updates| updates.update(1, &update));
        });
    }

    /// Takes and encodes the pending updates, as the editor's writer does once Neovim has handled its previous call.
    fn send(&mut self) {
        let mut updates = self.pending.lock();
        let calls = [updates.observed.take(), updates.frame()];
        self.sent += calls.into_iter().flatten().map(|call| encoded(&call)).sum::<u64>();
    }
}

fn encoded(value: &Value) -> u64 {
    let mut bytes = Vec::new();
    rmpv::encode::write_value(&mut bytes, value).unwrap();
    bytes.len() as u64
}

/// The cost of a stream with this many events: bytes allocated, bytes sent.
fn cost(events: u64, send_when: SendTime, line: &dyn Fn(u64) -> String) -> [u64; 2] {
    let lines: Vec<String> = (0..events).map(line).collect();
    let mut sent = 0;
    let allocated = allocation_counter::measure(|| {
        let mut watched = WatchedJob::new();
        for line in &lines {
            watched.event(line);
            if send_when == SendTime::Always {
                watched.send();
            }
        }
        watched.send();
        sent = watched.sent;
    });
    [allocated.bytes_total, sent]
}

/// When the writer takes and sends the pending updates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SendTime {
    /// After each event.
    Always,
    /// Once, after the last event: Neovim was busy until then.
    AtTheEnd,
}

impl SendTime {
    const ALL: [Self; 2] = [Self::Always, Self::AtTheEnd];
}

fn delta(kind: &str, field: &str, text: &str) -> String {
    let delta = json!({"type": kind, field: text});
    let event = json!({"type": "content_block_delta", "index": 0, "delta": delta});
    json!({"type": "stream_event", "event": event}).to_string()
}

fn tool_call(number: u64) -> String {
    let id = format!("t{number:05}");
    let content = json!({"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": "a"}});
    json!({"type": "assistant", "message": {"content": [content]}}).to_string()
}

#[test]
fn cost_is_linear() {
    let text = |text: &str| delta("text_delta", "text", text);
    let lines: [(&str, &dyn Fn(u64) -> String); 5] = [
        ("lines of code", &|n| text(if n == 0 { "```\n" } else { "let a = 1;\n" })),
        ("one long line", &|_| text("some words ")),
        ("code blocks", &|n| text(if n % 2 == 0 { "```\nlet a = 1;\n" } else { "```\n\n" })),
        ("thinking", &|_| delta("thinking_delta", "thinking", "some thoughts ")),
        ("tool calls", &tool_call),
    ];
    for ((name, line), send_when) in lines.into_iter().flat_map(|line| SendTime::ALL.map(|when| (line, when)))
    {
        let (few, many) =
            (cost(SHORT_STREAM, send_when, line), cost(SHORT_STREAM * LONG_FACTOR, send_when, line));
        for (what, few, many) in [("allocated", few[0], many[0]), ("sent", few[1], many[1])] {
            // Vectors grow by doubling, so the streams may differ in unused capacity: allow 20 % more.
            assert!(
                many <= few * (LONG_FACTOR + 2),
                "{name}, sent {send_when:?}: bytes {what}: {few}, and {many} for {LONG_FACTOR} times as many events"
            );
        }
    }
}
