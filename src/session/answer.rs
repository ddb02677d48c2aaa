//! A held answer: its lines, and what the user has made of it.

use crate::fields::bytes;
use crate::journal::{Draft, Held, Record};
use crate::land::{Block, Bytes, HeldFor, Target, blocks_of};
use crate::request::{Beside, Selection, SelectionKind};
use crate::review::EditId;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeldAnswer {
    /// Its lines, each with its end: many short ones would take several times as much memory apart.
    lines: Bytes,
    /// Why it could not land by itself, by what it is.
    held_for: Option<HeldFor>,
    /// Why it is held, by the public name of that.
    pub(super) why: String,
    /// What is doubtful in it.
    pub(super) doubt: Option<String>,
    /// How many rows the selected block has; none for another selection.
    pub block_rows: Option<usize>,
    /// The answer as the user saved it.
    edited: Option<Vec<Bytes>>,
    /// What stands in the buffer of the answer and was not saved.
    pub typed: Option<Vec<Bytes>>,
    /// For each drop the ids of its edits.
    pub dropped: Vec<Vec<EditId>>,
    /// How many of its edits were taken.
    pub(super) taken: usize,
    /// An earlier host had taken some.
    pub(super) was_taken: bool,
    /// The changedtick of the text beside which the user has seen what is proposed.
    pub shown: Option<u64>,
    /// What the agent said, and what it was an answer to, where that has several blocks.
    ambiguous: Option<Box<(String, Selection)>>,
}

/// How a held answer is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownAs {
    /// Its hunks, in its buffer.
    Hunks,
    /// The answer, in a buffer of its own.
    Text,
    /// Its blocks, of which one can be chosen.
    Blocks,
}

impl HeldAnswer {
    /// The answer of a job that has ended.
    pub(super) fn of(record: &Record) -> Self {
        let (selection, text) = (&record.job.selection, record.text.as_deref().unwrap_or_default());
        let held_for = record.held_for.as_deref().and_then(HeldFor::named);
        let lines = record.lines.as_deref().unwrap_or_default();
        let is_ambiguous = held_for == Some(HeldFor::Ambiguous);
        let is_untidied = (is_ambiguous || held_for == Some(HeldFor::Raw)) && lines.is_empty();
        Self {
            why: record.held_for.clone().unwrap_or_else(|| HeldFor::BufferGone.name().to_owned()),
            doubt: record.held_why.clone(),
            // Those of the agent's own text where none could be told to be meant.
            lines: if is_untidied {
                format!("{}\n", text.trim()).into_bytes()
            } else {
                lines.iter().flat_map(|line| line.bytes().chain([b'\n'])).collect()
            },
            held_for,
            block_rows: (selection.kind == SelectionKind::Block).then_some(selection.text.len()),
            ambiguous: is_ambiguous.then(|| Box::new((text.to_owned(), selection.clone()))),
            ..Self::default()
        }
    }

    /// The same with what the user has made of it.
    pub fn stored(held: &Held) -> Self {
        let draft = held.draft.clone().unwrap_or_default();
        let parsed = |drop: &Vec<String>| drop.iter().filter_map(|id| id.parse().ok()).collect();
        let rows = |rows: Option<Vec<String>>| {
            rows.map(|rows| rows.iter().map(|row| bytes::unescape(row).into_owned()).collect())
        };
        Self {
            edited: rows(draft.lines),
            typed: rows(draft.typed),
            was_taken: draft.is_taken,
            dropped: draft.dropped.unwrap_or_default().iter().map(parsed).collect(),
            ..Self::of(&held.record)
        }
    }

    /// What became of it.
    pub fn said(&self) -> String {
        super::sentences::said("held", &self.why, self.doubt.as_deref())
    }

    /// Its lines: as the user saved them, else as they were tidied.
    pub fn lines(&self) -> Vec<Bytes> {
        let line = |line: &[u8]| line.strip_suffix(b"\n").unwrap_or(line).to_vec();
        self.edited
            .clone()
            .unwrap_or_else(|| self.lines.split_inclusive(|byte| *byte == b'\n').map(line).collect())
    }

    /// The user saved it like this.
    pub fn edit(&mut self, lines: Vec<Bytes>) {
        (self.edited, self.typed, self.shown) = (Some(lines), None, None);
    }

    /// What is taken and dropped by now. Whether the draft changed.
    pub fn reviewed(&mut self, taken: usize, dropped: Vec<Vec<EditId>>) -> bool {
        let is_changed = self.dropped != dropped || (self.taken > 0) != (taken > 0);
        (self.taken, self.dropped) = (taken, dropped);
        is_changed
    }

    /// What the user made of it, for the journal.
    pub fn draft(&self) -> Option<Draft> {
        let escaped = |rows: &Option<Vec<Bytes>>| {
            rows.as_ref().map(|rows| rows.iter().map(|row| bytes::escape(row)).collect())
        };
        let names = |drop: &Vec<EditId>| drop.iter().map(ToString::to_string).collect();
        let dropped = self.dropped.iter().map(names).collect();
        let dropped = Some(dropped).filter(|dropped: &Vec<_>| !dropped.is_empty());
        let is_taken = self.taken > 0 || self.was_taken;
        let draft = Draft { lines: escaped(&self.edited), typed: escaped(&self.typed), is_taken, dropped };
        (draft != Draft::default()).then_some(draft)
    }

    /// How it is shown where its place is known.
    pub fn shown_as(&self) -> ShownAs {
        match self.held_for.filter(|_| self.edited.is_none()) {
            Some(HeldFor::Ambiguous) => ShownAs::Blocks,
            Some(HeldFor::Raw | HeldFor::BlockRows) => ShownAs::Text,
            _ => ShownAs::Hunks,
        }
    }

    /// Why it is held.
    pub fn why(&self) -> &str {
        super::sentences::why_held(&self.why, self.doubt.as_deref())
    }

    /// What is doubtful in it, where it is held for that.
    pub fn warning(&self) -> Option<&str> {
        self.doubt.as_deref().filter(|_| self.why == HeldFor::Doubtful.name())
    }

    /// Whether its buffer is too large to be followed.
    pub fn is_too_large(&self) -> bool {
        self.why == HeldFor::TooLarge.name()
    }

    /// The agent's text and its blocks, each as an answer to text of this type.
    pub fn blocks(&self, filetype: &str) -> Option<(&str, Vec<Block>)> {
        let (text, selection) = self.ambiguous.as_deref()?;
        let Beside { above, below } = &selection.beside;
        let target = Target { filetype, selection, before: above.as_slice(), after: below.as_slice() };
        Some((text, blocks_of(target, text)))
    }

    /// Whether it has another number of rows than the block that was selected.
    pub(super) fn misses_block(&self) -> bool {
        self.block_rows.is_some_and(|rows| rows != self.lines().len())
    }
}
