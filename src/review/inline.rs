//! Finds the bytes of a hunk's rows that differ: the marked words in the deleted and in the new rows.
//!
//! Each row that comes is compared with the next row that goes and has something in common with it. One without such a
//! partner has no marks: all of it differs.

use std::ops::Range;

use crate::diff::{self, DiffOp};

/// Rows with more bytes are not looked into.
const LONGEST: usize = 2000;
/// Among how many rows that go a partner is looked for.
const NEAR: usize = 4;

/// Bytes of one row, in order.
pub type WordMarks = Vec<Range<usize>>;

/// The marks of each row that goes, and of each that comes.
pub fn marks<O: AsRef<[u8]>, N: AsRef<[u8]>>(old: &[O], new: &[N]) -> (Vec<WordMarks>, Vec<WordMarks>) {
    let (mut of_old, mut of_new) = (vec![WordMarks::new(); old.len()], vec![WordMarks::new(); new.len()]);
    let mut next = 0;
    for (at, new) in new.iter().enumerate() {
        let near = next..old.len().min(next + NEAR);
        let partner = near.into_iter().find_map(|at| Some((at, between(old[at].as_ref(), new.as_ref())?)));
        if let Some((partner, (gone, come))) = partner {
            (of_old[partner], of_new[at], next) = (gone, come, partner + 1);
        }
    }
    (of_old, of_new)
}

/// The words that differ between two rows; none where less than a third is the same.
fn between(old: &[u8], new: &[u8]) -> Option<(WordMarks, WordMarks)> {
    if old.len().max(new.len()) > LONGEST {
        return None;
    }
    let (words_old, words_new) = (words(old), words(new));
    let text_old: Vec<&[u8]> = words_old.iter().map(|word| &old[word.clone()]).collect();
    let text_new: Vec<&[u8]> = words_new.iter().map(|word| &new[word.clone()]).collect();
    let (mut gone, mut come, mut same) = (WordMarks::new(), WordMarks::new(), 0);
    for op in diff::fewest(&text_old, &text_new) {
        let (in_old, in_new) = (span(&words_old, op.old_range()), span(&words_new, op.new_range()));
        if let DiffOp::Equal { .. } = op {
            let is_ink = |byte: &&u8| !byte.is_ascii_whitespace();
            same += in_old.map_or(0, |bytes| old[bytes].iter().filter(is_ink).count());
        } else {
            gone.extend(in_old);
            come.extend(in_new);
        }
    }
    let ink = |row: &[u8]| row.iter().filter(|byte| !byte.is_ascii_whitespace()).count();
    (same * 3 >= ink(old).max(ink(new))).then_some((gone, come))
}

/// The bytes from the first of some words to the last.
fn span(words: &[Range<usize>], range: Range<usize>) -> Option<Range<usize>> {
    let words = words.get(range)?;
    Some(words.first()?.start..words.last()?.end)
}

/// The words of a row: names and numbers, runs of white space, and every other character by itself.
fn words(row: &[u8]) -> Vec<Range<usize>> {
    #[derive(PartialEq, Clone, Copy)]
    enum WordKind {
        Word,
        Space,
        Other,
        /// A later byte of a character.
        Rest,
    }
    let kind = |byte: u8| match byte {
        b'_' | 0xC0.. => WordKind::Word,
        _ if byte.is_ascii_alphanumeric() => WordKind::Word,
        b' ' | b'\t' => WordKind::Space,
        0x80..0xC0 => WordKind::Rest,
        _ => WordKind::Other,
    };
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut before = None;
    for (at, byte) in row.iter().enumerate() {
        let kind = kind(*byte);
        let goes_on = kind == WordKind::Rest || (kind != WordKind::Other && before == Some(kind));
        match words.last_mut().filter(|_| goes_on) {
            Some(word) => word.end = at + 1,
            None => words.push(at..at + 1),
        }
        before = if kind == WordKind::Rest { before } else { Some(kind) };
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(old: &str, new: &str, expected: &str) {
        let (gone, come) = between(old.as_bytes(), new.as_bytes()).unwrap_or_default();
        let read = |row: &str, marks: &WordMarks| -> String {
            let words: Vec<_> = marks.iter().map(|mark| &row[mark.clone()]).collect();
            words.join("|")
        };
        assert_eq!(format!("{} > {}", read(old, &gone), read(new, &come)), expected);
    }

    #[test]
    fn words_that_differ_are_marked() {
        check(
            "fn load(path: &Path) -> Config {",
            "fn load(path: &Path) -> Result<Config, Error> {",
            " > Result<|, Error>",
        );
        check("let grösse = 1;", "let größe = 1;", "grösse > größe");
        check("a(b, b)", "a(b, c)", "b > c");
        check("    x = 1", "  x = 1", "     >   ");
    }

    #[test]
    fn rows_with_little_in_common_are_not() {
        check("return nil", "local value = compute(first, second)", " > ");
        let long = "x".repeat(LONGEST + 1);
        check(&long, &format!("{long} y"), " > ");
    }

    #[test]
    fn rows_are_compared_in_their_order() {
        let (gone, come) = marks(&["a = 1", "b = 1"], &["a = 2"]);
        assert_eq!((gone, come), (vec![vec![4..5], vec![]], vec![vec![4..5]]));
        let (gone, come) = marks(&["}", "a = 1"], &["a = 2", "return"]);
        assert_eq!((gone, come), (vec![vec![], vec![4..5]], vec![vec![4..5], vec![]]));
    }

    proptest! {
        #[test]
        fn marks_are_of_whole_characters(old in "[a-z ö€(]{0,20}", new in "[a-z ö€(]{0,20}") {
            if let Some((gone, come)) = between(old.as_bytes(), new.as_bytes()) {
                for (row, marks) in [(&old, gone), (&new, come)] {
                    prop_assert!(marks.iter().all(|mark| row.get(mark.clone()).is_some_and(|word| !word.is_empty())));
                }
            }
        }
    }
}
