//! One message of the model as the server-sent events that the service streams it in.

use std::convert::Infallible;
use std::vec::IntoIter;

use axum::response::sse::Event;
use serde_json::{Value, json};

use super::{Block, Gate};

/// How many characters go into one delta.
const PIECE: usize = 12;

/// Something to send, or a gate to wait at.
pub enum Step {
    /// An event; its type is its name.
    Send(Value),
    /// An event that is no JSON.
    Mark(&'static str),
    /// Nothing more until the gate is open.
    Wait(Gate),
}

/// The next event, once every gate before it is open.
pub async fn next(mut steps: IntoIter<Step>) -> Option<(Result<Event, Infallible>, IntoIter<Step>)> {
    loop {
        match steps.next()? {
            Step::Wait(gate) => gate.wait().await,
            Step::Send(event) => {
                let said = Event::default().data(event.to_string());
                let named = match event["type"].as_str() {
                    Some(name) => said.event(name),
                    None => said,
                };
                return Some((Ok(named), steps));
            }
            Step::Mark(mark) => return Some((Ok(Event::default().data(mark)), steps)),
        }
    }
}

/// The events of the message that answers request `number`.
pub fn of_message(number: usize, model: &Value, blocks: &[Block], stop: &str) -> Vec<Step> {
    let usage = json!({
        "input_tokens": 25, "output_tokens": 1, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 50,
    });
    let message = json!({
        "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage,
    });
    let mut steps = vec![Step::Send(json!({"type": "message_start", "message": message}))];
    let mut index = 0;
    for block in blocks {
        let (start, deltas) = match block {
            Block::Wait(gate) => {
                steps.push(Step::Wait(gate.clone()));
                continue;
            }
            Block::Text(text) => {
                let deltas = pieces(text).map(|piece| json!({"type": "text_delta", "text": piece})).collect();
                (json!({"type": "text", "text": ""}), deltas)
            }
            Block::Tool(name, input) => {
                let delta = json!({"type": "input_json_delta", "partial_json": input.to_string()});
                let id = format!("toolu_{number}_{index}");
                (json!({"type": "tool_use", "id": id, "name": name, "input": {}}), vec![delta])
            }
        };
        steps.extend(of_block(index, &start, deltas));
        index += 1;
    }
    let stopped = json!({"stop_reason": stop, "stop_sequence": null});
    steps
        .push(Step::Send(json!({"type": "message_delta", "delta": stopped, "usage": {"output_tokens": 15}})));
    steps.push(Step::Send(json!({"type": "message_stop"})));
    steps
}

fn of_block(index: usize, start: &Value, deltas: Vec<Value>) -> Vec<Step> {
    let start = json!({"type": "content_block_start", "index": index, "content_block": start});
    let stop = json!({"type": "content_block_stop", "index": index});
    let delta = |delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    [start].into_iter().chain(deltas.into_iter().map(delta)).chain([stop]).map(Step::Send).collect()
}

pub fn pieces(text: &str) -> impl Iterator<Item = String> {
    let all: Vec<char> = text.chars().collect();
    all.chunks(PIECE).map(String::from_iter).collect::<Vec<_>>().into_iter()
}
