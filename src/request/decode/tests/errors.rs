//! A wrong field: the error names it, and says what it must be.

use std::time::Duration;

use rmpv::Value;

use super::{decode, list, map, with};
use crate::error::{Code, JobError};

const NO_ID: &str = "resume.session_id must be one word that does not begin with -";

#[test]
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
        ("agent", Some(Value::from(1)), "agent must be a string, not a number"),
        (
            "agents.mine.protocol",
            Some(Value::from("smoke")),
            r#"agents.mine.protocol must be "claude", "droid", "acp" or "text""#,
        ),
        ("agents.mine.command", None, "agents.mine.command must name a program"),
        ("agents.mine.command", Some(text()), "agents.mine.command must be a list, not a string"),
        ("agents.mine.command", Some(list([""])), "agents.mine.command must name a program"),
        ("agents.mine.args", Some(list([1])), "agents.mine.args[1] must be a string, not a number"),
        ("agents.mine.env", Some(map! { "A": 1 }), "agents.mine.env.A must be a string, not a number"),
        ("agents.mine.env", Some(map! { "A\n": 1 }), r"agents.mine.env.A\n must be a string, not a number"),
        ("agents.mine.env", Some(list(["A"])), "agents.mine.env must be a map, not a list"),
        ("agents.mine.model", Some(Value::from(true)), "agents.mine.model must be a string, not a boolean"),
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
        "status.preview",
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
