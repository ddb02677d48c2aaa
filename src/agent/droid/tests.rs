//! The traps of Droid's stream, each as a stream that leads into it.

use std::collections::BTreeMap;
use std::time::Duration;

use super::*;
use crate::agent::testing::{answer, code, message, run, run_with, shown, tools};
use crate::agent::{self, Directory, Protocol, testing};
use crate::agent::{AcpOptions, AgentCommand, Resume};
use crate::error::Code;
use crate::stream::{AnswerDoubt, Outcome, ProcessEnd, Stopped, Stream, ToolStatus};

const INIT: &str = r#"{"type":"system","subtype":"init","session_id":"s1","model":"gpt"}"#;
const ECHO: &str = r#"{"type":"message","role":"user","id":"u","text":"go"}"#;
const TALK: &str = r#"{"type":"message","role":"assistant","id":"m1","text":"I will look."}"#;
const CALL: &str = r#"{"type":"tool_call","id":"t1","messageId":"m1","toolId":"Read","toolName":"Read","parameters":{"file_path":"/home/dev/project/a"}}"#;
const RETURN: &str =
    r#"{"type":"tool_result","id":"t1","messageId":"m2","toolId":"Read","isError":false,"value":"x"}"#;
const TEXT: &str = r#"{"type":"message","role":"assistant","id":"m3","text":"one"}"#;
const MORE: &str = r#"{"type":"message","role":"assistant","id":"m3","text":"two"}"#;
const DONE: &str = r#"{"type":"completion","finalText":"two","numTurns":2,"durationMs":9,"usage":{"input_tokens":1,"output_tokens":2,"cache_read_input_tokens":3,"cache_creation_input_tokens":4}}"#;

fn droid(lines: &[&str]) -> Outcome {
    run(Protocol::Droid, lines).1
}

fn error(source: &str, words: &str) -> String {
    format!(r#"{{"type":"error","source":"{source}","message":"{words}"}}"#)
}

#[test]
fn success_is_a_completion_and_no_signal() {
    let good = [INIT, ECHO, TEXT, MORE, DONE];
    assert_eq!(answer(&droid(&good)), "one\ntwo");
    let (_, outcome) = run_with(Protocol::Droid, &good, &ProcessEnd::with_code(1));
    assert_eq!(answer(&outcome), "one\ntwo", "a completion outranks the exit code");
    let (_, outcome) = run_with(Protocol::Droid, &good, &ProcessEnd::with_signal(15));
    assert_eq!(code(&outcome), Code::Exited);
    let end = ProcessEnd {
        stopped: Some(Stopped::Timeout(Duration::from_millis(1500))),
        ..ProcessEnd::with_code(0)
    };
    let (_, outcome) = run_with(Protocol::Droid, &good, &end);
    assert_eq!(code(&outcome), Code::Timeout);
    assert!(message(&outcome).contains("1.5 s"), "{}", message(&outcome));
    let end = ProcessEnd { stopped: Some(Stopped::Shutdown), ..ProcessEnd::with_code(0) };
    assert_eq!(code(&run_with(Protocol::Droid, &good, &end).1), Code::HostLost);
    let mut stream = Stream::new(Protocol::Droid, "");
    for line in good {
        stream.line(line.as_bytes(), &mut |_| {});
    }
    assert!(!stream.decided(), "a signal may still come");
}

#[test]
fn without_any_completion_exit_0_with_text_counts() {
    assert_eq!(answer(&droid(&[INIT, TALK, CALL, RETURN, TEXT, MORE])), "one\ntwo");
    assert_eq!(code(&droid(&[INIT, TALK, CALL, RETURN])), Code::Protocol);
    assert_eq!(code(&droid(&[INIT, TALK, CALL])), Code::Protocol);
    assert_eq!(code(&droid(&[INIT, ECHO])), Code::EmptyAnswer);
    assert_eq!(code(&droid(&[INIT, TEXT, r#"{"type":"message","role":"assi"#])), Code::Protocol);
    assert_eq!(code(&run_with(Protocol::Droid, &[TEXT], &ProcessEnd::with_code(1)).1), Code::Exited);
}

#[test]
fn the_agent_loop_says_best_why_a_run_failed() {
    for order in [
        [("agent_loop", "429 slow down"), ("cli", "Exec failed")],
        [("cli", "Exec failed"), ("agent_loop", "429 slow down")],
    ] {
        let lines = order.map(|(source, words)| error(source, words));
        let (_, outcome) =
            run_with(Protocol::Droid, &[INIT, TEXT, &lines[0], &lines[1]], &ProcessEnd::with_code(1));
        assert_eq!(code(&outcome), Code::RateLimited);
        assert!(message(&outcome).ends_with(" it says: 429 slow down"), "{}", message(&outcome));
    }
    let alone = error("cli", "Exec failed");
    assert!(message(&droid(&[&alone])).contains("Exec failed"));
    assert_eq!(answer(&droid(&[&alone, MORE, DONE])), "two", "it went on and came to an end");
}

#[test]
fn a_failed_tool_does_not_fail_the_run_but_a_forbidden_one_does() {
    let failed = r#"{"type":"tool_result","id":"t1","isError":true,"error":{"type":"tool_error","message":"Error: gone"}}"#;
    let outcome = droid(&[CALL, failed, MORE, DONE]);
    assert_eq!(
        (answer(&outcome), tools(&outcome)),
        ("two", vec![("t1", ToolStatus::Error, Some("Error: gone"))])
    );
    let words = "Exec ended early: insufficient permission to proceed.";
    let denied = failed.replace("Error: gone", words);
    let (_, outcome) =
        run_with(Protocol::Droid, &[CALL, &denied, TEXT, &error("cli", words)], &ProcessEnd::with_code(1));
    assert_eq!(
        (code(&outcome), tools(&outcome)),
        (Code::PermissionDenied, vec![("t1", ToolStatus::Denied, Some(words))])
    );
}

#[test]
fn is_error_decides_and_the_reason_is_wherever_there_is_one() {
    for (rest, expected) in [
        (r#""error":{"type":"timeout","message":"took too long"}"#, Some("timeout: took too long")),
        (r#""error":{"type":"timeout"}"#, Some("timeout")),
        (r#""error":{"type":"tool_error","message":"a"},"value":"b""#, Some("a")),
        (r#""value":"b""#, Some("b")),
        (r#""value":[{"type":"text","text":"b"},{"text":"c"}]"#, Some("b c")),
        (r#""error":null"#, None),
        (r#""value":7"#, None),
        (r#""error":"words""#, Some("words")),
    ] {
        let line = format!(r#"{{"type":"tool_result","id":"t1","isError":true,{rest}}}"#);
        assert_eq!(tools(&droid(&[CALL, &line])), [("t1", ToolStatus::Error, expected)], "{rest}");
    }
    let good = RETURN.replace(r#""isError":false,"#, "");
    assert_eq!(tools(&droid(&[CALL, &good])), [("t1", ToolStatus::Ok, None)]);
}

#[test]
fn calls_without_ids_are_answered_in_order() {
    let call =
        |name: &str| format!(r#"{{"type":"tool_call","toolId":"","toolName":"{name}","parameters":{{}}}}"#);
    let good = r#"{"type":"tool_result","toolId":"","isError":false}"#;
    let bad = r#"{"type":"tool_result","toolId":"","isError":true,"value":"no"}"#;
    let outcome = droid(&[&call("A"), &call("B"), &call("C"), good, bad, &call("D"), good]);
    assert_eq!(
        tools(&outcome),
        [
            ("call-1", ToolStatus::Ok, None),
            ("call-2", ToolStatus::Error, Some("no")),
            ("call-3", ToolStatus::Ok, None),
            ("call-4", ToolStatus::Unfinished, None)
        ]
    );
}

#[test]
fn the_answer_is_every_text_of_the_last_message() {
    assert_eq!(answer(&droid(&[TALK, CALL, RETURN, TEXT, MORE, DONE])), "one\ntwo");
    assert_eq!(answer(&droid(&[TALK, MORE, DONE])), "two", "another message came before it");
    assert_eq!(answer(&droid(&[DONE])), "two", "there are no texts");
    assert_eq!(answer(&droid(&[TALK, CALL, RETURN, DONE])), "two", "there are none of the last message");
    let outcome = droid(&[TEXT, DONE]);
    assert_eq!((answer(&outcome), outcome.held_for), ("two", Some(AnswerDoubt::Disagrees)));
    let empty = DONE.replace("two", "");
    assert_eq!(answer(&droid(&[TEXT, MORE, &empty])), "one\ntwo");
    assert_eq!(code(&droid(&[INIT, &empty])), Code::EmptyAnswer);
    assert_eq!(code(&droid(&[TALK, CALL, RETURN, &empty])), Code::EmptyAnswer);
    let talk = DONE.replace("two", "I will look.");
    assert_eq!(code(&droid(&[TALK, CALL, &talk])), Code::EmptyAnswer, "talk before a tool is no answer");
    let same = MORE.replace("m3", "m1");
    assert_eq!(
        answer(&droid(&[TALK, CALL, RETURN, &same, DONE])),
        "two",
        "talk of the same message is none either"
    );
    let (updates, _) = run(Protocol::Droid, &[TEXT, MORE, DONE]);
    assert_eq!(shown(&updates), "one\ntwo");
}

#[test]
fn a_lost_line_of_the_last_message_leaves_no_answer() {
    assert_eq!(code(&droid(&[TEXT, r#"{"type":"message","te"#, MORE, DONE])), Code::Protocol);
    assert_eq!(code(&droid(&[TEXT, r#"{"type":"message","te"#, DONE])), Code::Protocol);
    assert_eq!(answer(&droid(&[r#"{"type":"tool_re"#, TEXT, MORE, DONE])), "one\ntwo");
}

#[test]
fn a_message_without_ids_ends_at_a_call() {
    let text = |text: &str| format!(r#"{{"type":"message","role":"assistant","text":"{text}"}}"#);
    let call = r#"{"type":"tool_call","toolName":"Read"}"#;
    assert_eq!(answer(&droid(&[&text("talk"), call, &text("one"), &text("two")])), "one\ntwo");
}

#[test]
fn what_fails_before_it_starts_stands_on_standard_error() {
    let end = ProcessEnd {
        stderr: "Invalid model: custom:Nope\n\nAvailable: None".to_owned(),
        ..ProcessEnd::with_code(1)
    };
    let (_, outcome) = run_with(Protocol::Droid, &[], &end);
    assert_eq!(code(&outcome), Code::Exited);
    assert!(
        message(&outcome).contains("Invalid model: custom:Nope Available: None"),
        "{}",
        message(&outcome)
    );
    let (_, silent) = run_with(Protocol::Droid, &[], &ProcessEnd::with_code(1));
    assert!(message(&silent).contains("code 1 and said nothing"), "{}", message(&silent));
    let mut resumed = Stream::new(Protocol::Droid, "").resumed();
    let silent = resumed.end(&ProcessEnd::with_code(1), &mut |_| {});
    assert_eq!(code(&silent), Code::SessionNotFound, "it has no words for that");
    let mut resumed = Stream::new(Protocol::Droid, "").resumed();
    let run =
        resumed.end(&ProcessEnd { stderr: "no network".to_owned(), ..ProcessEnd::with_code(1) }, &mut |_| {});
    assert_eq!(code(&run), Code::Exited);
}

#[test]
fn reasoning_is_thinking() {
    let (updates, outcome) =
        run(Protocol::Droid, &[r#"{"type":"reasoning","id":"m3","text":"hm"}"#, MORE, DONE]);
    assert_eq!((shown(&updates).as_str(), answer(&outcome)), ("two", "two"));
    assert!(updates.contains(&crate::stream::Update::Thinking { text: "hm".into() }));
}

#[test]
fn amounts_are_the_completions() {
    let outcome = droid(&[INIT, TEXT, DONE]);
    assert_eq!((outcome.num_turns, outcome.duration_ms, outcome.cost_usd), (Some(2), Some(9), None));
    assert_eq!((outcome.usage.input_tokens, outcome.usage.cache_creation_input_tokens), (1, 4));
    let scopes =
        UsageScopes { cost: UsageScope::Run, usage: UsageScope::Session, num_turns: UsageScope::Lineage };
    assert_eq!(outcome.scopes, scopes, "a fork's tokens begin with none, its turns with all");
    assert_eq!((outcome.session_id.as_deref(), outcome.model.as_deref()), (Some("s1"), Some("gpt")));
}

#[test]
fn other_lines_are_kept_as_a_last_resort() {
    let outcome = droid(&["Please run droid to log in", ""]);
    assert_eq!((answer(&outcome), outcome.held_for), ("Please run droid to log in", Some(AnswerDoubt::Raw)));
}

#[test]
fn only_tools_that_read_and_nothing_of_the_prompt_in_the_arguments() {
    let command = AgentCommand {
        name: "droid".to_owned(),
        protocol: Protocol::Droid,
        command: vec!["droid".to_owned()],
        args: vec!["--mine".to_owned()],
        env: BTreeMap::new(),
        model: Some("gpt".to_owned()),
        acp: AcpOptions::default(),
    };
    let tools = ["Read", "Grep", "Glob"].map(str::to_owned);
    let invocation = Invocation {
        command: &command,
        tools: &tools,
        max_turns: None,
        max_cost_usd: None,
        trust_project: false,
        resume: None,
        system: "the rules",
        message: "the code",
        policy: None,
    };
    let expected = "droid exec -o stream-json -m gpt --only-tools Read,LS,Grep,Glob --append-system-prompt the rules --mine";
    assert_eq!(testing::arguments(&invocation).join(" "), expected);
    assert_eq!(testing::input(&invocation), b"the code");
    assert_eq!(agent::directory(&invocation), Directory::Empty, "its settings would run code");
    let trusted = Invocation { trust_project: true, ..invocation };
    assert_eq!(agent::directory(&trusted), Directory::Project);
    let resume = Resume { session_id: "s1".to_owned(), at: None };
    let resumed = testing::arguments(&Invocation { resume: Some(&resume), ..invocation }).join(" ");
    assert!(resumed.contains(" --fork s1 --cwd . --only-tools "), "{resumed}");
}
