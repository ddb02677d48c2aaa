use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::{Edit, between};

fn rows(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

fn edit(first: usize, last: usize, lines: &[&str]) -> Edit {
    Edit { first, last, lines: lines.iter().map(|&line| line.to_owned()).collect() }
}

/// What a buffer makes of them: from the last to the first, so that the offsets stay right.
fn applied(base: &[String], edits: &[Edit]) -> Vec<String> {
    let mut rows = base.to_vec();
    for edit in edits.iter().rev() {
        rows.splice(edit.first..edit.last, edit.lines.iter().cloned());
    }
    rows
}

#[test]
fn only_what_differs_is_replaced() {
    let table = [
        ("", "", vec![]),
        ("a\nb", "a\nb", vec![]),
        ("a\nb\nc", "a\nx\nc", vec![edit(1, 2, &["x"])]),
        ("a\nb\nc", "a\nc", vec![edit(1, 2, &[])]),
        ("a\nc", "a\nb\nc", vec![edit(1, 1, &["b"])]),
        ("a\nb", "x\na\nb\ny", vec![edit(0, 0, &["x"]), edit(2, 2, &["y"])]),
        ("a\nb\nc\nd", "x\nb\nc\ny\nz", vec![edit(0, 1, &["x"]), edit(3, 4, &["y", "z"])]),
        ("a\nb", "", vec![edit(0, 2, &[])]),
        ("", "a", vec![edit(0, 0, &["a"])]),
        ("a\nb", "c\nd", vec![edit(0, 2, &["c", "d"])]),
        ("a\n\nb\n\nc", "a\n\nc", vec![edit(2, 4, &[])]),
    ];
    for (base, answer, wanted) in table {
        assert_eq!(between(&rows(base), &rows(answer)), wanted, "{base:?} to {answer:?}");
    }
}

#[test]
fn long_texts_take_no_longer_than_they_are_worth() {
    let numbered =
        |prefix: &str| -> Vec<String> { (0..20_000).map(|row| format!("{prefix}{row}")).collect() };
    let (base, other) = (numbered("a"), numbered("b"));
    let reversed: Vec<String> = base.iter().rev().cloned().collect();
    let mut changed = base.clone();
    changed.iter_mut().step_by(10).for_each(|row| row.push('!'));
    let repeated =
        |period: usize| -> Vec<String> { (0..20_000).map(|row| (row % period).to_string()).collect() };
    let pairs = [
        ("nothing shared", &base, &other),
        ("reversed", &base, &reversed),
        ("each tenth changed", &base, &changed),
        ("few different lines", &repeated(7), &repeated(5)),
        ("many different lines", &repeated(199), &repeated(211)),
    ];
    for (name, base, answer) in pairs {
        let start = Instant::now();
        let edits = between(base, answer);
        let took = start.elapsed();
        assert_eq!(applied(base, &edits), **answer, "{name}");
        // A debug build on a busy machine; without a bound these take minutes.
        assert!(took < Duration::from_secs(10), "{name} took {took:?}");
    }
}

fn few_lines() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[abc]{0,1}", 0..30)
}

proptest! {
    #[test]
    fn applied_they_give_the_answer(base in few_lines(), answer in few_lines()) {
        prop_assert_eq!(applied(&base, &between(&base, &answer)), answer);
    }

    #[test]
    fn they_are_ascending_apart_and_needed(base in few_lines(), answer in few_lines()) {
        let edits = between(&base, &answer);
        for pair in edits.windows(2) {
            prop_assert!(pair[0].last < pair[1].first, "{:?}", pair);
        }
        for edit in &edits {
            prop_assert!(edit.first <= edit.last && edit.last <= base.len());
            prop_assert_ne!(&base[edit.first..edit.last], edit.lines.as_slice());
        }
    }
}
