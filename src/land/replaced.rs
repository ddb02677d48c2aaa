//! Replaces the text of a range, and gives its rows.

use crate::document::{Passage, Place, Rows};

/// The bytes of a row, or of a part of one, without the end of the line.
pub type Bytes = Vec<u8>;

/// The rows of a passage with other pieces in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// The whole rows.
    pub rows: Vec<Bytes>,
    /// For parts of rows how many bytes each piece has, and how many are after it in its row.
    pieces: Vec<(usize, usize)>,
    was: Place,
}

impl Replaced {
    /// The rows of a passage with these pieces instead of its own: for a block as many as it has rows, for a part of a
    /// row at least one.
    pub fn new(passage: &Passage, pieces: &[Bytes]) -> Self {
        let (was, last) = (passage.place.clone(), pieces.len().saturating_sub(1));
        if passage.is_of_rows() {
            return Self { rows: pieces.to_vec(), pieces: Vec::new(), was };
        }
        let own = passage.pieces();
        let mut rows = Vec::with_capacity(pieces.len());
        let mut lens = Vec::with_capacity(pieces.len());
        for (at, piece) in pieces.iter().enumerate() {
            let is_block = matches!(passage.place, Place::Block { .. });
            let head = if is_block || at == 0 { passage.around(at, &own).0 } else { &[] };
            let tail = match is_block {
                true => passage.around(at, &own).1,
                false if at == last => passage.around(own.len() - 1, &own).1,
                false => &[],
            };
            rows.push([head, piece, tail].concat());
            lens.push((piece.len(), tail.len()));
        }
        Self { rows, pieces: lens, was }
    }

    /// The rows of a passage as they were before they read as in `written`. A row of a block that reads as it was
    /// written becomes the whole row that it was, since it may have been filled up.
    pub fn taken_back(written: &Passage, now: &Passage, pieces: &[Bytes], before: &[Bytes]) -> Self {
        let mut replaced = Self::new(now, pieces);
        if matches!(now.place, Place::Block { .. }) {
            let rows = now.rows.iter().zip(&written.rows).zip(before).enumerate();
            for (at, ((now, written), before)) in rows {
                if now.text == written.text {
                    before.clone_into(&mut replaced.rows[at]);
                }
            }
        }
        replaced
    }

    /// Where the passage is in the text into which it was written: a row that was too short for its block was filled up
    /// then.
    pub fn place(&self, text: &Rows) -> Place {
        let first = self.was.rows().start;
        self.place_by(|at| text.get(first + at).map_or(0, |row| row.text.len()))
    }

    /// Where the passage will be, but for what rows are filled up with.
    pub fn planned_place(&self) -> Place {
        self.place_by(|at| self.rows[at].len())
    }

    /// Where it is by the lengths of its rows.
    fn place_by(&self, len: impl Fn(usize) -> usize) -> Place {
        let first = self.was.rows().start;
        let columns = |at: usize| {
            let (piece, tail) = self.pieces[at];
            let end = len(at).saturating_sub(tail);
            end.saturating_sub(piece)..end
        };
        match &self.was {
            Place::Lines(_) => Place::Lines(first..first + self.rows.len()),
            Place::Part { .. } => {
                let last = self.rows.len() - 1;
                Place::Part { start: (first, columns(0).start), end: (first + last, columns(last).end) }
            }
            Place::Block { .. } => {
                Place::Block { first, columns: (0..self.rows.len()).map(columns).collect() }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    fn passage(text: &[&str], place: Place) -> Passage {
        Passage::new(place, Document::new(text).rows())
    }

    fn span(start: usize, end: usize) -> std::ops::Range<usize> {
        start..end
    }

    fn bytes(pieces: &[&str]) -> Vec<Bytes> {
        pieces.iter().map(|piece| piece.as_bytes().to_vec()).collect()
    }

    /// Replaces the pieces of a place in a text; the text, and where the passage is then.
    #[track_caller]
    fn replace(text: &[&str], place: &Place, own: &[&str], pieces: &[&str]) -> (Vec<String>, Place) {
        let passage = passage(text, place.clone());
        assert_eq!(passage.pieces(), own.iter().map(|piece| piece.as_bytes()).collect::<Vec<_>>());
        let replaced = Replaced::new(&passage, &bytes(pieces));
        let mut rows: Vec<Bytes> = bytes(text);
        rows.splice(place.rows(), replaced.rows.clone());
        let place = replaced.place(Document::new(&rows).rows());
        (rows.iter().map(|row| String::from_utf8_lossy(row).into_owned()).collect(), place)
    }

    #[test]
    fn a_block_whose_rows_end_before_it() {
        let place = Place::Block { first: 0, columns: vec![1..2, 1..1, 0..0] };
        let (text, place) = replace(&["abc", "d", ""], &place, &["b", "", ""], &["xx", "y", ""]);
        assert_eq!(text, ["axxc", "dy", ""]);
        assert_eq!(place, Place::Block { first: 0, columns: vec![1..3, 1..2, 0..0] });
    }

    #[test]
    fn a_row_that_was_filled_up_as_it_was_written() {
        let replaced = Replaced::new(
            &passage(&["a"], Place::Block { first: 0, columns: vec![span(1, 1)] }),
            &bytes(&["x"]),
        );
        let place = replaced.place(Document::new(["a   x"]).rows());
        assert_eq!(place, Place::Block { first: 0, columns: vec![span(4, 5)] });
    }

    #[test]
    fn a_row_that_was_filled_up_is_what_it_was_once_that_is_taken_back() {
        let block = |columns| Place::Block { first: 0, columns };
        let written = passage(&["ab x", "d  x"], block(vec![span(3, 4), span(3, 4)]));
        let before = bytes(&["ab c", "d"]);
        let pieces = written.pieces_before(&before).unwrap();
        assert_eq!(pieces, bytes(&["c", ""]));
        let back = Replaced::taken_back(&written, &written, &pieces, &before);
        assert_eq!(back.rows, before);
        let place = back.place(Document::new(&back.rows).rows());
        assert_eq!(place, block(vec![span(3, 4), span(1, 1)]));
        // What the user typed in the row stays where it is.
        let now = passage(&["ab x", "d  x // typed"], block(vec![span(3, 4), span(3, 4)]));
        let back = Replaced::taken_back(&written, &now, &pieces, &before);
        assert_eq!(back.rows, bytes(&["ab c", "d   // typed"]));
    }

    #[test]
    fn columns_behind_the_end_of_a_row_are_its_end() {
        let passage = passage(&["ab"], Place::Part { start: (0, 5), end: (0, 9) });
        assert_eq!(passage.pieces(), [b""]);
        assert_eq!(Replaced::new(&passage, &bytes(&["x"])).rows, [b"abx"]);
    }
}
