//! Texts, answers and edits made of words. A word is a letter and a number: `b` of the text, `u` of the user, any other
//! of an answer. Rows without a word are brackets, which may stand anywhere.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::support::schedule::Random;

/// The words of a row.
pub fn words(row: &str) -> impl Iterator<Item = &str> {
    row.split_whitespace().filter(|word| word.starts_with(|letter: char| letter.is_ascii_alphabetic()))
}

/// The words of rows that begin with a letter.
pub fn words_of(rows: &[String], letter: char) -> BTreeSet<String> {
    let all = rows.iter().flat_map(|row| words(row));
    all.filter(|word| word.starts_with(letter)).map(str::to_owned).collect()
}

/// Gives each word its number.
#[derive(Default)]
pub struct Words(usize);

impl Words {
    pub fn word(&mut self, letter: char) -> String {
        self.0 += 1;
        format!("{letter}{}", self.0)
    }

    /// A text to begin with.
    pub fn text(&mut self, random: &mut Random, has_brackets: bool) -> Vec<String> {
        let count = 4 + random.below(14);
        let row = |_| if has_brackets && random.one_in(4) { "}".to_owned() } else { self.word('b') };
        (0..count).map(row).collect()
    }

    /// An answer to rows.
    pub fn answer(&mut self, random: &mut Random, rows: &[String], letter: char) -> Vec<String> {
        let mut answer = Vec::new();
        for row in rows {
            match random.below(10) {
                0 => {}
                1 => answer.extend((0..=random.below(3)).map(|_| self.word(letter))),
                2 => answer.push(format!("{} {}", self.word(letter), self.word(letter))),
                3 => answer.extend([self.word(letter), row.clone()]),
                _ => answer.push(row.clone()),
            }
        }
        answer.extend(random.one_in(6).then(|| self.word(letter)));
        answer
    }

    /// An edit of the user's: which rows are replaced by which.
    pub fn edit(&mut self, random: &mut Random, rows: &[String]) -> (Range<usize>, Vec<String>) {
        let at = random.below(rows.len());
        match random.below(6) {
            0 => (at..at, vec![self.word('u')]),
            1 if rows.len() > 2 => (at..(at + 1 + random.below(2)).min(rows.len()), Vec::new()),
            2 => (at..at + 1, vec![rows[at].clone(), self.word('u')]),
            _ => (at..at + 1, vec![format!("{} {}", rows[at], self.word('u'))]),
        }
    }
}
