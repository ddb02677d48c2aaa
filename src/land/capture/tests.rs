use std::path::Path;

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::*;
use crate::agent::Protocol;
use crate::land::prepare;
use crate::request::sample;
use crate::stream::{ProcessEnd, Stream};

/// What the preview shows of an answer that came in these pieces.
fn shown(filetype: &str, keep: usize, pieces: &[&str]) -> Vec<String> {
    let mut capture = Capture::new(&sample::lines(filetype, &["value = 1"]), keep);
    for piece in pieces {
        capture.push(piece);
    }
    capture.lines()
}

fn rust(pieces: &[&str]) -> Vec<String> {
    shown("rust", 3, pieces)
}

#[test]
fn the_newest_lines_of_the_block_are_shown_as_they_come() {
    assert_eq!(rust(&["```rust\na\nb", "c\n", "d\ne"]), ["bc", "d", "e"]);
    assert_eq!(rust(&["```ru"]), [""; 0]);
    assert_eq!(rust(&["Here it is:\n", "``"]), ["Here it is:"]);
    assert_eq!(rust(&["Here it is:\n", "```\nfn a"]), ["fn a"]);
    assert_eq!(rust(&["```\na\n``"]), ["a"], "it may be the end");
    assert_eq!(rust(&["```\na\n```", "x\n"]), ["a", "```x"], "it was none");
    assert_eq!(rust(&["```\na\n```\nThat is all"]), ["a"]);
    assert_eq!(rust(&["```\na\n```\nOr:\n```\nb\n"]), ["b"], "the newest block");
}

#[test]
fn without_a_fence_the_text_itself_is_the_code() {
    assert_eq!(rust(&["fn a() {\n", "    b()"]), ["fn a() {", "    b()"]);
    assert_eq!(rust(&["a\n\n"]), ["a", ""]);
}

#[test]
fn indentation_goes_as_far_as_the_fence_has_it() {
    assert_eq!(rust(&["  ```\n  a\n    b\n c"]), ["a", "  b", "c"]);
}

#[test]
fn in_prose_only_a_fence_around_the_whole_answer_is_none_of_it() {
    let prose = |pieces: &[&str]| shown("markdown", 4, pieces);
    assert_eq!(prose(&["\n```markdown\n# A\n"]), ["# A"]);
    assert_eq!(prose(&["So:\n```\na\n```\n"]), ["So:", "```", "a", "```"]);
    assert_eq!(prose(&["```\na\n```\n\nmore"]), ["a", "more"]);
}

#[test]
fn fences_stay_where_the_selection_has_some_and_in_answers_to_questions() {
    let answer = "```\na\n```\n";
    let mut question = sample::lines("rust", &["value = 1"]);
    question.question = true;
    for request in [question, sample::lines("rust", &["/// ```", "/// x", "/// ```"])] {
        let request = crate::request::Request {
            selection: crate::request::Selection {
                text: request.selection.text.iter().map(|row| row.replace("/// ", "")).collect(),
                ..request.selection
            },
            ..request
        };
        let mut capture = Capture::new(&request, 9);
        capture.push(answer);
        assert_eq!(capture.lines(), ["```", "a", "```"]);
    }
}

#[test]
fn a_new_message_starts_anew() {
    let mut capture = Capture::new(&sample::lines("rust", &["x"]), 3);
    capture.push("```\nold\nhal");
    capture.update(&Update::Restart);
    assert_eq!(capture.lines(), [""; 0]);
    capture.push("new");
    assert_eq!(capture.lines(), ["new"]);
}

#[test]
fn what_is_shown_is_clean_and_bounded() {
    assert_eq!(rust(&["a\x1b[31m\tb\r\n", "\u{7}c"]), ["a [31m\tb", " c"]);
    let long = "ä".repeat(1000);
    let lines = rust(&[&long, "\n", &long, &long]);
    assert_eq!(lines, ["ä".repeat(200), "ä".repeat(200)]);
    let mut capture = Capture::new(&sample::lines("rust", &["x"]), 3);
    for _ in 0..10_000 {
        capture.push("some line of code\n");
    }
    assert_eq!(capture.newest.len(), 3);
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
            let mut stream = Stream::new(protocol, "/home/dev/project");
            let mut updates = Vec::new();
            for line in recording.split(|&byte| byte == b'\n') {
                stream.line(line, &mut |update| updates.push(update.into_owned()));
            }
            for update in &updates {
                capture.update(update);
            }
            capture.push("\n");
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

/// Lines of which some look like fences.
fn line() -> impl Strategy<Value = String> {
    const ODD: [&str; 12] =
        ["```", "````", "~~~", "``` rs", "  ```", "    ```", "``", "", "  ", "x ```", "- a", "é`~"];
    prop_oneof![select(&ODD[..]).prop_map(str::to_owned), "[ a-z(){};é]{0,12}"]
}

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(line(), 0..12).prop_map(|lines| lines.join("\n"))
}

/// The text in pieces, cut at these places.
fn pieces<'a>(text: &'a str, cuts: &[Index]) -> Vec<&'a str> {
    let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| *cut.get(&ends)).collect();
    cuts.sort_unstable();
    let starts = [0].into_iter().chain(cuts.clone());
    starts.zip(cuts.iter().copied().chain([text.len()])).map(|(from, to)| &text[from..to]).collect()
}

proptest! {
    #[test]
    fn it_is_the_same_however_the_text_is_split(
        text in text(),
        cuts in proptest::collection::vec(any::<Index>(), 0..8),
        filetype in select(vec!["rust", "markdown"]),
    ) {
        prop_assert_eq!(shown(filetype, 3, &pieces(&text, &cuts)), shown(filetype, 3, &[&text]));
    }

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
        let mut capture = Capture::new(&request, keep);
        capture.push(&answer);
        if !answer.ends_with('\n') {
            capture.push("\n");
        }
        let lines = capture.lines();
        prop_assert_eq!(unindented(&lines), unindented(newest(&landing.lines, keep)));
    }
}
