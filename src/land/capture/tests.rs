use std::path::Path;

use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::agent::Protocol;
use crate::land::prepare;
use crate::request::sample;
use crate::stream::{Line, ProcessEnd, Stream};

/// What the preview shows of an answer of which so much came.
fn shown(request: &Request, keep: usize, text: &str) -> Vec<String> {
    let mut capture = Capture::new(request, keep);
    capture.update(&Update::Text { text: text.into(), begins: false });
    capture.lines()
}

#[test]
fn the_newest_lines_of_the_code_are_shown() {
    let rust = sample::lines("rust", &["value = 1"]);
    let prose = sample::lines("markdown", &["some text"]);
    let question = sample::with(rust.clone(), |job| job.question = true);
    let fenced = sample::lines("rust", &["```", "x", "```"]);
    let long = "ä".repeat(1000);
    let cases: &[(&Request, &str, &[&str])] = &[
        (&rust, "```rust\na\nbc\nd\ne", &["bc", "d", "e"]),
        (&rust, "```ru", &[]),
        (&rust, "Here it is:\n``", &["Here it is:"]),
        (&rust, "Here it is:\n```\nfn a", &["fn a"]),
        (&rust, "```\na\n``", &["a"]),
        (&rust, "```\na\n```x\n", &["a", "```x"]),
        (&rust, "```\na\n```\nThat is all", &["a"]),
        (&rust, "```\na\n```\nOr:\n```\nb\n", &["b"]),
        (&rust, "fn a() {\n    b()", &["fn a() {", "    b()"]),
        (&rust, "a\n\n", &["a", ""]),
        (&rust, "  ```\n  a\n    b\n c", &["a", "  b", "c"]),
        (&rust, "a\x1b[31m\tb\r\n\u{7}c", &["a [31m\tb", " c"]),
        (&rust, &format!("{long}\n{long}"), &[&long[..400], &long[..400]]),
        (&prose, "\n```markdown\n# A\n", &["# A"]),
        (&prose, "So:\n```\na\n```\n", &["```", "a", "```"]),
        (&prose, "```\na\n```\nmore", &["a", "```", "more"]),
        (&question, "```\na\n```\n", &["```", "a", "```"]),
        (&fenced, "```\na\n```\n", &["```", "a", "```"]),
    ];
    for (request, text, expected) in cases {
        assert_eq!(shown(request, 3, text), *expected, "{text}");
    }
}

#[test]
fn a_new_message_starts_anew() {
    let mut capture = Capture::new(&sample::lines("rust", &["x"]), 3);
    let text = |text: &'static str, begins| Update::Text { text: text.into(), begins };
    capture.update(&text("```\nold\nhal", true));
    capture.update(&Update::Restart);
    assert_eq!(capture.lines(), [""; 0]);
    capture.update(&text("ne", false));
    capture.update(&text("w", false));
    assert_eq!(capture.lines(), ["new"]);
}

/// At the end of every recorded stream with an answer that could land, whether it came in parts or whole, after tools
/// and other messages or without, the preview shows the end of that answer.
#[test]
fn of_recorded_streams_it_shows_the_answer() {
    let request = sample::lines("rust", &["value = 1"]);
    let mut compared = 0;
    for (protocol, folder) in [(Protocol::Claude, "claude"), (Protocol::Droid, "droid")] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(folder);
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            // Those made up for a fault have results that were never streamed.
            if path.file_name().unwrap().to_string_lossy().starts_with("made-") {
                continue;
            }
            let recording = std::fs::read(&path).unwrap();
            let mut capture = Capture::new(&request, 3);
            let mut stream = Stream::new(protocol.recipe().recorded(), "/home/dev/project");
            let mut updates = Vec::new();
            for line in recording.split(|&byte| byte == b'\n') {
                stream.take(Line::Whole(line), &mut |update| updates.push(update));
            }
            for update in &updates {
                capture.update(update);
            }
            capture.update(&Update::Text { text: "\n".into(), begins: false });
            let outcome = stream.end(&ProcessEnd::with_code(0), &mut |_| {});
            let Some(answer) = outcome.text.filter(|_| outcome.held_for.is_none()) else { continue };
            let landing = prepare(&request, &answer);
            if landing.held_for.is_some() {
                continue;
            }
            assert_eq!(
                unindented(&capture.lines()),
                unindented(newest(&landing.lines, 3)),
                "{}",
                path.display()
            );
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared} recordings were compared");
}

fn newest(lines: &[String], count: usize) -> &[String] {
    &lines[lines.len().saturating_sub(count)..]
}

/// The preview shows the answer's own indentation.
fn unindented(lines: &[String]) -> Vec<&str> {
    lines.iter().map(|line| line.trim_start()).collect()
}

proptest! {
    #[test]
    fn at_the_end_it_is_what_lands(
        before in select(vec!["", "\n", "Here it is:\n\n"]),
        fence in select(vec!["```", "~~~~", "  ```"]),
        block in any::<bool>(),
        content in proptest::collection::vec("[ a-z(){};]{0,12}", 1..9),
        after in select(vec!["", "\n", "\nThat is all of it.\n"]),
        keep in 1..5usize,
    ) {
        let code = content.join("\n");
        let answer = if block {
            format!("{before}{fence}rust\n{code}\n{fence}{after}")
        } else {
            code
        };
        let request = sample::lines("rust", &["value = 1"]);
        let landing = prepare(&request, &answer);
        prop_assert_eq!(landing.held_for, None);
        let end = if answer.ends_with('\n') { "" } else { "\n" };
        let lines = shown(&request, keep, &(answer + end));
        prop_assert_eq!(unindented(&lines), unindented(newest(&landing.lines, keep)));
    }
}
