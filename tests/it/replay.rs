//! A stream means the same however its bytes arrive; and `botglue replay`, which makes them arrive.

use std::process::{Command, Stdio};

use botglue::agent::Protocol;
use botglue::stream::{Line, Lines};

use crate::streams::{read, recordings};

/// A stream sees lines and nothing else: where these are the same, so is the outcome. Comparing them makes it
/// possible to try every split.
#[test]
fn every_split_into_two_chunks_gives_the_same_lines() {
    for recording in recordings() {
        let mut whole = Vec::new();
        split(&[&recording.bytes], &mut |line| whole.push(line.to_vec()));
        for at in 0..recording.bytes.len() {
            let (head, tail) = recording.bytes.split_at(at);
            let mut expected = whole.iter();
            split(&[head, tail], &mut |line| {
                assert_eq!(
                    expected.next().map(Vec::as_slice),
                    Some(line),
                    "{} split at {at}",
                    recording.name
                );
            });
            assert_eq!(expected.next(), None, "{} split at {at}", recording.name);
        }
    }
}

#[test]
fn windows_line_ends_a_byte_order_mark_and_a_missing_last_newline_change_nothing() {
    for recording in recordings().into_iter().filter(|recording| recording.protocol != Protocol::Text) {
        let (updates, outcome) = read(recording.agent, [&*recording.bytes], &recording.end);
        let Ok(text) = str::from_utf8(&recording.bytes) else { continue };
        let other = format!("\u{feff}{}", text.trim_end().replace('\n', "\r\n"));
        assert_eq!(
            read(recording.agent, [other.as_bytes()], &recording.end),
            (updates, outcome),
            "{}",
            recording.name
        );
    }
}

fn split(chunks: &[&[u8]], each: &mut dyn FnMut(&[u8])) {
    let mut lines = Lines::default();
    let mut each = |line: Line<'_>| match line {
        Line::Whole(line) => each(line),
        Line::Oversized => panic!("no recording has a line of this length"),
    };
    for chunk in chunks {
        lines.push(chunk, &mut each);
    }
    lines.finish(&mut each);
}

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
