//! The same scripts in the two shapes of the `OpenAI` API: Responses, with items in and out, and Chat Completions.

use axum::http::StatusCode;
use axum::response::sse::Sse;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::{Value, json};

use super::events::{self, Step, pieces};
use super::{Block, Reply};

/// One of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Responses,
    Chat,
}

impl Shape {
    /// The shape of a request to this path.
    pub fn of(path: &str) -> Option<Self> {
        match path {
            path if path.ends_with("/responses") => Some(Self::Responses),
            path if path.ends_with("/chat/completions") => Some(Self::Chat),
            _ => None,
        }
    }

    /// The request with what was said as the messages that scripts look at.
    pub fn as_messages(self, mut body: Value) -> Value {
        let said = match self {
            Self::Responses => body["input"].as_array(),
            Self::Chat => body["messages"].as_array(),
        };
        let mut messages: Vec<Value> = Vec::new();
        for message in said.into_iter().flatten().map(message) {
            match messages
                .last_mut()
                .filter(|last| last["role"] == "assistant" && message["role"] == "assistant")
            {
                // Each item of one answer comes by itself.
                Some(last) => last["content"]
                    .as_array_mut()
                    .unwrap()
                    .extend(message["content"].as_array().cloned().unwrap()),
                None => messages.push(message),
            }
        }
        body["messages"] = messages.into();
        body
    }

    /// The answer to request `number`.
    pub fn answer(self, number: usize, reply: Reply) -> Response {
        match reply {
            Reply::Error(status, kind, text) => {
                let code = if text.contains("too long") { "context_length_exceeded" } else { kind };
                let body = json!({"error": {"message": text, "type": kind, "code": code}});
                (StatusCode::from_u16(status).unwrap(), axum::Json(body)).into_response()
            }
            Reply::Message(blocks, stop) => {
                let steps = match self {
                    Self::Responses => responses(number, &blocks),
                    Self::Chat => chat(number, &blocks, stop),
                };
                Sse::new(stream::unfold(steps.into_iter(), events::next)).into_response()
            }
        }
    }
}

/// One message or item, as a message of blocks.
fn message(said: &Value) -> Value {
    let result = |id: &Value, content: &Value| json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": content}]});
    match (said["type"].as_str(), said["role"].as_str()) {
        (Some("function_call_output"), _) => result(&said["call_id"], &said["output"]),
        (_, Some("tool")) => result(&said["tool_call_id"], &said["content"]),
        (Some("function_call"), _) => {
            json!({"role": "assistant", "content": [{"type": "tool_use", "name": said["name"]}]})
        }
        (_, role) => {
            let whole = said["content"].as_str().map(|text| json!({"type": "text", "text": text}));
            let parts = said["content"].as_array().cloned().unwrap_or_default();
            let parts = parts.iter().map(|part| json!({"type": "text", "text": part["text"]}));
            json!({"role": role, "content": whole.into_iter().chain(parts).collect::<Vec<_>>()})
        }
    }
}

fn responses(number: usize, blocks: &[Block]) -> Vec<Step> {
    let mut steps =
        vec![Step::Send(json!({"type": "response.created", "response": {"id": format!("resp_{number}")}}))];
    let mut items = Vec::new();
    for block in blocks {
        let (index, id) = (items.len(), format!("item_{number}_{}", items.len()));
        let (item, started, deltas) = match block {
            Block::Wait(gate) => {
                steps.push(Step::Wait(gate.clone()));
                continue;
            }
            Block::Text(text) => {
                let item = |content: Value| json!({"type": "message", "id": id, "role": "assistant", "content": content});
                let deltas = pieces(text).map(|piece| {
                    let at =
                        json!({"item_id": id, "output_index": index, "content_index": 0, "delta": piece});
                    with_type("response.output_text.delta", at)
                });
                (item(json!([{"type": "output_text", "text": text}])), item(json!([])), deltas.collect())
            }
            Block::Tool(name, input) => {
                let item = json!({
                    "type": "function_call", "id": id, "call_id": format!("call_{number}_{index}"), "name": name,
                    "arguments": input.to_string(),
                });
                (item.clone(), item, Vec::new())
            }
        };
        let about = |kind: &str, item: &Value| with_type(kind, json!({"output_index": index, "item": item}));
        steps.push(Step::Send(about("response.output_item.added", &started)));
        steps.extend(deltas.into_iter().map(Step::Send));
        steps.push(Step::Send(about("response.output_item.done", &item)));
        items.push(item);
    }
    let usage = json!({
        "input_tokens": 175, "input_tokens_details": {"cached_tokens": 50}, "output_tokens": 15,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 190,
    });
    let response = json!({"id": format!("resp_{number}"), "output": items, "usage": usage});
    steps.push(Step::Send(json!({"type": "response.completed", "response": response})));
    steps
}

fn with_type(kind: &str, mut event: Value) -> Value {
    event["type"] = kind.into();
    event
}

fn chat(number: usize, blocks: &[Block], stop: &str) -> Vec<Step> {
    let chunk = |choices: Value, usage: Value| {
        Step::Send(json!({
            "id": format!("chat_{number}"), "object": "chat.completion.chunk", "created": 1, "model": "mock",
            "choices": choices, "usage": usage,
        }))
    };
    let delta = |delta: Value, finish: Value| {
        chunk(json!([{"index": 0, "delta": delta, "finish_reason": finish}]), Value::Null)
    };
    let mut steps = vec![delta(json!({"role": "assistant", "content": ""}), Value::Null)];
    let mut calls = 0;
    for block in blocks {
        match block {
            Block::Wait(gate) => steps.push(Step::Wait(gate.clone())),
            Block::Text(text) => {
                steps.extend(pieces(text).map(|piece| delta(json!({"content": piece}), Value::Null)));
            }
            Block::Tool(name, input) => {
                let call = json!({
                    "index": calls, "id": format!("call_{number}_{calls}"), "type": "function",
                    "function": {"name": name, "arguments": input.to_string()},
                });
                steps.push(delta(json!({"tool_calls": [call]}), Value::Null));
                calls += 1;
            }
        }
    }
    let finish = match stop {
        "max_tokens" => "length",
        _ if calls > 0 => "tool_calls",
        _ => "stop",
    };
    steps.push(delta(json!({}), finish.into()));
    let usage = json!({
        "prompt_tokens": 175, "completion_tokens": 15, "total_tokens": 190, "prompt_tokens_details": {"cached_tokens": 50},
    });
    steps.push(chunk(json!([]), usage));
    steps.push(Step::Mark("[DONE]"));
    steps
}
