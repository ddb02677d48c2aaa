//! A message in the shape of the Messages API.

use serde_json::{Value, json};

use super::{Block, Step, pieces, steps_of};

/// The events of the message that answers request `number`.
pub fn steps(number: usize, model: &Value, blocks: &[Block]) -> Vec<Step> {
    let usage = json!({
        "input_tokens": 25, "output_tokens": 1, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 50,
    });
    let message = json!({
        "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage,
    });
    let mut steps = vec![Step::Send(json!({"type": "message_start", "message": message}))];
    steps.extend(steps_of(blocks, |index, block| {
        let (start, deltas) = match block {
            Block::Text(text) => {
                let deltas = pieces(text).map(|piece| json!({"type": "text_delta", "text": piece}));
                (json!({"type": "text", "text": ""}), deltas.collect())
            }
            Block::Tool(name, input) => {
                let delta = json!({"type": "input_json_delta", "partial_json": input.to_string()});
                let id = format!("toolu_{number}_{index}");
                (json!({"type": "tool_use", "id": id, "name": name, "input": {}}), vec![delta])
            }
            Block::Wait(_) => return Vec::new(),
        };
        let mut events = vec![json!({"type": "content_block_start", "index": index, "content_block": start})];
        let delta = |delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
        events.extend(deltas.into_iter().map(delta));
        events.push(json!({"type": "content_block_stop", "index": index}));
        events
    }));
    let calls = blocks.iter().any(|block| matches!(block, Block::Tool(..)));
    let stopped = json!({"stop_reason": if calls { "tool_use" } else { "end_turn" }, "stop_sequence": null});
    let delta = json!({"type": "message_delta", "delta": stopped, "usage": {"output_tokens": 15}});
    steps.extend([delta, json!({"type": "message_stop"})].map(Step::Send));
    steps
}
