//! Line ends: a final newline adds no line, blank rows at the end stay, and `\r` is where it was in the selection, only
//! there.
//!
//! A buffer's lines hold no `\n`, and no `\r` either where `'fileformat'` is `dos`. A file of mixed line
//! ends is read as `unix`: there each row may end in `\r`, and the answer's rows have to do the same.

use std::collections::HashSet;

use super::target::Target;
use super::text::is_blank;
use crate::request::{Selection, SelectionKind};

/// The answer by lines, with neither the `\r` of its line ends nor a line for a final newline. Of a line that was written
/// over, as progress is, what stands there last is left, but where the selection has a `\r` within a row.
pub fn split(answer: &str, selection: &Selection) -> Vec<String> {
    let within = selection.rows.iter().any(|row| row.trim_end_matches('\r').contains('\r'));
    let mut lines: Vec<String> = answer
        .split('\n')
        .map(|line| {
            let line = line.trim_end_matches('\r');
            let last = line.rfind('\r').filter(|_| !within).map_or(0, |at| at + 1);
            line[last..].to_owned()
        })
        .collect();
    if lines.len() > 1 && lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

/// Ends the lines in `\r` where the rows of the selection do, and with the blank rows at its end if they have none.
pub fn restore(lines: &mut Vec<String>, target: Target<'_>) {
    let selection = target.selection;
    match selection.kind {
        SelectionKind::Line => {
            by_rows(lines, &selection.rows);
            let text = selection.rows.iter().rposition(|row| !is_blank(row));
            if let (Some(text), Some(false)) = (text, lines.last().map(|line| is_blank(line))) {
                lines.extend_from_slice(&selection.rows[text + 1..]);
            }
        }
        SelectionKind::Char => {
            let Some((last, others)) = lines.split_last_mut() else { return };
            by_rows(others, &selection.rows);
            ended(last, selection.text.last());
        }
        SelectionKind::Block => {
            for (line, row) in lines.iter_mut().zip(&selection.text) {
                ended(line, Some(row));
            }
        }
        SelectionKind::Insert => {
            let neighbour = selection.beside.above.as_ref().or(target.after.first());
            for line in lines {
                ended(line, neighbour);
            }
        }
    }
}

/// Ends a line as a row of the buffer ends.
fn ended(line: &mut String, row: Option<&String>) {
    if row.is_some_and(|row| row.ends_with('\r')) {
        line.push('\r');
    }
}

/// Ends each line as the same row ends in the selection, and a new one as most rows do.
fn by_rows(lines: &mut [String], rows: &[String]) {
    let (with, without): (Vec<&str>, Vec<&str>) =
        rows.iter().map(String::as_str).partition(|row| row.ends_with('\r'));
    if with.is_empty() {
        return;
    }
    let mostly = with.len() >= without.len();
    let with: HashSet<&str> = with.into_iter().map(|row| row.trim_end_matches('\r')).collect();
    let without: HashSet<&str> = without.into_iter().collect();
    for line in lines {
        let (known, other) = (with.contains(line.as_str()), without.contains(line.as_str()));
        let ends = if known == other { mostly } else { known };
        if ends {
            line.push('\r');
        }
    }
}

#[cfg(test)]
mod tests;
