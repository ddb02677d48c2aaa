//! Tabs or spaces: an answer indented the one way for a text indented the other way is converted.
//!
//! Only where both are of one kind throughout. Makefiles are left alone, as both mean something there, and
//! so are prose and blocks.

use std::collections::BTreeMap;
use std::iter;

use super::is_prose;
use super::place::Indentation;
use super::target::Target;
use super::text::{common, indent, is_blank};
use crate::request::SelectionKind;

/// The spaces of one level if a text does not show it.
const USUAL: usize = 4;

/// How a text is indented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Tabs,
    Spaces,
}

/// Indents the answer as the selection is, or where that has no indentation as the text around it.
pub fn adopt(lines: &mut [String], target: Target<'_>) {
    let selection = target.selection;
    if is_prose(target.filetype) || target.filetype.contains("make") || selection.kind == SelectionKind::Block
    {
        return;
    }
    // The first line of a part of a row begins within the row: what it begins with is no indentation.
    let inline =
        selection.kind == SelectionKind::Char && selection.cols.first().is_some_and(|&column| column > 0);
    let Some(lines) = lines.get_mut(usize::from(inline)..) else { return };
    let around = || indents(target.before).chain(indents(&selection.rows)).chain(indents(target.after));
    let target_style = match Indentation::of(target).common {
        "" => style(indents(&selection.rows)).or_else(|| style(around())),
        common => style(iter::once(common)),
    };
    let (convert, unit): (fn(&str, usize) -> String, _) = match (style(indents(lines)), target_style) {
        (Some(Style::Spaces), Some(Style::Tabs)) => {
            (with_tabs, step(indents(lines)).or_else(|| same_depth(lines, &selection.rows)))
        }
        (Some(Style::Tabs), Some(Style::Spaces)) => {
            (with_spaces, step(indents(&selection.rows)).or_else(|| step(around())))
        }
        _ => return,
    };
    for line in lines.iter_mut().filter(|line| !is_blank(line)) {
        let deep = indent(line);
        let (len, converted) = (deep.len(), convert(deep, unit.unwrap_or(USUAL)));
        line.replace_range(..len, &converted);
    }
}

fn indents(lines: &[String]) -> impl Iterator<Item = &str> {
    lines.iter().filter(|line| !is_blank(line)).map(|line| indent(line))
}

/// The one way in which all indented lines are indented. One space alone is no indentation: block comments
/// are aligned by it.
fn style<'a>(indents: impl Iterator<Item = &'a str>) -> Option<Style> {
    let mut found = None;
    for indent in indents.filter(|indent| !matches!(*indent, "" | " ")) {
        let style = match indent {
            tabs if tabs.starts_with('\t') => Style::Tabs,
            mixed if mixed.contains('\t') => return None,
            _ => Style::Spaces,
        };
        if found.replace(style).is_some_and(|other| other != style) {
            return None;
        }
    }
    found
}

/// The spaces of one level: by how many a line is mostly deeper than the one before it.
fn step<'a>(indents: impl Iterator<Item = &'a str>) -> Option<usize> {
    let mut steps = BTreeMap::new();
    let mut last = None;
    for deep in indents.map(str::len) {
        let deeper = last.replace(deep).and_then(|last| deep.checked_sub(last));
        if let Some(step) = deeper.filter(|&step| step >= 2) {
            *steps.entry(step).or_insert(0) += 1;
        }
    }
    // Of those that are there equally often, the smallest.
    steps.into_iter().rev().max_by_key(|&(_, times)| times).map(|(step, _)| step)
}

/// The spaces of one level, if the answer is as deep by its spaces as the rows are by their tabs.
fn same_depth(lines: &[String], rows: &[String]) -> Option<usize> {
    let (spaces, tabs) = (common(lines).len(), common(rows).len());
    let unit = spaces.checked_div(tabs)?;
    (unit >= 2 && spaces % tabs == 0).then_some(unit)
}

fn with_tabs(indent: &str, unit: usize) -> String {
    let spaces = indent.len();
    "\t".repeat(spaces / unit) + &" ".repeat(spaces % unit)
}

fn with_spaces(indent: &str, unit: usize) -> String {
    indent.replace('\t', &" ".repeat(unit))
}
