//! `botglue parse`: what becomes of every recorded stream, readable and complete, and how it is called.

use std::fs::{self};
use std::process::{Command, Output, Stdio};

use botglue::stream::ExitStatus;
use serde_json::Value;

use crate::streams::{Recording, recordings};

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
    parse(&["--agent", recording.agent.name, option, &number, "--stderr", &stderr, &path])
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
