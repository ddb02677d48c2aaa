//! What the plugin and Neovim's core say to the host: one message of each kind, from which the fuzzer makes others.

use std::collections::BTreeSet;
use std::path::Path;

use botglue::fields;
use botglue::mirror::MirrorEvent;
use botglue::rpc::Command;
use rmpv::Value;
use serde_json::{Value as Json, json};

use crate::support::rpc::from_json;
use crate::support::scratch::Scratch;
use crate::support::serve::Serve;

/// One message of each kind, as the plugin would send it.
pub fn of_each_kind(serve: &Serve) -> Vec<Value> {
    let message = |(method, arguments): (&str, Vec<Json>)| {
        let arguments = arguments.iter().map(from_json).collect();
        Value::Array(vec![2.into(), method.into(), Value::Array(arguments)])
    };
    let one = |(method, argument)| (method, vec![argument]);
    let mut all: Vec<Value> =
        jobs(serve).into_iter().chain(ranges()).chain(windows()).map(one).map(message).collect();
    all.extend(events().into_iter().map(message));
    all
}

/// About jobs and prompts.
fn jobs(serve: &Serve) -> Vec<(&'static str, Json)> {
    let claude =
        json!({"mine": {"protocol": "claude", "command": ["/bin/sh", "-c", "echo"], "env": {"A": "b"}}});
    let session = json!({"session_id": "s", "at": "m"});
    let context = json!({
        "before": ["a"], "after": ["b"], "diagnostics": [{"line": 1, "severity": "error", "message": "m"}],
        "mentioned": [{"line": 2, "message": "n"}], "quickfix": ["a:1: b"], "whole": ["a"], "buffers": [{"name": "a", "number": 1, "lines": ["b"], "count": 1}],
        "observe": true, "status": {"preview": 3}, "max_parallel": 1000, "prewarmed": 1, "max_turns": 2,
        "max_cost_usd": 0.5, "context": {"bytes": 100, "rules": true},
    });
    let run = serve.request(1_000_000, "echo local b", &context);
    let resumed =
        serve.request(1_000_001, "", &json!({"agents": claude, "resume": session, "max_parallel": 1000}));
    let ended = json!({"id": 5, "agent": "mine", "prompt": "it"});
    vec![
        ("options", run.clone()),
        ("run", run),
        ("options", resumed.clone()),
        ("run", resumed),
        (
            "hello",
            json!({"held": [{"id": 4, "uuid": "u"}, {"id": 8}], "ended": [ended], "lost": [6], "written": [{"id": 7, "landing": "applied"}]}),
        ),
        ("edit", json!({"id": 1, "lines": ["a"], "is_saved": true})),
        ("edit", json!({"id": 1, "is_saved": false})),
        ("interrupted", json!({"ids": [1, 2]})),
        ("observe", json!({"id": 1})),
    ]
}

/// About buffers and the ranges in them.
fn ranges() -> Vec<(&'static str, Json)> {
    let mark = json!({
        "id": 3, "kind": "block", "first": 0, "last": 1, "spans": [[0, 1], [1, 1]], "has_ended": true,
    });
    let held = json!({"id": 4, "has_ended": false});
    let notice = json!({
        "buffer": 1, "name": "/a", "tick": 3, "rows": 2, "bytes": 9, "written": true, "refuses": false,
        "marks": [mark, held],
    });
    vec![("buffer", notice), ("wiped", json!({"buffer": 1})), ("moment", json!({"buffer": 1}))]
}

/// About the windows of the host.
fn windows() -> Vec<(&'static str, Json)> {
    let here = json!({"columns": 80, "lines": 24, "cmdheight": 1});
    let agent = json!({"protocol": "claude", "command": ["/nowhere/a"], "env": {"PATH": "/"}, "directory": "empty",
        "model": "m", "models": ["a"]});
    let options = json!({"agent": "mine", "agents": {"mine": agent}, "model": false, "models": ["b"],
        "prompts": {"fix": "it"}, "max_parallel": 4, "timeout": 300, "trust_project": true,
        "context": {"bytes": 9}, "status": {"outcome": 5}, "prewarm": true, "data_dir": "/dev/null/a"});
    let from = json!({"buffer": 1, "line": 1, "column": 0, "cwd": "/p", "home": "/h", "path": "", "project": "/p",
        "earlier": 1, "review": 1, "shows_review": true, "answer": 1,
        "jobs": [{"id": 1, "buffer": 1, "first": 1, "last": 2, "column": 0}]});
    let command =
        |line: &str| ("command", json!({"line": line, "bang": false, "range": [1, 2], "from": from}));
    let lines =
        ["run it", "each ++model=a it", "accept", "review", "followup on", "rewind", "retry 1", "open 1"];
    let asked = [
        ("command", json!({"line": "info", "from": from})),
        ("command", json!({"line": "jobs", "from": from})),
        ("command", json!({"line": "pick held", "from": from})),
        ("command", json!({"line": "transcript 1", "bang": true, "from": from})),
        ("complete", json!({"typed": "run ++agent=", "lead": "++agent="})),
        ("jump", json!({"by": -1, "from": from})),
        (
            "each",
            json!({"prompt": "it", "list": "quickfix", "count": 1, "has_range": false, "items": [{"buffer": 1,
                "first": 1, "last": 0, "text": "a", "kind": "W", "row": "b", "count": 2}]}),
        ),
        ("again", json!({"action": "followup", "id": 1, "prompt": "on"})),
        ("act", json!({"view": "list-000000001", "action": "quickfix"})),
        ("act", json!({"row": "#1", "action": "jump"})),
        ("act", json!({"row": "u", "action": "yank"})),
        ("show", json!({"id": 1, "buffer": 1, "filetype": "lua"})),
        (
            "show",
            json!({"id": 1, "buffer": 1, "filetype": "lua", "tick": 3, "is_diff": true, "row": 1, "tabstop": 8}),
        ),
        ("hunks", json!({"id": 1, "buffer": 1, "tick": 3, "tabstop": 8})),
        ("hunk", json!({"id": 1, "buffer": 1, "verb": "next", "count": 1, "row": 0, "tick": 3})),
        ("hunk", json!({"id": 1, "buffer": 1, "verb": "take", "count": 1, "row": 0, "tick": 3})),
        (
            "hunk",
            json!({"id": 1, "buffer": 1, "verb": "drop", "range": {"first": 0, "past": 2}, "row": 0, "tick": 3}),
        ),
        ("held", json!([])),
        ("ending", json!([])),
        ("settled", json!([])),
        ("accept", json!({"id": 1, "buffer": 1, "shows": true})),
        ("accept", json!({"id": 1, "buffer": 1, "range": [1, 2], "tick": 3})),
        ("accept", json!({"id": 1, "buffer": 1, "hunk": 1, "told": 3, "tick": 3})),
        ("reject", json!({"id": 1})),
        ("revert", json!({"id": 1, "buffer": 1})),
        ("mirror", json!({"buffer": 1})),
        ("health", json!({"log_dir": "/dev/null/b"})),
        ("prompt", json!({"id": 3, "key": "send", "buffers": [{"name": "a", "path": "a", "number": 1}]})),
    ];
    let asked = asked.into_iter().chain(lines.map(command));
    let ask =
        |(what, arg): (&str, Json)| ("ask", json!({"token": 1, "what": what, "arg": arg, "here": here}));
    let view = "transcript-000000001";
    let more = [
        ("act", json!({"view": view, "action": "reload"})),
        ("act", json!({"view": "info-000000001", "action": "more"})),
        ("act", json!({"view": "list-000000001", "action": "search", "text": "a"})),
        ("cursor", json!({"view": "list-000000001", "row": "#1"})),
        (
            "seen",
            json!({"jobs": [{"id": 1, "columns": 80}, {"id": 2, "columns": 8, "room": 9, "at": "1 1", "is_here": true}, {"id": 3}]}),
        ),
        ("panes", json!({"id": 1})),
        (
            "panes",
            json!({"id": 1, "buffer": 1, "sight": [0, 20], "keys": ["do"], "panes": [{"win": 1000, "folds": [{"first": 1, "last": 2}], "width": 80, "leftcol": 0,
            "scrolls": false, "textoff": 4, "tabstop": 8, "height": 20, "first": 0, "past": 40}]}),
        ),
        (
            "prompt",
            json!({"id": 3, "key": "list", "about": {"project": "/nowhere", "path": "/nowhere/a", "name": "a",
            "is_insertion": true, "question": true, "review": true, "resume": {"session_id": "s", "at": "m"}, "cwd": "/nowhere", "buffer": 1, "agent": "claude", "model": "opus",
            "chosen": {"way": "ask", "agent": "claude", "model": "opus"}, "draft": {"agent": "claude"}, "proposal": "fix it"},
            "buffers": [{"name": "a", "path": "a", "number": 2}],
            "here": {"buffer": 1, "jobs": [{"id": 1, "buffer": 1, "first": 1, "last": 2, "column": 0}]},
            "typed": {"tick": 1, "text": "@a", "row": 0, "column": 2, "mode": "i", "width": 74, "lines": [1, 2]}}),
        ),
        ("shown", json!({"id": 1, "tick": 3})),
        ("batch", json!({"list": 1, "prompt": "it", "ids": [1]})),
        ("closed", json!({"view": view})),
        ("geometry", here.clone()),
    ];
    let options = ("options", options);
    std::iter::once(options).chain(asked.map(ask)).chain(more).collect()
}

/// What Neovim's core says of a buffer.
fn events() -> Vec<(&'static str, Vec<Json>)> {
    vec![
        (
            "nvim_buf_lines_event",
            vec![json!(1), json!(3), json!(0), json!(-1), json!(["local a", "b"]), json!(false)],
        ),
        (
            "nvim_buf_lines_event",
            vec![json!(1), json!(4), json!(0), json!(1), json!(["local b"]), json!(false)],
        ),
        ("nvim_buf_lines_event", vec![json!(1), Json::Null, json!(0), json!(1), json!(["x"]), json!(false)]),
        ("nvim_buf_changedtick_event", vec![json!(1), json!(4)]),
        ("nvim_buf_detach_event", vec![json!(1)]),
    ]
}

/// What stands in quotes behind each call of a function in the plugin's sources.
fn called_with(function: &str, folder: &Path, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            called_with(function, &path, names);
        } else {
            let source = std::fs::read_to_string(&path).unwrap();
            let call = format!("{function}(");
            let calls = source.split(&call).skip(1);
            let quoted =
                |call: &str| Some(call.trim_start().strip_prefix('"')?.split_once('"')?.0.to_owned());
            names.extend(calls.filter_map(quoted));
        }
    }
}

#[test]
fn each_message_of_the_plugin_is_read() {
    for message in of_each_kind(&Serve::start(Scratch::new())) {
        let (method, arguments) = (message[1].as_str().unwrap(), message[2].as_array().unwrap());
        let argument = fields::json(&arguments[0]);
        let event = MirrorEvent::of_neovim(method, arguments).map(Ok);
        if event.or_else(|| MirrorEvent::decode(method, &argument)).is_some_and(|event| event.is_ok()) {
            continue;
        }
        let command = Command::decode(method, argument);
        let is_wrong = matches!(
            command,
            Command::Unknown(_) | Command::Options(Err(_)) | Command::Ask { asked: Err(_), .. }
        );
        assert!(!is_wrong, "{command:?}");
    }
}

#[test]
fn each_message_of_the_plugin_is_among_them() {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let (mut methods, mut asked) = (BTreeSet::new(), BTreeSet::new());
    for message in of_each_kind(&Serve::start(Scratch::new())) {
        methods.insert(text(&message[1]));
        let Value::Map(argument) = &message[2][0] else { continue };
        let named = |field: &str| {
            let found = argument.iter().find(|(key, _)| key.as_str() == Some(field));
            found.map(|(_, name)| text(name))
        };
        if message[1].as_str() == Some("ask") {
            asked.extend(named("what"));
        }
    }
    let lua = Path::new(env!("CARGO_MANIFEST_DIR")).join("lua");
    let calls = [
        (":notify", methods, "run"),
        ("host.ask\").send", asked.clone(), "held"),
        ("ask.change", asked.clone(), "hunk"),
        ("ask.open", asked, "show"),
    ];
    for (function, known, some) in calls {
        let mut sent = BTreeSet::new();
        called_with(function, &lua, &mut sent);
        assert!(sent.contains(some), "{function} was found nowhere: {sent:?}");
        assert_eq!(sent.difference(&known).collect::<Vec<_>>(), Vec::<&String>::new(), "{function}");
    }
}
