//! Values for the editor: msgpack maps in which an absent field is left out, since Lua reads that as nil.

use std::borrow::Cow;

use rmpv::Value;
use serde_json::Value as Json;

use crate::fields::bytes;
use crate::stream::ToolCall;

/// A map under construction.
#[derive(Debug, Default)]
pub(super) struct Map(pub(super) Vec<(Value, Value)>);

impl Map {
    /// Adds a field.
    pub(super) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.push((key.into(), value.into()));
        self
    }

    /// Adds a field, or leaves it out.
    pub(super) fn with_some(self, key: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(key, value),
            None => self,
        }
    }

    /// The finished map.
    pub(super) fn build(self) -> Value {
        Value::Map(self.0)
    }
}

/// One entry of a job's tools; `index` from 0 here, from 1 in Lua.
pub(super) fn tool(index: usize, tool: &ToolCall) -> Value {
    Map::default()
        .with("index", index as u64 + 1)
        .with("id", tool.id.as_str())
        .with("name", tool.name.as_str())
        .with("status", tool.status.name())
        .with_some("error", tool.error.as_deref())
        .build()
}

/// The argument of `apply.reply`.
pub(super) fn reply(token: u64, reply: Result<Json, String>) -> Value {
    let (map, error) = match reply {
        Ok(reply) => (Map(fields(reply)), None),
        Err(error) => (Map::default(), Some(error)),
    };
    map.with("token", token).with_some("error", error).build()
}

/// The fields of a JSON object; what is null is left out.
pub fn fields(json: Json) -> Vec<(Value, Value)> {
    match from_json(json) {
        Value::Map(fields) => fields,
        _ => Vec::new(),
    }
}

/// JSON in msgpack; what is null is left out.
fn from_json(json: Json) -> Value {
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
        Json::Array(list) => Value::Array(list.into_iter().map(from_json).collect()),
        Json::Object(map) => {
            let there = map.into_iter().filter(|(_, value)| !value.is_null());
            Value::Map(there.map(|(key, value)| (key.into(), from_json(value))).collect())
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
