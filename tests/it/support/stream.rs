//! Lines of Claude's stream, as the real CLI prints them but short: for agents whose answers a test writes.

use serde_json::{Value, json};

/// The first line of a run.
pub fn init(session: &str) -> String {
    line(
        &json!({"type": "system", "subtype": "init", "session_id": session, "model": "claude-test", "tools": ["Read"]}),
    )
}

/// A whole message with one text.
pub fn text(text: &str) -> String {
    message(&json!({"type": "text", "text": text}))
}

/// A tool call.
pub fn tool_use(id: &str, name: &str, input: &Value) -> String {
    message(&json!({"type": "tool_use", "id": id, "name": name, "input": input}))
}

/// What a tool gave back.
pub fn tool_result(id: &str, content: &str) -> String {
    result_of(id, content, false)
}

/// What a tool that failed gave back.
pub fn tool_error(id: &str, content: &str) -> String {
    result_of(id, content, true)
}

/// The line that decides a good run.
pub fn result(answer: &str) -> String {
    line(&json!({
        "subtype": "success", "is_error": false, "result": answer, "session_id": "test", "num_turns": 1,
        "total_cost_usd": 0.01, "usage": {"input_tokens": 10, "output_tokens": 5}, "type": "result",
    }))
}

/// A whole good run: init, the answer as a message, the result.
pub fn answer(answer: &str) -> String {
    [init("test"), text(answer), result(answer)].concat()
}

fn message(block: &Value) -> String {
    line(&json!({
        "type": "assistant", "session_id": "test",
        "message": {"id": "msg_1", "role": "assistant", "model": "claude-test", "content": [block]},
    }))
}

fn result_of(id: &str, content: &str, is_error: bool) -> String {
    let block = json!({"type": "tool_result", "tool_use_id": id, "content": content, "is_error": is_error});
    line(&json!({"type": "user", "session_id": "test", "message": {"role": "user", "content": [block]}}))
}

fn line(value: &Value) -> String {
    format!("{value}\n")
}
