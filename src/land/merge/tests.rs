use proptest::prelude::*;

use super::*;
use crate::document::{Document, Place, RowId, unchanged};

fn row(id: RowId, text: &str) -> Row {
    Row { id, split_from: None, hash: 0, nonblank_hash: 0, text: text.as_bytes().into() }
}

fn base(text: &str) -> Vec<Row> {
    (0..).zip(text.split_whitespace()).map(|(id, text)| row(id, text)).collect()
}

/// Rows by words: `bb` is that row of the base, `BB#1` is row 1 of the base, edited, and `+bb` is a new row.
fn current(base: &[Row], text: &str) -> Vec<Row> {
    let read = |(at, word): (u64, &str)| {
        let new = || row(1000 + at, word.trim_start_matches('+'));
        if let Some((text, id)) = word.split_once('#') {
            return row(id.parse().unwrap(), text);
        }
        base.iter().find(|row| row.text.as_ref() == word.as_bytes()).cloned().unwrap_or_else(new)
    };
    (0..).zip(text.split_whitespace()).map(read).collect()
}

/// What there is once the clean hunks are written; a conflict as `<current|answer>`.
fn written<R: AsRef<[u8]>>(current: &[Row], answer: &[R], hunks: &[MergeHunk]) -> Vec<String> {
    let read = |row: &[u8]| String::from_utf8(row.to_vec()).unwrap();
    let mut rows: Vec<String> = current.iter().map(|row| read(&row.text)).collect();
    for hunk in hunks.iter().rev() {
        let lines: Vec<String> = answer[hunk.answer.clone()].iter().map(|line| read(line.as_ref())).collect();
        let lines = if hunk.is_conflict {
            vec![format!("<{}|{}>", rows[hunk.current.clone()].join(" "), lines.join(" "))]
        } else {
            lines
        };
        rows.splice(hunk.current.clone(), lines);
    }
    rows
}

/// The hunks of an answer, which is compared with the base.
fn merge_rows<R: AsRef<[u8]>>(base: &[Row], current: &[Row], answer: &[R]) -> Vec<MergeHunk> {
    super::merge_rows(base, current, bytes(answer), &unchanged(base, answer))
}

#[test]
fn real_cases() {
    let cases = [
        ("the answer alone", "aa bb cc", "aa bb cc", "aa XX cc", "aa XX cc"),
        ("the user alone", "aa bb cc", "aa XX#1 cc", "aa bb cc", "aa XX cc"),
        ("far apart", "aa bb cc dd ee", "AA#0 bb cc dd ee", "aa bb cc dd EE", "AA bb cc dd EE"),
        ("both the same", "aa bb cc", "aa XX#1 cc", "aa XX cc", "aa XX cc"),
        ("one row differently", "aa bb cc", "aa XX#1 cc", "aa YY cc", "aa <XX|YY> cc"),
        ("neighbouring rows", "aa bb cc", "AA#0 bb cc", "aa BB cc", "AA <bb|BB> cc"),
        ("rows put in at one place", "aa bb", "aa XX bb", "aa YY bb", "aa <XX|YY> bb"),
        ("the same row put in at one place", "aa bb", "aa XX bb", "aa XX bb", "aa XX bb"),
        ("the user deleted what changed", "aa bb cc", "aa cc", "aa XX cc", "aa <|XX> cc"),
        ("the user changed what is deleted", "aa bb cc", "aa XX#1 cc", "aa cc", "aa <XX|> cc"),
        ("both deleted the same", "aa bb cc", "aa cc", "aa cc", "aa cc"),
        ("both deleted, one of them more", "aa bb cc dd", "aa dd", "aa cc dd", "aa <|cc> dd"),
        ("a row put in before a changed one", "aa bb cc", "aa XX bb cc", "aa YY cc", "aa <XX bb|YY> cc"),
        ("appended and prepended", "aa bb cc", "XX aa bb cc", "aa bb cc YY", "XX aa bb cc YY"),
        ("the user emptied it", "aa bb cc", "", "aa bb XX", "<|aa bb XX>"),
        ("out of nothing", "", "", "YY", "YY"),
        ("out of nothing, both", "", "XX", "YY", "<XX|YY>"),
        ("a row moved from around a change", "aa bb cc dd", "bb cc dd aa", "aa bb CC dd", "bb CC dd aa"),
        ("a row moved that is changed", "aa bb cc dd", "bb cc dd aa", "AA bb cc dd", "<|AA> bb cc dd aa"),
        (
            "a row moved, the change stays",
            "aa bb cc dd ee",
            "aa cc bb dd ee",
            "aa bb cc dd EE",
            "aa cc bb dd EE",
        ),
        ("a row typed anew is another one", "aa bb cc", "aa +bb cc", "aa XX cc", "aa <bb|XX> cc"),
        (
            "two places, one in conflict",
            "aa bb cc dd ee",
            "XX#0 bb cc dd ee",
            "YY bb cc dd EE",
            "<XX|YY> bb cc dd EE",
        ),
        ("the user indented all around", "aa bb cc", "AA#0 BB#1 CC#2", "aa XX cc", "AA <BB|XX> CC"),
        ("the twin that is left", "aa ss ss bb", "aa ss#2 bb", "aa XX ss bb", "aa <|XX> ss bb"),
        ("the twin further up", "aa ss bb ss cc", "aa bb ss#3 cc", "aa ss bb XX cc", "aa bb XX cc"),
        (
            "either of two twins deleted",
            "aa ss ss bb cc dd",
            "aa ss#1 ss#2 bb cc DD#5",
            "aa ss bb cc dd",
            "aa ss bb cc DD",
        ),
        (
            "either of two twins, one is edited",
            "aa ss ss bb",
            "aa SS#1 ss#2 bb",
            "aa ss bb",
            "aa <SS ss|ss> bb",
        ),
        (
            "the same row, two places",
            "aa bb cc dd",
            "XX aa bb cc dd",
            "aa bb cc dd XX",
            "XX aa bb cc dd <|XX>",
        ),
        (
            "one row moved to two places",
            "aa bb cc dd ee",
            "bb cc aa dd ee",
            "bb cc dd aa ee",
            "bb cc aa dd <|aa> ee",
        ),
        ("a bracket, two places", "aa bb cc dd", "} aa bb cc dd", "aa bb cc dd }", "} aa bb cc dd }"),
    ];
    for (name, base_text, current_text, answer, expected) in cases {
        let base = base(base_text);
        let current = current(&base, current_text);
        let answer: Vec<&str> = answer.split_whitespace().collect();
        let hunks = merge_rows(&base, &current, &answer);
        assert_eq!(written(&current, &answer, &hunks).join(" ").replace("  ", " "), expected, "{name}");
    }
}

#[test]
fn rows_are_bytes_and_white_space_counts() {
    let rows = |texts: [&[u8]; 3]| -> Vec<Row> {
        (0..).zip(texts).map(|(id, text)| Row { text: text.into(), ..row(id, "") }).collect()
    };
    let base = rows([b"\xff\xfe first", b"second\r", b"  third"]);
    let current = rows([b"\xff\xfe first", b"second\r", b"third"]);
    let answer: [&[u8]; 3] = [b"\xff first", b"second\r", b"  third"];
    let hunk = MergeHunk { base: 0..1, current: 0..1, answer: 0..1, is_conflict: false, is_doubled: false };
    assert_eq!(merge_rows(&base, &current, &answer), [hunk]);
    let answer: [&[u8]; 3] = [b"\xff\xfe first", b"second\r", b"\tthird"];
    let hunk = MergeHunk { base: 2..3, current: 2..3, answer: 2..3, is_conflict: true, is_doubled: false };
    assert_eq!(merge_rows(&base, &current, &answer), [hunk]);
}

#[test]
fn a_landing_is_reverted_by_the_same_merge() {
    let mut document = Document::new(["above", "one", "two", "three", "below"]);
    let anchor = document.anchor(&Place::Lines(1..4));
    let before = ["one", "two", "three"];
    document.apply_answer(anchor, 2..3, &["two and a half", "more"]);
    document.landed(anchor, &Place::Lines(1..5));
    document.apply(1..2, &["one, by the user"]);
    document.apply(0..0, &["top"]);
    let located = document.locate(anchor, None).unwrap();
    assert_eq!(located.now.place, Place::Lines(2..6));
    let hunks = merge_rows(&located.base.rows, &located.now.rows, &before);
    assert_eq!(
        written(&located.now.rows, &before, &hunks),
        ["one, by the user", "<two and a half more|two>", "three"]
    );
    document.apply(2..3, &["one"]);
    let located = document.locate(anchor, None).unwrap();
    let hunks = merge_rows(&located.base.rows, &located.now.rows, &before);
    assert_eq!(written(&located.now.rows, &before, &hunks), before);
}

/// A step of a side: what is done, where, and the text and the place of it.
type SideStep = (usize, usize, usize, String);

fn steps() -> impl Strategy<Value = Vec<SideStep>> {
    prop::collection::vec((0..5_usize, 0..14_usize, 0..14_usize, text()), 0..6)
}

fn text() -> impl Strategy<Value = String> {
    "[a-d]|[a-c]{2}|\\}"
}

fn texts() -> impl Strategy<Value = Vec<Row>> {
    let rows = |texts: Vec<String>| (0..).zip(&texts).map(|(id, text)| row(id, text)).collect();
    prop::collection::vec(text(), 0..12).prop_map(rows)
}

/// The rows of a side: of the base each is left, edited, deleted or moved; new ones have ids from `id` on.
fn change(base: &[Row], steps: &[SideStep], id: RowId) -> Vec<Row> {
    let mut rows = base.to_vec();
    for (id, (kind, at, to, text)) in (id..).zip(steps) {
        let at = (*at).min(rows.len());
        match kind {
            0 if at < rows.len() => rows[at].text = text.as_bytes().into(),
            1 if at < rows.len() => drop(rows.remove(at)),
            2 if at < rows.len() => {
                let row = rows.remove(at);
                rows.insert((*to).min(rows.len()), row);
            }
            _ => rows.insert(at, row(id, text)),
        }
    }
    rows
}

fn count(rows: &[String], text: &str) -> usize {
    rows.iter().filter(|row| *row == text).count()
}

proptest! {
    #[test]
    fn what_the_user_changed_is_never_written_over(base in texts(), ours in steps(), theirs in steps()) {
        let (ours, theirs) = (change(&base, &ours, 100), change(&base, &theirs, 200));
        let hunks = merge_rows(&base, &ours, &theirs);
        for pair in hunks.windows(2) {
            prop_assert!(pair[0].base.end <= pair[1].base.start && pair[0].current.end <= pair[1].current.start);
        }
        for hunk in hunks.iter().filter(|hunk| !hunk.is_conflict) {
            prop_assert_eq!(&ours[hunk.current.clone()], &base[hunk.base.clone()]);
        }
    }

    /// Rows that are unlike all others, so that each can be told from the rest.
    #[test]
    fn no_row_is_lost_and_none_invented(rows in 1..12_u64, ours in steps(), theirs in steps()) {
        let base: Vec<Row> = (0..rows).map(|id| row(id, &format!("base {id}"))).collect();
        let own = |steps: Vec<SideStep>, who: &str| -> Vec<SideStep> {
            steps.into_iter().enumerate().map(|(n, (kind, at, to, _))| (kind, at, to, format!("{who} {n}"))).collect()
        };
        let (ours, theirs) = (change(&base, &own(ours, "ours"), 100), change(&base, &own(theirs, "theirs"), 200));
        let hunks = merge_rows(&base, &ours, &theirs);
        let is_clean = hunks.iter().all(|hunk| !hunk.is_conflict);
        let clean: Vec<MergeHunk> = hunks.into_iter().filter(|hunk| !hunk.is_conflict).collect();
        let merged = written(&ours, &theirs, &clean);
        let (base, ours, theirs) = (written(&base, &ours, &[]), written(&ours, &ours, &[]), written(&theirs, &ours, &[]));
        for row in &merged {
            prop_assert!(ours.contains(row) || theirs.contains(row), "{} is invented", row);
            prop_assert_eq!(count(&merged, row), 1, "{}", row);
        }
        for row in &ours {
            let is_kept = !base.contains(row) || (is_clean && theirs.contains(row));
            prop_assert!(!is_kept || merged.contains(row), "{} is lost", row);
        }
        for row in theirs.iter().filter(|row| is_clean && (!base.contains(row) || ours.contains(row))) {
            prop_assert!(merged.contains(row), "{} of the answer is lost", row);
        }
    }
}
