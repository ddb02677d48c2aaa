//! The text that was sent beside the answer, in a tab page of their own, in diff mode.

use std::sync::Arc;

use super::frame::{Frame, Row};
use super::layout::{Key, Ui, beginning, clean};
use super::opening::{Kind, Opening};
use super::screen::View;
use crate::journal::Record;
use crate::render::BETWEEN;
use crate::request::Accepted;

const KEYS: [Key; 1] = [Key::told("q", "close", "close")];
/// The most cells of a job's name in the name of a buffer.
const NAME: usize = 40;

/// A text that is compared, to be read.
#[derive(Debug)]
pub(super) struct Compared {
    pub kind: Kind,
    pub name: String,
    /// What is said above it.
    pub title: String,
    /// Neovim's `'filetype'`.
    pub filetype: String,
    pub rows: Vec<Arc<Row>>,
    /// The row of the cursor as it is opened, from 1.
    pub cursor: Option<usize>,
}

/// What was sent of a job of the store beside its answer, in two windows under the name of the job, else its prompt.
pub fn compared(record: &Record, name: Option<&str>) -> [Box<dyn View>; 2] {
    let Accepted { prompt, selection, question, filetype, .. } = &record.job;
    let name = beginning(&clean(name.unwrap_or(prompt)), NAME);
    let filetype = if *question { "" } else { filetype };
    let sides = [
        (Kind::Tab, "before", "what stood there".to_owned(), selection.text.clone()),
        (Kind::Beside, "after", format!("the answer{BETWEEN}q close"), answer(record)),
    ];
    sides.map(|(kind, side, title, lines)| -> Box<dyn View> {
        let name = format!("diff/{name}/{side}");
        // A line of an answer may have a line break of its own.
        let rows = lines.iter().flat_map(|line| line.split('\n'));
        let rows = rows.map(|row| Arc::new(Row::plain(row))).collect();
        Box::new(Compared { kind, name, title, filetype: filetype.to_owned(), rows, cursor: None })
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

impl View for Compared {
    fn opening(&self) -> Opening {
        Opening {
            buffer: [("readonly", true.into()), ("syntax", self.filetype.as_str().into())].into(),
            diff: true,
            ..Opening::of(self.kind, &self.name, &KEYS)
        }
    }

    fn frame(&mut self, _: Ui, _: usize) -> Frame {
        let (rows, bar) = (self.rows.clone(), Some(self.title.clone()));
        Frame { rows, bar, cursor: self.cursor, ..Frame::default() }
    }
}
