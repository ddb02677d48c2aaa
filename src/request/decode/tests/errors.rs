//! A wrong field: the error names it, and says what it must be.

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
        ("prompt", None, "prompt is missing"),
        ("prompt", Some(latin1(b"a\nb\n\xff")), "prompt holds bytes that are not UTF-8 in its line 3"),
        ("agent", Some(Value::from(1)), "agent must be a string, not a number"),
        (
            "agents.mine.protocol",
            Some(Value::from("smoke")),
            r#"agents.mine.protocol must be "claude", "droid", "acp" or "text""#,
        ),
        ("agents.mine.command", None, "agents.mine.command must name a program"),
        ("agents.mine.args", Some(list([1])), "agents.mine.args[1] must be a string, not a number"),
        ("agents.mine.env", Some(map! { "A": 1 }), "agents.mine.env.A must be a string, not a number"),
        ("tools", Some(list([latin1(b"\xff")])), "tools[1] holds bytes that are not UTF-8 in its line 1"),
        ("timeout", Some(Value::from(0)), "timeout must be a number of seconds above 0"),
        ("max_turns", Some(Value::from(0)), "max_turns must be at least 1"),
        ("max_cost_usd", Some(Value::from(0)), "max_cost_usd must be a number above 0"),
        ("resume.session_id", Some(Value::from("")), NO_ID),
        ("resume.session_id", Some(Value::from("--dangerous")), NO_ID),
        (
            "resume.at",
            Some(Value::from("m1")),
            "resume.at is not possible: droid cannot go back within a session",
        ),
        ("selection.kind", Some(text()), r#"selection.kind must be "line", "char", "block" or "insert""#),
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
        ("selection.text", Some(list(["a", "b\nc"])), "selection.text holds a line break within line 42"),
        (
            "selection.text",
            Some(list([Value::from("a"), latin1(b"\xff")])),
            "selection.text holds bytes that are not UTF-8 in line 42: reopen the file with its right encoding \
             (`:e ++enc=latin1` for example)",
        ),
        ("selection.rows", Some(list(["a"])), "selection.rows must have as many entries as selection.text"),
        ("diagnostics", Some(list([map! {}])), "diagnostics[1].line is missing"),
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
