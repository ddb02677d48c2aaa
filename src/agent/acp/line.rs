//! The lines that are sent.

use serde_json::{Value, json};

use super::VERSION;
use crate::agent::json::{Json, Object};
use crate::stream::event::Text;

/// A request of ours.
pub fn request(id: u64, method: &str, params: &Value) -> Vec<u8> {
    line(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string())
}

/// What we say of ourselves: no files, no terminals. Notices apart from the answer, and where `reports_failures` the
/// vendor's key that makes two agents report failures apart from it.
pub fn initialize_params(reports_failures: bool) -> Value {
    let mut capabilities = json!({
        "fs": {"readTextFile": false, "writeTextFile": false},
        "terminal": false,
        "session": {"notices": {}},
    });
    if reports_failures {
        capabilities["_meta"] =
            json!({"jetbrains": {"air": {"version": 1, "capabilities": ["sessionFailure"]}}});
    }
    json!({
        "protocolVersion": VERSION,
        "clientCapabilities": capabilities,
        "clientInfo": {"name": "botglue", "title": "botglue.nvim", "version": env!("CARGO_PKG_VERSION")},
    })
}

/// The answer of this kind to a request for permission, if it is offered.
pub fn option<'a>(kind: &str, options: Json<'a>) -> Option<Text<'a>> {
    let of_kind = |option: &Object<'_>| option.get("kind").text().as_deref() == Some(kind);
    options.objects().into_iter().find(of_kind)?.get("optionId").text()
}

/// The answer to a request for permission; without one the request counts as cancelled.
pub fn permission(id: Json<'_>, option: Option<&str>) -> Vec<u8> {
    let outcome = match option {
        Some(option) => json!({"outcome": "selected", "optionId": option}),
        None => json!({"outcome": "cancelled"}),
    };
    response(id, "result", &json!({"outcome": outcome}))
}

/// The answer to any other request.
pub fn no_method(id: Json<'_>, method: &str) -> Vec<u8> {
    let method = crate::stream::one_line::line(method, 200);
    response(id, "error", &json!({"code": -32601, "message": format!("Method not found: {method}")}))
}

/// A response. The id goes back as it came, number or string.
fn response(id: Json<'_>, kind: &str, content: &Value) -> Vec<u8> {
    let id = String::from_utf8_lossy(id.0);
    line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"{kind}":{content}}}"#))
}

/// One object a line: a line break within it could only be between the tokens of an id that is no scalar.
fn line(text: &str) -> Vec<u8> {
    let mut line = text.replace('\n', " ").into_bytes();
    line.push(b'\n');
    line
}
