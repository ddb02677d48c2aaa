//! The same scripts in the shape of the Gemini API: contents of parts in, candidates of parts out.

use axum::response::sse::Sse;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::{Value, json};

use super::{Block, Reply, events};

/// Whether this path asks for an answer, and not only for a count.
pub fn is_asked(path: &str) -> bool {
    path.ends_with(":streamGenerateContent")
}

/// What else it may ask: how many tokens there are, or something for itself.
pub fn aside() -> Value {
    json!({"totalTokens": 10, "candidates": [candidate(&json!([{"text": "{}"}]), Some("STOP"))]})
}

/// The request with its `contents` as the messages that scripts look at.
pub fn as_messages(mut body: Value) -> Value {
    let contents = body["contents"].as_array().cloned().unwrap_or_default();
    body["messages"] = contents.iter().map(message).collect();
    body
}

fn message(content: &Value) -> Value {
    let role = if content["role"] == "model" { "assistant" } else { "user" };
    let parts = content["parts"].as_array().cloned().unwrap_or_default();
    json!({"role": role, "content": parts.iter().map(block).collect::<Vec<_>>()})
}

fn block(part: &Value) -> Value {
    if let Some(response) = part.get("functionResponse") {
        return json!({"type": "tool_result", "tool_use_id": response["name"], "content": response["response"]});
    }
    json!({"type": "text", "text": part["text"]})
}

/// The answer to a request.
pub fn answer(reply: Reply) -> Response {
    match reply {
        Reply::Error(status, kind, text) => {
            let body = json!({"error": {"code": status, "message": text, "status": kind}});
            (axum::http::StatusCode::from_u16(status).unwrap(), axum::Json(body)).into_response()
        }
        Reply::Message(blocks, stop) => {
            let steps = steps(&blocks, stop);
            Sse::new(stream::unfold(steps.into_iter(), events::next)).into_response()
        }
    }
}

fn steps(blocks: &[Block], stop: &str) -> Vec<events::Step> {
    let send = |parts: &Value, finish| {
        events::Step::Send(json!({
            "candidates": [candidate(parts, finish)],
            "usageMetadata": {"promptTokenCount": 175, "candidatesTokenCount": 15, "totalTokenCount": 190},
            "modelVersion": "mock",
        }))
    };
    let mut steps: Vec<events::Step> = blocks
        .iter()
        .map(|block| match block {
            Block::Text(text) => send(&json!([{"text": text}]), None),
            Block::Tool(name, input) => send(&json!([{"functionCall": {"name": name, "args": input}}]), None),
            Block::Wait(gate) => events::Step::Wait(gate.clone()),
        })
        .collect();
    let finish = if stop == "max_tokens" { "MAX_TOKENS" } else { "STOP" };
    steps.push(send(&json!([{"text": ""}]), Some(finish)));
    steps
}

fn candidate(parts: &Value, finish: Option<&str>) -> Value {
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    if let Some(finish) = finish {
        candidate["finishReason"] = finish.into();
    }
    candidate
}
