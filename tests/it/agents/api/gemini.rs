//! The same in the shape of the Gemini API: contents of parts in, candidates of parts out.

use serde_json::{Value, json};

use super::{Block, Step, steps_of};

/// What was said, as messages.
pub fn messages(body: &Value) -> Value {
    body["contents"].as_array().into_iter().flatten().map(message).collect()
}

fn message(content: &Value) -> Value {
    let role = if content["role"] == "model" { "assistant" } else { "user" };
    let blocks =
        content["parts"].as_array().into_iter().flatten().map(|part| match &part["functionResponse"] {
            Value::Null => json!({"type": "text", "text": part["text"]}),
            result => {
                json!({"type": "tool_result", "tool_use_id": result["name"], "content": result["response"]})
            }
        });
    json!({"role": role, "content": blocks.collect::<Value>()})
}

/// The events of an answer.
pub fn steps(blocks: &[Block]) -> Vec<Step> {
    let mut steps = steps_of(blocks, |_, block| match block {
        Block::Text(text) => vec![said(&json!({"text": text}), None)],
        Block::Tool(name, input) => vec![said(&json!({"functionCall": {"name": name, "args": input}}), None)],
        Block::Wait(_) => Vec::new(),
    });
    steps.push(Step::Send(said(&json!({"text": ""}), Some("STOP"))));
    steps
}

/// An answer with one part, or that part of it.
pub fn said(part: &Value, finish: Option<&str>) -> Value {
    json!({
        "candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0, "finishReason": finish}],
        "usageMetadata": {"promptTokenCount": 175, "candidatesTokenCount": 15, "totalTokenCount": 190},
        "modelVersion": "mock",
    })
}
