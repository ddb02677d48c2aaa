//! The text that was sent beside the answer, in a tab page of their own, in diff mode.

use std::sync::Arc;

use super::frame::{Frame, Row};
use super::layout::{CLOSE, beginning, clean};
use super::opening::{Kind, Opening};
use super::page::Page;
use crate::journal::Record;
use crate::render::BETWEEN;
use crate::request::Accepted;

/// The most cells of a job's name in the name of a buffer.
const NAME: usize = 40;

/// A text that is compared, to be read, of Neovim's `filetype`.
pub(super) fn side(kind: Kind, name: &str, filetype: &str, frame: Frame) -> Page {
    let opening = Opening::of(kind, &format!("diff/{name}"), &[CLOSE]).reading(filetype);
    Page::fixed(Opening { diff: true, ..opening }, frame)
}

/// What was sent of a job of the store beside its answer, in two windows under the name of the job, else its prompt.
pub fn compared(record: &Record, name: Option<&str>) -> [Page; 2] {
    let Accepted { prompt, selection, question, filetype, .. } = &record.job;
    let name = beginning(&clean(name.unwrap_or(prompt)), NAME);
    let filetype = if *question { "" } else { filetype };
    let sides = [
        (Kind::Tab, "before", "what stood there".to_owned(), selection.text.clone()),
        (Kind::Beside, "after", format!("the answer{BETWEEN}q close"), answer(record)),
    ];
    sides.map(|(kind, which, title, lines)| {
        // A line of an answer may have a line break of its own.
        let rows = lines.iter().flat_map(|line| line.split('\n'));
        let rows = rows.map(|row| Arc::new(Row::plain(row))).collect();
        let frame = Frame { rows, bar: Some(title), ..Frame::default() };
        side(kind, &format!("{name}/{which}"), filetype, frame)
    })
}

/// The answer as it would land, else as the agent gave it.
pub fn answer(record: &Record) -> Vec<String> {
    let text = record.text.as_deref().unwrap_or_default();
    match &record.lines {
        Some(lines) if !lines.is_empty() || text.trim().is_empty() => lines.clone(),
        _ => text.split('\n').map(str::to_owned).collect(),
    }
}
