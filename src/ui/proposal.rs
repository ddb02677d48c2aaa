//! What a buffer would be if a held answer were accepted: beside that buffer, in diff mode, to be read.

use std::sync::Arc;

use serde::Deserialize;

use super::compare::side;
use super::frame::{Frame, Row};
use super::opening::Kind;
use super::page::Page;
use super::review::rows_to_come;
use crate::document::Rows;
use crate::fields::{bytes, cells};
use crate::render::{BETWEEN, counted};
use crate::review::Hunk;

/// The buffer of a held answer, and how it is compared.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default)]
pub struct Against {
    /// The buffer, where that is there.
    pub buffer: Option<u64>,
    /// The row of the cursor in it, from 0, before this is opened, where it is shown.
    pub row: Option<usize>,
    /// Neovim's `'tabstop'`.
    #[serde(deserialize_with = "cells")]
    pub tabstop: usize,
    /// Neovim's `'filetype'`.
    pub filetype: String,
}

/// A text with hunks in it, ascending; `why` there are none.
pub fn proposal(id: u64, against: &Against, text: &Rows, hunks: &[Hunk], why: Option<&str>) -> Page {
    let is_empty = text.len() == 1 && text.get(0).is_some_and(|row| row.text.is_empty());
    let nothing = Rows::default();
    // The one row of a buffer without text makes room.
    let puts_in = !hunks.is_empty() && hunks.iter().all(|hunk| hunk.rows.is_empty());
    let text = if is_empty && puts_in { &nothing } else { text };
    let row = |row: &[u8]| Arc::new(Row::plain(bytes::escape(row)));
    let (mut rows, mut at) = (Vec::with_capacity(text.len()), 0);
    for hunk in hunks {
        rows.extend(text.slice(at..hunk.rows.start).iter().map(|old| row(&old.text)));
        rows.extend(rows_to_come(text, hunk, against.tabstop).iter().map(|new| row(new)));
        at = hunk.rows.end;
    }
    rows.extend(text.slice(at..text.len()).iter().map(|old| row(&old.text)));
    let cursor = against.row.map(|row| {
        let above = hunks.iter().take_while(|hunk| hunk.rows.end <= row);
        let row = above.fold(row, |row, hunk| row - hunk.rows.len() + hunk.lines.len());
        (row + 1).min(rows.len()).max(1)
    });
    let title = why.map_or_else(|| title(id, hunks), str::to_owned);
    let (kind, name) = (Kind::Against(against.buffer.unwrap_or_default()), format!("job {id}/after"));
    side(kind, &name, &against.filetype, Frame { rows, bar: Some(title), cursor, ..Frame::default() })
}

/// What it says of its hunks.
fn title(id: u64, hunks: &[Hunk]) -> String {
    let conflicts = hunks.iter().filter(|hunk| hunk.conflict.is_some()).count();
    let parts = [
        Some(format!("job {id}, if accepted")),
        Some(if hunks.is_empty() { "no change".to_owned() } else { counted(hunks.len(), "hunk") }),
        (conflicts > 0).then(|| counted(conflicts, "conflict")),
        Some("q close".to_owned()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(BETWEEN)
}
