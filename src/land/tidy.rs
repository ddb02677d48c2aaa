//! The order in which an answer is tidied: line ends first, then the fence, then the indentation. An ambiguous answer
//! keeps its fences and is marked.

use super::fence::{self, AnswerPart};
use super::target::Target;
use super::{indent, is_prose, newline, style};
use crate::request::SelectionKind;

/// An answer by lines.
#[derive(Debug, PartialEq, Eq)]
pub struct Tidied {
    /// The lines; the whole answer where it is ambiguous.
    pub lines: Vec<String>,
    /// Which line of the answer the first of them was, from 0.
    pub from: usize,
    /// Several parts of the answer could be meant.
    pub ambiguous: bool,
}

/// Makes the lines to land out of an answer.
pub fn tidy(target: Target<'_>, answer: &str) -> Tidied {
    let mut lines = newline::split(answer, target.selection);
    let mut from = 0;
    match unfenced(target, &lines) {
        AnswerPart::Whole => {}
        AnswerPart::Content(row, content) => (from, lines) = (row, content),
        AnswerPart::Ambiguous => return Tidied { lines, from, ambiguous: true },
    }
    Tidied { lines: fit(target, lines), from, ambiguous: false }
}

/// Makes lines fit the place of an answer.
pub fn fit(target: Target<'_>, mut lines: Vec<String>) -> Vec<String> {
    style::adopt(&mut lines, target);
    indent::restore(&mut lines, target);
    newline::restore(&mut lines, target);
    if lines.is_empty() && matches!(target.selection.kind, SelectionKind::Char | SelectionKind::Block) {
        lines.push(String::new());
    }
    lines
}

fn unfenced(target: Target<'_>, lines: &[String]) -> AnswerPart {
    let selected = &target.selection.text;
    if is_prose(target.filetype) { fence::in_prose(lines, selected) } else { fence::in_code(lines, selected) }
}
