//! What an answer that waits would change: the differences that are shown where its text is.

use std::ops::Range;

use super::replaced::{Bytes, Replaced};
use super::step::edits;
use super::verdict::wanted;
use super::{HeldFor, merge_rows};
use crate::document::{Passage, Place, Rows};

/// Whole rows that an answer would replace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The rows of the text; where there are none, the row above which the lines go.
    pub rows: Range<usize>,
    /// What they would read.
    pub lines: Vec<Bytes>,
    /// The user changed the same place differently.
    pub is_conflict: bool,
    /// For a row of a block that ends before the block begins: the screen column up to which it is filled up.
    pub column: Option<usize>,
}

/// The differences between the text as it is `now` and an answer to `base`, in their order. Rows that read as the answer
/// are in none. `column` is where a block begins on the screen.
///
/// # Errors
/// Why the answer cannot be compared with the text.
pub fn differences(
    text: &Rows,
    base: &Passage,
    now: &Passage,
    answer: &[Bytes],
    column: Option<usize>,
) -> Result<Vec<Difference>, HeldFor> {
    if now.is_of_rows() {
        let first = now.place.rows().start;
        let hunks = merge_rows(&base.rows, &now.rows, answer).into_iter().map(|hunk| Difference {
            rows: first + hunk.current.start..first + hunk.current.end,
            lines: answer[hunk.answer].to_vec(),
            is_conflict: hunk.is_conflict,
            column: None,
        });
        return Ok(hunks.collect());
    }
    let (sent, current) = (base.pieces(), now.pieces());
    let is_block = matches!(now.place, Place::Block { .. });
    if is_block && answer.len() != current.len() {
        return Err(HeldFor::BlockRows);
    }
    let first = now.place.rows().start;
    let is_conflict = |rows: &Range<usize>| {
        let own = |row: usize| sent.get(row - first) != current.get(row - first);
        if is_block { rows.clone().any(own) } else { sent != current }
    };
    let wanted = wanted(base, now, answer);
    let edits = edits(text, now, &Replaced::new(now, &wanted).rows, column);
    let differences = edits.into_iter().map(|edit| Difference {
        is_conflict: is_conflict(&edit.rows),
        rows: edit.rows,
        lines: edit.lines,
        column: edit.column,
    });
    Ok(runs(differences))
}

/// Rows next to each other are one difference.
fn runs(differences: impl Iterator<Item = Difference>) -> Vec<Difference> {
    let mut runs: Vec<Difference> = Vec::new();
    for next in differences {
        match runs.last_mut() {
            Some(last)
                if last.rows.end == next.rows.start
                    && (last.is_conflict, last.column) == (next.is_conflict, next.column) =>
            {
                last.rows.end = next.rows.end;
                last.lines.extend(next.lines);
            }
            _ => runs.push(next),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    fn bytes(rows: &[&str]) -> Vec<Bytes> {
        rows.iter().map(|row| row.as_bytes().to_vec()).collect()
    }

    fn difference(rows: Range<usize>, lines: &[&str], is_conflict: bool) -> Difference {
        Difference { rows, lines: bytes(lines), is_conflict, column: None }
    }

    /// The differences once rows of a text were edited, each into what stands at its place.
    fn of(rows: &[&str], now: &[&str], place: &Place, at: &Place, answer: &[&str]) -> Vec<Difference> {
        let mut document = Document::new(rows);
        let base = Passage::new(place.clone(), document.rows());
        for (at, row) in now.iter().enumerate() {
            document.apply(at..at + 1, &[row]);
        }
        let now = Passage::new(at.clone(), document.rows());
        differences(document.rows(), &base, &now, &bytes(answer), None).unwrap()
    }

    #[test]
    fn whole_rows() {
        let (rows, place) = (["top", "a1", "b1", "c1", "d1", "e1"], Place::Lines(1..6));
        let now = ["top", "a1", "mine", "c1", "d1", "e1"];
        assert_eq!(
            of(&rows, &now, &place, &place, &["a1", "B1", "c1", "d1", "E1", "F1"]),
            [difference(2..3, &["B1"], true), difference(5..6, &["E1", "F1"], false)]
        );
        assert!(of(&rows, &now, &place, &place, &["a1", "mine", "c1", "d1", "e1"]).is_empty());
        let insertion = Place::Insertion(1);
        assert_eq!(of(&rows, &rows, &insertion, &insertion, &["x"]), [difference(1..1, &["x"], false)]);
    }

    #[test]
    fn a_part_and_a_block_are_whole_rows_with_the_pieces_in_them() {
        let part = |to| Place::Part { start: (0, 2), end: (0, to) };
        assert_eq!(
            of(&["f(a)"], &["f(a)"], &part(3), &part(3), &["b"]),
            [difference(0..1, &["f(b)"], false)]
        );
        assert_eq!(
            of(&["f(a)"], &["f(aa)"], &part(3), &part(4), &["b"]),
            [difference(0..1, &["f(b)"], true)]
        );
        let block = |ends: [usize; 4]| Place::Block { first: 0, columns: ends.map(|end| 0..end).to_vec() };
        let (was, is) = (["a1", "b1", "c1", "d1"], ["a1", "b1", "cc1", "d1"]);
        assert_eq!(
            of(&was, &is, &block([1; 4]), &block([1, 1, 2, 1]), &["A", "B", "C", "d"]),
            [difference(0..2, &["A1", "B1"], false), difference(2..3, &["C1"], true)]
        );
        // What the answer leaves as it was sent is the user's.
        assert_eq!(
            of(&was, &is, &block([1; 4]), &block([1, 1, 2, 1]), &["A", "b", "c", "d"]),
            [difference(0..1, &["A1"], false)]
        );
    }
}
