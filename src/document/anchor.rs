//! What a range is known by: the ids of its rows, and for a part of a row its columns. Where it is now follows from
//! the document alone, or it is lost.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::align::rising;
use super::columns::{Bounds, Parts};
use super::passage::Passage;
use super::rows::{Row, RowId, Rows};

/// A range of a text. Rows count from 0, columns are bytes from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Whole rows; where there are none, the place above a row, of an insertion.
    Lines(Range<usize>),
    /// From a column of the first row to one of the last.
    Part {
        /// The row and the column of the first byte.
        start: (usize, usize),
        /// The row and the column after the last byte.
        end: (usize, usize),
    },
    /// Columns of several rows, from this one on.
    Block {
        /// The first row.
        first: usize,
        /// The bytes of each row.
        columns: Vec<Range<usize>>,
    },
}

impl Place {
    /// The rows that it touches; none for an insertion.
    pub fn rows(&self) -> Range<usize> {
        match self {
            Self::Lines(rows) => rows.clone(),
            Self::Part { start, end } => start.0..end.0 + 1,
            Self::Block { first, columns } => *first..first + columns.len(),
        }
    }

    /// Whether it is between two rows.
    pub fn is_insertion(&self) -> bool {
        self.rows().is_empty()
    }

    /// The bounds in each of its rows; nothing for whole rows.
    pub(super) fn bounds(&self) -> Vec<(usize, Bounds)> {
        match self {
            Self::Lines(_) => Vec::new(),
            Self::Part { start, end } if start.0 == end.0 => {
                vec![(start.0, Bounds { from: Some(start.1), to: Some(end.1) })]
            }
            Self::Part { start, end } => vec![
                (start.0, Bounds { from: Some(start.1), to: None }),
                (end.0, Bounds { from: None, to: Some(end.1) }),
            ],
            Self::Block { first, columns } => {
                let bounds =
                    |columns: &Range<usize>| Bounds { from: Some(columns.start), to: Some(columns.end) };
                (*first..).zip(columns.iter().map(bounds)).collect()
            }
        }
    }
}

/// One range.
#[derive(Debug)]
pub struct Anchor {
    /// Where it was when it was made.
    place: Place,
    /// Its rows, and those that its answer brought.
    own: BTreeSet<RowId>,
    /// The rows right above and below it; those that were there later count where these are gone.
    beside: Vec<(Option<RowId>, Option<RowId>)>,
    /// Rows with ids from here on were born after it.
    since: RowId,
    /// The text when it was made.
    at: Rows,
    /// Its rows when it was made or, once its answer was written, as they were written.
    base: Passage,
    /// Whether its answer was written.
    is_written: bool,
}

/// The rows right above and below a place.
fn beside(place: &Place, rows: &Rows) -> (Option<RowId>, Option<RowId>) {
    let id = |row: Option<usize>| row.and_then(|row| rows.get(row)).map(|row| row.id);
    (id(place.rows().start.checked_sub(1)), id(Some(place.rows().end)))
}

impl Anchor {
    /// The range at a place of the current text; `since` is the next row's id.
    pub fn new(place: &Place, rows: &Rows, since: RowId) -> Self {
        Self {
            place: place.clone(),
            own: rows.slice(place.rows()).iter().map(|row| row.id).collect(),
            beside: vec![beside(place, rows)],
            since,
            at: rows.clone(),
            base: Passage::new(place.clone(), rows),
            is_written: false,
        }
    }

    /// Its rows when it was made or, once its answer was written, as they were written.
    pub fn base(&self) -> &Passage {
        &self.base
    }

    /// It was this when it was sent.
    pub fn rebase(&mut self, base: Passage) {
        self.base = base;
    }

    /// Its answer brought these rows.
    pub fn adopt(&mut self, ids: impl Iterator<Item = RowId>) {
        self.own.extend(ids);
    }

    /// Whether its place is unknown as long as that of this row is.
    pub fn needs(&self, row: RowId, split_from: Option<RowId>) -> bool {
        let is_beside = || self.beside.iter().any(|(above, below)| [*above, *below].contains(&Some(row)));
        self.own.contains(&row) || self.is_split_off(row, split_from) || (self.own.is_empty() && is_beside())
    }

    /// Whether any of its rows are there.
    pub fn has_rows(&self, rows: &Rows) -> bool {
        self.own_rows(rows).is_some()
    }

    /// Whether it had rows, and its answer left none of them.
    pub fn is_emptied(&self) -> bool {
        self.base.rows.is_empty() && self.own.first().is_some_and(|first| *first < self.since)
    }

    /// Whether its answer was written.
    pub fn is_written(&self) -> bool {
        self.is_written
    }

    /// Whether a row was split off one of its own.
    fn is_split_off(&self, row: RowId, split_from: Option<RowId>) -> bool {
        row >= self.since && split_from.is_some_and(|from| self.own.contains(&from))
    }

    /// Its answer was written, and is here now. The rows of whole lines are known by [`Anchor::adopt`]; where it had
    /// none, all that are there are its own.
    pub fn set(&mut self, place: &Place, rows: &Rows) {
        (self.base, self.is_written) = (Passage::new(place.clone(), rows), true);
        if self.place.is_insertion() || self.own_rows(rows).is_none() {
            self.own.extend(self.base.rows.iter().map(|row| row.id));
        }
        if place.is_insertion() {
            // Nothing is left of its rows: its place is between those beside it. An insertion had such a place before,
            // and has it again after undo.
            if !self.place.is_insertion() {
                self.beside.clear();
            }
            if self.between(rows).is_none() {
                self.beside.push(beside(place, rows));
            }
            self.place = place.clone();
        }
    }

    /// Where it is, and `parts` of it are; none if that is unknown.
    pub fn place(&self, parts: &Parts, rows: &Rows) -> Option<Place> {
        let range = self.own_rows(rows);
        match self.place {
            Place::Lines(_) if range.is_none() && self.place.is_insertion() => {
                self.between(rows).map(|row| Place::Lines(row..row))
            }
            Place::Lines(_) => Some(Place::Lines(self.with_split_rows(rows, range?))),
            Place::Part { .. } => part(parts, rows, range?),
            Place::Block { .. } => block(parts, rows, range?),
        }
    }

    /// Whether it had rows, and none of them is anywhere.
    pub fn is_gone(&self, rows: &Rows) -> bool {
        !self.place.is_insertion() && self.own_rows(rows).is_none()
    }

    /// Rows, with those that the first and the last one were split into.
    fn with_split_rows(&self, rows: &Rows, mut range: Range<usize>) -> Range<usize> {
        let is_split_off =
            |at: usize| rows.get(at).is_some_and(|row| self.is_split_off(row.id, row.split_from));
        while range.start.checked_sub(1).is_some_and(is_split_off) {
            range.start -= 1;
        }
        while is_split_off(range.end) {
            range.end += 1;
        }
        range
    }

    fn own_rows(&self, rows: &Rows) -> Option<Range<usize>> {
        let span = (*self.own.first()?, *self.own.last()?);
        let mut own = rows.positions(span, |id| self.own.contains(&id));
        let first = own.next()?;
        let last = own.last().unwrap_or(first);
        let within = rows.slice(first..last + 1);
        let is_whole = within.iter().all(|row| self.own.contains(&row.id) || row.id >= self.since);
        (is_whole || self.has_stayed(&within)).then_some(first..last + 1)
    }

    /// Rows of others are between its own: they were moved in, unless that takes more rows to be moved than some of its
    /// own moved out. Of the rows that its answer brought none was there then: they all stay.
    fn has_stayed(&self, within: &[Row]) -> bool {
        let was: HashMap<RowId, usize> = self.at.iter().enumerate().map(|(at, row)| (row.id, at)).collect();
        let old: Vec<(usize, usize)> =
            within.iter().enumerate().filter_map(|(at, row)| Some((at, *was.get(&row.id)?))).collect();
        let own = || old.iter().filter(|(at, _)| self.own.contains(&within[*at].id)).map(|(_, was)| was);
        own().is_sorted() && own().count() >= rising(&old).len()
    }

    /// The row below an insertion: it goes below the row that was above it, else above the one that was below. One at
    /// an end of the text stays there, as long as there is anything of that text. A row whose text is elsewhere is gone.
    fn between(&self, rows: &Rows) -> Option<usize> {
        let find = |id: Option<RowId>| {
            let (at, was) = (rows.find(id?)?, self.at.find(id?).and_then(|was| self.at.get(was)));
            let reads = |row: &Row| was.is_some_and(|was| row.hash == was.hash);
            (rows.get(at).is_some_and(reads) || !rows.iter().any(reads)).then_some(at)
        };
        let is_text = || self.at.iter().any(|row| rows.find(row.id).is_some());
        self.beside.iter().find_map(|(above, below)| match (find(*above), find(*below)) {
            (Some(above), Some(below)) if below <= above => None,
            (Some(at), _) => Some(self.below_split_rows(rows, at, *above)),
            (None, Some(below)) => Some(below),
            (None, None) if above.is_none() && is_text() => Some(0),
            (None, None) if below.is_none() && is_text() => Some(rows.len()),
            (None, None) => None,
        })
    }

    /// The row below a row and those that were split off it since.
    fn below_split_rows(&self, rows: &Rows, at: usize, id: Option<RowId>) -> usize {
        let is_split_off = |at: &usize| {
            rows.get(*at).is_some_and(|row| {
                row.id >= self.since && row.split_from.is_some_and(|from| Some(from) == id)
            })
        };
        at + 1 + (at + 1..rows.len()).take_while(is_split_off).count()
    }
}

fn part(parts: &Parts, rows: &Rows, range: Range<usize>) -> Option<Place> {
    let (start, end) = (range.start, range.end - 1);
    let from = parts.bounds(rows.get(start)?)?.from?;
    let to = parts.bounds(rows.get(end)?)?.to?;
    Some(Place::Part { start: (start, from), end: (end, to) })
}

fn block(parts: &Parts, rows: &Rows, range: Range<usize>) -> Option<Place> {
    let within = rows.slice(range.clone());
    if !within.iter().map(|row| parts.number(row.id)).is_sorted() {
        // The answer has a text for each row, in their order.
        return None;
    }
    let columns = within.iter().map(|row| {
        let bounds = parts.bounds(row)?;
        Some(bounds.from?..bounds.to?)
    });
    Some(Place::Block { first: range.start, columns: columns.collect::<Option<_>>()? })
}
