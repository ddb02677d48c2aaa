//! `botglue parse`: what becomes of every recorded stream, readable and complete, and how it is called.

use std::fs::{self, File};
use std::io::Write;
use std::process::{Command, Output, Stdio};

use botglue::agent::Protocol;
use botglue::stream::{ExitStatus, Update};
use serde_json::Value;

use crate::streams::{Recording, read, recordings};

fn parse(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_botglue"))
        .arg("parse")
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Reads a recording with the end that its process had.
fn parse_recording(recording: &Recording) -> Output {
    let stderr = tempfile::NamedTempFile::new().unwrap();
    fs::write(stderr.path(), &recording.end.stderr).unwrap();
    let (option, number) = match recording.end.exit {
        ExitStatus::Code(code) => ("--exit-code", code.to_string()),
        ExitStatus::Signal(signal) => ("--signal", signal.to_string()),
    };
    let path = recording.path.to_string_lossy();
    let stderr = stderr.path().to_string_lossy();
    let agent = recording.agent.preset.map_or(recording.protocol.dialect().name, |preset| preset.name);
    parse(&["--agent", agent, option, &number, "--stderr", &stderr, &path])
}

fn lines(output: &Output) -> Vec<Value> {
    let text = std::str::from_utf8(&output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_recording_comes_to_its_expected_outcome() {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for recording in recordings() {
        let output = parse_recording(&recording);
        let mut report = String::new();
        for line in std::str::from_utf8(&output.stdout).unwrap().lines() {
            let value: Value = serde_json::from_str(line).unwrap();
            if value["kind"] == "finished" {
                report.push_str(&pretty(line));
            } else {
                report.push_str(line);
                report.push('\n');
            }
        }
        let name = recording.name.replace('/', "-");
        settings.set_description(format!("{:?}, then {}", recording.end.exit, output.status));
        settings.bind(|| insta::assert_snapshot!(name.split('.').next().unwrap(), report));
    }
}

/// Breaks the outcome into lines between its own fields, and leaves the order that it has.
fn pretty(line: &str) -> String {
    let fields =
        ["\"error\":", "\"session_id\":", "\"cost_usd\":", "\"usage\":", "\"num_turns\":", "\"tools\":"];
    let fields = fields.into_iter().chain(["\"checkpoints\":", "\"lines\":", "{\"id\":"]);
    fields.fold(line.to_owned(), |line, field| line.replace(field, &format!("\n  {field}")))
}

#[test]
fn a_job_would_have_made_the_same_of_it() {
    for recording in recordings() {
        let printed = lines(&parse_recording(&recording));
        let (updates, outcome) = read(recording.agent, [&*recording.bytes], &recording.end);
        let mut expected: Vec<Value> =
            updates.iter().map(|update: &Update| serde_json::to_value(update).unwrap()).collect();
        expected.push(serde_json::to_value(&outcome).unwrap());
        assert_eq!(printed, expected, "{}", recording.name);
    }
}

#[test]
fn wrong_usage_says_what_is_wrong() {
    let wrong = [
        (vec![], "--agent"),
        (vec!["--agent"], "--agent"),
        (vec!["--agent", "parrot"], "parrot"),
        (vec!["--agent", "claude", "--nope"], "--nope"),
        (vec!["--agent", "claude", "--signal", "nine"], "nine"),
        (vec!["--agent", "claude", "--signal", "0"], "--signal"),
        (vec!["--agent", "claude", "--signal", "-9"], "-9"),
        (vec!["--agent", "claude", "--exit-code", "-1"], "-1"),
        (vec!["--agent", "claude", "--exit-code", "256"], "256"),
        (vec!["--agent", "claude", "one", "two"], "two"),
        (vec!["--agent", "claude", "/there/is/no/such/file"], "/there/is/no/such/file"),
        (vec!["--agent", "claude", "--stderr", "/there/is/no/such/file"], "/there/is/no/such/file"),
    ];
    for (arguments, expected) in wrong {
        let output = parse(&arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains(expected), "{arguments:?}: {message}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn the_stream_may_come_on_standard_input() {
    for file in [vec![], vec!["-"]] {
        let stream =
            recordings().into_iter().find(|recording| recording.protocol == Protocol::Droid).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_botglue"))
            .args(["parse", "--agent=droid"])
            .args(&file)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(&stream.bytes).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(lines(&output).last().unwrap()["kind"], "finished");
    }
}

#[test]
fn the_error_quotes_the_end_of_standard_error() {
    let stderr = tempfile::NamedTempFile::new().unwrap();
    let mut file = File::create(stderr.path()).unwrap();
    for number in 0..5000 {
        writeln!(file, "line {number}\x1b[31m").unwrap();
    }
    let path = stderr.path().to_string_lossy();
    let output = parse(&["--agent", "droid", "--exit-code", "3", "--stderr", &path]);
    let outcome = lines(&output).pop().unwrap();
    let message = outcome["error"]["message"].as_str().unwrap();
    assert_eq!(outcome["error"]["code"], "exited");
    assert!(message.contains("code 3") && message.contains('…'), "{message}");
    assert!(message.ends_with("line 4998 [31m line 4999 [31m"), "{message}");
    assert!(!message.contains(char::is_control));
    assert!((9_000..11_000).contains(&message.len()), "{}", message.len());
}

#[test]
fn a_reader_that_went_away_changes_nothing() {
    let recording =
        recordings().into_iter().find(|recording| recording.name == "claude/subagent.jsonl").unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_botglue"))
        .args(["parse", "--agent", "claude"])
        .arg(&recording.path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
