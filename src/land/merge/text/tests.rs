use super::*;
use proptest::prelude::*;

/// Rows that a side replaced by others.
#[derive(PartialEq)]
struct SideEdit {
    first: usize,
    last: usize,
    lines: Vec<String>,
}

fn between(base: &[String], side: &[String]) -> Vec<SideEdit> {
    let ops = capture_diff_slices(Algorithm::Myers, base, side).into_iter();
    let edit = |op: DiffOp| {
        let rows = op.old_range();
        SideEdit { first: rows.start, last: rows.end, lines: side[op.new_range()].to_vec() }
    };
    ops.filter(|op| !matches!(op, DiffOp::Equal { .. })).map(edit).collect()
}

fn lines(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn merged(base: &str, ours: &str, theirs: &str) -> Option<String> {
    let forth = merge(&lines(base), &lines(ours), &lines(theirs));
    let back = merge(&lines(base), &lines(theirs), &lines(ours));
    assert_eq!(forth, back, "it matters which side is which");
    match forth {
        Merge::Clean(lines) => Some(lines.join(" ")),
        Merge::Conflict => None,
    }
}

#[test]
fn real_cases() {
    let cases = [
        ("only one side changed", "a b c", "a b c", "a X c", Some("a X c")),
        ("both changed far apart", "a b c d e", "A b c d e", "a b c d E", Some("A b c d E")),
        ("both the same", "a b c", "a X c", "a X c", Some("a X c")),
        ("the same line differently", "a b c", "a X c", "a Y c", None),
        ("neighbouring lines", "a b c", "A b c", "a B c", None),
        ("both inserted at one place", "a b", "a X b", "a Y b", None),
        ("both inserted the same", "a b", "a X b", "a X b", Some("a X b")),
        ("one deleted what the other changed", "a b c", "a c", "a X c", None),
        ("both deleted the same", "a b c", "a c", "a c", Some("a c")),
        ("one inserted before what the other changed", "a b c", "a X b c", "a Y c", None),
        ("appended and prepended", "a b c", "X a b c", "a b c Y", Some("X a b c Y")),
        ("one emptied it, the other changed it", "a b c", "", "a b X", None),
        ("both deleted, one of them more", "a b c d", "a d", "a c d", None),
        ("one inserted into what the other deleted", "a b c d", "a d", "a b X c d", None),
        ("one inserted beside what the other deleted", "a b c", "a c", "a b X c", None),
        ("one deleted the end, the other the beginning", "a b c d e", "a b c d", "b c d e", Some("b c d")),
        ("moved lines beside a change", "a b c d e f", "b a c d e f", "a b c d e F", Some("b a c d e F")),
        ("moved a line that the other changed", "a b c d e", "b c d e a", "A b c d e", None),
        ("moved a line from around a change", "a b c d e", "b c d e a", "a b C d e", Some("b C d e a")),
        ("both moved the same", "a b c d", "d a b c", "d a b c", Some("d a b c")),
        ("one of several like it", "a a a b c", "a a b c", "a a a b C", Some("a a b C")),
        ("out of nothing", "", "X", "Y", None),
        ("out of nothing, one side", "", "", "Y", Some("Y")),
    ];
    for (name, base, ours, theirs, expected) in cases {
        assert_eq!(merged(base, ours, theirs).as_deref(), expected, "{name}");
    }
}

#[test]
fn indentation_alone_is_a_change() {
    let base = ["if x then", "y()", "end", "", "z()"].map(str::to_owned);
    let ours = ["if x then", "  y()", "end", "", "z()"].map(str::to_owned);
    let theirs = ["if x then", "y()", "end", "", "z(1)"].map(str::to_owned);
    let both = ["if x then", "  y()", "end", "", "z(1)"].map(str::to_owned);
    assert_eq!(merge(&base, &ours, &theirs), Merge::Clean(both.to_vec()));
    let again = ["if x then", "\ty()", "end", "", "z()"].map(str::to_owned);
    assert_eq!(merge(&base, &ours, &again), Merge::Conflict);
}

fn rows(text: &str) -> Vec<String> {
    text.split('\n').map(str::to_owned).collect()
}

/// A final newline is an empty last row more.
#[test]
fn a_final_newline_is_a_row_like_others() {
    let (with, without) = (rows("a\nb\nc\n"), rows("a\nb\nc"));
    assert_eq!(merge(&with, &without, &rows("A\nb\nc\n")), Merge::Clean(rows("A\nb\nc")));
    assert_eq!(merge(&without, &with, &rows("A\nb\nc")), Merge::Clean(rows("A\nb\nc\n")));
    assert_eq!(merge(&without, &with, &with), Merge::Clean(with.clone()));
    assert_eq!(merge(&with, &without, &rows("a\nb\nC\n")), Merge::Conflict);
}

/// A carriage return is part of its row, and is neither lost nor spread.
#[test]
fn line_ends_of_both_kinds() {
    let base = rows("a\r\nb\r\nc\r\nd\r");
    let ours = rows("A\r\nb\r\nc\r\nd\r");
    assert_eq!(merge(&base, &ours, &rows("a\r\nb\r\nC\r\nd\r")), Merge::Clean(rows("A\r\nb\r\nC\r\nd\r")));
    assert_eq!(merge(&base, &ours, &rows("a\r\nb\r\nC\nd\r")), Merge::Clean(rows("A\r\nb\r\nC\nd\r")));
    assert_eq!(merge(&base, &ours, &rows("a\nb\nc\nd")), Merge::Conflict);
    assert_eq!(merge(&base, &rows("a\nb\r\nc\r\nd\r"), &ours), Merge::Conflict);
}

#[test]
fn empty_rows_and_blank_ones_differ() {
    let (base, blank) = (rows("a\n\nb\n\nc"), rows("a\n  \nb\n\nc"));
    assert_eq!(merge(&base, &blank, &rows("a\n\nb\n\nC")), Merge::Clean(rows("a\n  \nb\n\nC")));
    assert_eq!(merge(&base, &blank, &rows("a\nb\n\nc")), Merge::Conflict);
}

fn text() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec("[a-d]", 0..12)
}

fn count(lines: &[String], line: &str) -> usize {
    lines.iter().filter(|other| *other == line).count()
}

proptest! {
    #[test]
    fn a_side_that_changed_nothing_leaves_the_other(base in text(), other in text()) {
        prop_assert_eq!(merge(&base, &base, &other), Merge::Clean(other.clone()));
        prop_assert_eq!(merge(&base, &other, &base), Merge::Clean(other.clone()));
        prop_assert_eq!(merge(&base, &other, &other), Merge::Clean(other));
    }

    #[test]
    fn it_does_not_matter_which_side_is_which(base in text(), ours in text(), theirs in text()) {
        prop_assert_eq!(merge(&base, &ours, &theirs), merge(&base, &theirs, &ours));
    }

    /// Also where lines repeat: what both sides did apart from each other adds up. (Where both did the same by other
    /// edits, the text does not tell what is shared.)
    #[test]
    fn each_change_counts_once(base in text(), ours in text(), theirs in text()) {
        let Merge::Clean(merged) = merge(&base, &ours, &theirs) else { return Ok(()) };
        let (mine, yours) = (between(&base, &ours), between(&base, &theirs));
        let is_apart = |a: &SideEdit, b: &SideEdit| a == b || a.last < b.first || b.last < a.first;
        if !mine.iter().all(|a| yours.iter().all(|b| is_apart(a, b))) {
            return Ok(());
        }
        let shared: Vec<SideEdit> = mine.into_iter().filter(|edit| yours.contains(edit)).collect();
        let common = apply(&base, &shared);
        for line in base.iter().chain(&ours).chain(&theirs).chain(&merged) {
            prop_assert_eq!(
                count(&merged, line) + count(&common, line),
                count(&ours, line) + count(&theirs, line),
                "{}", line
            );
        }
    }

    /// Lines that are unlike all others, so that each can be told from the rest.
    #[test]
    fn no_line_is_lost_and_none_invented(
        rows in 1usize..30, ours in edits(), theirs in edits(),
    ) {
        let base: Vec<String> = (0..rows).map(|row| format!("base {row}")).collect();
        let (ours, theirs) = (change(&base, &ours, "ours"), change(&base, &theirs, "theirs"));
        let Merge::Clean(merged) = merge(&base, &ours, &theirs) else { return Ok(()) };
        for line in ours.iter().chain(&theirs) {
            let is_new = !base.contains(line);
            let both_keep = ours.contains(line) && theirs.contains(line);
            if is_new || both_keep {
                prop_assert_eq!(merged.iter().filter(|&other| other == line).count(), 1, "{}", line);
            }
        }
        for line in &merged {
            prop_assert!(ours.contains(line) || theirs.contains(line), "{} is invented", line);
        }
        for line in base.iter().filter(|line| !ours.contains(line) || !theirs.contains(line)) {
            prop_assert!(!merged.contains(line), "{} came back", line);
        }
    }
}

/// Applies ascending edits that lie apart.
fn apply(base: &[String], edits: &[SideEdit]) -> Vec<String> {
    let mut lines = base.to_vec();
    for edit in edits.iter().rev() {
        lines.splice(edit.first..edit.last, edit.lines.iter().cloned());
    }
    lines
}

fn edits() -> impl Strategy<Value = Vec<(usize, usize, usize)>> {
    proptest::collection::vec((0usize..30, 0usize..3, 0usize..3), 0..4)
}

/// Replaces rows by new lines, from the end to the beginning.
fn change(base: &[String], edits: &[(usize, usize, usize)], who: &str) -> Vec<String> {
    let mut lines = base.to_vec();
    for (nth, &(at, removed, added)) in edits.iter().enumerate() {
        let at = at.min(lines.len());
        let last = (at + removed).min(lines.len());
        lines.splice(at..last, (0..added).map(|row| format!("{who} {nth}.{row}")));
    }
    lines
}
