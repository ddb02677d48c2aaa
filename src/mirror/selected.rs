//! A request, as far as its range is concerned: what was selected, and the changedtick that the buffer had then.

use std::ops::Range;

use serde::Deserialize;

use crate::document::{Document, Passage, Place, Rows, is_telling, shifted};
use crate::fields::bytes::unescape;
use crate::journal::Held;
use crate::land::{Bytes, Replaced};
use crate::request::{Selection, SelectionKind};

/// How much a text has to say to be known elsewhere than where it was: so many rows that are not blank, or so many
/// bytes.
const LONG_ROWS: usize = 2;
const LONG_BYTES: usize = 20;

/// The selection of a request: its rows, the selected bytes in them, and the rows beside them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "Selection")]
pub struct Selected {
    /// The screen column at which a block begins.
    pub column: Option<usize>,
    kind: SelectionKind,
    /// The first row, from 0; of an insertion the row above which it goes.
    first: usize,
    rows: Vec<Bytes>,
    /// The bytes of each row that were selected.
    spans: Vec<Range<usize>>,
    above: Option<Bytes>,
    below: Option<Bytes>,
}

/// A request, as far as its range is concerned.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Sent {
    /// The job's id.
    #[serde(rename = "id")]
    pub job: u64,
    /// The buffer's changedtick; none where the request went to a host that is gone.
    pub tick: Option<u64>,
    /// What was selected.
    #[serde(rename = "selection")]
    pub selected: Selected,
}

/// The whole rows of a range as they stood when its file was written, where they are others than those that were sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedRows {
    /// Their first line, as a request has it.
    pub first_line: usize,
    /// The rows. None at all: they were gone by then, but for an insertion, which has none.
    pub rows: Vec<Bytes>,
    /// What was selected with what was taken of its answer in it, where something was.
    pub base: Option<Vec<Bytes>>,
}

impl SavedRows {
    /// Those of a range that stands like this.
    pub fn of(passage: &Passage, base: Option<Vec<Bytes>>) -> Self {
        let at = passage.place.rows();
        let rows = passage.rows.iter().map(|row| row.text.to_vec()).collect();
        Self { first_line: at.start + usize::from(!at.is_empty()), rows, base }
    }
}

impl From<Selection> for Selected {
    fn from(selection: Selection) -> Self {
        let size = |count: u64| usize::try_from(count).unwrap_or_default();
        let row = |row: &String| unescape(row).into_owned();
        let spans = selection.cols.iter().zip(&selection.text);
        Self {
            column: selection.column.map(size),
            kind: selection.kind,
            first: first_row(selection.kind, size(selection.first_line)),
            spans: spans.map(|(start, text)| size(*start)..size(*start) + unescape(text).len()).collect(),
            rows: selection.rows.iter().map(row).collect(),
            above: selection.beside.above.as_ref().map(row),
            below: selection.beside.below.as_ref().map(row),
        }
    }
}

impl Selected {
    /// Where it was when it was sent; none where that is no place of this text.
    pub fn place(&self, rows: &Rows) -> Option<Place> {
        let place = self.place_at(self.first)?;
        let is_there = place.rows().end <= rows.len() && {
            let columns = rows.slice(place.rows());
            columns.len() == self.spans.len()
                && columns.iter().zip(&self.spans).all(|(row, span)| span.end <= row.text.len())
        };
        (is_there || (place.is_insertion() && self.first <= rows.len())).then_some(place)
    }

    /// What was selected, one piece a row.
    pub fn pieces(&self) -> Vec<Bytes> {
        let piece = |(row, span): (&Bytes, &Range<usize>)| row.get(span.clone()).unwrap_or_default().to_vec();
        self.rows.iter().zip(&self.spans).map(piece).collect()
    }

    /// The place and the whole rows that were sent, with what was taken of the answer in them. Of an answer that left
    /// no rows there are none.
    pub fn base(&self, taken: Option<&[Bytes]>) -> Option<(Place, Vec<Bytes>)> {
        let is_empty = self.kind == SelectionKind::Line && self.rows.is_empty();
        let place = if is_empty { Place::Lines(self.first..self.first) } else { self.place_at(self.first)? };
        let fits = |pieces: &&[Bytes]| match self.kind {
            SelectionKind::Line => true,
            SelectionKind::Char => !pieces.is_empty(),
            SelectionKind::Block => pieces.len() == self.rows.len(),
            SelectionKind::Insert => false,
        };
        let Some(pieces) = taken.filter(fits) else { return Some((place, self.rows.clone())) };
        let rows = Document::new(&self.rows).rows().slice(0..self.rows.len());
        let replaced = Replaced::new(&Passage { place, rows }, pieces);
        Some((replaced.planned_place(), replaced.rows))
    }

    /// Whether the editor's mark can be where this is. What its rows read is compared when an answer lands: what is not
    /// as it was sent, the user has changed. An insertion has none, so the rows beside it have to be as they were.
    pub fn may_be_at(&self, mark: &Place, rows: &Rows) -> bool {
        match (self.kind, mark) {
            (SelectionKind::Insert, Place::Lines(at)) => {
                let row = |at: usize| rows.get(at).map(|row| &row.text[..]);
                at.is_empty() && self.is_telling() && self.reads_at(at.start, row)
            }
            (SelectionKind::Line, Place::Lines(at)) => !at.is_empty() && !self.rows.is_empty(),
            (SelectionKind::Char, Place::Part { .. }) => true,
            (SelectionKind::Block, Place::Block { columns, .. }) => columns.len() == self.spans.len(),
            _ => false,
        }
    }

    /// The rows as they were sent, at the editor's mark, between those beside them: a text of their own, the range in
    /// it, and how many rows of the buffer are above that text. None where the mark cannot be where this is.
    pub fn as_text(&self, mark: &Place) -> Option<(Document, Passage, usize)> {
        let above = usize::from(self.above.is_some());
        let first = mark.rows().start.checked_sub(above)?;
        let own = self.place_at(above).filter(|_| self.place_at(first + above).as_ref() == Some(mark))?;
        let text = Document::new(self.above.iter().chain(&self.rows).chain(&self.below));
        let passage = Passage::new(own, text.rows());
        Some((text, passage, first))
    }

    /// Where the text reads as it was sent: where it was, else at the only place that does, if it says enough; an
    /// insertion by the two rows beside it. Rows without a letter tell nothing.
    pub fn find(&self, rows: &Rows) -> Option<Place> {
        if !self.is_telling() {
            return None;
        }
        let text: Vec<&[u8]> = rows.iter().map(|row| &row.text[..]).collect();
        let row = |at: usize| text.get(at).copied();
        if self.first <= text.len() && self.reads_at(self.first, row) {
            return self.place_at(self.first);
        }
        if !self.is_long() {
            return None;
        }
        let mut places = (0..=text.len()).filter(|first| self.reads_at(*first, row));
        let only = places.next().filter(|_| places.next().is_none())?;
        self.place_at(only)
    }

    /// The same as it stood when its file was written; none where that is gone, or its place in its rows is unknown.
    pub fn saved_at(&self, saved: &SavedRows) -> Option<Self> {
        let first = first_row(self.kind, saved.first_line);
        let spans: Option<Vec<_>> = match self.kind {
            SelectionKind::Insert => Some(Vec::new()),
            _ if saved.rows.is_empty() => None,
            SelectionKind::Line => Some(saved.rows.iter().map(|row| 0..row.len()).collect()),
            SelectionKind::Char | SelectionKind::Block if saved.rows.len() == self.rows.len() => {
                let rows = self.rows.iter().zip(&saved.rows).zip(&self.spans);
                rows.map(|((was, is), span)| {
                    let now = if was == is { Some(span.clone()) } else { shifted(was, is, span.clone()) };
                    now.filter(|now| span.is_empty() || !now.is_empty())
                })
                .collect()
            }
            SelectionKind::Char | SelectionKind::Block => None,
        };
        Some(Self { first, rows: saved.rows.clone(), spans: spans?, ..self.clone() })
    }

    fn is_telling(&self) -> bool {
        self.distinctive_rows().any(|row| is_telling(row))
    }

    /// Whether it says enough to be known elsewhere than where it was.
    fn is_long(&self) -> bool {
        let lens = || self.distinctive_rows().map(|row| row.trim_ascii().len()).filter(|len| *len > 0);
        lens().count() >= LONG_ROWS || lens().sum::<usize>() >= LONG_BYTES
    }

    /// The rows by which it is known.
    fn distinctive_rows(&self) -> impl Iterator<Item = &Vec<u8>> {
        let (beside, own) = match self.kind {
            SelectionKind::Insert => (self.above.iter().chain(&self.below), [].iter()),
            _ => (None.iter().chain(&None), self.rows.iter()),
        };
        beside.chain(own)
    }

    /// Whether a text has its rows from one on, or the rows beside it; `row` is a row of that text.
    fn reads_at<'a>(&self, first: usize, row: impl Fn(usize) -> Option<&'a [u8]>) -> bool {
        if self.kind == SelectionKind::Insert {
            let above = first.checked_sub(1).and_then(&row);
            return above == self.above.as_deref() && row(first) == self.below.as_deref();
        }
        (first..).zip(&self.rows).all(|(at, own)| row(at) == Some(own))
    }

    fn place_at(&self, first: usize) -> Option<Place> {
        Some(match self.kind {
            SelectionKind::Insert => Place::Lines(first..first),
            SelectionKind::Line if self.rows.is_empty() => return None,
            SelectionKind::Line => Place::Lines(first..first.checked_add(self.rows.len())?),
            SelectionKind::Char => {
                let last = first.checked_add(self.spans.len().checked_sub(1)?)?;
                Place::Part { start: (first, self.spans.first()?.start), end: (last, self.spans.last()?.end) }
            }
            SelectionKind::Block if self.spans.is_empty() => return None,
            SelectionKind::Block => Place::Block { first, columns: self.spans.clone() },
        })
    }
}

impl Sent {
    /// What was sent of the answer of an earlier host that this job holds, and how its range stood in its file.
    pub fn recalled(job: u64, held: &Held) -> (Self, Option<SavedRows>) {
        let selection = &held.record.job.selection;
        let rows = |rows: &[String]| rows.iter().map(|row| unescape(row).into_owned()).collect();
        let saved = held.saved.as_ref().map(|on_disk| {
            let first_line = on_disk.place.map_or(selection.first_line, |(first, _)| first);
            SavedRows {
                first_line: usize::try_from(first_line).unwrap_or_default(),
                rows: rows(&on_disk.rows),
                base: on_disk.base.as_deref().map(rows),
            }
        });
        (Self { job, tick: None, selected: selection.clone().into() }, saved)
    }
}

/// The row from 0 of a line as a request has it: an insertion goes below its line.
fn first_row(kind: SelectionKind, line: usize) -> usize {
    if kind == SelectionKind::Insert { line } else { line.saturating_sub(1) }
}
