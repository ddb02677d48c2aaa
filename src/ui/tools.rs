//! The newest tools of a job in a small window beside its range, while the cursor is in it. It covers neither the range
//! nor the rows below that, and other text only if there is no free place.

use std::sync::Arc;

use serde::Deserialize;

use super::frame::{Chunks, Docked, Frame, Place, Row};
use super::layout::{Ui, clean, fit};
use super::opening::{Kind, Opening};
use super::screen::View;
use super::width::width;
use crate::fields::cells;
use crate::stream::ToolStatus;
use crate::view::{Cell, FAILED, LANDED, UNKNOWN};

/// The most tools that are listed.
const MOST: usize = 5;
/// Rows beside the range, rather than all of them somewhere else.
const ENOUGH: usize = 3;

/// Where a range is in the window with the cursor; rows count from the top of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Spot {
    /// The window.
    pub win: u64,
    /// How wide it is.
    #[serde(deserialize_with = "cells")]
    pub width: usize,
    /// The cells at the right of all lines of the range.
    #[serde(deserialize_with = "cells")]
    pub free: usize,
    /// The first row for text.
    #[serde(deserialize_with = "cells")]
    pub top: usize,
    /// The last row for text.
    #[serde(deserialize_with = "cells")]
    pub bottom: usize,
    /// The first row of the range.
    #[serde(deserialize_with = "cells")]
    pub from: usize,
    /// The last row of the range.
    #[serde(deserialize_with = "cells")]
    pub to: usize,
}

impl Spot {
    /// The row for a list of this size, and its height, which may be less beside the range; none where it does not fit.
    fn fit(&self, below: usize, width: usize, height: usize) -> Option<(usize, usize)> {
        let Self { top, bottom, from, to, .. } = *self;
        let (beside, past) = (height.min((to + 1).saturating_sub(from)), to + below + 1);
        if self.free > width && beside >= height.min(ENOUGH) {
            Some((from, beside))
        } else if from >= top + height {
            Some((from - height, height))
        } else {
            (past + height <= bottom + 1).then_some((past, height))
        }
    }
}

/// The window: its place and its rows.
#[derive(Debug)]
pub struct Tools {
    place: Place,
    rows: Vec<Arc<Row>>,
}

impl Tools {
    /// The newest of these rows for which there is room, with so many of ours below the range, at least so wide.
    pub fn at(spot: &Spot, below: usize, rows: &[Chunks], least: usize) -> Option<Self> {
        let rows: Vec<Row> = rows
            .iter()
            .map(|row| row.iter().fold(Row::default(), |row, Cell(text, group)| row.with(text, group)))
            .collect();
        let width = rows.iter().map(|row| width(&row.text)).fold(least, usize::max);
        let (row, height) = (1..=rows.len()).rev().find_map(|height| spot.fit(below, width, height))?;
        let (col, docked) = (spot.width.saturating_sub(width), Docked::Within(spot.win));
        let rows: Vec<_> = rows.into_iter().map(Arc::new).collect();
        Some(Self {
            place: Place { row, col, width, height, docked, ..Place::default() },
            rows: rows[rows.len() - height..].to_vec(),
        })
    }

    /// Its cells.
    pub fn width(&self) -> usize {
        self.place.width
    }
}

impl View for Tools {
    fn opening(&self) -> Opening {
        let window = vec![("winhighlight", "NormalFloat:BotglueTools".into()), ("wrap", false.into())];
        Opening { window, ..Opening::of(Kind::Pane, "tools", &[]) }
    }

    fn frame(&mut self, _: Ui, _: usize) -> Frame {
        Frame { place: Some(self.place.clone()), rows: self.rows.clone(), ..Frame::default() }
    }
}

/// The rows of the newest tools, oldest first: those with the same title and the same outcome one after the other are
/// one row.
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
        let (sign, group) = match status {
            ToolStatus::Ok => (LANDED, "BotglueLanded"),
            ToolStatus::Error | ToolStatus::Denied => (FAILED, "BotglueFailure"),
            ToolStatus::Running => ("▸", "BotglueSpinner"),
            ToolStatus::Unfinished => (UNKNOWN, "BotgluePrompt"),
        };
        let sign = format!(" {sign}");
        let ending = if count > 1 { format!(" ×{count} ") } else { " ".to_owned() };
        let left = room.saturating_sub(width(&sign) + width(&ending));
        let words = fit(&format!(" {}", clean(title)), left);
        vec![Cell::new(sign, group), Cell::new(words + &ending, "")]
    };
    newest.iter().rev().map(row).collect()
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
        assert_eq!(shown, [" ✓ Read a.lua ×3 ", " ✗ Read a.lua ", " ▸ Read b.lua "]);
        assert_eq!(calls(&[ok, error, ok, error, ok, error, running], 44).len(), 5);
        assert_eq!(calls(&[ok, ok], 12), [" ✓ Read… ×2 "]);
    }
}
