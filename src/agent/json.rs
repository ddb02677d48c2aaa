//! Reading JSON that other people's programs print: leniently, in one pass, borrowing from the line.
//!
//! A key with a value of another kind than expected reads as absent; it never costs the line. What nobody
//! asked for is skipped, not built. The one thing that fails is text that is no JSON.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::Reading;

/// A value that can be read from whatever stands in its place; each method is one kind of JSON value.
pub trait Lenient<'a>: Default {
    /// From a string.
    fn text(_text: Cow<'a, str>) -> Self {
        Self::default()
    }

    /// From `true` or `false`.
    fn flag(_flag: bool) -> Self {
        Self::default()
    }

    /// From a number.
    fn number(_number: f64) -> Self {
        Self::default()
    }

    /// From a list.
    fn list<A: SeqAccess<'a>>(mut list: A) -> Result<Self, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }

    /// From an object.
    fn object<A: MapAccess<'a>>(mut map: A) -> Result<Self, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self::default())
    }
}

/// Reads one line, or any other JSON text, that must hold one value and nothing after it.
pub fn read<'a, T: Lenient<'a>>(json: &'a [u8]) -> Result<T, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_slice(json);
    let value = Seed::<T>(PhantomData).deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// Reads one line of a protocol whose lines are JSON objects. `understand` is called with the line, and once
/// more with a repaired copy where that failed over text that is no Unicode.
pub fn line(line: &[u8], mut understand: impl FnMut(&[u8]) -> Result<(), serde_json::Error>) -> Reading {
    let line = line.trim_ascii();
    if line.is_empty() {
        return Reading::Blank;
    }
    if !line.starts_with(b"{") {
        return Reading::Foreign("no JSON object".to_owned());
    }
    let Err(error) = understand(line) else { return Reading::Understood };
    match repaired(line).map(|line| understand(&line)) {
        Some(Ok(())) => Reading::Understood,
        _ => Reading::Broken(error.to_string()),
    }
}

/// The next key of an object; owned only where it is written with escapes.
pub fn key<'a, A: MapAccess<'a>>(map: &mut A) -> Result<Option<Cow<'a, str>>, A::Error> {
    map.next_key_seed(KeySeed)
}

/// The value that belongs to the key read last.
pub fn value<'a, T: Lenient<'a>, A: MapAccess<'a>>(map: &mut A) -> Result<T, A::Error> {
    map.next_value_seed(Seed(PhantomData))
}

/// Leaves out the value that belongs to the key read last.
pub fn skip<'a, A: MapAccess<'a>>(map: &mut A) -> Result<(), A::Error> {
    map.next_value::<IgnoredAny>().map(drop)
}

/// The next entry of a list.
pub fn entry<'a, T: Lenient<'a>, A: SeqAccess<'a>>(list: &mut A) -> Result<Option<T>, A::Error> {
    list.next_element_seed(Seed(PhantomData))
}

struct Seed<T>(PhantomData<T>);

impl<'a, T: Lenient<'a>> DeserializeSeed<'a> for Seed<T> {
    type Value = T;

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'a, T: Lenient<'a>> Visitor<'a> for Seed<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("any JSON value")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'a str) -> Result<T, E> {
        Ok(T::text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        Ok(T::text(Cow::Owned(text.to_owned())))
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<T, E> {
        Ok(T::flag(flag))
    }

    #[expect(clippy::cast_precision_loss, reason = "amounts and counts stay far below 2^53")]
    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        Ok(T::number(number as f64))
    }

    #[expect(clippy::cast_precision_loss, reason = "amounts and counts stay far below 2^53")]
    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        Ok(T::number(number as f64))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        Ok(T::number(number))
    }

    fn visit_unit<E: Error>(self) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_seq<A: SeqAccess<'a>>(self, list: A) -> Result<T, A::Error> {
        T::list(list)
    }

    fn visit_map<A: MapAccess<'a>>(self, map: A) -> Result<T, A::Error> {
        T::object(map)
    }
}

struct KeySeed;

impl<'a> DeserializeSeed<'a> for KeySeed {
    type Value = Cow<'a, str>;

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<Cow<'a, str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'a> Visitor<'a> for KeySeed {
    type Value = Cow<'a, str>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a key")
    }

    fn visit_borrowed_str<E: Error>(self, key: &'a str) -> Result<Cow<'a, str>, E> {
        Ok(Cow::Borrowed(key))
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Cow<'a, str>, E> {
        Ok(Cow::Owned(key.to_owned()))
    }
}

impl<'a> Lenient<'a> for Option<Cow<'a, str>> {
    fn text(text: Cow<'a, str>) -> Self {
        Some(text)
    }
}

impl Lenient<'_> for () {}

impl Lenient<'_> for Option<bool> {
    fn flag(flag: bool) -> Self {
        Some(flag)
    }
}

impl Lenient<'_> for Option<f64> {
    /// Amounts and counts only: what is below zero reads as zero.
    fn number(number: f64) -> Self {
        Some(number.max(0.0))
    }
}

impl<'a, T: Lenient<'a>> Lenient<'a> for Vec<T> {
    fn list<A: SeqAccess<'a>>(mut list: A) -> Result<Self, A::Error> {
        let mut entries = Self::new();
        while let Some(next) = entry(&mut list)? {
            entries.push(next);
        }
        Ok(entries)
    }
}

/// A whole number out of a JSON number.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
pub fn count(number: f64) -> u64 {
    number as u64
}

/// The value that belongs to the key read last, as it is written: skipped, and looked into only if needed.
pub fn raw<'a, A: MapAccess<'a>>(map: &mut A) -> Result<Option<&'a RawValue>, A::Error> {
    map.next_value().map(Some)
}

/// The beginning of the text in a value that is a string or a list of blocks with a `text`; at most about
/// `limit` bytes of it are ever built, however long the value is.
pub fn beginning(raw: &RawValue, limit: usize) -> String {
    let json = raw.get();
    if json.starts_with('"') {
        return unescaped(json, limit);
    }
    let mut text = String::new();
    for block in read::<Vec<TextBlock<'_>>>(json.as_bytes()).unwrap_or_default() {
        let Some(raw) = block.0 else { continue };
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&unescaped(raw.get(), limit.saturating_sub(text.len())));
    }
    text
}

#[derive(Default)]
struct TextBlock<'a>(Option<&'a RawValue>);

impl<'a> Lenient<'a> for TextBlock<'a> {
    fn object<A: MapAccess<'a>>(mut map: A) -> Result<Self, A::Error> {
        let mut block = Self::default();
        while let Some(key) = key(&mut map)? {
            match &*key {
                "text" => block.0 = raw(&mut map)?,
                _ => skip(&mut map)?,
            }
        }
        Ok(block)
    }
}

/// The beginning of a JSON string, its escapes resolved.
fn unescaped(json: &str, limit: usize) -> String {
    let Some(inner) = json.strip_prefix('"') else { return String::new() };
    let mut text = String::new();
    let mut rest = inner.chars();
    while text.len() < limit {
        match rest.next() {
            None | Some('"') => break,
            Some('\\') => text.push(escape(&mut rest)),
            Some(other) => text.push(other),
        }
    }
    text
}

/// One escape, the backslash already taken.
fn escape(rest: &mut std::str::Chars<'_>) -> char {
    match rest.next() {
        Some('n') => '\n',
        Some('t') => '\t',
        Some('r') => '\r',
        Some('b') => '\u{8}',
        Some('f') => '\u{c}',
        Some('u') => unicode_escape(rest),
        Some(other) => other,
        None => char::REPLACEMENT_CHARACTER,
    }
}

fn unicode_escape(rest: &mut std::str::Chars<'_>) -> char {
    let Some(first) = hex(rest) else { return char::REPLACEMENT_CHARACTER };
    if !is_high_surrogate(first) {
        return char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER);
    }
    let mut ahead = rest.clone();
    if ahead.next() == Some('\\')
        && ahead.next() == Some('u')
        && let Some(second) = hex(&mut ahead).filter(|&unit| is_low_surrogate(unit))
    {
        *rest = ahead;
        let scalar = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        return char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER);
    }
    char::REPLACEMENT_CHARACTER
}

fn hex(rest: &mut std::str::Chars<'_>) -> Option<u32> {
    (0..4).try_fold(0, |unit, _| Some(unit * 16 + rest.next()?.to_digit(16)?))
}

fn is_high_surrogate(unit: u32) -> bool {
    (0xD800..0xDC00).contains(&unit)
}

fn is_low_surrogate(unit: u32) -> bool {
    (0xDC00..0xE000).contains(&unit)
}

/// The line with what `serde_json` rejects in strings replaced by U+FFFD: bytes that are no UTF-8, and escapes
/// of half a surrogate pair. `None` where there is nothing of the kind, so that the line is broken for good.
pub fn repaired(line: &[u8]) -> Option<Vec<u8>> {
    let text = String::from_utf8_lossy(line);
    let mut changed = matches!(text, Cow::Owned(_));
    let mut bytes = text.into_owned().into_bytes();
    let mut at = 0;
    while let Some(step) = memchr::memchr(b'\\', &bytes[at..]) {
        at += step;
        match escaped_unit(&bytes[at..]) {
            None => at += 2,
            Some(first) if is_high_surrogate(first) => match escaped_unit(&bytes[at + 6..]) {
                Some(second) if is_low_surrogate(second) => at += 12,
                _ => {
                    replace_unit(&mut bytes[at..], &mut changed);
                    at += 6;
                }
            },
            Some(unit) => {
                if is_low_surrogate(unit) {
                    replace_unit(&mut bytes[at..], &mut changed);
                }
                at += 6;
            }
        }
        if at >= bytes.len() {
            break;
        }
    }
    changed.then_some(bytes)
}

/// The code unit of the `\uXXXX` that `bytes` begin with.
fn escaped_unit(bytes: &[u8]) -> Option<u32> {
    let digits = bytes.get(..6)?.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0, |unit, &digit| Some(unit * 16 + char::from(digit).to_digit(16)?))
}

fn replace_unit(escape: &mut [u8], changed: &mut bool) {
    escape[2..6].copy_from_slice(b"fffd");
    *changed = true;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beginning_of(json: &str, limit: usize) -> String {
        let raw: &RawValue = serde_json::from_str(json).unwrap();
        beginning(raw, limit)
    }

    #[test]
    fn a_value_of_another_kind_reads_as_absent() {
        for json in ["null", "true", "-7", "1.5", "[1,{\"a\":[]}]", "{\"a\":{\"b\":1}}"] {
            assert_eq!(read::<Option<Cow<'_, str>>>(json.as_bytes()).unwrap(), None, "{json}");
        }
        assert_eq!(read::<Option<bool>>(b"\"true\"").unwrap(), None);
        assert_eq!(read::<Option<f64>>(b"\"7\"").unwrap(), None);
        assert_eq!(read::<Option<f64>>(b"-7").unwrap(), Some(0.0));
        assert_eq!(count(1e300), u64::MAX);
    }

    #[test]
    fn what_is_no_json_fails() {
        for json in ["", "{", "{}}", "{\"a\"}", "\"a"] {
            assert!(read::<()>(json.as_bytes()).is_err(), "{json}");
        }
    }

    #[test]
    fn depth_costs_nothing_where_nobody_reads() {
        let deep = format!("{{\"a\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(read::<()>(deep.as_bytes()).is_ok());
    }

    #[test]
    fn plain_text_is_borrowed() {
        assert!(matches!(read(b"\"plain\"").unwrap(), Some(Cow::Borrowed("plain"))));
    }

    #[test]
    fn the_beginning_of_a_string_resolves_its_escapes() {
        let json = r#""a\n\t\"\\\/\u00e4\ud83d\udca9\ud83dx\udca9""#;
        assert_eq!(beginning_of(json, 99), "a\n\t\"\\/\u{e4}\u{1f4a9}\u{fffd}x\u{fffd}");
        assert_eq!(beginning_of(r#""abcdef""#, 3), "abc");
        assert_eq!(
            beginning_of(r#"[{"type":"text","text":"ab"},{"type":"image"},{"text":"cd"}]"#, 4),
            "ab\nc"
        );
        assert_eq!(beginning_of("7", 99), "");
        assert_eq!(beginning_of(r#"["a",null]"#, 99), "");
    }

    #[test]
    fn only_text_that_is_no_unicode_is_repaired() {
        let repaired = |line: &[u8]| repaired(line).map(|line| String::from_utf8(line).unwrap());
        assert_eq!(repaired(br#"{"a":"\ud83d\udca9 \\ud83d \n"}"#), None);
        assert_eq!(repaired(br#"{"a":"\ud83d"#).as_deref(), Some(r#"{"a":"\ufffd"#));
        assert_eq!(repaired(br"\ud83d\ud83d\udca9").as_deref(), Some(r"\ufffd\ud83d\udca9"));
        assert_eq!(repaired(br"\udca9\ud83d").as_deref(), Some(r"\ufffd\ufffd"));
        assert_eq!(repaired(br"\ud83d\u12").as_deref(), Some(r"\ufffd\u12"));
        assert_eq!(repaired(b"\xff\\").as_deref(), Some("\u{fffd}\\"));
    }
}
