use proptest::prelude::*;

use super::{HeldFor, Landing, prepare};
use crate::request::{Request, SelectionKind, sample};

fn lines(text: &[&str]) -> Vec<String> {
    text.iter().map(|&line| line.to_owned()).collect()
}

#[test]
fn an_empty_answer_deletes_rows_and_empties_parts() {
    let empty = "```\n```";
    let rows = prepare(&sample::lines("rust", &["a", "b"]), empty);
    assert_eq!(rows, Landing { held_for: None, lines: vec![], doubt: None });
    let one_empty = Landing { held_for: None, lines: lines(&[""]), doubt: None };
    assert_eq!(prepare(&sample::part("rust", &["a«b»c"]), empty), one_empty);
    assert_eq!(prepare(&sample::block("rust", &["a«b»c"]), empty), one_empty);
    assert_eq!(prepare(&sample::insert("rust", &["a"], &[]), empty), Landing { lines: vec![], ..one_empty });
}

#[test]
fn another_number_of_rows_than_the_block_has_is_held() {
    let request = sample::block("rust", &["a«1»", "b«2»"]);
    let landing = |held_for, text: &[&str]| Landing { held_for, lines: lines(text), doubt: None };
    assert_eq!(prepare(&request, "3\n4\n"), landing(None, &["3", "4"]));
    assert_eq!(prepare(&request, "3\n\n"), landing(None, &["3", ""]));
    assert_eq!(prepare(&request, "3"), landing(Some(HeldFor::BlockRows), &["3"]));
    assert_eq!(prepare(&request, "3\n4\n5"), landing(Some(HeldFor::BlockRows), &["3", "4", "5"]));
}

#[test]
fn a_review_holds_the_tidied_answer() {
    let request = sample::with(sample::lines("rust", &["    a"]), |job| job.review = true);
    let held = |held_for, text: &[&str]| {
        let held_for = Some(held_for);
        Landing { held_for, lines: lines(text), doubt: None }
    };
    assert_eq!(prepare(&request, "```\nb\n```"), held(HeldFor::Review, &["    b"]));
    let two = "```\nb\n```\n```\nc\n```";
    assert_eq!(prepare(&request, two), held(HeldFor::Ambiguous, &["```", "b", "```", "```", "c", "```"]));
}

#[test]
fn an_answer_to_a_question_is_left_as_it_is() {
    let request =
        sample::with(sample::lines("rust", &["    a"]), |job| (job.question, job.review) = (true, true));
    let text = "Because:\r\n```\nb\n```\n";
    let landing =
        Landing { held_for: None, lines: lines(&["Because:\r", "```", "b", "```", ""]), doubt: None };
    assert_eq!(prepare(&request, text), landing);
}

/// Rows and answers out of few pieces, so that they have lines and depths in common.
fn text(fences: &'static str) -> impl Strategy<Value = Vec<String>> {
    let indents = prop::sample::select(vec!["", "", " ", "  ", "    ", "        ", "\t", "\t\t", "\t  "]);
    let words = prop::sample::select(vec!["", "a", "b();", "if c {", "}", "d:", "é\u{2028}", "e\r"]);
    let line = (indents, words).prop_map(|(indent, word)| format!("{indent}{word}"));
    let fence = prop::sample::select(fences.split(' ').map(str::to_owned).collect::<Vec<_>>());
    prop::collection::vec(prop_oneof![6 => line, 1 => fence], 1..12)
}

const KINDS: [SelectionKind; 4] =
    [SelectionKind::Line, SelectionKind::Char, SelectionKind::Block, SelectionKind::Insert];

fn request(kinds: &[SelectionKind]) -> impl Strategy<Value = Request> {
    let filetype = prop::sample::select(vec!["rust", "markdown", "make", ""]);
    let kind = prop::sample::select(kinds.to_vec());
    (filetype, text("a ```"), kind, 0_usize..3).prop_map(|(filetype, rows, kind, column)| {
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let marked: Vec<String> = rows.iter().map(|row| marked(row, column)).collect();
        let marked: Vec<&str> = marked.iter().map(String::as_str).collect();
        match kind {
            SelectionKind::Line => sample::lines(filetype, &rows),
            SelectionKind::Char => sample::part(filetype, &marked),
            SelectionKind::Block => sample::block(filetype, &marked),
            SelectionKind::Insert => {
                sample::insert(filetype, &rows[..rows.len() / 2], &rows[rows.len() / 2..])
            }
        }
    })
}

/// The row, selected from one of its first characters to its end.
fn marked(row: &str, column: usize) -> String {
    let at = row.char_indices().nth(column).map_or(row.len(), |(at, _)| at);
    format!("{}«{}»", &row[..at], &row[at..])
}

proptest! {
    #[test]
    fn nothing_makes_it_panic(request in request(&KINDS), answer in text("a ``` ~~~ ```` ```rust"), end in "[\r\n]{0,3}") {
        prepare(&request, &(answer.join("\n") + &end));
    }

    // Within a row a line that opens a block hides how deep the next one was meant: no parts here.
    #[test]
    fn what_is_tidy_stays_as_it_is(request in request(&[SelectionKind::Line, SelectionKind::Block, SelectionKind::Insert]), answer in text("a")) {
        let tidied = prepare(&request, &answer.join("\n")).lines;
        let again = prepare(&request, &(tidied.join("\n") + "\n")).lines;
        prop_assert_eq!(again, tidied);
    }

    #[test]
    fn only_blanks_are_added_and_taken(request in request(&KINDS), answer in text("a")) {
        let words = |lines: &[String]| -> Vec<String> {
            let words: Vec<_> = lines.iter().map(|line| line.trim().replace('\r', "")).collect();
            let len = words.iter().rposition(|word| !word.is_empty()).unwrap_or_default() + 1;
            words[..len].to_vec()
        };
        prop_assert_eq!(words(&prepare(&request, &answer.join("\n")).lines), words(&answer));
    }

    #[test]
    fn the_selection_itself_is_unchanged(rows in text("a")) {
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let request = sample::lines("rust", &rows);
        let landing = prepare(&request, &(rows.join("\n") + "\n"));
        prop_assert_eq!(landing.lines, rows);
    }
}
