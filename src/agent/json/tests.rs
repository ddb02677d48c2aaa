//! The reader by itself, and beside `serde_json`.

use proptest::prelude::*;
use serde_json::Value;

use super::*;
use crate::agent::Protocol;
use crate::agent::testing::run;

/// Reads `{"a":…}` with this value.
fn read(json: &[u8]) -> Option<()> {
    let json = [b"{\"a\":", json, b"}"].concat();
    let mut scanner = Scanner { json: &json, at: 0 };
    scanner.object()?;
    scanner.peek().is_none().then_some(())
}

#[test]
fn a_value_of_another_kind_reads_as_absent() {
    for json in ["null", "true", "-7", "1.5e3", "[1,{\"a\":[]}]", "{\"a\":{\"b\":1}}", "[ ]", "{ }"] {
        let json = Json(json.as_bytes());
        assert_eq!((read(json.0), json.text()), (Some(()), None), "{json:?}");
        assert!(json.list().is_empty() || json.object().0.is_empty());
    }
    assert_eq!((Json(b"\"yes\"").flag(), Json(b"false").flag()), (None, Some(false)));
    assert_eq!((Json(b"\"7\"").count(), Json(b"-7").count(), Json(b"1.9").count()), (None, Some(0), Some(1)));
    for json in ["1e13", "1e999", "18446744073709551616"] {
        assert_eq!(Json(json.as_bytes()).count(), Some(1_000_000_000_000), "{json}");
    }
    let object = Json(br#"{"a":1,"a":2,"b":null}"#).object();
    assert_eq!((object.get("a").count(), object.get("b"), object.get("c")), (Some(2), Json(b""), Json(b"")));
}

#[test]
fn what_is_no_json_says_where() {
    for (json, expected) in [
        ("{", "the line ends too early at byte 1"),
        ("{\"a\":1,}", "no JSON at byte 7"),
        ("{\"a\":[1 2]}", "no JSON at byte 8"),
        ("{\"a\" 1}", "no JSON at byte 5"),
        ("{}}", "no JSON at byte 2"),
        ("{\"a\":}", "no JSON at byte 5"),
        ("{\"a\\\"", "the line ends too early at byte 5"),
    ] {
        assert_eq!(line(json.as_bytes()).unwrap_err(), LineStatus::Malformed(expected.to_owned()), "{json}");
    }
}

/// As deep as it is long, and in memory of its size.
#[test]
fn nesting_is_neither_followed_nor_copied() {
    let nested = format!("{}\"deep\"{}", "[{\"text\":".repeat(30_000), "}]".repeat(30_000));
    for (protocol, before, after) in [
        (Protocol::Claude, r#"{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"#, "}"),
        (Protocol::Claude, r#"{"type":"user","message":"#, "}"),
        (Protocol::Claude, r#"{"type":"assistant","message":{"content":"#, "}}"),
        (Protocol::Droid, r#"{"type":"tool_result","id":"t","isError":true,"error":{"message":"#, "}}"),
        (Protocol::Droid, r#"{"type":"tool_call","id":"t","toolName":"Read","parameters":{"path":"#, "}}"),
    ] {
        let line = format!("{before}{nested}{after}");
        let mut malformed = 0;
        let allocated =
            allocation_counter::measure(|| malformed = run(protocol, &[&line]).1.counts.malformed);
        assert_eq!(malformed, 0, "{before}");
        assert!(allocated.bytes_total < 4 * line.len() as u64, "{before}: {} bytes", allocated.bytes_total);
    }
}

#[test]
fn text_that_is_no_unicode_loses_nothing_else() {
    assert!(matches!(Json(b"\"plain \xc3\xa4\"").text(), Some(Cow::Borrowed("plain ä"))));
    for (json, expected) in [
        (&br#""\ud83d\udca9 a\ud83db\udca9\ud83d""#[..], "\u{1f4a9} a\u{fffd}b\u{fffd}\u{fffd}"),
        (br#""\ud83d\ud83d\udca9 \\ud83d \u12""#, "\u{fffd}\u{1f4a9} \\ud83d \u{fffd}12"),
        (b"\"a\xff\\n\xe2\x28b\"", "a\u{fffd}\n\u{fffd}(b"),
        (b"\"\\\xff\"", "\u{fffd}\u{fffd}"),
    ] {
        assert_eq!(Json(json).text().unwrap(), expected);
    }
}

#[test]
fn each_agents_shape_gives_its_words() {
    let text = |json: &str, limit: usize| Json(json.as_bytes()).words(limit);
    for (json, expected) in [
        ("", ""),
        ("17", ""),
        (r#""a\n\t\"\\\/\u00e4""#, "a\n\t\"\\/ä"),
        (r#"[{"type":"text","text":"a"},{"type":"image","data":"x"},{"type":"text","text":"b"}]"#, "a\nb"),
        (r#"[{"type":"content","content":{"type":"text","text":"a"}}]"#, "a"),
        (r#"{"output":"a","metadata":{"output":"b"},"exit":0}"#, "a"),
        (r#"{"error":{"message":"no"}}"#, "no"),
        (r#"[[[["a"]]]]"#, "a"),
        (r#"[[[[["a"]]]]]"#, ""),
    ] {
        assert_eq!(text(json, usize::MAX), expected, "{json}");
    }
    assert_eq!(text(r#"[{"text":"ab"},{"text":"cd"},{"text":"e"}]"#, 4), "ab\ncd");
    assert!(text(&format!("\"{}\"", "no\\n".repeat(1 << 20)), 1000).len() <= 1000);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        any::<String>().prop_map(Into::into),
        "[\\\\\"\\PC]{0,8}".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::vec(("[a-c\"\\\\]{0,3}", inner), 0..6)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// Builds what was read, to compare it.
fn built(json: Json<'_>) -> Value {
    match json.0[0] {
        b'{' => json
            .object()
            .entries()
            .map(|(key, value)| (unescaped(key, usize::MAX), built(value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        b'[' => json.list().into_iter().map(built).collect(),
        b'"' => json.text().unwrap().into(),
        b't' | b'f' => json.flag().unwrap().into(),
        b'n' => Value::Null,
        _ => json.number::<f64>().unwrap().into(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// It takes a little more than `serde_json` (within strings and numbers), and nothing less.
    #[test]
    fn it_reads_what_serde_json_reads(value in any_json(), at in any::<prop::sample::Index>(), byte in any::<u8>(), pretty in any::<bool>()) {
        let json = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        prop_assert_eq!(read(json.as_bytes()), Some(()));
        prop_assert_eq!(built(Json(json.as_bytes())), value);
        let cut = at.index(json.len());
        let whole = format!("{{\"a\":{json}}}");
        prop_assert!(line(&whole.as_bytes()[..=cut]).is_err(), "a part of an object is none");
        let mut damaged = json.into_bytes();
        damaged[cut] = byte;
        if serde_json::from_slice::<serde::de::IgnoredAny>(&damaged).is_ok() {
            prop_assert_eq!(read(&damaged), Some(()));
        }
    }

    #[test]
    fn no_bytes_make_it_panic(json in prop::collection::vec(prop_oneof![Just(b'"'), Just(b'\\'), Just(b'u'), Just(b'{'), Just(b'['), Just(b']'), Just(b'}'), Just(b','), Just(b':'), any::<u8>()], 0..60)) {
        let json = [b"{\"a\":", &json[..], b"}"].concat();
        if let Ok(object) = line(&json) {
            let value = object.get("a");
            _ = (value.text(), value.list(), value.object(), value.words(7), value.amount());
        }
    }
}
