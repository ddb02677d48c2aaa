//! A request with all that it can have, and how each field of it arrives; `start` has the fields of its agent, `errors`
//! what is said of wrong ones.

mod errors;
mod start;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::time::Duration;

use rmpv::Value;

use crate::error::JobError;
use crate::fields::json;
use crate::options::Options;
use crate::request::Request;

/// A map out of names and values.
macro_rules! map {
    ($($name:literal: $value:expr),* $(,)?) => {
        Value::Map(vec![$((Value::from($name), Value::from($value))),*])
    };
}
use map;

fn list<V: Into<Value>>(values: impl IntoIterator<Item = V>) -> Value {
    Value::Array(values.into_iter().map(Into::into).collect())
}

/// Reads a request that has the options in it.
fn decode(value: &Value) -> Result<Request, JobError> {
    let value = json(value);
    super::decode(&value, &Options::decode(&value)?)
}

/// All that a request can have, and the options.
fn full() -> Value {
    map! {
        "id": 3,
        "buffer": 1,
        "prompt": "as @buffer:b.rs",
        "question": true,
        "review": true,
        "agent": "mine",
        "agents": map! { "mine": map! {
            "protocol": "droid",
            "command": list(["sh", "agent"]),
            "args": list(["--fast"]),
            "env": map! { "KEY": "value" },
            "model": "opus",
        } },
        "tools": list(["Read", "Grep"]),
        "timeout": 0.5,
        "max_turns": 7,
        "max_cost_usd": 0.5,
        "max_parallel": 4,
        "trust_project": true,
        "context": map! { "rules": true, "bytes": 100, "diagnostics": true },
        "record": true,
        "resume": map! { "session_id": "c87d4a7b-8aa9" },
        "cwd": "/project",
        "path": "/project/a.rs",
        "filetype": "rust",
        "selection": map! {
            "kind": "char",
            "first_line": 41,
            "last_line": 42,
            "text": list(["b", "c"]),
            "rows": list(["a b", "c d"]),
            "cols": list([2, 0]),
            "column": 5,
            "beside": map! { "below": "y" },
        },
        "before": list(["above"]),
        "after": list(["below"]),
        "diagnostics": list([map! { "line": 41, "severity": "error", "message": "no", "source": "rustc" }]),
        "buffers": list([map! { "name": "b.rs", "lines": list(["one"]), "count": 2 }]),
        "prewarmed": 9,
        "status": map! { "preview": 3 },
        "observe": true,
        "notify": "all",
    }
}

/// The request with one field set, or taken away; `path` is the field's name with dots.
fn with(path: &str, value: Option<Value>) -> Value {
    let mut request = full();
    let mut fields = &mut request;
    let (parents, last) = path.rsplit_once('.').unwrap_or(("", path));
    for name in parents.split('.').filter(|name| !name.is_empty()) {
        let Value::Map(map) = fields else { panic!("{name} is in no map") };
        fields = map.iter_mut().find(|(key, _)| key.as_str() == Some(name)).map(|(_, value)| value).unwrap();
    }
    let Value::Map(map) = fields else { panic!("{path} is in no map") };
    map.retain(|(key, _)| key.as_str() != Some(last));
    map.extend(value.map(|value| (Value::from(last), value)));
    request
}

#[test]
fn every_field_arrives() {
    insta::assert_debug_snapshot!(decode(&full()));
}

#[test]
fn values_as_lua_sends_them() {
    let same = [
        ("id", Value::F64(3.0)),
        ("selection.first_line", Value::F64(41.0)),
        ("selection.cols", list([Value::F64(2.0), Value::F32(0.0)])),
        ("prompt", Value::Binary(b"as @buffer:b.rs".to_vec())),
        ("unknown", Value::from("ignored")),
    ];
    for (path, value) in same {
        assert_eq!(decode(&with(path, Some(value))), decode(&full()), "{path}");
    }
    let set = |path, value| decode(&with(path, Some(value))).unwrap();
    assert_eq!(set("timeout", Value::from(300)).options.timeout, Duration::from_secs(300));
    assert_eq!(set("agents.mine.env", list([""; 0])).start.agent.env, BTreeMap::new());
}

#[test]
fn what_goes_along_is_what_was_found_once_as_far_as_there_is_room() {
    let note = |line: u64, message: &str| map! { "line": line, "message": message };
    let mentioned = ("mentioned", list([note(41, "no"), note(2, "longest"), note(1, &"a".repeat(90))]));
    let more = [mentioned, ("notes", list([note(41, "no"), note(3, "note")]))];
    let with_more = |mut request: Value| {
        let Value::Map(fields) = &mut request else { unreachable!() };
        fields.extend(more.iter().map(|(name, value)| (Value::from(*name), value.clone())));
        fields.retain(|(name, _)| name.as_str() != Some("prompt"));
        fields.push(("prompt".into(), "see @diagnostics @buffer:b.rs".into()));
        let lines = |request: Request| request.diagnostics.iter().map(|one| one.line).collect::<Vec<_>>();
        lines(decode(&request).unwrap())
    };
    assert_eq!(with_more(full()), [41, 1, 3], "4 bytes of the buffer and 90 of line 1 leave 6");
    assert_eq!(with_more(with("context.diagnostics", None)), [1, 3, 41], "mentioned all the same");
    assert_eq!(with_more(with("context.bytes", Some(3.into()))), [41, 3]);
    let unknown = decode(&with("prompt", Some("as @buffer:a".into()))).unwrap_err();
    assert_eq!(unknown.message, "@buffer:a: no buffer that is loaded has this name");
    let request = decode(&with("context.bytes", Some(3.into()))).unwrap();
    assert_eq!(request.buffers[0].lines, [""; 0]);
}

#[test]
fn context_that_is_not_utf8_goes_along_as_far_as_it_can() {
    use crate::fields::bytes::escape;
    let latin1 = || Value::Binary(b"caf\xe9".to_vec());
    let set = |path, value| decode(&with(path, Some(value))).unwrap();
    assert_eq!(set("before", list([latin1()])).before, ["caf\u{fffd}"]);
    assert_eq!(set("after", list([latin1()])).after, ["caf\u{fffd}"]);
    assert_eq!(set("path", latin1()).job.path, "caf\u{fffd}");
    assert_eq!(
        set("selection.rows", list([latin1(), latin1()])).job.selection.rows,
        [escape(b"caf\xe9"), escape(b"caf\xe9")]
    );
    assert_eq!(set("selection.beside.below", latin1()).job.selection.beside.below, Some(escape(b"caf\xe9")));
    let diagnostic = map! { "line": 1, "message": latin1() };
    assert_eq!(set("diagnostics", list([diagnostic])).diagnostics[0].message, "caf\u{fffd}");
    let cwd = OsString::from_vec(b"caf\xe9".to_vec());
    assert_eq!(set("cwd", latin1()).start.cwd.into_os_string(), cwd);
}
