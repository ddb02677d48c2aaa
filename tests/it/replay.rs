//! A stream means the same however its bytes arrive.

use botglue::stream::{End, Line, Lines};

use crate::streams::{read, recordings};

/// A stream sees lines and nothing else: where these are the same, so is the outcome. Comparing them makes it
/// possible to try every split.
#[test]
fn every_split_into_two_chunks_gives_the_same_lines() {
    for recording in recordings() {
        let whole = lines(&[&recording.bytes]);
        for at in 0..recording.bytes.len() {
            let (head, tail) = recording.bytes.split_at(at);
            assert_eq!(lines(&[head, tail]), whole, "{} split at {at}", recording.name);
        }
    }
}

#[test]
fn many_splits_give_the_same_updates_and_the_same_outcome() {
    let end = End::with_code(0);
    for recording in recordings() {
        let whole = read(recording.protocol, [&*recording.bytes], &end);
        for at in (0..recording.bytes.len()).step_by(97) {
            let (head, tail) = recording.bytes.split_at(at);
            assert_eq!(
                read(recording.protocol, [head, tail], &end),
                whole,
                "{} split at {at}",
                recording.name
            );
        }
    }
}

#[test]
fn byte_by_byte_gives_the_same_outcome() {
    let end = End::with_code(0);
    for recording in recordings() {
        let whole = read(recording.protocol, [&*recording.bytes], &end);
        let bytes = read(recording.protocol, recording.bytes.chunks(1), &end);
        assert_eq!(bytes, whole, "{}", recording.name);
    }
}

#[test]
fn windows_line_ends_a_byte_order_mark_and_a_missing_last_newline_change_nothing() {
    let end = End::with_code(0);
    for recording in recordings() {
        let (updates, outcome) = read(recording.protocol, [&*recording.bytes], &end);
        let text = String::from_utf8(recording.bytes).unwrap();
        let other = format!("\u{feff}{}", text.trim_end().replace('\n', "\r\n"));
        assert_eq!(
            read(recording.protocol, [other.as_bytes()], &end),
            (updates, outcome),
            "{}",
            recording.name
        );
    }
}

fn lines(chunks: &[&[u8]]) -> Vec<Vec<u8>> {
    let mut lines = Lines::default();
    let mut found = Vec::new();
    let mut each = |line: Line<'_>| match line {
        Line::Whole(line) => found.push(line.to_vec()),
        Line::Oversized => panic!("no recording has a line of this length"),
    };
    for chunk in chunks {
        lines.push(chunk, &mut each);
    }
    lines.finish(&mut each);
    found
}
