//! `:Botglue each`: which lines each of its jobs is for.

use serde::{Deserialize, Serialize};

use crate::request::Diagnostic;

/// An item of the quickfix list, in a buffer that was loaded for it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Item {
    /// The buffer.
    pub buffer: u64,
    /// The first line, from 1.
    pub first: u64,
    /// The last one; 0 where the item has one line.
    pub last: u64,
    /// What the list says.
    #[serde(default)]
    pub text: String,
    /// The letter that says how bad it is.
    #[serde(default)]
    pub kind: String,
    /// The text of the line.
    #[serde(default)]
    pub row: String,
    /// How many lines the buffer has: none where it could not be loaded.
    pub count: u64,
}

/// Lines that one job is for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Group {
    /// The buffer.
    pub buffer: u64,
    /// The first line, from 1.
    pub first: u64,
    /// The last one.
    pub last: u64,
    /// What the list says of lines.
    pub notes: Vec<Diagnostic>,
}

/// What the list says of an item; nothing if it only repeats the text of the line, as that of a search does.
fn note(item: &Item) -> Option<Diagnostic> {
    let text = item.text.trim();
    let severity = match item.kind.to_lowercase().as_str() {
        "e" => "error",
        "w" => "warning",
        "n" => "hint",
        _ => "info",
    };
    let (line, severity, message) = (item.first, severity.to_owned(), text.to_owned());
    let note = Diagnostic { line, severity, message, source: String::new() };
    Some(note).filter(|_| !text.is_empty() && text != item.row.trim())
}

/// The lines of items, in the order of the list; those that share a line are one job's. And how many items are in no
/// file, or behind its end.
pub fn groups(items: &[Item]) -> (Vec<Group>, usize) {
    let there = items.iter().enumerate().filter(|(_, item)| item.first <= item.count);
    let mut found: Vec<(usize, Group)> = there
        .map(|(place, item)| {
            let last = item.last.max(item.first).min(item.count);
            let notes = note(item).into_iter().collect();
            (place, Group { buffer: item.buffer, first: item.first, last, notes })
        })
        .collect();
    let lost = items.len() - found.len();
    found.sort_by_key(|(place, group)| (group.buffer, group.first, *place));
    let mut merged: Vec<(usize, Group)> = Vec::new();
    for (place, group) in found {
        match merged.last_mut() {
            Some((first, before)) if before.buffer == group.buffer && group.first <= before.last => {
                before.last = before.last.max(group.last);
                before.notes.extend(group.notes);
                *first = place.min(*first);
            }
            _ => merged.push((place, group)),
        }
    }
    merged.sort_by_key(|(place, _)| *place);
    (merged.into_iter().map(|(_, group)| group).collect(), lost)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(buffer: u64, first: u64, last: u64, text: &str) -> Item {
        let (kind, row) = ("W".to_owned(), " same".to_owned());
        Item { buffer, first, last, text: text.to_owned(), kind, row, count: 4 }
    }

    #[test]
    fn items_that_share_lines_are_one_job_in_the_order_of_the_list() {
        let items = [
            item(2, 3, 4, "second"),
            item(2, 1, 3, "first"),
            item(1, 4, 9, "same "),
            item(1, 5, 0, "behind the end"),
            Item { count: 0, ..item(3, 1, 0, "no file") },
        ];
        let warning = |line, text: &str| {
            let (severity, message, source) = ("warning".to_owned(), text.to_owned(), String::new());
            Diagnostic { line, severity, message, source }
        };
        let first =
            Group { buffer: 2, first: 1, last: 4, notes: vec![warning(1, "first"), warning(3, "second")] };
        let other = Group { buffer: 1, first: 4, last: 4, notes: Vec::new() };
        assert_eq!(groups(&items), (vec![first, other], 2));
    }
}
