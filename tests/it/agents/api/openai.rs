//! The same in the two shapes of the `OpenAI` API: Responses, with items in and out, and Chat Completions.

use serde_json::{Value, json};

use super::{Block, Step, pieces, steps_of};

/// What was said, as messages: an item is a part of one.
pub fn messages(said: &Value) -> Value {
    let mut messages: Vec<Value> = Vec::new();
    for mut message in said.as_array().into_iter().flatten().map(message) {
        match messages.last_mut() {
            // Each item of one answer comes by itself.
            Some(last) if last["role"] == "assistant" && message["role"] == "assistant" => {
                let blocks = message["content"].as_array_mut().unwrap();
                last["content"].as_array_mut().unwrap().append(blocks);
            }
            _ => messages.push(message),
        }
    }
    messages.into()
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
            let parts = said["content"].as_array().into_iter().flatten();
            let parts = parts.map(|part| json!({"type": "text", "text": part["text"]}));
            json!({"role": role, "content": whole.into_iter().chain(parts).collect::<Value>()})
        }
    }
}

/// The events of Responses that answer request `number`.
pub fn responses(number: usize, blocks: &[Block]) -> Vec<Step> {
    let created = json!({"type": "response.created", "response": {"id": format!("resp_{number}")}});
    let (mut steps, mut items) = (vec![Step::Send(created)], Vec::new());
    steps.extend(steps_of(blocks, |index, block| {
        let id = format!("item_{number}_{index}");
        let (item, started, deltas) = match block {
            Block::Text(text) => {
                let item = |content: Value| json!({"type": "message", "id": id, "role": "assistant", "content": content});
                let deltas = pieces(text).map(|piece| {
                    json!({"type": "response.output_text.delta", "item_id": id, "output_index": index,
                        "content_index": 0, "delta": piece})
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
            Block::Wait(_) => return Vec::new(),
        };
        let about = |kind: &str, item: &Value| json!({"type": kind, "output_index": index, "item": item});
        let done = about("response.output_item.done", &item);
        items.push(item);
        [vec![about("response.output_item.added", &started)], deltas, vec![done]].concat()
    }));
    let usage = json!({
        "input_tokens": 175, "input_tokens_details": {"cached_tokens": 50}, "output_tokens": 15,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 190,
    });
    let response = json!({"id": format!("resp_{number}"), "output": items, "usage": usage});
    steps.push(Step::Send(json!({"type": "response.completed", "response": response})));
    steps
}

/// The events of Chat Completions that answer request `number`.
pub fn chat(number: usize, blocks: &[Block]) -> Vec<Step> {
    let chunk = |choices: Value, usage: Value| {
        json!({
            "id": format!("chat_{number}"), "object": "chat.completion.chunk", "created": 1, "model": "mock",
            "choices": choices, "usage": usage,
        })
    };
    let delta = |delta: Value, finish: Option<&str>| {
        chunk(json!([{"index": 0, "delta": delta, "finish_reason": finish}]), Value::Null)
    };
    let mut steps = vec![Step::Send(delta(json!({"role": "assistant", "content": ""}), None))];
    let mut calls = 0;
    steps.extend(steps_of(blocks, |_, block| match block {
        Block::Text(text) => pieces(text).map(|piece| delta(json!({"content": piece}), None)).collect(),
        Block::Tool(name, input) => {
            let call = json!({
                "index": calls, "id": format!("call_{number}_{calls}"), "type": "function",
                "function": {"name": name, "arguments": input.to_string()},
            });
            calls += 1;
            vec![delta(json!({"tool_calls": [call]}), None)]
        }
        Block::Wait(_) => Vec::new(),
    }));
    let finish = if calls > 0 { "tool_calls" } else { "stop" };
    let usage = json!({
        "prompt_tokens": 175, "completion_tokens": 15, "total_tokens": 190, "prompt_tokens_details": {"cached_tokens": 50},
    });
    let end = [delta(json!({}), Some(finish)), chunk(json!([]), usage), json!("[DONE]")];
    steps.extend(end.map(Step::Send));
    steps
}
