//! The newest tools of a job beside its range, while the cursor is in it.

use super::frame::Chunks;
use super::layout::{clean, fit};
use super::width::width;
use crate::render::{Cell, FAILED, LANDED, UNKNOWN};
use crate::stream::ToolStatus;

/// The most tools that are listed.
const MOST: usize = 5;

/// The sign of a tool and its group.
pub(super) fn sign(status: ToolStatus) -> (&'static str, &'static str) {
    match status {
        ToolStatus::Ok => (LANDED, "BotglueLanded"),
        ToolStatus::Error | ToolStatus::Denied => (FAILED, "BotglueFailure"),
        ToolStatus::Running => ("▸", "BotglueSpinner"),
        ToolStatus::Unfinished => (UNKNOWN, "BotgluePrompt"),
    }
}

/// The rows of the newest tools, oldest first: those with the same title and the same outcome one after the other are
/// one row. All are as wide.
pub fn tools<'a>(tools: impl DoubleEndedIterator<Item = (&'a str, ToolStatus)>, room: usize) -> Vec<Chunks> {
    let mut newest: Vec<(&str, ToolStatus, usize)> = Vec::new();
    for (title, status) in tools.rev() {
        let is_full = newest.len() == MOST;
        match newest.last_mut() {
            Some((of, at, count)) if *of == title && *at == status => *count += 1,
            _ if is_full => break,
            _ => newest.push((title, status, 1)),
        }
    }
    let row = |&(title, status, count): &(&str, ToolStatus, usize)| {
        let (sign, group) = sign(status);
        let sign = format!(" {sign}");
        let ending = if count > 1 { format!(" ×{count} ") } else { " ".to_owned() };
        let left = room.saturating_sub(width(&sign) + width(&ending));
        let words = fit(&format!(" {}", clean(title)), left);
        vec![Cell::new(sign, group), Cell::new(words + &ending, "BotglueTools")]
    };
    let mut rows: Vec<Chunks> = newest.iter().rev().map(row).collect();
    let widest = rows.iter().map(|row| width(&row[1].0)).max().unwrap_or_default();
    for Cell(words, _) in rows.iter_mut().map(|row| &mut row[1]) {
        words.extend(std::iter::repeat_n(' ', widest - width(words)));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(chunks: &Chunks) -> String {
        chunks.iter().map(|Cell(text, _)| text.as_str()).collect()
    }

    #[test]
    fn calls_of_the_same_tool_with_the_same_outcome_are_one_row() {
        let calls = |calls: &[(&'static str, ToolStatus)], room| -> Vec<String> {
            tools(calls.iter().copied(), room).iter().map(text).collect()
        };
        let (ok, error) = (("Read a.lua", ToolStatus::Ok), ("Read a.lua", ToolStatus::Error));
        let running = ("Read b.lua", ToolStatus::Running);
        let shown = calls(&[ok, ok, ok, error, running], 44);
        assert_eq!(shown, [" ✓ Read a.lua ×3 ", " ✗ Read a.lua    ", " ▸ Read b.lua    "]);
        assert_eq!(calls(&[ok, error, ok, error, ok, error, running], 44).len(), 5);
        assert_eq!(calls(&[ok, ok], 12), [" ✓ Read… ×2 "]);
    }
}
