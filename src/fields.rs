//! Reads the maps that the plugin sends: each becomes JSON, in which bytes that are no UTF-8 are escaped as [`bytes`] does
//! it, and that a type which derives `Deserialize`. An error names its field. What the plugin is sent goes the same way back.
//!
//! It knows the ways of Lua: an empty table arrives as an array, `nil` is an absent field, and a string is bytes.

pub mod bytes;

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use rmpv::Value;
use serde::de::{DeserializeOwned, Error, IntoDeserializer};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value as Json};

use crate::error::{Code, JobError};

/// The last of Lua's numbers up to which each whole one is there: whatever is added to one, nothing overflows.
const LAST_WHOLE: f64 = 9_007_199_254_740_992.0;
/// The most cells that a screen is taken to have, so that whatever is laid out for it fits into memory.
const MOST_CELLS: usize = 10_000;

/// A value of the plugin's as JSON.
pub fn json(value: &Value) -> Json {
    match value {
        Value::Nil | Value::Ext(..) => Json::Null,
        Value::Boolean(flag) => (*flag).into(),
        Value::Integer(_) | Value::F32(_) | Value::F64(_) => {
            let number = value.as_f64().unwrap_or(f64::NAN);
            if number.fract() != 0.0 || !(-LAST_WHOLE..=LAST_WHOLE).contains(&number) {
                return number.into();
            }
            #[expect(clippy::cast_possible_truncation, reason = "a whole number in range")]
            Json::from(number as i64)
        }
        Value::String(_) | Value::Binary(_) => bytes::escape(value.as_slice().unwrap_or_default()).into(),
        Value::Array(list) => list.iter().map(json).collect(),
        Value::Map(map) => {
            let there = map.iter().filter(|(_, value)| !value.is_nil());
            let named = there.filter_map(|(key, value)| Some((key.as_str()?.to_owned(), json(value))));
            Json::Object(named.collect::<Map<_, _>>())
        }
    }
}

/// JSON as a value for the plugin; what is null in an object is left out, since Lua reads that as nil.
pub fn value(json: Json) -> Value {
    match json {
        Json::Null => Value::Nil,
        Json::Bool(flag) => flag.into(),
        Json::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(number), _) => number.into(),
            // Neovim's integers are signed.
            (None, Some(number)) => i64::try_from(number).unwrap_or(i64::MAX).into(),
            (None, None) => number.as_f64().unwrap_or_default().into(),
        },
        Json::String(escaped) => text(&escaped),
        Json::Array(list) => Value::Array(list.into_iter().map(value).collect()),
        Json::Object(map) => {
            let there = map.into_iter().filter(|(_, value)| !value.is_null());
            Value::Map(there.map(|(key, json)| (key.into(), value(json))).collect())
        }
    }
}

/// A text of which bytes that are no UTF-8 are escaped.
pub fn text(escaped: &str) -> Value {
    match bytes::unescape(escaped) {
        Cow::Owned(bytes) => Value::Binary(bytes),
        Cow::Borrowed(_) => escaped.into(),
    }
}

/// Reads such a value.
///
/// # Errors
/// Names the field that is missing or wrong.
pub fn read<T: DeserializeOwned>(value: &Json) -> Result<T, JobError> {
    serde_path_to_error::deserialize(value)
        .map_err(|error| JobError::new(Code::BadRequest, error.to_string()))
}

/// An error that says what is wrong with a field.
pub fn bad(field: &str, problem: &str) -> JobError {
    JobError::new(Code::BadRequest, format!("{field} {problem}"))
}

/// A path, which is bytes.
pub fn path(escaped: &str) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(&bytes::unescape(escaped)))
}

// Each of these reads what has to be there, and the same where it may be absent.

/// Reads a number of cells or rows of the screen.
pub fn cells<'de, D: Deserializer<'de>, T: From<usize>>(deserializer: D) -> Result<T, D::Error> {
    Ok(usize::deserialize(deserializer)?.min(MOST_CELLS).into())
}

/// Reads rows of a buffer.
pub fn rows<'de, D: Deserializer<'de>, T: From<Vec<Vec<u8>>>>(deserializer: D) -> Result<T, D::Error> {
    let rows = Vec::<String>::deserialize(deserializer)?;
    Ok(rows.iter().map(|row| bytes::unescape(row).into_owned()).collect::<Vec<_>>().into())
}

/// Whether a text from outside can be an argument of an agent: never taken for an option, and one word, since a
/// wrapper's script may split it.
pub fn is_argument(text: &str) -> bool {
    let is_split = text.contains(|letter: char| letter.is_whitespace() || letter.is_control());
    !text.is_empty() && !text.starts_with('-') && !is_split
}

/// Reads such a text.
pub fn argument<'de, D: Deserializer<'de>, T: From<String>>(deserializer: D) -> Result<T, D::Error> {
    let text = String::deserialize(deserializer)?;
    if is_argument(&text) {
        Ok(text.into())
    } else {
        Err(D::Error::custom("must be one word that does not begin with -"))
    }
}

/// Reads a row of a buffer, or a name.
pub fn row<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    Ok(bytes::unescape(&String::deserialize(deserializer)?).into_owned())
}

/// Reads a list of them.
pub fn arguments<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    texts.into_iter().map(|text| argument(text.into_deserializer())).collect()
}

/// Reads a model, which `false` leaves to the agent.
pub fn model<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = unless_false::<_, String>(deserializer)?;
    text.map(|text| argument(text.into_deserializer())).transpose()
}

/// Reads what may be `false` instead.
pub fn unless_false<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    match Json::deserialize(deserializer)? {
        Json::Bool(false) => Ok(None),
        value => serde_json::from_value(value).map(Some).map_err(D::Error::custom),
    }
}

/// Reads a map: an empty table of Lua is none.
pub fn map<'de, D: Deserializer<'de>, T: DeserializeOwned + Default>(deserializer: D) -> Result<T, D::Error> {
    match Json::deserialize(deserializer)? {
        Json::Array(list) if list.is_empty() => Ok(T::default()),
        value => read(&value).map_err(|error| D::Error::custom(error.message)),
    }
}
