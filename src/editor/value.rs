//! Values for the editor: msgpack maps in which an absent field is left out, since Lua reads that as nil.

use std::borrow::Cow;

use rmpv::Value;
use serde_json::Value as Json;

use crate::fields::bytes;
use crate::stream::ToolCall;
use crate::ui::map;

/// One entry of a job's tools.
pub(super) fn tool(tool: &ToolCall) -> Value {
    let ToolCall { id, name, status, error, .. } = tool;
    map([
        ("id", Some(id.as_str().into())),
        ("name", Some(name.as_str().into())),
        ("status", Some(status.name().into())),
        ("error", error.as_deref().map(Value::from)),
    ])
}

/// The argument of `apply.reply`.
pub(super) fn reply(token: u64, reply: Result<Json, String>) -> Value {
    let (mut map, error) = match reply {
        Ok(reply) => (fields(reply), None),
        Err(error) => (Vec::new(), Some(("error".into(), error.into()))),
    };
    map.extend([("token".into(), token.into())].into_iter().chain(error));
    Value::Map(map)
}

/// The fields of a JSON object; what is null is left out.
pub fn fields(json: Json) -> Vec<(Value, Value)> {
    match self::json(json) {
        Value::Map(fields) => fields,
        _ => Vec::new(),
    }
}

/// JSON in msgpack; what is null is left out.
pub(super) fn json(json: Json) -> Value {
    match json {
        Json::Null => Value::Nil,
        Json::Bool(value) => value.into(),
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => number.into(),
            // Neovim's integers are signed.
            (None, Some(number)) => i64::try_from(number).unwrap_or(i64::MAX).into(),
            (None, None) => number.as_f64().unwrap_or_default().into(),
        },
        Json::String(escaped) => text(&escaped),
        Json::Array(list) => Value::Array(list.into_iter().map(self::json).collect()),
        Json::Object(map) => {
            let there = map.into_iter().filter(|(_, value)| !value.is_null());
            Value::Map(there.map(|(key, value)| (key.into(), self::json(value))).collect())
        }
    }
}

/// A text of which bytes that are no UTF-8 are escaped.
pub(super) fn text(text: &str) -> Value {
    match bytes::unescape(text) {
        Cow::Owned(bytes) => Value::Binary(bytes),
        Cow::Borrowed(_) => text.into(),
    }
}
