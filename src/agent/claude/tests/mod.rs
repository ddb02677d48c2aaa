//! The traps of Claude's stream that no recording in `tests/fixtures` leads into.

mod answer;
mod command;

use std::time::Duration;

use super::*;
use crate::agent::Protocol;
use crate::agent::testing::{answer, run, tools};
use crate::stream::{Outcome, Stream, ToolStatus, Update, UsageScope};

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
fn a_long_pause_at_a_rate_limit_is_waited_for_without_the_agent() {
    let retry = |delay_ms, status| {
        format!(
            r#"{{"type":"system","subtype":"api_retry","retry_delay_ms":{delay_ms},"error_status":{status}}}"#
        )
    };
    let limit = |retry: &str| claude(&[INIT, retry, DONE]).error.and_then(|error| error.limit);
    assert_eq!(limit(&retry(90_000, 429)), Some(LimitEnd::After(Duration::from_secs(90))));
    assert_eq!(limit(&retry(30_000, 429)), None, "the agent waits");
    assert_eq!(limit(&retry(90_000, 500)), None);
}

#[test]
fn a_limit_ends_when_its_event_says_in_seconds_or_milliseconds() {
    for at in ["1792166400", "1792166400000"] {
        let event = format!(
            r#"{{"type":"rate_limit_event","rate_limit_info":{{"status":"rejected","resetsAt":{at}}}}}"#
        );
        let failed = r#"{"type":"result","is_error":true,"result":"hit your session limit"}"#;
        let limit = |event: &str| claude(&[INIT, event, failed]).error.and_then(|error| error.limit);
        assert_eq!(limit(&event), Some(LimitEnd::At(1_792_166_400)), "{at}");
        let beyond = event.replace(r#""resetsAt""#, r#""isUsingOverage":true,"resetsAt""#);
        assert_eq!(limit(&beyond), None, "what is beyond the plan is paid for");
    }
}

#[test]
fn a_message_that_broke_off_is_taken_back_and_said_again() {
    let part = |text| wrapped(&delta(text));
    let start = wrapped(r#"{"type":"message_start","message":{"id":"m2"}}"#);
    let stop = wrapped(r#"{"type":"message_stop"}"#);
    let retry = r#"{"type":"system","subtype":"api_retry","attempt":1,"error_status":529}"#;
    let abandoned = stop.replacen('{', r#"{"abandoned_blocks":{},"#, 1);
    let again = [&*start, &part("whole"), TEXT, &stop];
    for (before, expected) in [
        (&[&*start, &part("wh")][..], "wh<whole"),
        (&[&*start, &part("wh"), &abandoned][..], "wh<whole"),
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
fn only_the_users_own_messages_are_checkpoints_and_the_newest_are_kept() {
    let user = |rest: &str| format!(r#"{{"type":"user","message":{{"content":"go"}}{rest}}}"#);
    let interruption = r#"{"type":"user","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]},"uuid":"no"}"#;
    let result = RETURN.replace(r#""type":"user""#, r#""type":"user","uuid":"result""#);
    let synthetic = user(r#","uuid":"synthetic","isSynthetic":true"#);
    let of_sub = user(r#","uuid":"sub","parent_tool_use_id":"t1""#);
    let own: Vec<String> = (0..150).map(|number| user(&format!(r#","uuid":"{number}""#))).collect();
    let mut lines: Vec<&str> = own.iter().map(String::as_str).collect();
    lines.extend([&*synthetic, &of_sub, interruption, &result]);
    let outcome = claude(&lines);
    assert_eq!(outcome.checkpoints.len(), 100);
    assert_eq!((&*outcome.checkpoints[0], &*outcome.checkpoints[99]), ("50", "149"));
}

#[test]
fn a_total_counts_the_session_and_its_parents_and_a_share_the_run() {
    let scope = |cost: &str| {
        claude(&[&format!(r#"{{"type":"result","is_error":false,"result":"x",{cost}}}"#)]).scopes.cost
    };
    assert_eq!(scope(r#""total_cost_usd":0.5"#), UsageScope::Lineage);
    let share = r#""total_cost_usd":9.5,"model_usage_since_last_result":{"a":{"costUSD":0.5}}"#;
    assert_eq!(scope(share), UsageScope::Run);
}
