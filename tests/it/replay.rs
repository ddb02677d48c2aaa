//! `botglue replay`: plays recordings as an agent would print them.

use std::process::{Command, Stdio};

use botglue::agent::Protocol;

use crate::streams::recordings;

fn replay(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_botglue"));
    command.arg("replay").args(arguments).stdin(Stdio::null());
    command
}

#[test]
fn replay_plays_every_byte_and_ignores_what_follows_the_file() {
    for recording in recordings().into_iter().filter(|recording| recording.protocol != Protocol::Acp) {
        let path = recording.path.to_string_lossy();
        for options in [&["--chunk", "7"][..], &["--exit-code", "3"], &[]] {
            let arguments = [options, &[&path, "-p", "--chunk", "--nope", "x"]].concat();
            let output = replay(&arguments).output().unwrap();
            assert!(output.stdout == recording.bytes, "{}", recording.name);
            let code = if options == ["--exit-code", "3"] { 3 } else { 0 };
            assert_eq!(output.status.code(), Some(code));
        }
    }
}

/// An agent need not read what it is sent, and the sender may never close the pipe.
#[test]
fn replay_waits_for_nobody() {
    let recording = recordings().swap_remove(0);
    let path = recording.path.to_string_lossy();
    let mut open = replay(&[&path]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let pipe = open.stdin.take();
    assert!(open.wait_with_output().unwrap().stdout == recording.bytes);
    drop(pipe);

    let mut gone = replay(&["--exit-code", "4", &path]).stdout(Stdio::piped()).spawn().unwrap();
    drop(gone.stdout.take());
    assert_eq!(gone.wait().unwrap().code(), Some(4));
}
