//! A wrong field: the error names it. The plugin has checked what the user gave; this is for those who change the plugin.

use rmpv::Value;

use super::{decode, list, with};
use crate::error::{Code, JobError};

#[test]
fn every_error_names_its_field() {
    let latin1 = |text: &[u8]| Value::Binary(text.to_vec());
    let table = [
        ("id", Some(Value::from("text")), "id: invalid type: string \"text\", expected u64"),
        ("agents.mine.command", Some(list([""])), "agents.mine.command must name a program"),
        (
            "resume.at",
            Some(Value::from("m1")),
            "resume.at is not possible: droid cannot go back within a session",
        ),
        (
            "selection.last_line",
            Some(Value::from(44)),
            "selection must have one entry for each of the lines 41 to 44",
        ),
        ("selection.rows", Some(list(["a"])), "selection must have one entry for each of the lines 41 to 42"),
        ("selection.text", Some(list(["a", "b\nc"])), "selection.text holds a line break within line 42"),
        (
            "selection.text",
            Some(list([Value::from("a"), latin1(b"\xff")])),
            "selection.text holds bytes that are not UTF-8 in line 42: reopen the file with its right encoding \
             (`:e ++enc=latin1` for example)",
        ),
    ];
    for (path, value, message) in table {
        let wanted = JobError::new(Code::BadRequest, message);
        assert_eq!(decode(&with(path, value)), Err(wanted), "{path}");
    }
}
