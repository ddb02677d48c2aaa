//! The order in which an answer is tidied: line ends first, then the fence, then the indentation. An ambiguous answer
//! keeps its fences and is held; one that would do damage as it is is marked with that.

use super::doubt::{self, Doubt};
use super::fence::{self, AnswerPart};
use super::patch::Patch;
use super::target::Target;
use super::{HeldFor, Landing, indent, is_prose, newline, strip, style};
use crate::request::SelectionKind;

/// Makes the lines to land out of an answer.
pub fn tidy(target: Target<'_>, answer: &str) -> Landing {
    let (answer, doubt) = strip::text(answer, target);
    let lines = newline::split(&answer, target.selection);
    let (lines, language) = match unfenced(target, &lines) {
        AnswerPart::Whole => (lines, String::new()),
        AnswerPart::Content(content, language) => (content, language),
        AnswerPart::Ambiguous => return Landing { held_for: Some(HeldFor::Ambiguous), lines, doubt: None },
    };
    if let Some(patch) = Patch::of(target, &lines, &language) {
        let applied = patch.apply(&target.selection.text);
        let doubt = Some(if applied.is_some() { Doubt::Patch } else { Doubt::OtherPatch });
        return Landing { held_for: None, lines: applied.unwrap_or(lines), doubt };
    }
    let doubt = doubt.or_else(|| doubt::of(target, &lines, language.is_empty()));
    Landing { held_for: None, lines: fit(target, lines), doubt }
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
