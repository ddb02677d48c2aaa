//! The shape of a range, as a merge of its rows needs it.

use std::borrow::Cow;

use crate::document::{Passage, Place, Row};

/// See the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Whole rows, or none.
    Rows,
    /// From within a row to within another: the first piece and the last one are in rows that have more.
    Part,
    /// Columns of rows, each of which stands for itself.
    Block,
}

impl Shape {
    /// That of a place.
    pub fn of(place: &Place) -> Self {
        match place {
            Place::Lines(_) | Place::Insertion(_) => Self::Rows,
            Place::Part { .. } => Self::Part,
            Place::Block { .. } => Self::Block,
        }
    }
}

/// The pieces of a passage, each with the identity of its row.
pub fn pieces(passage: &Passage) -> Cow<'_, [Row]> {
    if passage.is_of_rows() {
        return Cow::Borrowed(&passage.rows);
    }
    let pieces = passage.pieces();
    let piece = |(row, piece): (&Row, &[u8])| Row { text: piece.into(), ..row.clone() };
    passage.rows.iter().zip(pieces).map(piece).collect()
}
