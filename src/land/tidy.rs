//! The order in which an answer is tidied, and what each switch turns on.
//!
//! Line ends first, then the fence, then the indentation. With every switch off the answer is only split into lines. An
//! ambiguous answer stays unchanged and is marked.

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
    let Target { tidy: switches, selection, .. } = target;
    let mut lines = if switches.newline {
        newline::split(answer, selection)
    } else {
        answer.split('\n').map(str::to_owned).collect()
    };
    let mut from = 0;
    if switches.fence {
        match unfenced(target, &lines) {
            AnswerPart::Whole => {}
            AnswerPart::Content(row, content) => (from, lines) = (row, content),
            AnswerPart::Ambiguous => return Tidied { lines, from, ambiguous: true },
        }
    }
    Tidied { lines: fit(target, lines), from, ambiguous: false }
}

/// Makes lines fit the place of an answer.
pub fn fit(target: Target<'_>, mut lines: Vec<String>) -> Vec<String> {
    if target.tidy.indent {
        style::adopt(&mut lines, target);
        indent::restore(&mut lines, target);
    }
    if target.tidy.newline {
        newline::restore(&mut lines, target);
    }
    if lines.is_empty() && matches!(target.selection.kind, SelectionKind::Char | SelectionKind::Block) {
        lines.push(String::new());
    }
    lines
}

fn unfenced(target: Target<'_>, lines: &[String]) -> AnswerPart {
    let selected = &target.selection.text;
    if is_prose(target.filetype) { fence::in_prose(lines, selected) } else { fence::in_code(lines, selected) }
}
