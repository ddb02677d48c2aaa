//! Reads named fields out of a msgpack map, so that every error names its field.
//!
//! It knows the ways of Lua: an empty table arrives as an array, a number may arrive as a float, `nil` is
//! an absent field, and a string is bytes.

pub mod bytes;

use std::borrow::Cow;

use rmpv::Value;

use crate::agent::is_argument;
use crate::error::{Code, JobError};

/// The last of Lua's numbers up to which each whole one is there.
const LAST_WHOLE: f64 = 9_007_199_254_740_992.0;

/// A map and the path under which its fields are named in errors.
pub struct Fields<'a> {
    map: &'a [(Value, Value)],
    path: String,
}

impl<'a> Fields<'a> {
    /// The fields of a whole message.
    pub fn root(value: &'a Value) -> Result<Self, JobError> {
        let map = entries(value).ok_or_else(|| wrong("the request", "a map", value))?;
        Ok(Self { map, path: String::new() })
    }

    /// The full name of a field, `selection.kind` for example.
    pub fn name(&self, field: &str) -> String {
        if self.path.is_empty() { field.to_owned() } else { format!("{}.{field}", self.path) }
    }

    /// The field's value; none where it is absent or nil.
    pub fn get(&self, field: &str) -> Option<&'a Value> {
        let (_, value) = self.map.iter().find(|(key, _)| key.as_str() == Some(field))?;
        if value.is_nil() { None } else { Some(value) }
    }

    /// A field that may be absent.
    pub fn some<T>(
        &self,
        field: &str,
        read: impl FnOnce(&Self, &str) -> Result<T, JobError>,
    ) -> Result<Option<T>, JobError> {
        self.get(field).map(|_| read(self, field)).transpose()
    }

    /// The field's value, which has to be there.
    pub fn need(&self, field: &str) -> Result<&'a Value, JobError> {
        self.get(field).ok_or_else(|| bad(&self.name(field), "is missing"))
    }

    /// A map within this one, which has to be there.
    pub fn fields(&self, field: &str) -> Result<Fields<'a>, JobError> {
        let value = self.need(field)?;
        let map = entries(value).ok_or_else(|| wrong(&self.name(field), "a map", value))?;
        Ok(Fields { map, path: self.name(field) })
    }

    /// The keys and values of a map within this one; none where it is absent.
    pub fn pairs(&self, field: &str) -> Result<&'a [(Value, Value)], JobError> {
        let Some(value) = self.get(field) else { return Ok(&[]) };
        entries(value).ok_or_else(|| wrong(&self.name(field), "a map", value))
    }

    /// The entries of a list; none where it is absent.
    pub fn list(&self, field: &str) -> Result<&'a [Value], JobError> {
        match self.get(field) {
            None => Ok(&[]),
            Some(Value::Array(list)) => Ok(list),
            Some(Value::Map(map)) if map.is_empty() => Ok(&[]),
            Some(value) => Err(wrong(&self.name(field), "a list", value)),
        }
    }

    /// The maps in a list, each named by its place (`diagnostics[1]`).
    pub fn maps(&self, field: &str) -> Result<Vec<Fields<'a>>, JobError> {
        let named = self.list(field)?.iter().enumerate();
        named
            .map(|(index, value)| {
                let path = format!("{}[{}]", self.name(field), index + 1);
                let map = entries(value).ok_or_else(|| wrong(&path, "a map", value))?;
                Ok(Fields { map, path })
            })
            .collect()
    }

    /// A map as JSON; none where it is absent.
    pub fn json_map(&self, field: &str) -> Result<Option<serde_json::Value>, JobError> {
        let Some(value) = self.get(field) else { return Ok(None) };
        let entries = entries(value).ok_or_else(|| wrong(&self.name(field), "a map", value))?;
        object(&self.name(field), entries).map(Some)
    }

    /// A yes or no; no where it is absent.
    pub fn flag(&self, field: &str) -> Result<bool, JobError> {
        let Some(value) = self.get(field) else { return Ok(false) };
        value.as_bool().ok_or_else(|| wrong(&self.name(field), "a boolean", value))
    }

    /// A number, whole or not, which has to be there.
    pub fn number(&self, field: &str) -> Result<f64, JobError> {
        let value = self.need(field)?;
        value.as_f64().ok_or_else(|| wrong(&self.name(field), "a number", value))
    }

    /// A whole number that is not negative, which has to be there.
    pub fn count(&self, field: &str) -> Result<u64, JobError> {
        count(&self.name(field), self.need(field)?)
    }

    /// A list of such numbers; empty where it is absent.
    pub fn counts(&self, field: &str) -> Result<Vec<u64>, JobError> {
        let named = self.list(field)?.iter().enumerate();
        named.map(|(index, value)| count(&format!("{}[{}]", self.name(field), index + 1), value)).collect()
    }

    /// Text in UTF-8, which has to be there.
    pub fn text(&self, field: &str) -> Result<String, JobError> {
        text(&self.name(field), self.need(field)?)
    }

    /// Text with what is not UTF-8 replaced; empty where it is absent.
    pub fn lossy(&self, field: &str) -> Result<String, JobError> {
        let Some(value) = self.get(field) else { return Ok(String::new()) };
        Ok(lossy(&self.name(field), value)?.into_owned())
    }

    /// Bytes as [`bytes`] has them.
    pub fn escaped(&self, field: &str) -> Result<Option<String>, JobError> {
        self.get(field).map(|value| escaped(&self.name(field), value)).transpose()
    }

    /// A list of such; empty where it is absent.
    pub fn escaped_texts(&self, field: &str) -> Result<Vec<String>, JobError> {
        let named = self.list(field)?.iter().enumerate();
        named.map(|(index, value)| escaped(&format!("{}[{}]", self.name(field), index + 1), value)).collect()
    }

    /// A list of texts in UTF-8; empty where it is absent.
    pub fn texts(&self, field: &str) -> Result<Vec<String>, JobError> {
        let named = self.list(field)?.iter().enumerate();
        named.map(|(index, value)| text(&format!("{}[{}]", self.name(field), index + 1), value)).collect()
    }

    /// Text from outside that becomes an argument of an agent, which has to be there: never taken for an option, and
    /// one word, since a wrapper's script may split it.
    pub fn argument(&self, field: &str) -> Result<String, JobError> {
        argument(&self.name(field), self.text(field)?)
    }

    /// A list of such texts; empty where it is absent.
    pub fn arguments(&self, field: &str) -> Result<Vec<String>, JobError> {
        let named = self.texts(field)?.into_iter().enumerate();
        named.map(|(index, text)| argument(&format!("{}[{}]", self.name(field), index + 1), text)).collect()
    }

    /// A list of texts with what is not UTF-8 replaced; empty where it is absent.
    pub fn lossy_texts(&self, field: &str) -> Result<Vec<String>, JobError> {
        let named = self.list(field)?.iter().enumerate();
        named
            .map(|(index, value)| {
                Ok(lossy(&format!("{}[{}]", self.name(field), index + 1), value)?.into_owned())
            })
            .collect()
    }
}

/// An error that says what is wrong with a field.
pub fn bad(field: &str, problem: &str) -> JobError {
    JobError::new(Code::BadRequest, format!("{field} {problem}"))
}

/// An error for a field of the wrong type.
pub fn wrong(field: &str, wanted: &str, value: &Value) -> JobError {
    bad(field, &format!("must be {wanted}, not {}", kind_of(value)))
}

/// A whole number that is not negative. Lua has one number type, so `41.0` counts as 41, and there is none above 2⁵³:
/// whatever is added to one, nothing overflows.
pub fn count(field: &str, value: &Value) -> Result<u64, JobError> {
    let number = value.as_f64().ok_or_else(|| wrong(field, "a number", value))?;
    if number.fract() != 0.0 || !(0.0..=LAST_WHOLE).contains(&number) {
        return Err(bad(field, "must be a whole number from 0"));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number in range")]
    Ok(number as u64)
}

fn argument(field: &str, text: String) -> Result<String, JobError> {
    if !is_argument(&text) {
        return Err(bad(field, "must be one word that does not begin with -"));
    }
    Ok(text)
}

/// Text in UTF-8. The error names the line within it.
pub fn text(field: &str, value: &Value) -> Result<String, JobError> {
    let bytes = value.as_slice().ok_or_else(|| wrong(field, "a string", value))?;
    match str::from_utf8(bytes) {
        Ok(text) => Ok(text.to_owned()),
        Err(error) => {
            let line = memchr::memchr_iter(b'\n', &bytes[..error.valid_up_to()]).count() + 1;
            Err(bad(field, &format!("holds bytes that are not UTF-8 in its line {line}")))
        }
    }
}

fn escaped(field: &str, value: &Value) -> Result<String, JobError> {
    Ok(bytes::escape(value.as_slice().ok_or_else(|| wrong(field, "a string", value))?))
}

/// Text with what is not UTF-8 replaced.
fn lossy<'a>(field: &str, value: &'a Value) -> Result<Cow<'a, str>, JobError> {
    let bytes = value.as_slice().ok_or_else(|| wrong(field, "a string", value))?;
    Ok(String::from_utf8_lossy(bytes))
}

fn object(field: &str, entries: &[(Value, Value)]) -> Result<serde_json::Value, JobError> {
    let named = entries.iter().map(|(key, value)| {
        let key = text(field, key)?;
        let value = json(&format!("{field}.{}", key.escape_debug()), value)?;
        Ok((key, value))
    });
    named.collect::<Result<serde_json::Map<_, _>, _>>().map(serde_json::Value::Object)
}

/// Any value as JSON. A whole number of Lua's may come as a float, and goes on as a whole one.
fn json(field: &str, value: &Value) -> Result<serde_json::Value, JobError> {
    Ok(match value {
        Value::Nil => serde_json::Value::Null,
        Value::Boolean(flag) => (*flag).into(),
        Value::Integer(_) | Value::F32(_) | Value::F64(_) => match count(field, value) {
            Ok(count) => count.into(),
            Err(_) => serde_json::json!(value.as_f64()),
        },
        Value::String(_) | Value::Binary(_) => text(field, value)?.into(),
        Value::Array(list) => {
            list.iter().map(|value| json(field, value)).collect::<Result<Vec<_>, _>>()?.into()
        }
        Value::Map(map) => object(field, map)?,
        Value::Ext(..) => return Err(wrong(field, "a value that JSON has", value)),
    })
}

/// The entries of a map. An empty table of Lua arrives as an array.
fn entries(value: &Value) -> Option<&[(Value, Value)]> {
    match value {
        Value::Map(map) => Some(map),
        Value::Array(list) if list.is_empty() => Some(&[]),
        _ => None,
    }
}

/// A type's name, as Lua users know it.
fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Nil => "nil",
        Value::Boolean(_) => "a boolean",
        Value::Integer(_) | Value::F32(_) | Value::F64(_) => "a number",
        Value::String(_) | Value::Binary(_) => "a string",
        Value::Array(_) => "a list",
        Value::Map(_) => "a map",
        Value::Ext(..) => "a handle",
    }
}
