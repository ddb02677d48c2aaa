//! The traps of Claude's stream, each as a stream that leads into it.

use super::*;
use crate::agent::{self, Protocol};
use crate::request::AgentCommand;
use crate::stream::testing::{answer, code, message, shown, told, told_with, tools};
use crate::stream::{End, HeldFor, Outcome, Stopped, Stream, ToolStatus, Update, Usage};
use std::time::Duration;

const INIT: &str = r#"{"type":"system","subtype":"init","session_id":"s1","model":"opus"}"#;
const TEXT: &str = r#"{"type":"assistant","message":{"id":"m2","content":[{"type":"text","text":"whole"}]}}"#;
const TALK: &str =
    r#"{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"I will look."}]}}"#;
const CALL: &str = r#"{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"/home/dev/project/src/a.rs"}}]}}"#;
const RETURN: &str =
    r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}}"#;
const DONE: &str = r#"{"is_error":false,"result":"the result","subtype":"success","type":"result"}"#;

fn claude(lines: &[&str]) -> Outcome {
    told(Protocol::Claude, lines).1
}

fn wrapped(event: &str) -> String {
    format!(r#"{{"type":"stream_event","event":{event},"parent_tool_use_id":null}}"#)
}

fn delta(text: &str) -> String {
    format!(r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{text}"}}}}"#)
}

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
    let (updates, outcome) = told(Protocol::Claude, &[INIT, synthetic]);
    assert_eq!((code(&outcome), shown(&updates).as_str()), (Code::Overloaded, ""));
    let flagged = synthetic.replace("<synthetic>", "opus");
    assert_eq!(code(&claude(&[INIT, &flagged])), Code::Overloaded);
    let silent = r#"{"type":"assistant","message":{"model":"<synthetic>","content":[{"type":"text","text":"No response requested."}]}}"#;
    assert_eq!(code(&claude(&[INIT, silent])), Code::EmptyAnswer);
}

#[test]
fn a_text_that_arrives_twice_is_shown_once() {
    let part = |text| wrapped(&delta(text));
    let (updates, outcome) = told(Protocol::Claude, &[&part("wh"), &part("ole"), TEXT, DONE]);
    assert_eq!(shown(&updates), "whole");
    assert_eq!(answer(&outcome), "the result");
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
fn only_the_users_own_messages_are_checkpoints() {
    let user = |rest: &str| {
        format!(r#"{{"type":"user","message":{{"content":[{{"type":"text","text":"go"}}]}}{rest}}}"#)
    };
    let own = user(r#","uuid":"own","isReplay":true"#);
    let string = r#"{"type":"user","message":{"content":"go"},"uuid":"string"}"#;
    let synthetic = user(r#","uuid":"synthetic","isSynthetic":true"#);
    let of_sub = user(r#","uuid":"sub","parent_tool_use_id":"t1""#);
    let interruption = r#"{"type":"user","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]},"uuid":"no"}"#;
    let result = RETURN.replace(r#""type":"user""#, r#""type":"user","uuid":"result""#);
    let outcome = claude(&[&own, string, &synthetic, &of_sub, interruption, &result, DONE]);
    assert_eq!(outcome.checkpoints, ["own", "string"]);

    let many: Vec<String> = (0..150).map(|number| user(&format!(r#","uuid":"{number}""#))).collect();
    let outcome = claude(&many.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(outcome.checkpoints.len(), 100);
    assert_eq!((&*outcome.checkpoints[0], &*outcome.checkpoints[99]), ("50", "149"));
}

#[test]
fn the_runs_own_share_counts() {
    let since = r#"{"type":"result","is_error":true,"total_cost_usd":9.5,"usage":{"input_tokens":0},"num_turns":2,"duration_ms":7,
        "model_usage_since_last_result":{"a":{"inputTokens":1,"outputTokens":2,"cacheReadInputTokens":3,"cacheCreationInputTokens":4,"costUSD":0.5},"b":{"inputTokens":10,"costUSD":0.25}}}"#
        .replace('\n', "");
    let outcome = claude(&[&since]);
    assert_eq!(outcome.cost_usd, Some(0.75));
    let expected = Usage {
        input_tokens: 11,
        output_tokens: 2,
        cache_read_input_tokens: 3,
        cache_creation_input_tokens: 4,
    };
    assert_eq!((outcome.usage, outcome.num_turns, outcome.duration_ms), (expected, Some(2), Some(7)));
    let total =
        r#"{"type":"result","is_error":false,"result":"x","total_cost_usd":0.5,"usage":{"input_tokens":5}}"#;
    let outcome = claude(&[total]);
    assert_eq!((outcome.cost_usd, outcome.usage.input_tokens), (Some(0.5), 5));
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
    let timeout = End { stopped: Some(Stopped::Timeout(Duration::from_secs(1))), ..End::with_signal(15) };
    for end in [End::with_code(1), End::with_signal(9), timeout] {
        let (_, outcome) = told_with(Protocol::Claude, &[DONE], &end);
        assert_eq!(answer(&outcome), "the result");
    }
    for (end, words) in [(End::with_code(143), "143 (SIGTERM)"), (End::with_signal(9), "signal 9 (SIGKILL)")]
    {
        let (_, outcome) = told_with(Protocol::Claude, &[INIT, TEXT], &end);
        assert_eq!(code(&outcome), Code::Exited);
        assert!(message(&outcome).contains(words), "{}", message(&outcome));
    }
}

#[test]
fn what_stands_on_standard_error_is_quoted() {
    let end = End { stderr: "error: unknown option\n\x1b[31m'--nope'".to_owned(), ..End::with_code(1) };
    let (_, outcome) = told_with(Protocol::Claude, &[], &end);
    assert_eq!(code(&outcome), Code::Exited);
    let expected = "claude exited with code 1: error: unknown option [31m'--nope'; ";
    assert!(message(&outcome).starts_with(expected), "{}", message(&outcome));
    let gone = r#"{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["No conversation found with session ID: x"]}"#;
    assert_eq!(code(&claude(&[gone])), Code::SessionNotFound);
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
        stream.line(line.as_bytes(), &mut |update| updates.push(update));
    }
    let outcome = stream.end(&End::with_signal(9), &mut |_| {});
    assert_eq!((answer(&outcome), outcome.cost_usd, outcome.num_turns), ("first", Some(1.0), Some(3)));
    assert_eq!(tools(&outcome), [("t1", ToolStatus::Ok, None)]);
    assert!(
        updates.iter().all(|update| matches!(update, Update::Tool { .. } | Update::Amounts { .. })),
        "{updates:?}"
    );
}

#[test]
fn halves_of_characters_lose_nothing_else() {
    let result = DONE.replace("the result", r"a\ud83d b\udca9\ud83d\udca9 \u0000\u2028\\ud83d");
    assert_eq!(answer(&claude(&[&result])), "a\u{fffd} b\u{fffd}\u{1f4a9} \0\u{2028}\\ud83d");
    let mut stream = Stream::new(Protocol::Claude, "");
    stream.line(b"{\"type\":\"result\",\"is_error\":false,\"result\":\"a\xff\xe2\x28b\"}", &mut |_| {});
    assert_eq!(answer(&stream.outcome()), "a\u{fffd}\u{fffd}(b");
    let skipped = RETURN.replace(r#""content":"x""#, r#""content":"\ud83d","is_error":true"#);
    assert_eq!(tools(&claude(&[CALL, &skipped])), [("t1", ToolStatus::Error, Some("\u{fffd}"))]);
}

#[test]
fn of_a_tools_output_only_the_reason_is_kept() {
    let long = "no\\n".repeat(1 << 20);
    let line = format!(
        r#"{{"type":"user","message":{{"content":[{{"type":"tool_result","tool_use_id":"t1","content":"{long}","is_error":true}}]}},"tool_use_result":"{long}"}}"#
    );
    let outcome = claude(&[CALL, &line]);
    let reason = outcome.tools[0].error.as_deref().unwrap();
    assert!(reason.starts_with("no no no") && reason.len() < 2000, "{}", reason.len());
}

#[test]
fn lines_that_are_no_json() {
    let raw = ["Script started", "", "  ", "npm warn", r#"{"type":"result","resu"#, "please log in", "[1]"];
    let outcome = claude(&raw);
    assert_eq!((answer(&outcome), outcome.held_for), ("npm warn\nplease log in\n[1]", Some(HeldFor::Raw)));
    assert_eq!((outcome.lines, outcome.ignored, outcome.malformed), (5, 0, 5));

    let (_, failed) = told_with(Protocol::Claude, &["Credit balance is too low"], &End::with_code(1));
    assert_eq!(code(&failed), Code::Exited);
    assert!(message(&failed).contains("Credit balance is too low"));
    assert_eq!(answer(&claude(&["npm warn", DONE, "bye"])), "the result");
    assert_eq!(claude(&["npm warn", DONE]).held_for, None);
    assert_eq!(code(&claude(&["npm warn", TALK, CALL])), Code::Protocol, "it said something else");
    assert_eq!(code(&claude(&["Script started"])), Code::EmptyAnswer);
    let (updates, _) = told(Protocol::Claude, &["", "npm \x07warn"]);
    let expected =
        Update::Malformed { line: 2, reason: "no JSON object".to_owned(), start: "npm warn".to_owned() };
    assert_eq!(updates, [expected]);
}

#[test]
fn the_projects_own_settings_stay_out_unless_trusted() {
    let untrusted = arguments_of(|_| {});
    assert!(untrusted.windows(2).any(|pair| pair == ["--setting-sources", "user"]), "{untrusted:?}");
    let trusted = arguments_of(|invocation| invocation.trust_project = true);
    assert!(!trusted.iter().any(|argument| argument == "--setting-sources"), "{trusted:?}");
}

#[test]
fn denied_is_what_the_agent_calls_denied() {
    let failed = RETURN.replace(
        r#""content":"x""#,
        r#""content":"<tool_use_error>Error: No such tool available: Bash</tool_use_error>","is_error":true"#,
    );
    let line = r#"{"type":"system","subtype":"permission_denied","tool_use_id":"t1","message":"outside"}"#;
    let list = r#"{"type":"result","is_error":false,"result":"x","permission_denials":[{"tool_name":"Read","tool_use_id":"t1"}]}"#;
    let reason = Some("Error: No such tool available: Bash");
    assert_eq!(tools(&claude(&[CALL, &failed])), [("t1", ToolStatus::Error, reason)]);
    assert_eq!(tools(&claude(&[CALL, line, &failed])), [("t1", ToolStatus::Denied, Some("outside"))]);
    assert_eq!(tools(&claude(&[line, CALL, &failed])), [("t1", ToolStatus::Denied, Some("outside"))]);
    assert_eq!(tools(&claude(&[CALL, &failed, list])), [("t1", ToolStatus::Denied, reason)]);
    assert_eq!(tools(&claude(&[CALL, line])), [("t1", ToolStatus::Denied, Some("outside"))]);
}

#[test]
fn sub_agents_are_activity_and_never_answer() {
    let of_sub = |line: &str| line.replacen('{', r#"{"parent_tool_use_id":"t0","#, 1);
    let (updates, outcome) = told(
        Protocol::Claude,
        &[
            TEXT,
            &of_sub(TALK),
            &of_sub(&CALL.replace("t1", "t2")),
            &of_sub(&delta("no")),
            &of_sub(&wrapped(&delta("no")).replace(r#","parent_tool_use_id":null"#, "")),
        ],
    );
    assert_eq!((answer(&outcome), shown(&updates).as_str()), ("whole", "whole"));
    assert_eq!(tools(&outcome), [("t2", ToolStatus::Unfinished, None)]);
    assert_eq!(outcome.ignored, 3);
}

#[test]
fn thinking_is_told_once_and_is_no_text() {
    let part = wrapped(r#"{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"hm"}}"#);
    let whole = r#"{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"hm"}]}}"#;
    let (updates, outcome) = told(Protocol::Claude, &[&part, whole, whole, DONE]);
    let thinking = Update::Thinking { text: "hm".to_owned() };
    assert_eq!(updates[..2], [thinking.clone(), thinking]);
    assert_eq!((shown(&updates).as_str(), answer(&outcome)), ("", "the result"));
}

#[test]
fn retries_are_told_with_their_reason() {
    for (status, error, expected) in [
        ("529", "overloaded", "overloaded"),
        ("429", "rate_limit", "rate limited"),
        ("500", "server_error", "server error"),
    ] {
        let line = format!(
            r#"{{"type":"system","subtype":"api_retry","attempt":2,"max_retries":10,"retry_delay_ms":590.6,"error_status":{status},"error":"{error}"}}"#
        );
        let (updates, _) = told(Protocol::Claude, &[&line]);
        assert_eq!(
            updates,
            [Update::Retry { attempt: 2, max: 10, delay_ms: 590, reason: expected.to_owned() }]
        );
    }
}

#[test]
fn unknown_things_are_ignored_and_counted() {
    let odd = [
        r#"{"type":"brand_new","result":"no"}"#,
        r#"{"type":["result"]}"#,
        r#"{"result":"no"}"#,
        "{}",
        r#"{"type":"assistant","message":7}"#,
        r#"{"type":"system","subtype":"hook_started"}"#,
        r#"{"a":1,"a":2,"type":"x","type":"y"}"#,
    ];
    let outcome = claude(&odd);
    assert_eq!((outcome.lines, outcome.ignored, outcome.malformed), (7, 7, 0));
    assert_eq!(code(&outcome), Code::EmptyAnswer);
}

#[test]
fn an_oversized_line_may_have_been_the_result() {
    let mut stream = Stream::new(Protocol::Claude, "");
    stream.line(TEXT.as_bytes(), &mut |_| {});
    stream.oversized(&mut |_| {});
    let mut before = stream.clone();
    let outcome = stream.end(&End::with_code(0), &mut |_| {});
    assert_eq!((code(&outcome), outcome.malformed), (Code::Protocol, 1));
    before.line(DONE.as_bytes(), &mut |_| {});
    assert_eq!(answer(&before.outcome()), "the result", "it was something else");
    let mut raw = Stream::new(Protocol::Claude, "");
    raw.line(b"words", &mut |_| {});
    raw.oversized(&mut |_| {});
    assert_eq!(code(&raw.end(&End::with_code(0), &mut |_| {})), Code::Protocol);
}

fn arguments_of(change: impl FnOnce(&mut Invocation<'_>)) -> Vec<String> {
    let command = AgentCommand {
        name: "claude".to_owned(),
        protocol: Protocol::Claude,
        command: vec!["nice".to_owned(), "claude".to_owned()],
        args: vec!["--mine".to_owned()],
        env: std::collections::BTreeMap::new(),
        model: Some("opus".to_owned()),
    };
    let tools = ["Read".to_owned(), "Grep".to_owned()];
    let mut invocation = Invocation {
        command: &command,
        tools: &tools,
        max_turns: Some(3),
        trust_project: false,
        system: "the rules",
        message: "the \"code\"\n",
    };
    change(&mut invocation);
    let input = String::from_utf8(agent::input(&invocation)).unwrap();
    assert_eq!(
        input,
        "{\"message\":{\"content\":[{\"text\":\"the \\\"code\\\"\\n\",\"type\":\"text\"}],\"role\":\"user\"},\"type\":\"user\"}\n"
    );
    agent::arguments(&invocation)
}

#[test]
fn the_argument_vector_is_the_command_the_flags_and_the_users_arguments() {
    let arguments = arguments_of(|_| {}).join(" ");
    assert_eq!(
        arguments,
        "nice claude -p --verbose --output-format stream-json --input-format stream-json --replay-user-messages \
         --include-partial-messages --strict-mcp-config --setting-sources user --model opus --max-turns 3 --tools \
         Read,Grep --append-system-prompt the rules --mine"
    );
}
