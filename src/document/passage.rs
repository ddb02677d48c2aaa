//! A range with its text: the rows that it touches, and the pieces of them that are its own.

use super::anchor::Place;
use super::rows::{Row, Rows};

/// A range with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    /// Where it is.
    pub place: Place,
    /// The whole rows that it touches; none for an insertion.
    pub rows: Vec<Row>,
}

impl Passage {
    /// The passage at a place of a text.
    pub fn new(place: Place, rows: &Rows) -> Self {
        let rows = rows.slice(place.rows());
        Self { place, rows }
    }

    /// Whether it is of whole rows, or of none.
    pub fn is_of_rows(&self) -> bool {
        matches!(self.place, Place::Lines(_))
    }

    /// Its own text, one piece a row.
    pub fn pieces(&self) -> Vec<&[u8]> {
        let pieces = self.rows.iter().enumerate().map(|(at, row)| {
            let (from, to) = self.bounds(at);
            let (from, to) = (from.min(row.text.len()), to.unwrap_or(row.text.len()).min(row.text.len()));
            &row.text[from..to.max(from)]
        });
        pieces.collect()
    }

    /// The pieces that whole rows have which were there before this was written in their place; none where they do not
    /// fit it. A row that was filled up for a block was shorter.
    pub fn pieces_before(&self, rows: &[Vec<u8>]) -> Option<Vec<Vec<u8>>> {
        if self.is_of_rows() {
            return Some(rows.to_vec());
        }
        let own = self.pieces();
        let is_block = matches!(self.place, Place::Block { .. });
        if rows.is_empty() || own.is_empty() || (is_block && rows.len() != own.len()) {
            return None;
        }
        let (first, last) = (self.around(0, &own).0.len(), self.around(own.len() - 1, &own).1.len());
        let piece = |(at, row): (usize, &Vec<u8>)| {
            let (head, tail) = if is_block {
                let (head, tail) = self.around(at, &own);
                (head.len(), tail.len())
            } else {
                (if at == 0 { first } else { 0 }, if at + 1 == rows.len() { last } else { 0 })
            };
            row.get(head.min(row.len())..row.len().checked_sub(tail)?).map(<[u8]>::to_vec)
        };
        rows.iter().enumerate().map(piece).collect()
    }

    /// What is before and after a piece in its row.
    pub fn around(&self, at: usize, own: &[&[u8]]) -> (&[u8], &[u8]) {
        let row = &self.rows[at].text;
        let from = self.bounds(at).0.min(row.len());
        (&row[..from], &row[from + own[at].len()..])
    }

    /// The first byte of a piece, and the one after its last if the row goes on there.
    fn bounds(&self, at: usize) -> (usize, Option<usize>) {
        match &self.place {
            Place::Lines(_) => (0, None),
            Place::Part { start, end } => {
                let from = if at == 0 { start.1 } else { 0 };
                (from, (start.0 + at == end.0).then_some(end.1))
            }
            Place::Block { columns, .. } => (columns[at].start, Some(columns[at].end)),
        }
    }
}
