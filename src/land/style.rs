//! Tabs or spaces: an answer indented the one way for a text indented the other way is converted.
//!
//! Only where both are of one kind throughout. Makefiles are left alone, as both mean something there, and
//! so is prose.

use super::indent::indent;
use super::is_prose;
use crate::request::Request;

/// The spaces of one level where a text does not tell.
const USUAL: usize = 4;

/// How a text is indented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Tabs,
    Spaces,
}

/// Indents the answer as the selection is, or where that has no indentation as the text around it.
pub fn adopt(lines: &mut [String], request: &Request) {
    if is_prose(&request.filetype) || matches!(request.filetype.as_str(), "make" | "automake") {
        return;
    }
    let rows = &request.selection.rows;
    let around: Vec<&String> = request.before.iter().chain(rows).chain(&request.after).collect();
    let wanted = style(rows.iter()).or_else(|| style(around.iter().copied()));
    match (style(lines.iter()), wanted) {
        (Some(Style::Spaces), Some(Style::Tabs)) => {
            let unit = step(lines.iter()).unwrap_or(USUAL);
            for line in lines {
                with_tabs(line, unit);
            }
        }
        (Some(Style::Tabs), Some(Style::Spaces)) => {
            let unit = step(rows.iter()).or_else(|| step(around.iter().copied())).unwrap_or(USUAL);
            for line in lines {
                with_spaces(line, unit);
            }
        }
        _ => {}
    }
}

/// The one way in which all indented lines are indented. One space alone is no indentation: block comments
/// are aligned by it.
fn style<'a>(lines: impl Iterator<Item = &'a String>) -> Option<Style> {
    let mut found = None;
    for line in lines {
        let one = match indent(line) {
            "" | " " => continue,
            deep if deep.starts_with('\t') => Style::Tabs,
            deep if deep.contains('\t') => return None,
            _ => Style::Spaces,
        };
        if found.replace(one).is_some_and(|other| other != one) {
            return None;
        }
    }
    found
}

/// The spaces of one level: the smallest step by which a line is deeper than the one before it.
fn step<'a>(lines: impl Iterator<Item = &'a String>) -> Option<usize> {
    let depths: Vec<usize> =
        lines.filter(|line| !line.trim().is_empty()).map(|line| indent(line).len()).collect();
    let steps = depths.windows(2).filter_map(|pair| pair[1].checked_sub(pair[0]));
    steps.filter(|&step| step >= 2).min()
}

fn with_tabs(line: &mut String, unit: usize) {
    let spaces = indent(line).len();
    let indent = "\t".repeat(spaces / unit) + &" ".repeat(spaces % unit);
    line.replace_range(..spaces, &indent);
}

fn with_spaces(line: &mut String, unit: usize) {
    let deep = indent(line);
    let (len, spaces) = (deep.len(), deep.replace('\t', &" ".repeat(unit)));
    line.replace_range(..len, &spaces);
}
