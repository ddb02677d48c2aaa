//! The steps that the editor is asked to write: the smallest replacements of rows, each with the rows that it replaces,
//! so that the editor only compares them and decides nothing else.

use std::ops::Range;
use std::sync::Arc;

use super::replaced::Bytes;
use crate::diff;
use crate::document::{Passage, Place, Row, Rows};

/// One replacement of whole rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowEdit {
    /// The rows that are replaced; where there are none, the row above which the new ones go.
    pub rows: Range<usize>,
    /// What they read.
    pub old: Vec<Arc<[u8]>>,
    /// The row right above them, if there is one.
    pub above: Option<Arc<[u8]>>,
    /// The row right below them, if there is one.
    pub below: Option<Arc<[u8]>>,
    /// What they become.
    pub lines: Vec<Bytes>,
    /// For a part of a row or a block: how many bytes of the first row are before it, and how many of the last row are
    /// after it. They do not change.
    pub around: Option<(usize, usize)>,
    /// The screen column up to which the row is filled up with spaces: it ends before its block begins.
    pub column: Option<usize>,
}

/// Rows, and the lines that replace them.
pub type RowChange = (Range<usize>, Range<usize>);

/// The edits that replace a passage by new rows: ascending, apart from each other, none where both are equal. `column`
/// is where a block begins on the screen. Of whole rows `changes` says which are replaced by which lines.
pub fn edits(
    text: &Rows,
    passage: &Passage,
    new: &[Bytes],
    column: Option<usize>,
    changes: Vec<RowChange>,
) -> Vec<RowEdit> {
    let range = passage.place.rows();
    if let Place::Block { columns, .. } = &passage.place {
        return block(text, passage, columns, new, column);
    }
    // A buffer keeps one row: it makes room for the first rows, and it is what is left of the last ones.
    let is_all = range.len() == text.len();
    let is_empty = text.len() == 1 && text.get(0).is_some_and(|row| row.text.is_empty());
    if is_all && new.is_empty() {
        return whole(text, range, vec![Vec::new()]);
    } else if is_empty && range.is_empty() && !new.is_empty() {
        return whole(text, 0..1, new.to_vec());
    }
    let changes = if passage.is_of_rows() { changes } else { of_part(&passage.rows, new) };
    let edits = changes.into_iter().map(|(rows, lines)| {
        let rows = range.start + rows.start..range.start + rows.end;
        edit(text, rows, new[lines].to_vec())
    });
    match passage.place {
        Place::Part { start, end } => edits
            .map(|edit| {
                let from = if edit.rows.start == start.0 { start.1 } else { 0 };
                let to = if edit.rows.end == end.0 + 1 { end.1 } else { usize::MAX };
                edit.within(from, to)
            })
            .collect(),
        _ => edits.collect(),
    }
}

/// Which rows of a part are replaced by which lines: the first by the first and the last by the last. Rows that come or
/// go at an end take the row beside them along.
fn of_part(old: &[Row], new: &[Bytes]) -> Vec<RowChange> {
    let mut changes = changes(old, new);
    for (rows, lines) in &mut changes {
        let is_one_sided = Range::is_empty(rows) || Range::is_empty(lines);
        if is_one_sided && rows.start == 0 {
            (rows.end, lines.end) = (rows.end + 1, lines.end + 1);
        } else if is_one_sided && rows.end == old.len() {
            (rows.start, lines.start) = (rows.start - 1, lines.start - 1);
        }
    }
    changes.dedup_by(|(rows, lines), (above, lines_above)| {
        let is_touching = rows.start <= above.end;
        if is_touching {
            (above.end, lines_above.end) = (rows.end, lines.end);
        }
        is_touching
    });
    changes
}

/// Which rows are replaced by which lines. A row that stands once on both sides is kept rather than one that says less.
pub fn changes(old: &[impl AsRef<[u8]>], new: &[impl AsRef<[u8]>]) -> Vec<RowChange> {
    let old: Vec<&[u8]> = old.iter().map(AsRef::as_ref).collect();
    let new: Vec<&[u8]> = new.iter().map(AsRef::as_ref).collect();
    diff::patient(&old, &new)
}

/// Each row of a block is an edit of its own.
fn block(
    text: &Rows,
    passage: &Passage,
    columns: &[Range<usize>],
    new: &[Bytes],
    column: Option<usize>,
) -> Vec<RowEdit> {
    let rows = passage.place.rows().zip(&passage.rows).zip(columns).zip(new);
    let changed = rows.filter(|(((_, row), _), new)| row.text[..] != new[..]);
    let edit = |(((at, row), columns), new): (((usize, &Row), &Range<usize>), &Bytes)| {
        let is_short = columns.start >= row.text.len() && new.len() > row.text.len();
        let edit = edit(text, at..at + 1, vec![new.clone()]).within(columns.start, columns.end);
        RowEdit { column: column.filter(|_| is_short), ..edit }
    };
    changed.map(edit).collect()
}

fn whole(text: &Rows, range: Range<usize>, lines: Vec<Bytes>) -> Vec<RowEdit> {
    let edit = edit(text, range, lines);
    if edit.old.iter().map(|row| &row[..]).eq(edit.lines.iter().map(Vec::as_slice)) {
        Vec::new()
    } else {
        vec![edit]
    }
}

fn edit(text: &Rows, rows: Range<usize>, lines: Vec<Bytes>) -> RowEdit {
    let read = |row: Option<usize>| row.and_then(|row| text.get(row)).map(|row| Arc::clone(&row.text));
    let old = text.slice(rows.clone()).into_iter().map(|row| row.text).collect();
    let (above, below) = (read(rows.start.checked_sub(1)), read(Some(rows.end)));
    RowEdit { rows, old, above, below, lines, around: None, column: None }
}

impl RowEdit {
    /// Of a part that begins in the first row, and ends in the last one, at these bytes.
    fn within(mut self, from: usize, to: usize) -> Self {
        let is_same = |(old, new): &(&u8, &u8)| old == new;
        let head = self
            .old
            .first()
            .zip(self.lines.first())
            .map_or(0, |(old, new)| old.iter().zip(new).take(from).take_while(is_same).count());
        let tail = self.old.last().zip(self.lines.last()).map_or(0, |(old, new)| {
            let behind = old.len().saturating_sub(to);
            old.iter().rev().zip(new.iter().rev()).take(behind).take_while(is_same).count()
        });
        self.around = Some((head, tail));
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use proptest::prelude::*;

    fn text(rows: &[&str]) -> Rows {
        Document::new(rows).rows().clone()
    }

    fn bytes(rows: &[&str]) -> Vec<Bytes> {
        rows.iter().map(|row| row.as_bytes().to_vec()).collect()
    }

    /// The edits, where only what is compared tells what differs.
    fn to(text: &Rows, passage: &Passage, new: &[Bytes], column: Option<usize>) -> Vec<RowEdit> {
        edits(text, passage, new, column, changes(&passage.rows, new))
    }

    fn of(rows: &[&str], place: Place, new: &[&str]) -> Vec<(Range<usize>, Vec<String>)> {
        let text = text(rows);
        let passage = Passage::new(place, &text);
        let edits = to(&text, &passage, &bytes(new), None);
        let lines = |edit: &RowEdit| {
            edit.lines.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect::<Vec<_>>()
        };
        edits.iter().map(|edit| (edit.rows.clone(), lines(edit))).collect()
    }

    fn one(rows: Range<usize>, lines: &[&str]) -> Vec<(Range<usize>, Vec<String>)> {
        vec![(rows, lines.iter().map(|line| (*line).to_owned()).collect())]
    }

    #[test]
    fn only_the_rows_that_differ_are_replaced() {
        assert_eq!(of(&["x", "a", "b", "c", "x"], Place::Lines(1..4), &["a", "B", "c"]), one(2..3, &["B"]));
        assert!(of(&["a", "b"], Place::Lines(0..2), &["a", "b"]).is_empty());
        assert_eq!(of(&["a", "b"], Place::Lines(1..1), &["x"]), one(1..1, &["x"]));
        assert!(of(&["a", "b"], Place::Lines(1..1), &[]).is_empty());
    }

    #[test]
    fn a_buffer_keeps_one_row() {
        assert_eq!(of(&[""], Place::Lines(0..0), &["x", "y"]), one(0..1, &["x", "y"]));
        assert_eq!(of(&[""], Place::Lines(1..1), &["x"]), one(0..1, &["x"]));
        assert_eq!(of(&["a", "b"], Place::Lines(0..2), &[]), one(0..2, &[""]));
        assert!(of(&[""], Place::Lines(0..1), &[]).is_empty());
        assert_eq!(of(&["a", "b"], Place::Lines(0..1), &[]), one(0..1, &[]));
    }

    #[test]
    fn an_edit_says_what_is_there_and_beside_it() {
        let text = text(&["a", "b", "c"]);
        let passage = Passage::new(Place::Lines(1..3), &text);
        let edits = to(&text, &passage, &bytes(&["b", "x", "y"]), None);
        let [edit] = &edits[..] else { panic!("{edits:?}") };
        assert_eq!((edit.above.as_deref(), edit.below.as_deref()), (Some(&b"b"[..]), None));
        assert_eq!(edit.old.iter().map(|row| row.to_vec()).collect::<Vec<_>>(), bytes(&["c"]));
    }

    #[test]
    fn each_row_of_a_block_is_an_edit_and_a_short_one_is_filled_up() {
        let text = text(&["abc", "d", "abc", "e"]);
        let columns = vec![2..3, 1..1, 2..3, 1..1];
        let passage = Passage::new(Place::Block { first: 0, columns }, &text);
        let new = crate::land::Replaced::new(&passage, &bytes(&["x", "y", "c", ""]));
        let edits = to(&text, &passage, &new.rows, Some(2));
        let told: Vec<_> = edits.iter().map(|edit| (edit.rows.clone(), edit.around, edit.column)).collect();
        assert_eq!(told, [(0..1, Some((2, 0)), None), (1..2, Some((1, 0)), Some(2))]);
    }

    #[test]
    fn an_edit_of_a_part_says_what_is_around_it() {
        let around = |rows: &[&str], start, end, new: &[&str]| {
            let text = text(rows);
            let passage = Passage::new(Place::Part { start, end }, &text);
            let new = crate::land::Replaced::new(&passage, &bytes(new));
            let edits = to(&text, &passage, &new.rows, None);
            edits.iter().map(|edit| (edit.rows.clone(), edit.around.unwrap())).collect::<Vec<_>>()
        };
        // The bytes that differ come later.
        assert_eq!(around(&["aXa"], (0, 1), (0, 2), &["Xa"]), [(0..1, (1, 1))]);
        assert_eq!(
            around(&["f(a,", "b,", "c)"], (0, 2), (2, 1), &["x,", "b,", "y"]),
            [(0..1, (2, 0)), (2..3, (0, 1))]
        );
        assert_eq!(around(&["f(a,", "c)"], (0, 2), (1, 1), &["x"]), [(0..2, (2, 1))]);
        assert_eq!(around(&["f(a,", "b"], (0, 2), (1, 1), &["a,", "b", "c"]), [(1..2, (0, 0))]);
        assert_eq!(around(&["ab", "b"], (0, 1), (1, 0), &[""]), [(0..2, (1, 1))], "its last row stays");
    }

    proptest! {
        #[test]
        fn the_edits_make_the_new_rows_of_the_old_ones(
            rows in proptest::collection::vec("[a-c]?", 1..12), at in 0..12_usize, len in 0..6_usize,
            new in proptest::collection::vec("[a-c]?", 0..6),
        ) {
            let first = at.min(rows.len());
            let range = first..(first + len).min(rows.len());
            let place = Place::Lines(range.clone());
            let text = Document::new(&rows).rows().clone();
            let new: Vec<Bytes> = new.into_iter().map(String::into_bytes).collect();
            let edits = to(&text, &Passage::new(place, &text), &new, None);
            let mut written: Vec<Bytes> = rows.iter().map(|row| row.clone().into_bytes()).collect();
            for edit in edits.iter().rev() {
                prop_assert!(edit.old.iter().map(|row| row.to_vec()).eq(written[edit.rows.clone()].to_vec()));
                written.splice(edit.rows.clone(), edit.lines.clone());
            }
            prop_assert!(edits.windows(2).all(|pair| pair[0].rows.end < pair[1].rows.start));
            let mut expected: Vec<Bytes> = rows.iter().map(|row| row.clone().into_bytes()).collect();
            let is_lone = rows == [""] && range.is_empty() && !new.is_empty();
            let range = if is_lone { 0..1 } else { range };
            expected.splice(range, new);
            if expected.is_empty() {
                expected.push(Vec::new());
            }
            prop_assert_eq!(written, expected);
        }
    }
}
