//! The answer, and the error if there is none: cases that no recording in `tests/fixtures` has.

use std::time::Duration;

use super::*;
use crate::agent::testing::{came_to, run_with};
use crate::stream::{Line, ProcessEnd, Stopped};

fn said(id: &str, text: &str) -> String {
    format!(
        r#"{{"type":"assistant","message":{{"id":"{id}","content":[{{"type":"text","text":"{text}"}}]}}}}"#
    )
}

fn result(text: &str) -> String {
    DONE.replace("the result", text)
}

/// The same line with more fields.
fn with(fields: &str, line: &str) -> String {
    line.replacen('{', &format!("{{{fields},"), 1)
}

#[track_caller]
fn check(rows: &[(&[&str], &str)]) {
    for (lines, expected) in rows {
        assert_eq!(came_to(&claude(lines)), *expected, "{lines:#?}");
    }
}

#[test]
fn the_result_confirms_the_last_message() {
    let call = r#"{"type":"assistant","message":{"id":"m","content":[{"type":"KIND","id":"t","name":"x"}]}}"#;
    let (ours, theirs) = (call.replace("KIND", "tool_use"), call.replace("KIND", "server_tool_use"));
    let (one, two) = (said("m", "one\\n"), said("m", "two"));
    let cut = said("c", "one").replacen(r#""id":"#, r#""stop_reason":"max_tokens","id":"#, 1);
    let limit = wrapped(r#"{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}"#);
    let (only_one, only_two, both, other) =
        (result("one"), result("two"), result("one\\ntwo"), result("three"));
    check(&[
        (&[&one, &two, &only_one], "one\ntwo"),
        // It goes on where it met the limit on its length.
        (&[&cut, &two, &only_two], "Raw: onetwo"),
        (&[&two, &limit, &only_two], "Raw: two"),
        (&[&two, r#"{"type":"assis"#, &only_two], "Raw: two"),
        (&[&two, r#"Warning: {"type":"assis"#, &only_two], "Raw: two"),
        (&[&one, &two, &only_two], "one\ntwo"),
        (&[&one, &theirs, &two, &only_two], "one\ntwo"),
        (&[&two, &both], "one\ntwo"),
        (&[&two, &other], "Disagrees: three"),
        (&[&one, &ours, &other], "three"),
        (&[&one, &ours, &two, &only_two], "two"),
        (&[&one, &ours, &two, &both], "Disagrees: one\ntwo"),
        (&[&other], "three"),
    ]);
}

#[test]
fn only_a_result_without_an_error_is_an_answer() {
    let flagless = r#"{"type":"result","subtype":"error_during_execution","is_error":false,"result":"fine"}"#;
    let string = flagless.replace("false", "\"true\"").replace("error_during_execution", "success");
    let refused = with(r#""stop_reason":"refusal""#, DONE);
    let full = with(r#""stop_reason":"model_context_window_exceeded""#, DONE);
    let notice = with(r#""origin":{"kind":"task-notification"}"#, DONE);
    let whole = result("whole");
    let refusal = |status: u16| {
        format!(r#"{{"type":"system","subtype":"api_retry","error_status":{status},"error":"no"}}"#)
    };
    let (wrong_key, busy) = (refusal(401), refusal(529));
    check(&[
        (&[flagless], "fine"),
        (&[&string], "! api_error"),
        (&[TEXT, &refused], "! refused"),
        (&[TEXT, &full], "! prompt_too_long"),
        (&[&notice, TEXT, &whole], "whole"),
        (&[&wrong_key, &busy, &wrong_key, TEXT, DONE], "Disagrees: the result"),
        (&[&busy, &wrong_key, &wrong_key, TEXT, DONE], "! not_logged_in"),
        (&[&wrong_key, TEXT, &wrong_key, &whole], "whole"),
    ]);
}

#[test]
fn without_a_result_only_a_whole_last_message_counts() {
    let cut = with(r#""aborted":true"#, TEXT);
    let limit = TEXT.replace(r#""id":"m2""#, r#""stop_reason":"max_tokens""#);
    let both = r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Read"},{"type":"text","text":"talk"}]}}"#;
    let string = |text: &str| format!(r#"{{"type":"assistant","message":{{"content":"{text}"}}}}"#);
    check(&[
        (&[], "! empty_answer"),
        (&[INIT, "Script started"], "! empty_answer"),
        (&[r#"{"type":"assis"#, TEXT], "whole"),
        (&[TEXT, r#"{"type":"assis"#], "! protocol"),
        (&[TALK, CALL, RETURN], "! protocol"),
        (&[CALL, TALK], "! protocol"),
        (&[both], "! protocol"),
        (&[&cut], "! protocol"),
        (&[&limit], "! protocol"),
        (&["npm warn", TALK, CALL], "! protocol"),
        (&[&said("a", "1"), &said("b", "2"), &said("b", "3")], "23"),
        (&[&string("one"), &string("two")], "two"),
    ]);
}

#[test]
fn streamed_parts_count_only_where_nothing_repeats_them() {
    let [start, stop, tool] = [
        r#"{"type":"message_start","message":{"id":"m2"}}"#,
        r#"{"type":"message_stop"}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#,
    ];
    let (wh, ole, part) = (delta("wh"), delta("ole"), wrapped(&delta("whole")));
    check(&[
        (&[&wh, TEXT], "whole"),
        (&[TEXT, &wh], "wh"),
        (&[&part, TEXT, &part, TEXT], "wholewhole"),
        (&[&part, TEXT, &part], "! protocol"),
        (&[&delta("talk"), CALL, RETURN], "! protocol"),
        (&[&delta("talk"), CALL, RETURN, &wh, &ole], "whole"),
        (&[&wh, r#"{"type":"content_bl"#, &ole], "! protocol"),
    ]);
    for wrap in [wrapped as fn(&str) -> String, str::to_owned] {
        let (start, stop, tool) = (wrap(start), wrap(stop), wrap(tool));
        check(&[
            (&[&start, TEXT, &stop], "whole"),
            (&[&start, TEXT], "! protocol"),
            (&[&start, TEXT, &tool, &stop], "! protocol"),
            (&[&start, TEXT, &stop, &start], "! protocol"),
        ]);
    }
    let abandoned = with(r#""abandoned_blocks":{"from_block_index":1}"#, &wrapped(stop));
    check(&[(&[&wrapped(start), TEXT, &abandoned], "! protocol")]);
}

#[test]
fn bytes_that_are_no_utf8_are_held() {
    let (text, result) = (TEXT.replace("whole", "w\u{1}le"), DONE.replace("the result", "w\u{1}le"));
    for lines in [vec![&text, &result], vec![&result], vec![&text]] {
        let mut stream = Stream::new(Protocol::Claude.recipe().recorded(), "");
        for line in lines {
            let broken: Vec<u8> = line.bytes().map(|byte| if byte == 1 { 0xff } else { byte }).collect();
            stream.take(Line::Whole(&broken), &mut |_| {});
        }
        let outcome = stream.end(&ProcessEnd::with_code(0), &mut |_| {});
        assert_eq!(came_to(&outcome), "NotUtf8: w\u{fffd}le");
    }
}

#[test]
fn a_result_outranks_how_the_process_ended_and_what_follows_it() {
    let timeout =
        ProcessEnd { stopped: Some(Stopped::Timeout(Duration::from_secs(1))), ..ProcessEnd::with_signal(15) };
    for end in [ProcessEnd::with_code(1), ProcessEnd::with_signal(9), timeout] {
        let (_, outcome) = run_with(Protocol::Claude, &[CALL, DONE, RETURN, TEXT], &end);
        assert_eq!(came_to(&outcome), "the result");
        assert_eq!(tools(&outcome), [("t1", ToolStatus::Ok, None)]);
    }
}

#[test]
fn a_line_that_was_too_long_may_have_been_the_result() {
    for (before, after, expected) in [
        (TEXT, &[][..], "! protocol"),
        (TEXT, &[DONE], "the result"),
        ("words outside the protocol", &[], "! protocol"),
    ] {
        let mut stream = Stream::new(Protocol::Claude.recipe().recorded(), "");
        stream.take(Line::Whole(before.as_bytes()), &mut |_| {});
        stream.take(Line::Oversized, &mut |_| {});
        for line in after {
            stream.take(Line::Whole(line.as_bytes()), &mut |_| {});
        }
        assert_eq!(came_to(&stream.end(&ProcessEnd::with_code(0), &mut |_| {})), expected);
    }
}
