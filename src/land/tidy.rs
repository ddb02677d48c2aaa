//! The order in which an answer is tidied, and what each switch turns on.
//!
//! Line ends first, then the fence, then the indentation. With every switch off the answer is only split
//! into lines. An answer that nobody can read for sure is left as it is, and marked.

use super::fence::{self, Part};
use super::{indent, is_prose, newline, style};
use crate::request::{Kind, Request};

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
pub fn tidy(request: &Request, answer: &str) -> Tidied {
    let switches = request.tidy;
    let selection = &request.selection;
    let mut lines = if switches.newline {
        newline::split(answer, selection)
    } else {
        answer.split('\n').map(str::to_owned).collect()
    };
    let mut from = 0;
    if switches.fence {
        match unfenced(request, &lines) {
            Part::Whole => {}
            Part::Content(row, content) => (from, lines) = (row, content),
            Part::Ambiguous => return Tidied { lines, from, ambiguous: true },
        }
    }
    if switches.indent {
        style::adopt(&mut lines, request);
        indent::restore(&mut lines, request);
    }
    if switches.newline {
        newline::restore(&mut lines, request);
    }
    if lines.is_empty() && matches!(selection.kind, Kind::Char | Kind::Block) {
        lines.push(String::new());
    }
    Tidied { lines, from, ambiguous: false }
}

fn unfenced(request: &Request, lines: &[String]) -> Part {
    let selected = &request.selection.text;
    if is_prose(&request.filetype) {
        fence::in_prose(lines, selected)
    } else {
        fence::in_code(lines, selected)
    }
}
