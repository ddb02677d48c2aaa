use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::time::Duration;

use rmpv::Value;

use super::{decode, id_of};
use crate::agent::{AcpOptions, Directory, Protocol};
use crate::error::{Code, JobError};
use crate::request::{
    AgentCommand, AgentStart, Beside, Diagnostic, MentionedBuffer, MentionedFile, Observe, Request, Resume,
    Selection, SelectionKind, Tidy,
};

/// A map out of names and values.
macro_rules! map {
    ($($name:literal: $value:expr),* $(,)?) => {
        Value::Map(vec![$((Value::from($name), Value::from($value))),*])
    };
}

fn list<V: Into<Value>>(values: impl IntoIterator<Item = V>) -> Value {
    Value::Array(values.into_iter().map(Into::into).collect())
}

/// All that a request can have.
fn full() -> Value {
    map! {
        "id": 3,
        "buffer": 1,
        "prompt": "do it",
        "instructions": "do it well",
        "question": true,
        "review": true,
        "agent": map! {
            "name": "mine",
            "protocol": "droid",
            "command": list(["sh", "agent"]),
            "args": list(["--fast"]),
            "env": map! { "KEY": "value" },
            "model": "opus",
        },
        "tools": list(["Read", "Grep"]),
        "timeout": 0.5,
        "max_turns": 7,
        "max_cost_usd": 0.5,
        "max_parallel": 4,
        "trust_project": true,
        "rules": true,
        "record": true,
        "resume": map! { "session_id": "c87d4a7b-8aa9" },
        "tidy": map! { "fence": true, "indent": false, "newline": true },
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
            "anchor": "z",
            "beside": map! { "below": "y" },
        },
        "before": list(["above"]),
        "after": list(["below"]),
        "diagnostics": list([map! { "line": 41, "severity": "error", "message": "no", "source": "rustc" }]),
        "files": list([map! { "name": "src/b.rs", "text": "x\ny" }]),
        "buffers": list([map! { "name": "b.rs", "lines": list(["one"]), "count": 2 }]),
        "prewarmed": 9,
        "preview": 3,
        "observe": map! { "thinking": true },
    }
}

fn decoded() -> Request {
    let text = |text: &[&str]| text.iter().map(|&line| line.to_owned()).collect();
    Request {
        id: 3,
        buffer: 1,
        prompt: "do it".to_owned(),
        instructions: Some("do it well".to_owned()),
        question: true,
        review: true,
        start: AgentStart {
            agent: AgentCommand {
                name: "mine".to_owned(),
                protocol: Protocol::Droid,
                command: text(&["sh", "agent"]),
                args: text(&["--fast"]),
                env: BTreeMap::from([("KEY".to_owned(), "value".to_owned())]),
                model: Some("opus".to_owned()),
                acp: AcpOptions::default(),
            },
            tools: text(&["Read", "Grep"]),
            max_turns: Some(7),
            max_cost_usd: Some(0.5),
            trust_project: true,
            resume: Some(Resume { session_id: "c87d4a7b-8aa9".to_owned(), at: None }),
            cwd: "/project".into(),
        },
        timeout: Duration::from_millis(500),
        max_parallel: 4,
        rules: true,
        tidy: Tidy { fence: true, indent: false, newline: true },
        record: true,
        path: "/project/a.rs".to_owned(),
        filetype: "rust".to_owned(),
        selection: Selection {
            kind: SelectionKind::Char,
            first_line: 41,
            last_line: 42,
            text: text(&["b", "c"]),
            rows: text(&["a b", "c d"]),
            cols: vec![2, 0],
            column: Some(5),
            anchor: Some("z".to_owned()),
            beside: Some(Beside { above: None, below: Some("y".to_owned()) }),
        },
        before: text(&["above"]),
        after: text(&["below"]),
        diagnostics: vec![Diagnostic {
            line: 41,
            severity: "error".to_owned(),
            message: "no".to_owned(),
            source: "rustc".to_owned(),
        }],
        files: vec![MentionedFile { name: "src/b.rs".to_owned(), text: "x\ny".to_owned() }],
        buffers: vec![MentionedBuffer { name: "b.rs".to_owned(), lines: text(&["one"]), count: 2 }],
        prewarmed: Some(9),
        preview: 3,
        observe: Some(Observe { thinking: true }),
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
    assert_eq!(decode(&full()), Ok(decoded()));
}

#[test]
fn what_may_be_absent_has_a_default() {
    let missing = |path| decode(&with(path, None)).unwrap();
    let default = decoded();
    for path in ["question", "review", "trust_project", "rules", "record", "tidy.fence", "tidy.newline"] {
        assert_ne!(missing(path), default, "{path} is true in the request and false without");
    }
    assert_eq!(missing("agent.model").start.agent.model, None);
    assert_eq!(missing("resume").start.resume, None);
    assert_eq!(missing("agent.args").start.agent.args, [""; 0]);
    assert_eq!(missing("agent.env").start.agent.env, BTreeMap::new());
    assert_eq!(missing("tools").start.tools, [""; 0]);
    assert_eq!(missing("max_turns").start.max_turns, None);
    assert_eq!(missing("max_cost_usd").start.max_cost_usd, None);
    assert_eq!(missing("files").files, []);
    assert_eq!(missing("path").path, "");
    assert_eq!(missing("filetype").filetype, "");
    assert_eq!(missing("selection.rows").selection.rows, ["b", "c"]);
    assert_eq!(missing("selection.cols").selection.cols, [0, 0]);
    assert_eq!(missing("selection.column").selection.column, None);
    assert_eq!(missing("selection.anchor").selection.anchor, None);
    assert_eq!(missing("selection.beside").selection.beside, None);
    assert_eq!(missing("selection.beside.below").selection.beside, Some(Beside::default()));
    assert_eq!(missing("before").before, [""; 0]);
    assert_eq!(missing("after").after, [""; 0]);
    assert_eq!(missing("diagnostics").diagnostics, []);
    assert_eq!(decode(&with("max_turns", Some(Value::Nil))).unwrap().start.max_turns, None);
}

#[test]
fn values_as_lua_sends_them() {
    let same = [
        ("id", Value::F64(3.0)),
        ("selection.first_line", Value::F64(41.0)),
        ("selection.cols", list([Value::F64(2.0), Value::F32(0.0)])),
        ("prompt", Value::Binary(b"do it".to_vec())),
        ("unknown", Value::from("ignored")),
    ];
    for (path, value) in same {
        assert_eq!(decode(&with(path, Some(value))), Ok(decoded()), "{path}");
    }
    let set = |path, value| decode(&with(path, Some(value))).unwrap();
    assert_eq!(set("timeout", Value::from(300)).timeout, Duration::from_secs(300));
    assert_eq!(set("agent.env", list([""; 0])).start.agent.env, BTreeMap::new());
    assert_eq!(set("tools", map! {}).start.tools, [""; 0]);
    assert_eq!(set("tidy", list([""; 0])).tidy, Tidy { fence: false, indent: false, newline: false });
    assert_eq!(set("max_turns", Value::from(1_u64 << 53)).start.max_turns, Some(u32::MAX));
}

#[test]
fn an_insertion_has_no_text() {
    let selection = map! { "kind": "insert", "first_line": 0, "last_line": 0, "text": list([""; 0]) };
    let request = decode(&with("selection", Some(selection))).unwrap();
    let selection = Selection {
        kind: SelectionKind::Insert,
        first_line: 0,
        last_line: 0,
        text: Vec::new(),
        rows: Vec::new(),
        cols: Vec::new(),
        column: None,
        anchor: None,
        beside: None,
    };
    assert_eq!(request.selection, selection);
}

#[test]
fn context_that_is_not_utf8_goes_along_as_far_as_it_can() {
    let latin1 = || Value::Binary(b"caf\xe9".to_vec());
    let set = |path, value| decode(&with(path, Some(value))).unwrap();
    assert_eq!(set("before", list([latin1()])).before, ["caf\u{fffd}"]);
    assert_eq!(set("after", list([latin1()])).after, ["caf\u{fffd}"]);
    assert_eq!(set("path", latin1()).path, "caf\u{fffd}");
    assert_eq!(
        set("selection.rows", list([latin1(), latin1()])).selection.rows,
        ["caf\u{fffd}", "caf\u{fffd}"]
    );
    assert_eq!(set("selection.anchor", latin1()).selection.anchor.as_deref(), Some("caf\u{fffd}"));
    let diagnostic = map! { "line": 1, "message": latin1() };
    assert_eq!(set("diagnostics", list([diagnostic])).diagnostics[0].message, "caf\u{fffd}");
    let cwd = OsString::from_vec(b"caf\xe9".to_vec());
    assert_eq!(set("cwd", latin1()).start.cwd.into_os_string(), cwd);
}

#[test]
fn an_editor_without_a_working_directory_is_no_wrong_request() {
    let error = decode(&with("cwd", Some(Value::from("")))).unwrap_err();
    assert_eq!(error.code, Code::SpawnFailed);
    assert!(error.message.contains("working directory is gone"), "{}", error.message);
}

const NO_ID: &str = "resume.session_id must be one word that does not begin with -";

#[test]
fn an_agent_goes_on_only_from_what_it_keeps() {
    let resume = |protocol: &str, at: Option<&str>| {
        let mut request = with("agent.protocol", Some(Value::from(protocol)));
        let Value::Map(fields) = &mut request else { unreachable!() };
        fields.retain(|(name, _)| name.as_str() != Some("resume"));
        let at = at.map_or(Value::Nil, Value::from);
        fields.push(("resume".into(), map! { "session_id": "s1", "at": at }));
        decode(&request).map(|request| request.start.resume)
    };
    let from = |at: Option<&str>| Resume { session_id: "s1".to_owned(), at: at.map(str::to_owned) };
    assert_eq!(resume("claude", None), Ok(Some(from(None))));
    assert_eq!(resume("claude", Some("m1")), Ok(Some(from(Some("m1")))));
    assert_eq!(resume("droid", None), Ok(Some(from(None))));
    let at = resume("claude", Some("-m1")).unwrap_err().message;
    assert_eq!(at, "resume.at must be one word that does not begin with -");
    assert_eq!(resume("acp", None), Ok(Some(from(None))), "whether it can is known when it has started");
    let text = resume("text", None).unwrap_err().message;
    assert_eq!(text, "resume is not possible: an agent of the protocol text has no sessions");
}

#[test]
fn whatever_becomes_an_argument_of_an_agent_is_one_word_and_never_an_option() {
    for text in ["", "-p", "--dangerously-skip-permissions", "two words", "a\nb", "a\u{a0}b", "a\0b"] {
        for field in ["agent.model", "tools", "resume.session_id", "resume.at"] {
            let value = if field == "tools" { list(["Read", text]) } else { Value::from(text) };
            let error = decode(&with(field, Some(value))).unwrap_err();
            let named = if field == "tools" { "tools[2]" } else { field };
            assert_eq!(
                error.message,
                format!("{named} must be one word that does not begin with -"),
                "{text:?}"
            );
        }
    }
    for model in ["opus", "sonnet[1m]", "custom:Model-(4.5)-0", "arn:aws:bedrock:us-east-1::a/b"] {
        assert_eq!(
            decode(&with("agent.model", Some(Value::from(model)))).unwrap().start.agent.model.unwrap(),
            model
        );
    }
}

/// The request with these fields of an agent that speaks the Agent Client Protocol.
fn acp(name: &str, more: &[(&str, Value)]) -> Result<Request, JobError> {
    let mut agent = vec![
        ("name".into(), name.into()),
        ("protocol".into(), "acp".into()),
        ("command".into(), list(["agent"])),
    ];
    agent.extend(more.iter().map(|(key, value)| ((*key).into(), value.clone())));
    decode(&with("agent", Some(Value::Map(agent))))
}

#[test]
fn an_agent_of_the_protocol_acp_has_a_mode_meta_and_a_directory() {
    let meta = map! { "a": map! { "b": list(["c"]), "n": 3.0, "x": 1.5, "on": true } };
    let options =
        acp("claude-acp", &[("mode", "plan".into()), ("directory", "empty".into()), ("meta", meta)]).unwrap();
    assert_eq!(
        options.start.agent.acp,
        AcpOptions {
            mode: Some("plan".to_owned()),
            meta: Some(serde_json::json!({"a": {"b": ["c"], "n": 3, "x": 1.5, "on": true}})),
            directory: Some(Directory::Empty),
        }
    );
    assert_eq!(options.start.agent.preset().map(|preset| preset.name), Some("claude-acp"));
    assert_eq!(acp("claude-acp", &[]).unwrap().start.agent.acp, AcpOptions::default());
    assert_eq!(acp("mine", &[]).unwrap().start.agent.preset(), None);
    let wrong = |field: &str, value: Value| acp("codex", &[(field, value)]).unwrap_err().message;
    assert_eq!(wrong("directory", "home".into()), r#"agent.directory must be "project" or "empty""#);
    assert_eq!(wrong("mode", "".into()), "agent.mode must not be empty");
    assert_eq!(wrong("meta", "x".into()), "agent.meta must be a map, not a string");
    assert_eq!(
        acp("gemini", &[]).unwrap_err().message,
        "resume is not possible: gemini cannot go on in a session"
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table, a row an error")]
fn every_error_names_its_field() {
    let text = || Value::from("text");
    let latin1 = |text: &[u8]| Value::Binary(text.to_vec());
    let table = [
        ("id", None, "id is missing"),
        ("id", Some(text()), "id must be a number, not a string"),
        ("id", Some(Value::from(-1)), "id must be a whole number from 0"),
        ("id", Some(Value::F64(1.5)), "id must be a whole number from 0"),
        ("id", Some(Value::F64(f64::NAN)), "id must be a whole number from 0"),
        ("prompt", None, "prompt is missing"),
        ("prompt", Some(Value::Nil), "prompt is missing"),
        ("prompt", Some(map! {}), "prompt must be a string, not a map"),
        ("prompt", Some(latin1(b"a\nb\n\xff")), "prompt holds bytes that are not UTF-8 in its line 3"),
        ("question", Some(text()), "question must be a boolean, not a string"),
        ("agent", Some(text()), "agent must be a map, not a string"),
        ("agent.name", None, "agent.name is missing"),
        (
            "agent.protocol",
            Some(Value::from("smoke")),
            r#"agent.protocol must be "claude", "droid", "acp" or "text""#,
        ),
        ("agent.command", None, "agent.command must name a program"),
        ("agent.command", Some(text()), "agent.command must be a list, not a string"),
        ("agent.command", Some(list([""])), "agent.command must name a program"),
        ("agent.args", Some(list([1])), "agent.args[1] must be a string, not a number"),
        ("agent.env", Some(map! { "A": 1 }), "agent.env.A must be a string, not a number"),
        ("agent.env", Some(map! { "A\n": 1 }), r"agent.env.A\n must be a string, not a number"),
        ("agent.env", Some(list(["A"])), "agent.env must be a map, not a list"),
        ("agent.model", Some(Value::from(true)), "agent.model must be a string, not a boolean"),
        ("tools", Some(list([latin1(b"\xff")])), "tools[1] holds bytes that are not UTF-8 in its line 1"),
        ("timeout", None, "timeout is missing"),
        ("timeout", Some(text()), "timeout must be a number, not a string"),
        ("timeout", Some(Value::from(0)), "timeout must be a number of seconds above 0"),
        ("timeout", Some(Value::from(-3)), "timeout must be a number of seconds above 0"),
        ("timeout", Some(Value::F64(f64::INFINITY)), "timeout must be a number of seconds above 0"),
        ("max_turns", Some(Value::from(0)), "max_turns must be at least 1"),
        ("max_cost_usd", Some(Value::from(0)), "max_cost_usd must be a number above 0"),
        ("max_cost_usd", Some(Value::F64(f64::NAN)), "max_cost_usd must be a number above 0"),
        ("max_cost_usd", Some(text()), "max_cost_usd must be a number, not a string"),
        ("files", Some(list([1])), "files[1] must be a map, not a number"),
        ("max_parallel", None, "max_parallel is missing"),
        ("max_parallel", Some(Value::from(0)), "max_parallel must be at least 1"),
        ("resume", Some(text()), "resume must be a map, not a string"),
        ("resume.session_id", None, "resume.session_id is missing"),
        ("resume.session_id", Some(Value::from("")), NO_ID),
        ("resume.session_id", Some(Value::from("--dangerous")), NO_ID),
        ("resume.session_id", Some(Value::from("two words")), NO_ID),
        ("resume.session_id", Some(Value::from("a\0b")), NO_ID),
        (
            "resume.at",
            Some(Value::from("m1")),
            "resume.at is not possible: droid cannot go back within a session",
        ),
        ("tidy", None, "tidy is missing"),
        ("tidy.fence", Some(Value::from(1)), "tidy.fence must be a boolean, not a number"),
        ("cwd", None, "cwd is missing"),
        ("cwd", Some(Value::from(1)), "cwd must be a string, not a number"),
        ("path", Some(Value::Ext(0, Vec::new())), "path must be a string, not a handle"),
        ("selection", None, "selection is missing"),
        ("selection.kind", Some(text()), r#"selection.kind must be "line", "char", "block" or "insert""#),
        ("selection.first_line", Some(text()), "selection.first_line must be a number, not a string"),
        ("selection.first_line", Some(Value::from(0)), "selection.first_line must be at least 1"),
        ("selection.last_line", None, "selection.last_line is missing"),
        (
            "selection.last_line",
            Some(Value::from(40)),
            "selection.last_line must not be above selection.first_line",
        ),
        (
            "selection.last_line",
            Some(Value::from(44)),
            "selection.text must have one entry for each of the lines 41 to 44, not 2",
        ),
        (
            "selection.last_line",
            Some(Value::from(1_u64 << 53)),
            "selection.text must have one entry for each of the lines 41 to 9007199254740992, not 2",
        ),
        ("selection.text", None, "selection.text must have one entry for each of the lines 41 to 42, not 0"),
        ("selection.text", Some(list([1, 2])), "selection.text must be a list of strings, not a number"),
        ("selection.text", Some(list(["a", "b\nc"])), "selection.text holds a line break within line 42"),
        (
            "selection.text",
            Some(list([Value::from("a"), latin1(b"\xff")])),
            "selection.text holds bytes that are not UTF-8 in line 42: reopen the file with its right encoding \
             (`:e ++enc=latin1` for example)",
        ),
        ("selection.rows", Some(list(["a"])), "selection.rows must have as many entries as selection.text"),
        ("selection.cols", Some(list([1])), "selection.cols must have as many entries as selection.text"),
        ("selection.cols", Some(list([0, -1])), "selection.cols must be a whole number from 0"),
        ("selection.column", Some(text()), "selection.column must be a number, not a string"),
        ("before", Some(text()), "before must be a list, not a string"),
        ("after", Some(list([1])), "after[1] must be a string, not a number"),
        ("diagnostics", Some(list([map! {}])), "diagnostics[1].line is missing"),
        ("diagnostics", Some(list([1])), "diagnostics[1] must be a map, not a number"),
    ];
    for (path, value, message) in table {
        let wanted = JobError::new(Code::BadRequest, message);
        assert_eq!(decode(&with(path, value)), Err(wanted), "{path}");
    }
    assert_eq!(
        decode(&Value::from(1)),
        Err(JobError::new(Code::BadRequest, "the request must be a map, not a number"))
    );
}

#[test]
fn a_number_beyond_what_lua_counts_with_names_its_field_and_a_timeout_beyond_a_year_is_a_year() {
    let beyond = [Value::from(u64::MAX), Value::from((1_u64 << 53) + 2), Value::F64(1e300)];
    for field in [
        "id",
        "max_turns",
        "max_parallel",
        "preview",
        "prewarmed",
        "selection.first_line",
        "selection.last_line",
        "selection.cols",
        "selection.column",
        "diagnostics",
    ] {
        for number in &beyond {
            let value = match field {
                "selection.cols" => list([number.clone(), number.clone()]),
                "diagnostics" => list([map! { "line": number.clone() }]),
                _ => number.clone(),
            };
            let error = decode(&with(field, Some(value))).unwrap_err().message;
            assert!(error.starts_with(field) && error.contains("must be a whole number from 0"), "{error}");
        }
    }
    let year = Duration::from_secs(365 * 24 * 3600);
    for seconds in [Value::from(u64::MAX), Value::F64(1e19), Value::F64(1e300)] {
        assert_eq!(decode(&with("timeout", Some(seconds))).unwrap().timeout, year);
    }
}

#[test]
fn the_id_survives_whatever_else_is_wrong() {
    assert_eq!(id_of(&map! { "prompt": 1, "id": 12 }), Some(12));
    assert_eq!(id_of(&map! { "id": 12.0 }), Some(12));
    for wrong in [map! {}, map! { "id": "12" }, map! { "id": -1 }, Value::Nil, list(["id"])] {
        assert_eq!(id_of(&wrong), None, "{wrong}");
    }
}
