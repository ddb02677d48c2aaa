//! The reader by itself, and beside `serde_json`.

use proptest::prelude::*;

use super::*;

fn skipped(json: &[u8]) -> Read<()> {
    let mut reader = Reader::new(json);
    reader.skip()?;
    reader.end()
}

fn text(json: &[u8]) -> Option<String> {
    Reader::new(json).text().unwrap().map(Cow::into_owned)
}

#[test]
fn a_value_of_another_kind_reads_as_absent() {
    for json in ["null", "true", "-7", "1.5e3", "[1,{\"a\":[]}]", "{\"a\":{\"b\":1}}", " [ ] ", "{ }"] {
        let mut reader = Reader::new(json.as_bytes());
        assert_eq!(reader.text(), Ok(None), "{json}");
        assert_eq!(reader.end(), Ok(()), "{json}");
    }
    assert_eq!(Reader::new(b"\"true\"").flag(), Ok(None));
    assert_eq!(Reader::new(b" false").flag(), Ok(Some(false)));
    assert_eq!(Reader::new(b"\"7\"").number(), Ok(None));
    assert_eq!(Reader::new(b"-7").number(), Ok(Some(0.0)));
    assert_eq!(Reader::new(b"1.9").count(), Ok(Some(1)));
    Reader::new(b"7").object(|_, _| panic!("no object")).unwrap();
    Reader::new(b"{}").list(|_| panic!("no list")).unwrap();
}

#[test]
fn a_number_beyond_all_bounds_is_the_most_that_there_can_be() {
    for json in ["1e13", "1e300", "1e999", "18446744073709551616"] {
        assert_eq!(Reader::new(json.as_bytes()).count(), Ok(Some(1_000_000_000_000)), "{json}");
        assert!(Reader::new(json.as_bytes()).number().unwrap().unwrap() < 2e12, "{json}");
    }
    for json in ["-1e999", "-1", "1e-999"] {
        assert_eq!(Reader::new(json.as_bytes()).count(), Ok(Some(0)), "{json}");
    }
}

#[test]
fn what_is_no_json_says_where() {
    for (json, expected) in [
        ("", "the line ends too early at byte 0"),
        ("{\"a\":1,}", "no key at byte 7"),
        ("[1 2]", "no comma and no end at byte 3"),
        ("{\"a\" 1}", "no colon at byte 5"),
        ("{}}", "something after the object at byte 2"),
        ("tru", "no value at byte 0"),
        ("--1", "no number at byte 0"),
        ("\"a\\\"", "the line ends too early at byte 4"),
    ] {
        assert_eq!(skipped(json.as_bytes()).unwrap_err().to_string(), expected, "{json}");
    }
}

#[test]
fn depth_costs_no_stack_and_is_bounded() {
    let deep = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(skipped(deep(DEEPEST).as_bytes()), Ok(()));
    let error = skipped(deep(DEEPEST + 1).as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "nested too deeply at byte 1000001");
}

/// The value of a tool's result in which each block holds another one.
fn nested_blocks(depth: usize) -> String {
    format!("{}\"deep\"{}", "[{\"text\":".repeat(depth), "}]".repeat(depth))
}

#[test]
fn a_line_with_nested_blocks_is_read_in_memory_of_its_size() {
    use crate::agent::Protocol;
    use crate::agent::testing::run;
    for (protocol, before, after) in [
        (Protocol::Claude, r#"{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"#, "}"),
        (
            Protocol::Claude,
            r#"{"type":"user","message":{"content":[{"type":"tool_result","is_error":true,"content":"#,
            "}]}}",
        ),
        (Protocol::Droid, r#"{"type":"tool_result","id":"t","isError":true,"value":"#, "}"),
        (Protocol::Droid, r#"{"type":"tool_result","id":"t","isError":true,"error":{"message":"#, "}}"),
        (Protocol::Claude, r#"{"type":"user","message":"#, "}"),
        (Protocol::Claude, r#"{"type":"assistant","message":{"content":"#, "}}"),
        (
            Protocol::Claude,
            r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Read","input":{"path":"#,
            "}}]}}",
        ),
        (Protocol::Droid, r#"{"type":"tool_call","id":"t","toolName":"Read","parameters":{"path":"#, "}}"),
    ] {
        let line = format!("{before}{}{after}", nested_blocks(30_000));
        let mut malformed = 0;
        let allocated = allocation_counter::measure(|| malformed = run(protocol, &[&line]).1.malformed);
        assert_eq!(malformed, 0, "{before}");
        assert!(allocated.bytes_total < 4 * line.len() as u64, "{before}: {} bytes", allocated.bytes_total);
    }
}

#[test]
fn plain_text_is_borrowed() {
    assert!(matches!(Reader::new(b"\"plain \xc3\xa4\"").text(), Ok(Some(Cow::Borrowed("plain ä")))));
}

#[test]
fn text_that_is_no_unicode_loses_nothing_else() {
    assert_eq!(
        text(br#""\ud83d\udca9 a\ud83db\udca9\ud83d""#).unwrap(),
        "\u{1f4a9} a\u{fffd}b\u{fffd}\u{fffd}"
    );
    assert_eq!(
        text(br#""\ud83d\ud83d\udca9 \\ud83d \u12""#).unwrap(),
        "\u{fffd}\u{1f4a9} \\ud83d \u{fffd}12"
    );
    assert_eq!(text(b"\"a\xff\\n\xe2\x28b\"").unwrap(), "a\u{fffd}\n\u{fffd}(b");
    assert_eq!(text(b"\"\\\xff\"").unwrap(), "\u{fffd}\u{fffd}");
}

#[test]
fn of_a_long_value_only_the_beginning_is_built() {
    let beginning = |json: &str, limit: usize| Reader::new(json.as_bytes()).raw().unwrap().beginning(limit);
    assert_eq!(beginning(r#" "a\n\t\"\\\/\u00e4" "#, 99), "a\n\t\"\\/ä");
    assert_eq!(beginning(r#""abcdef""#, 3), "abc");
    assert_eq!(
        beginning(r#"[{"type":"text","text":"ab"},{"type":"image"},{"text":"cd"},{"text":"e"}]"#, 4),
        "ab\nc"
    );
    assert_eq!(beginning("7", 99), "");
    assert_eq!(beginning(r#"["a",null,[{"text":"b"}]]"#, 99), "");
    let long = format!("\"{}\"", "no\\n".repeat(1 << 20));
    assert!(beginning(&long, 1000).len() <= 1000);
}

fn any_json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<f64>().prop_map(Into::into),
        any::<String>().prop_map(Into::into),
        "[\\\\\"\\PC]{0,8}".prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::vec(("[a-c\"\\\\]{0,3}", inner), 0..6)
                .prop_map(|entries| serde_json::Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// Builds what was read, to compare it.
fn built(reader: &mut Reader<'_>) -> Read<serde_json::Value> {
    use serde_json::Value;
    Ok(match reader.peek() {
        Some(b'{') => {
            let mut map = serde_json::Map::new();
            reader.object(|reader, key| {
                map.insert(raw::unescaped(key, usize::MAX), built(reader)?);
                Ok(())
            })?;
            Value::Object(map)
        }
        Some(b'[') => {
            let mut list = Vec::new();
            reader.list(|reader| {
                list.push(built(reader)?);
                Ok(())
            })?;
            Value::Array(list)
        }
        Some(b'"') => Value::String(reader.text()?.unwrap().into_owned()),
        Some(b't' | b'f') => Value::Bool(reader.flag()?.unwrap()),
        Some(b'n') => reader.skip().map(|()| Value::Null)?,
        _ => Value::from(reader.digits()?),
    })
}

/// Numbers compare as what this reader makes of them.
fn with_floats(value: serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::Number(number) => Value::from(number.as_f64().unwrap()),
        Value::Array(list) => list.into_iter().map(with_floats).collect(),
        Value::Object(map) => {
            Value::Object(map.into_iter().map(|(key, value)| (key, with_floats(value))).collect())
        }
        other => other,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_reads_what_serde_json_reads(value in any_json(), pretty in any::<bool>()) {
        let json = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        prop_assert_eq!(skipped(json.as_bytes()), Ok(()));
        let mut reader = Reader::new(json.as_bytes());
        prop_assert_eq!(built(&mut reader), Ok(with_floats(value)));
        prop_assert_eq!(reader.end(), Ok(()));
    }

    /// It takes a little more than `serde_json` (within strings and numbers), and nothing less.
    #[test]
    fn it_rejects_nothing_that_serde_json_takes(value in any_json(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut json = serde_json::to_vec(&value).unwrap();
        let at = at.index(json.len());
        json[at] = byte;
        if serde_json::from_slice::<serde::de::IgnoredAny>(&json).is_ok() {
            prop_assert_eq!(skipped(&json), Ok(()));
        }
    }

    #[test]
    fn a_part_of_an_object_is_none(value in any_json(), at in any::<prop::sample::Index>()) {
        let json = serde_json::json!({ "a": value, "b": 1 }).to_string();
        let at = at.index(json.len());
        prop_assert!(skipped(&json.as_bytes()[..at]).is_err());
    }

    #[test]
    fn no_bytes_make_it_panic(json in prop::collection::vec(prop_oneof![Just(b'"'), Just(b'\\'), Just(b'u'), Just(b'{'), Just(b'['), Just(b']'), Just(b'}'), Just(b','), Just(b':'), any::<u8>()], 0..60)) {
        _ = skipped(&json);
        _ = Reader::new(&json).text();
        _ = built(&mut Reader::new(&json));
        if let Ok(raw) = Reader::new(&json).raw() {
            raw.beginning(7);
        }
        raw::unescaped(&json, usize::MAX);
    }
}
