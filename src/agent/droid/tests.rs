//! Cases of Droid's stream that no recording in `tests/fixtures` has, and its command line.

use std::time::Duration;

use super::*;
use crate::agent::testing::{came_to, message, run, run_with, shown};
use crate::agent::{AgentCommand, AgentStart, Directory, Protocol, Resume, testing};
use crate::stream::{Line, Outcome, ProcessEnd, Stopped, Stream};

const INIT: &str = r#"{"type":"system","subtype":"init","session_id":"s1","model":"gpt"}"#;
const TALK: &str = r#"{"type":"message","role":"assistant","id":"m1","text":"I will look."}"#;
const CALL: &str = r#"{"type":"tool_call","id":"t1","messageId":"m1","toolId":"Read","toolName":"Read","parameters":{"file_path":"/home/dev/project/a"}}"#;
const RETURN: &str =
    r#"{"type":"tool_result","id":"t1","messageId":"m2","toolId":"Read","isError":false,"value":"x"}"#;
const TEXT: &str = r#"{"type":"message","role":"assistant","id":"m3","text":"one"}"#;
const MORE: &str = r#"{"type":"message","role":"assistant","id":"m3","text":"two"}"#;
const DONE: &str = r#"{"type":"completion","finalText":"two"}"#;
const BROKEN: &str = r#"{"type":"message","te"#;

fn droid(lines: &[&str]) -> Outcome {
    run(Protocol::Droid, lines).1
}

#[test]
fn the_answer_is_every_text_of_the_last_message() {
    let (empty, talk) = (DONE.replace("two", ""), DONE.replace("two", "I will look."));
    let after_call = MORE.replace("m3", "m1");
    let error = r#"{"type":"error","source":"cli","message":"Exec failed"}"#;
    let nameless = |text: &str| format!(r#"{{"type":"message","role":"assistant","text":"{text}"}}"#);
    let (one, two) = (nameless("one"), nameless("two"));
    let indented = MORE.replace("two", "  two");
    let broken_off = DONE.replacen('{', r#"{"usage":{"input_tokens":9,"output_tokens":0},"#, 1);
    for (lines, expected) in [
        (&[TALK, CALL, RETURN, TEXT, MORE, DONE][..], "one\ntwo"),
        (&[TALK, MORE, DONE], "Raw: I will look.two"),
        (&[TALK, CALL, RETURN, DONE], "two"),
        (&[TALK, CALL, RETURN, &after_call, DONE], "two"),
        (&[TEXT, DONE], "Disagrees: two"),
        (&[TEXT, MORE, &empty], "one\ntwo"),
        (&[TALK, CALL, RETURN, &empty], "! empty_answer"),
        (&[TALK, CALL, &talk], "! empty_answer"),
        (&[TEXT, BROKEN, MORE, DONE], "! protocol"),
        (&[TEXT, BROKEN, DONE], "! protocol"),
        (&[BROKEN, TEXT, MORE, DONE], "one\ntwo"),
        (&[&indented, DONE], "  two"),
        (&[MORE, &broken_off], "Raw: two"),
        // It went on and came to an end.
        (&[error, MORE, DONE], "two"),
        // In 2025 there was no completion.
        (&[INIT, TEXT, BROKEN], "! protocol"),
        (&[INIT], "! empty_answer"),
        (&[&nameless("talk"), r#"{"type":"tool_call","toolName":"Read"}"#, &one, &two], "one\ntwo"),
        (&["Please run droid to log in", ""], "Raw: Please run droid to log in"),
        (&["f()", "{", "", "  {", "{}", "{ \"a\": 1 }", "}"], "Raw: f()\n{\n\n  {\n{}\n{ \"a\": 1 }\n}"),
    ] {
        assert_eq!(came_to(&droid(lines)), expected, "{lines:#?}");
    }
    let (updates, _) = run(Protocol::Droid, &[TEXT, MORE, DONE]);
    assert_eq!(shown(&updates), "one\ntwo");
}

#[test]
fn success_is_a_completion_and_no_signal() {
    let stopped = |stopped: Stopped| ProcessEnd { stopped: Some(stopped), ..ProcessEnd::with_code(0) };
    for (end, expected) in [
        (ProcessEnd::with_code(1), "two"),
        (ProcessEnd::with_signal(15), "! exited"),
        (stopped(Stopped::Timeout(Duration::from_millis(1500))), "! timeout"),
        (stopped(Stopped::Shutdown), "! host_lost"),
    ] {
        let mut stream = Stream::new(Protocol::Droid.recipe().recorded(), "");
        for line in [INIT, MORE, DONE] {
            stream.take(Line::Whole(line.as_bytes()), &mut |_| {});
        }
        assert!(stream.is_closing() && !stream.decided(), "a signal may still come");
        assert_eq!(came_to(&stream.end(&end, &mut |_| {})), expected);
        // None came, and it does not end.
        stream.close(&mut |_| {});
        assert!(stream.decided());
    }
}

#[test]
fn a_session_that_is_not_there_has_no_words() {
    let ended = |stderr: &str| {
        let mut resumed = Stream::new(Protocol::Droid.recipe().recorded(), "").resumed();
        let end = ProcessEnd { stderr: stderr.to_owned(), ..ProcessEnd::with_code(1) };
        resumed.end(&end, &mut |_| {})
    };
    assert_eq!(came_to(&ended("")), "! session_not_found");
    assert_eq!(came_to(&ended("no network")), "! exited");
    let (_, silent) = run_with(Protocol::Droid, &[], &ProcessEnd::with_code(1));
    assert!(message(&silent).contains("code 1 and said nothing"), "{}", message(&silent));
}

#[test]
fn tokens_run_on_in_a_session_and_turns_in_its_forks_too() {
    let scopes =
        UsageScopes { cost: UsageScope::Run, usage: UsageScope::Session, num_turns: UsageScope::Lineage };
    assert_eq!(droid(&[INIT, MORE, DONE]).scopes, scopes);
}

#[test]
fn only_tools_that_read_and_nothing_of_the_prompt_in_the_arguments() {
    let command =
        AgentCommand { model: Some("gpt".to_owned()), ..testing::command("droid", Protocol::Droid) };
    let tools = ["Read", "Grep", "Glob"].map(str::to_owned).into();
    let start = AgentStart { tools, ..testing::start(command) };
    let arguments = |start: &AgentStart| testing::invocation(start).arguments().join(" ");
    let expected = "droid exec -o stream-json -m gpt --only-tools Read,LS,Grep,Glob --append-system-prompt the rules --mine";
    assert_eq!(arguments(&start), expected);
    assert_eq!(testing::input(&start, "the code"), b"the code");
    assert_eq!(start.directory(), Directory::Empty, "its settings would run code");
    let trusted = AgentStart { trust_project: true, ..start.clone() };
    assert_eq!(trusted.directory(), Directory::Project);
    let resume = Some(Resume { session_id: "s1".to_owned(), at: None });
    let resumed = arguments(&AgentStart { resume, ..start });
    assert!(resumed.contains(" --fork s1 --cwd . --only-tools "), "{resumed}");
}
