//! The traps of Claude's stream, each as a stream that leads into it.

mod answer;
mod command;

use super::*;
use crate::agent::Protocol;
use crate::agent::testing::{answer, run, shown, tools};
use crate::stream::{Outcome, Stream, ToolStatus, Update, Usage, UsageScope};

const INIT: &str = r#"{"type":"system","subtype":"init","session_id":"s1","model":"opus"}"#;
const TEXT: &str = r#"{"type":"assistant","message":{"id":"m2","content":[{"type":"text","text":"whole"}]}}"#;
const TALK: &str =
    r#"{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"I will look."}]}}"#;
const CALL: &str = r#"{"type":"assistant","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Read","input":{"file_path":"/home/dev/project/src/a.rs"}}]}}"#;
const RETURN: &str =
    r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}}"#;
const DONE: &str = r#"{"is_error":false,"result":"the result","subtype":"success","type":"result"}"#;

fn claude(lines: &[&str]) -> Outcome {
    run(Protocol::Claude, lines).1
}

fn wrapped(event: &str) -> String {
    format!(r#"{{"type":"stream_event","event":{event},"parent_tool_use_id":null}}"#)
}

fn delta(text: &str) -> String {
    format!(r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{text}"}}}}"#)
}

#[test]
fn a_text_that_arrives_twice_is_shown_once() {
    let part = |text| wrapped(&delta(text));
    let (updates, outcome) = run(Protocol::Claude, &[&part("wh"), &part("ole"), TEXT, DONE]);
    assert_eq!(shown(&updates), "whole");
    assert_eq!(answer(&outcome), "the result");
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
    assert_eq!(outcome.scopes, UsageScopes::default());
    let total =
        r#"{"type":"result","is_error":false,"result":"x","total_cost_usd":0.5,"usage":{"input_tokens":5}}"#;
    let outcome = claude(&[total]);
    assert_eq!((outcome.cost_usd, outcome.usage.input_tokens), (Some(0.5), 5));
    assert_eq!(outcome.scopes, UsageScopes { cost: UsageScope::Lineage, ..UsageScopes::default() });
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
    let (updates, outcome) = run(
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
    let (updates, outcome) = run(Protocol::Claude, &[&part, whole, whole, DONE]);
    let thinking = Update::Thinking { text: "hm".into() };
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
        let (updates, _) = run(Protocol::Claude, &[&line]);
        assert_eq!(
            updates,
            [Update::Retry { attempt: 2, max: 10, delay_ms: 590, reason: expected.to_owned() }]
        );
    }
}

#[test]
fn a_message_that_broke_off_is_taken_back_and_said_again() {
    let part = |text| wrapped(&delta(text));
    let start = wrapped(r#"{"type":"message_start","message":{"id":"m2"}}"#);
    let stop = wrapped(r#"{"type":"message_stop"}"#);
    let retry = r#"{"type":"system","subtype":"api_retry","attempt":1,"error_status":529}"#;
    let again = [&*start, &part("whole"), TEXT, &stop];
    for (before, expected) in [
        (&[&*start, &part("wh")][..], "wh<whole"),
        (&[&start, &part("whole"), TEXT], "whole<whole"),
        (&[TALK, CALL, RETURN, &start, &part("wh")], "I will look.\nwh<\nwhole"),
        (&[TALK, CALL, RETURN], "I will look.\nwhole"),
        (&[&start, TALK, &stop], "I will look.\nwhole"),
    ] {
        let (updates, outcome) = run(Protocol::Claude, &[before, &[retry], &again, &[DONE]].concat());
        let told: Vec<&str> = updates
            .iter()
            .filter_map(|update| match update {
                Update::Text { text, .. } => Some(&**text),
                Update::Restart => Some("<"),
                _ => None,
            })
            .collect();
        assert_eq!(told.concat(), expected);
        assert_eq!(answer(&outcome), "the result");
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
    assert_eq!(outcome.text, None);
}
