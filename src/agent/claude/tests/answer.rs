//! Which text is the answer, and which error says that there is none.

use std::time::Duration;

use super::*;
use crate::agent::testing::{code, message, run_with};
use crate::stream::{AnswerDoubt, ProcessEnd, Stopped};

#[test]
fn only_is_error_decides() {
    let outcome = claude(&[
        r#"{"type":"result","subtype":"success","is_error":true,"result":"Not logged in · Please run /login"}"#,
    ]);
    assert_eq!(code(&outcome), Code::NotLoggedIn);
    assert!(message(&outcome).contains("Not logged in · Please run /login"));
    let good =
        claude(&[r#"{"type":"result","subtype":"error_during_execution","is_error":false,"result":"fine"}"#]);
    assert_eq!(answer(&good), "fine");
}

#[test]
fn a_synthetic_message_is_no_answer() {
    let synthetic = r#"{"type":"assistant","message":{"model":"<synthetic>","content":[{"type":"text","text":"API Error: 529 Overloaded"}]},"is_api_error_message":true}"#;
    let (updates, outcome) = run(Protocol::Claude, &[INIT, synthetic]);
    assert_eq!((code(&outcome), shown(&updates).as_str()), (Code::Overloaded, ""));
    let flagged = synthetic.replace("<synthetic>", "opus");
    assert_eq!(code(&claude(&[INIT, &flagged])), Code::Overloaded);
    let silent = r#"{"type":"assistant","message":{"model":"<synthetic>","content":[{"type":"text","text":"No response requested."}]}}"#;
    assert_eq!(code(&claude(&[INIT, silent])), Code::EmptyAnswer);
    for (words, expected) in [
        ("You've hit your session limit · resets 3pm", Code::RateLimited),
        ("No response requested.", Code::ApiError),
    ] {
        let said = silent.replace("No response requested.", words);
        let repeated = DONE.replace("the result", words);
        assert_eq!(code(&claude(&[INIT, TEXT, &said, &repeated])), expected, "a result that repeats it");
    }
}

#[test]
fn the_result_confirms_the_last_message() {
    let piece = |text: &str| {
        format!(
            r#"{{"type":"assistant","message":{{"id":"m","content":[{{"type":"text","text":"{text}"}}]}}}}"#
        )
    };
    let call = r#"{"type":"assistant","message":{"id":"m","content":[{"type":"KIND","id":"t","name":"x"}]}}"#;
    let (ours, theirs) = (call.replace("KIND", "tool_use"), call.replace("KIND", "server_tool_use"));
    let (one, two) = (piece("one\\n"), piece("two"));
    let result = |text: &str| DONE.replace("the result", text);
    let cases: [(&[&str], &str, Option<AnswerDoubt>); 9] = [
        (&[&one, &two, &result("one")], "one\ntwo", None),
        (&[&one, &two, &result("two")], "one\ntwo", None),
        (&[&one, &theirs, &two, &result("two")], "one\ntwo", None),
        (&[&two, &result("one\\ntwo")], "one\ntwo", None),
        (&[&two, &result("three")], "three", Some(AnswerDoubt::Disagrees)),
        (&[&one, &ours, &result("three")], "three", None),
        (&[&one, &ours, &two, &result("two")], "two", None),
        (&[&one, &ours, &two, &result("one\\ntwo")], "one\ntwo", Some(AnswerDoubt::Disagrees)),
        (&[&result("three")], "three", None),
    ];
    for (lines, text, doubt) in cases {
        let outcome = claude(lines);
        assert_eq!((answer(&outcome), outcome.held_for), (text, doubt), "{lines:?}");
    }
}

#[test]
fn a_result_that_was_cut_or_is_of_another_turn_is_no_answer() {
    for (reason, expected) in [
        ("max_tokens", Code::ApiError),
        ("refusal", Code::Refused),
        ("model_context_window_exceeded", Code::PromptTooLong),
    ] {
        let result = DONE.replace(r#""result":"#, &format!(r#""stop_reason":"{reason}","result":"#));
        assert_eq!(code(&claude(&[TEXT, &result])), expected);
    }
    let other = DONE.replace(r#""result":"#, r#""origin":{"kind":"task-notification"},"result":"#);
    assert_eq!(
        answer(&claude(&[
            TEXT,
            &other.replace("the result", "a notice"),
            &DONE.replace("the result", "whole")
        ])),
        "whole"
    );
}

#[test]
fn bytes_that_are_no_utf8_are_held() {
    let (text, result) = (TEXT.replace("whole", "w\u{1}le"), DONE.replace("the result", "w\u{1}le"));
    let empty = DONE.replace("the result", "");
    for lines in [vec![&text, &result], vec![&result], vec![&text], vec![&text, &empty]] {
        let mut stream = Stream::new(Protocol::Claude, "");
        for line in lines {
            let broken: Vec<u8> = line.bytes().map(|byte| if byte == 1 { 0xff } else { byte }).collect();
            stream.line(&broken, &mut |_| {});
        }
        let outcome = stream.end(&ProcessEnd::with_code(0), &mut |_| {});
        assert_eq!(outcome.held_for, Some(AnswerDoubt::NotUtf8), "{outcome:?}");
    }
}

#[test]
fn a_key_that_is_refused_twice_in_a_row_ends_the_job() {
    let retry = |status: u64| {
        format!(
            r#"{{"type":"system","subtype":"api_retry","attempt":1,"error_status":{status},"error":"authentication_failed"}}"#
        )
    };
    let decided = |statuses: &[u64]| {
        let mut stream = Stream::new(Protocol::Claude, "");
        for status in statuses {
            stream.line(retry(*status).as_bytes(), &mut |_| {});
        }
        stream.decided().then(|| code(&stream.outcome()))
    };
    assert_eq!(decided(&[401, 529, 401]), None);
    assert_eq!(decided(&[529, 401, 401]), Some(Code::NotLoggedIn));
}

#[test]
fn limits_have_their_text_in_errors() {
    for (subtype, expected) in [
        ("error_max_turns", Code::MaxTurns),
        ("error_max_budget_usd", Code::Budget),
        ("error_during_execution", Code::ApiError),
    ] {
        for is_error in ["true", "false"] {
            let line = format!(
                r#"{{"type":"result","subtype":"{subtype}","is_error":{is_error},"errors":["the reason","and more"]}}"#
            );
            let outcome = claude(&[TEXT, &line]);
            assert_eq!(code(&outcome), expected);
            assert!(message(&outcome).contains("the reason; and more"), "{}", message(&outcome));
        }
    }
}

#[test]
fn an_empty_result_falls_back_to_the_last_message() {
    let empty = DONE.replace("the result", "");
    let missing = DONE.replace(r#""result":"the result","#, "");
    for result in [&*empty, &missing] {
        assert_eq!(answer(&claude(&[TALK, CALL, RETURN, TEXT, result])), "whole");
        assert_eq!(code(&claude(&[INIT, result])), Code::EmptyAnswer);
        assert_eq!(code(&claude(&[TALK, CALL, RETURN, result])), Code::EmptyAnswer, "talk is no answer");
    }
}

#[test]
fn without_a_result_only_a_whole_last_message_counts() {
    assert_eq!(answer(&claude(&[INIT, TALK, CALL, RETURN, TEXT])), "whole");
    for (why, lines) in [
        ("a call after it", &[TALK, CALL][..]),
        ("a call after it came back", &[TALK, CALL, RETURN]),
        ("a call in the same message", &[CALL, TALK]),
        (
            "a call in the same line",
            &[
                r#"{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Read"},{"type":"text","text":"talk"}]}}"#,
            ],
        ),
        (
            "only thinking",
            &[r#"{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"hm"}]}}"#],
        ),
        (
            "cut off",
            &[r#"{"type":"assistant","message":{"content":[{"type":"text","text":"half"}]},"aborted":true}"#],
        ),
        (
            "at its limit",
            &[
                r#"{"type":"assistant","message":{"content":[{"type":"text","text":"half"}],"stop_reason":"max_tokens"}}"#,
            ],
        ),
        ("a broken line after it", &[TEXT, r#"{"type":"assistant","message":{"con"#]),
    ] {
        assert_eq!(code(&claude(lines)), Code::Protocol, "{why}");
    }
    assert_eq!(
        answer(&claude(&[r#"{"type":"assis"#, TEXT])),
        "whole",
        "broken lines before it do not matter"
    );
    assert_eq!(code(&claude(&[INIT])), Code::EmptyAnswer);
    assert_eq!(code(&claude(&[])), Code::EmptyAnswer);
}

#[test]
fn blocks_of_one_message_belong_together() {
    let block = |id: &str, text: &str| {
        format!(
            r#"{{"type":"assistant","message":{{"id":"{id}","content":[{{"type":"text","text":"{text}"}}]}}}}"#
        )
    };
    assert_eq!(answer(&claude(&[&block("a", "1"), &block("b", "2"), &block("b", "3")])), "23");
    assert_eq!(
        answer(&claude(&[
            r#"{"type":"assistant","message":{"content":"one"}}"#,
            r#"{"type":"assistant","message":{"content":"two"}}"#
        ])),
        "two"
    );
}

#[test]
fn streamed_parts_count_only_where_nothing_repeats_them() {
    assert_eq!(code(&claude(&[&wrapped(&delta("half"))])), Code::Protocol);
    assert_eq!(answer(&claude(&[&delta("wh"), &delta("ole")])), "whole");
    assert_eq!(answer(&claude(&[&delta("wh"), TEXT])), "whole");
    assert_eq!(answer(&claude(&[TEXT, &delta("more")])), "more");
    let part = wrapped(&delta("whole"));
    assert_eq!(answer(&claude(&[&part, TEXT, &part, TEXT])), "wholewhole", "two blocks of one message");
    assert_eq!(code(&claude(&[&part, TEXT, &part])), Code::Protocol);
    assert_eq!(code(&claude(&[&delta("talk"), CALL, RETURN])), Code::Protocol);
    assert_eq!(answer(&claude(&[&delta("talk"), CALL, RETURN, &delta("ans"), &delta("wer")])), "answer");
    assert_eq!(
        code(&claude(&[&delta("wh"), r#"{"type":"content_bl"#, &delta("le")])),
        Code::Protocol,
        "a hole in it"
    );
}

#[test]
fn a_message_that_has_begun_has_to_end() {
    let [start, stop, tool] = [
        r#"{"type":"message_start","message":{"id":"m2"}}"#,
        r#"{"type":"message_stop"}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#,
    ];
    for wrap in [wrapped as fn(&str) -> String, str::to_owned] {
        let (start, stop, tool) = (wrap(start), wrap(stop), wrap(tool));
        assert_eq!(answer(&claude(&[&start, TEXT, &stop])), "whole");
        assert_eq!(code(&claude(&[&start, TEXT])), Code::Protocol);
        assert_eq!(code(&claude(&[&start, TEXT, &tool, &stop])), Code::Protocol);
        assert_eq!(code(&claude(&[&start, TEXT, &stop, &start])), Code::Protocol);
    }
    let abandoned = r#"{"type":"stream_event","event":{"type":"message_stop"},"abandoned_blocks":{"from_block_index":1}}"#;
    assert_eq!(code(&claude(&[&wrapped(start), TEXT, abandoned])), Code::Protocol);
}

#[test]
fn a_result_outranks_how_the_process_ended() {
    let timeout =
        ProcessEnd { stopped: Some(Stopped::Timeout(Duration::from_secs(1))), ..ProcessEnd::with_signal(15) };
    for end in [ProcessEnd::with_code(1), ProcessEnd::with_signal(9), timeout] {
        let (_, outcome) = run_with(Protocol::Claude, &[DONE], &end);
        assert_eq!(answer(&outcome), "the result");
    }
    for (end, words) in
        [(ProcessEnd::with_code(143), "143 (SIGTERM)"), (ProcessEnd::with_signal(9), "signal 9 (SIGKILL)")]
    {
        let (_, outcome) = run_with(Protocol::Claude, &[INIT, TEXT], &end);
        assert_eq!(code(&outcome), Code::Exited);
        assert!(message(&outcome).contains(words), "{}", message(&outcome));
    }
}

#[test]
fn the_first_result_decides_and_all_amounts_add_up() {
    let result = |text: &str, cost: f64| {
        format!(
            r#"{{"type":"result","is_error":{},"result":"{text}","num_turns":1,"model_usage_since_last_result":{{"m":{{"costUSD":{cost},"inputTokens":2}}}}}}"#,
            text.is_empty()
        )
    };
    let mut stream = Stream::new(Protocol::Claude, "");
    stream.line(CALL.as_bytes(), &mut |_| {});
    assert!(!stream.decided());
    stream.line(result("first", 0.5).as_bytes(), &mut |_| {});
    assert!(stream.decided());
    assert_eq!(answer(&stream.outcome()), "first");
    assert_eq!(tools(&stream.outcome()), [("t1", ToolStatus::Unfinished, None)]);
    let mut updates = Vec::new();
    for line in [TEXT, RETURN, &result("second", 0.25), &result("", 0.25)] {
        stream.line(line.as_bytes(), &mut |update| updates.push(update.into_owned()));
    }
    let outcome = stream.end(&ProcessEnd::with_signal(9), &mut |_| {});
    assert_eq!((answer(&outcome), outcome.cost_usd, outcome.num_turns), ("first", Some(1.0), Some(3)));
    assert_eq!(tools(&outcome), [("t1", ToolStatus::Ok, None)]);
    assert!(
        updates.iter().all(|update| matches!(update, Update::Tool { .. } | Update::Amounts { .. })),
        "{updates:?}"
    );
}

#[test]
fn lines_that_are_no_json() {
    let raw = ["Script started", "", "  ", "npm warn", r#"{"type":"result","resu"#, "please log in", "[1]"];
    let outcome = claude(&raw);
    assert_eq!(
        (answer(&outcome), outcome.held_for),
        ("npm warn\nplease log in\n[1]", Some(AnswerDoubt::Raw))
    );
    assert_eq!((outcome.lines, outcome.ignored, outcome.malformed), (5, 0, 5));

    let (_, failed) = run_with(Protocol::Claude, &["Credit balance is too low"], &ProcessEnd::with_code(1));
    assert_eq!(code(&failed), Code::Exited);
    assert!(message(&failed).contains("Credit balance is too low"));
    assert_eq!(answer(&claude(&["npm warn", DONE, "bye"])), "the result");
    assert_eq!(claude(&["npm warn", DONE]).held_for, None);
    assert_eq!(code(&claude(&["npm warn", TALK, CALL])), Code::Protocol, "it said something else");
    assert_eq!(code(&claude(&["Script started"])), Code::EmptyAnswer);
    let (updates, _) = run(Protocol::Claude, &["", "npm \x07warn"]);
    let expected =
        Update::Malformed { line: 2, reason: "no JSON object".to_owned(), start: "npm warn".to_owned() };
    assert_eq!(updates, [expected]);
}

#[test]
fn an_oversized_line_may_have_been_the_result() {
    let mut stream = Stream::new(Protocol::Claude, "");
    stream.line(TEXT.as_bytes(), &mut |_| {});
    stream.oversized(&mut |_| {});
    let mut before = stream.clone();
    let outcome = stream.end(&ProcessEnd::with_code(0), &mut |_| {});
    assert_eq!((code(&outcome), outcome.malformed), (Code::Protocol, 1));
    before.line(DONE.as_bytes(), &mut |_| {});
    assert_eq!(answer(&before.outcome()), "the result", "it was something else");
    let mut raw = Stream::new(Protocol::Claude, "");
    raw.line(b"words", &mut |_| {});
    raw.oversized(&mut |_| {});
    assert_eq!(code(&raw.end(&ProcessEnd::with_code(0), &mut |_| {})), Code::Protocol);
}

#[test]
fn what_stands_on_standard_error_is_quoted() {
    let end = ProcessEnd {
        stderr: "error: unknown option\n\x1b[31m'--nope'".to_owned(),
        ..ProcessEnd::with_code(1)
    };
    let (_, outcome) = run_with(Protocol::Claude, &[], &end);
    assert_eq!(code(&outcome), Code::Exited);
    let expected = "claude exited with code 1: try again, or see :Botglue log; it says: error: unknown option [31m'--nope'";
    assert_eq!(message(&outcome), expected);
    let gone = r#"{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["No conversation found with session ID: x"]}"#;
    assert_eq!(code(&claude(&[gone])), Code::SessionNotFound);
}

#[test]
fn standard_error_tells_more_at_a_good_end_without_an_answer_too() {
    let end = ProcessEnd { stderr: "login expired".to_owned(), ..ProcessEnd::with_code(0) };
    for (lines, expected) in [(&[][..], Code::EmptyAnswer), (&[TALK, CALL], Code::Protocol)] {
        let (_, outcome) = run_with(Protocol::Claude, lines, &end);
        assert_eq!(code(&outcome), expected);
        assert!(message(&outcome).contains("login expired"), "{}", message(&outcome));
    }
}
