//! The place of an answer, as restoring its indentation needs it: the depth of the rows that it replaces, or
//! of the place of an insertion.

use std::collections::HashMap;

use super::target::Target;
use super::text::{common, indent, is_blank, opens_block, shared};
use crate::request::{Selection, SelectionKind};

/// The indentation at the place of an answer.
pub struct Indentation<'a> {
    /// The rows that it replaces; none for an insertion.
    rows: &'a [String],
    /// The text before it in its first row.
    pub prefix: &'a str,
    /// The indentation of the first row.
    pub first: &'a str,
    /// How much of that the answer's own first line has to bring along.
    pub lead: &'a str,
    /// The indentation that all rows share.
    pub common: &'a str,
}

impl<'a> Indentation<'a> {
    /// The place of a target.
    pub fn of(target: Target<'a>) -> Self {
        let selection = target.selection;
        match selection.kind {
            SelectionKind::Insert => Self::at(below(target)),
            SelectionKind::Block => Self::of_rows(&selection.text),
            SelectionKind::Char => Self::of_part(selection),
            SelectionKind::Line if selection.rows.iter().all(|row| is_blank(row)) => {
                let row = selection.rows.iter().find(|row| !indent(row).is_empty());
                Self::at(row.map_or_else(|| between(target), |row| indent(row)))
            }
            SelectionKind::Line => Self::of_rows(&selection.rows),
        }
    }

    fn at(indent: &'a str) -> Self {
        Self { rows: &[], prefix: "", first: indent, lead: indent, common: indent }
    }

    fn of_rows(rows: &'a [String]) -> Self {
        let first = rows.iter().find(|row| !is_blank(row)).map_or("", |row| indent(row));
        Self { rows, prefix: "", first, lead: first, common: common(rows) }
    }

    fn of_part(selection: &'a Selection) -> Self {
        let place = Self::of_rows(&selection.rows);
        let (Some(row), Some(text)) = (selection.rows.first(), selection.text.first()) else { return place };
        let column = selection.cols.first().and_then(|&column| usize::try_from(column).ok());
        let prefix = column.and_then(|column| row.get(..column)).unwrap_or("");
        if prefix.is_empty() {
            return place;
        }
        let first = indent(row);
        let lead = if prefix.len() < first.len() && !is_blank(text) { indent(text) } else { "" };
        Self { prefix, first, lead, ..place }
    }

    /// Whether the answer begins within a row: its first line has no depth of its own then.
    pub fn is_inline(&self) -> bool {
        !self.prefix.is_empty()
    }

    /// How often the selection has exactly this row.
    pub fn count(&self, row: &str) -> usize {
        self.rows.iter().filter(|one| *one == row).count()
    }

    /// The indentation of each line of the selection, by its text; none for one that is there in several
    /// depths, which tells nothing.
    pub fn depths(&self) -> HashMap<&'a str, Option<&'a str>> {
        let mut depths = HashMap::new();
        for row in self.rows.iter().filter(|row| !is_blank(row)) {
            let depth = depths.entry(row.trim()).or_insert(Some(indent(row)));
            if *depth != Some(indent(row)) {
                *depth = None;
            }
        }
        depths
    }
}

/// The indentation for new lines below a line: its own, or that of the next line where it opens a block.
fn below(target: Target<'_>) -> &str {
    let above = target.selection.beside.above.as_deref().unwrap_or("");
    let own = indent(above);
    if is_blank(above) && own.is_empty() {
        return between(target);
    }
    let next = next(target);
    if next.starts_with(own) && opens_block(above) { next } else { own }
}

/// The indentation between two lines of text: what both have.
fn between(target: Target<'_>) -> &str {
    let last = target.before.iter().rev().find(|line| !is_blank(line)).map_or("", |line| indent(line));
    shared(last, next(target))
}

fn next(target: Target<'_>) -> &str {
    target.after.iter().find(|line| !is_blank(line)).map_or("", |line| indent(line))
}
