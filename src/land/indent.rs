//! The selection's indentation, given back to an answer that lost it.
//!
//! Agents answer in one of three ways: with the indentation kept, with the whole answer moved to the left,
//! or with only its first line trimmed. Which it was is read from the lines that the answer shares with the
//! selection, and from how deep its second line is. What was kept is never doubled; blank lines stay blank.

use super::place::Indentation;
use super::target::Target;
use super::text::{indent, is_blank, is_dedented_keyword, opens_block, shared};

/// Indents the answer as the text is that it replaces.
pub fn restore(lines: &mut [String], target: Target<'_>) {
    let place = Indentation::of(target);
    let Some(row) = lines.iter().position(|line| !is_blank(line)) else { return };
    let Some((head, rest)) = lines[row..].split_first_mut() else { return };
    if place.is_inline() {
        in_row(&place, head);
    }
    match verdict(&place, head, rest) {
        IndentLoss::Kept => {}
        IndentLoss::Trimmed => lead_in(&place, head),
        IndentLoss::Lost => indent_all(&place, head, rest),
    }
}

/// The first line of an answer that begins within a row: with what the selection begins with, where that is
/// indentation, and without what is before it already.
fn in_row(place: &Indentation, head: &mut String) {
    if indent(head).is_empty() {
        head.insert_str(0, place.lead);
    } else if place.prefix == place.first && indent(head) == place.first {
        head.replace_range(..place.first.len(), "");
    }
}

/// What became of the indentation.
enum IndentLoss {
    /// It is right, as far as this can be known.
    Kept,
    /// At most the first line lost it.
    Trimmed,
    /// All lines lost it.
    Lost,
}

fn verdict(place: &Indentation, head: &str, rest: &[String]) -> IndentLoss {
    let rest: Vec<&str> = rest.iter().filter(|line| !is_blank(line)).map(String::as_str).collect();
    let bare = place.is_inline() || (indent(head).is_empty() && !place.lead.is_empty());
    let rest_is_kept = rest.iter().all(|line| line.starts_with(place.common));
    if !bare && rest_is_kept && head.starts_with(place.common) {
        return IndentLoss::Kept;
    }
    let Some(second) = rest.first() else {
        return if bare { IndentLoss::Trimmed } else { IndentLoss::Lost };
    };
    let (kept, lost) = votes(place, head, &rest);
    if place.common.is_empty() {
        // Nothing that all lines could have lost. A line deeper than the first one without a reason, or one
        // that is where it was, says that the first one was deeper too.
        let odd = !indent(second).is_empty() && !opens_block(head);
        // Unless the selection has this very row, and the answer has not more of them.
        let trimmed =
            (odd || kept > 0) && place.count(head) <= rest.iter().filter(|line| **line == head).count();
        return if trimmed { IndentLoss::Trimmed } else { IndentLoss::Kept };
    }
    if !rest_is_kept {
        return if kept > lost { IndentLoss::Trimmed } else { IndentLoss::Lost };
    }
    // Where the first line opens a block and the second one is no deeper than the place, all were moved.
    let opened = opens_block(&format!("{}{head}", place.prefix)) && !is_dedented_keyword(second);
    if lost > kept || (opened && indent(second) == place.first) {
        IndentLoss::Lost
    } else {
        IndentLoss::Trimmed
    }
}

/// How many lines have the indentation still that they have in the selection, and how many lost it. A first
/// line that is not bare counts as the selection's first line where the selection does not have it.
fn votes(place: &Indentation, head: &str, rest: &[&str]) -> (usize, usize) {
    let depths = place.depths();
    let depth = |line: &str| depths.get(line.trim()).copied().flatten();
    let known = rest.iter().filter_map(|line| Some((*line, depth(line)?)));
    let counts = !place.is_inline() && !indent(head).is_empty();
    let first = counts.then(|| (head, depth(head).unwrap_or(place.first)));
    let (mut kept, mut lost) = (0, 0);
    for (line, was) in known.chain(first) {
        if indent(line) == was {
            kept += 1;
        } else if was.strip_prefix(place.common) == Some(indent(line)) {
            lost += 1;
        }
    }
    (kept, lost)
}

/// Gives the first line alone its indentation: what it has in the selection if it is there, else what the
/// selection begins with.
fn lead_in(place: &Indentation, head: &mut String) {
    if !place.is_inline() && indent(head).is_empty() {
        let known = place.depths().get(head.trim()).copied().flatten();
        head.insert_str(0, known.unwrap_or(place.lead));
    }
}

/// Moves all lines to the right, so that the leftmost is where the leftmost row was.
fn indent_all(place: &Indentation, head: &mut String, rest: &mut [String]) {
    let deep = rest.iter().filter(|line| !is_blank(line)).map(|line| indent(line));
    let left = if place.is_inline() { 0 } else { deep.fold(indent(head), shared).len() };
    if !place.is_inline() {
        head.replace_range(..left, place.common);
    }
    for line in rest.iter_mut().filter(|line| !is_blank(line)) {
        line.replace_range(..left, place.common);
    }
}

#[cfg(test)]
mod tests;
