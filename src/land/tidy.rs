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
    if switches.fence {
        match unfenced(request, &lines) {
            Part::Whole => {}
            Part::Content(content) => lines = content,
            Part::Ambiguous => return Tidied { lines, ambiguous: true },
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
    Tidied { lines, ambiguous: false }
}

fn unfenced(request: &Request, lines: &[String]) -> Part {
    let selected = &request.selection.text;
    if is_prose(&request.filetype) {
        fence::in_prose(lines, selected)
    } else {
        fence::in_code(lines, selected)
    }
}
