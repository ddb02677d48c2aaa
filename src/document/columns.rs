//! Columns of a part of a row, followed through the edits of the row, which come as its old and its new text.
//!
//! Such an edit may have had several places (in `f(x, x)` either argument may have been typed), and then the columns have:
//! the editor's mark decides, before the next edit, or they are not known.

use std::ops::Range;
use std::sync::Arc;

use super::rows::{Row, RowId, Rows};

/// Bytes of a row; without a bound the part goes on in the row above, or below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The first byte of the part.
    pub from: Option<usize>,
    /// The byte after the part.
    pub to: Option<usize>,
}

impl Bounds {
    /// Whether there is no byte between them.
    fn is_empty(&self) -> bool {
        self.from.is_some() && self.from == self.to
    }

    /// Whether an edit that led from one text to the other deleted just what is between them.
    fn is_deleted(&self, old: &[u8], new: &[u8]) -> bool {
        let Self { from: Some(from), to: Some(to) } = *self else { return false };
        let around = old.get(..from).zip(old.get(to..)).filter(|_| from < to);
        around.is_some_and(|(head, tail)| {
            new.len() == head.len() + tail.len() && new.starts_with(head) && new.ends_with(tail)
        })
    }
}

/// Where a part of one row may be.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Columns {
    /// The text of the row.
    text: Arc<[u8]>,
    /// None where it is not known; several where the last edit leaves several.
    places: Vec<Bounds>,
    /// What is put in at its ends is part of it, since it had no text: it was sent empty, its answer left nothing, or
    /// just its text was deleted.
    is_open: bool,
}

impl Columns {
    fn new(row: &Row, bounds: Bounds) -> Self {
        Self { text: row.text.clone(), places: vec![bounds], is_open: bounds.is_empty() }
    }

    /// Where the part is; none where that is not known.
    fn bounds(&self) -> Option<Bounds> {
        if let [only] = self.places[..] { Some(only) } else { None }
    }

    fn is_in_doubt(&self) -> bool {
        self.places.len() > 1
    }

    /// The row has this text now.
    fn edit(&mut self, row: &Row) {
        let before = self.bounds();
        self.places = before.map_or_else(Vec::new, |part| shifts(&self.text, &row.text, part, self.is_open));
        self.is_open |= before.is_some_and(|before| before.is_deleted(&self.text, &row.text));
        self.text = row.text.clone();
    }
}

/// The parts of rows that a range is of, from its first row on; none where it is of whole rows.
#[derive(Debug, Clone, Default)]
pub struct Parts(Vec<(RowId, Columns)>);

impl Parts {
    /// Those at a place, in its rows.
    pub fn set(&mut self, bounds: &[(usize, Bounds)], rows: &Rows) {
        for (at, bounds) in bounds {
            let Some(row) = rows.get(*at) else { continue };
            let columns = Columns::new(row, *bounds);
            match self.0.iter_mut().find(|(id, _)| *id == row.id) {
                Some((_, before)) => *before = columns,
                None => self.0.push((row.id, columns)),
            }
        }
    }

    /// Which of them is in a row.
    pub fn number(&self, row: RowId) -> Option<usize> {
        self.0.iter().position(|(id, _)| *id == row)
    }

    /// Where the part of a row is; none where that is not known.
    pub fn bounds(&self, row: &Row) -> Option<Bounds> {
        self.0[self.number(row.id)?].1.bounds()
    }

    /// Whether one of them is in a row, and that reads otherwise now.
    pub fn is_edited(&self, row: &Row) -> bool {
        self.number(row.id).is_some_and(|number| self.0[number].1.text != row.text)
    }

    /// A row has this text now.
    pub fn edit(&mut self, row: &Row) {
        if let Some((_, columns)) = self.0.iter_mut().find(|(id, _)| *id == row.id)
            && columns.text != row.text
        {
            columns.edit(row);
        }
    }

    /// All rows are these now.
    pub fn follow(&mut self, rows: &Rows) {
        for (id, columns) in &mut self.0 {
            if let Some(row) =
                rows.find(*id).and_then(|at| rows.get(at)).filter(|row| row.text != columns.text)
            {
                columns.edit(row);
            }
        }
    }

    /// Whether the editor's mark can say which of several places one of them has.
    pub fn is_in_doubt(&self) -> bool {
        self.0.iter().any(|(_, columns)| columns.is_in_doubt())
    }

    /// The editor's mark is here: each that has several places has the one that the mark has, if it is one of them.
    pub fn decide(&mut self, marked: &[(usize, Bounds)], rows: &Rows) {
        for (id, columns) in self.0.iter_mut().filter(|(_, columns)| columns.is_in_doubt()) {
            let at = rows.find(*id);
            let mark = marked.iter().find(|(row, _)| Some(*row) == at).map(|(_, bounds)| *bounds);
            columns.places = mark.filter(|mark| columns.places.contains(mark)).into_iter().collect();
        }
    }

    /// The same text had these, too: what differs is not known.
    pub fn agree(&mut self, other: &Self) {
        for (id, columns) in &mut self.0 {
            if other.0.iter().any(|(row, then)| row == id && then.places != columns.places) {
                columns.places.clear();
            }
        }
    }

    /// Other parts were written here: of the places none is known where one overlaps them.
    pub fn yield_to(&mut self, others: &[(usize, Bounds)], rows: &Rows) {
        let is_before = |a: &Bounds, b: &Bounds| a.to.is_some_and(|to| b.from.is_some_and(|from| to <= from));
        for (at, other) in others {
            let id = rows.get(*at).map(|row| row.id);
            for (_, columns) in self.0.iter_mut().filter(|(row, _)| Some(*row) == id) {
                let is_apart = |place: &Bounds| is_before(place, other) || is_before(other, place);
                if !columns.places.iter().all(is_apart) {
                    (columns.places, columns.is_open) = (Vec::new(), false);
                }
            }
        }
    }
}

/// Where a part of a row is after an edit that led from one text to the other; none where it may be in several places.
pub fn shifted(old: &[u8], new: &[u8], part: Range<usize>) -> Option<Range<usize>> {
    let part = Bounds { from: Some(part.start), to: Some(part.end) };
    match shifts(old, new, part, part.is_empty())[..] {
        [Bounds { from: Some(from), to: Some(to) }] => Some(from..to),
        _ => None,
    }
}

/// Where a part may be after an edit. What is put in at the ends of one that `is_open` is part of it, since it is there
/// that both the user and the answer write.
fn shifts(old: &[u8], new: &[u8], part: Bounds, is_open: bool) -> Vec<Bounds> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let slack = (head + tail).saturating_sub(old.len().min(new.len()));
    let same = head + tail - slack;
    let (gone, come) = (old.len() - same, new.len() - same);
    let place = |at: usize| match part {
        Bounds { from: Some(from), to: Some(to) } if is_open && gone == 0 && (from == at || to == at) => {
            Bounds { to: Some(to + come), ..part }
        }
        _ => shift(part, at, gone, come),
    };
    let mut places: Vec<Bounds> = (head - slack..=head).map(place).collect();
    places.dedup();
    places
}

/// Where a part is once `gone` bytes from `at` on were replaced by `come` others. What is put in at an end of it is
/// outside.
fn shift(Bounds { from, to }: Bounds, at: usize, gone: usize, come: usize) -> Bounds {
    let behind = at + gone;
    let moved = |column: usize| column - gone + come;
    if from.is_some_and(|from| behind <= from) {
        return Bounds { from: from.map(moved), to: to.map(moved) };
    }
    if to.is_some_and(|to| to <= at) {
        return Bounds { from, to };
    }
    let from = from.map(|from| if from <= at { from } else { at + come });
    let to = to.map(|to| if behind <= to { moved(to) } else { at.max(from.unwrap_or(0)) });
    Bounds { from, to }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places of the part in brackets, each in brackets in the new text.
    fn after(old: &str, new: &str) -> Vec<String> {
        let from = old.find('[').unwrap();
        let to = old.find(']').unwrap() - 1;
        let old = old.replace(['[', ']'], "");
        let part = Bounds { from: Some(from), to: Some(to) };
        let show = |place: Bounds| {
            let (from, to) = (place.from.unwrap(), place.to.unwrap());
            format!("{}[{}]{}", &new[..from], &new[from..to], &new[to..])
        };
        shifts(old.as_bytes(), new.as_bytes(), part, part.is_empty()).into_iter().map(show).collect()
    }

    #[test]
    fn columns_move_with_the_bytes_around_them() {
        for (old, new, places) in [
            ("x [foo] y", "long foo y", &["long [foo] y"][..]),
            ("x [foo] y", "x foo z", &["x [foo] z"]),
            ("x [foo] y", "x fXoo y", &["x [fXoo] y"]),
            ("x [foo] y", "x fo y", &["x [fo] y"]),
            ("x [foo] y", "foo y", &["[foo] y"]),
            ("x [foo] y", "x  y", &["x [] y"]),
            ("[foo]", "foo bar", &["[foo] bar"]),
            ("[foo]", "bar foo", &["bar [foo]"]),
            ("a [b] c", "a b, c", &["a [b], c"]),
            ("call([one], two)", "call(two)", &["call([]two)"]),
            ("call(one, [two], three)", "x", &["x[]"]),
            ("f([]) + x", "f(typed) + x", &["f([typed]) + x"]),
            ("[]", "typed", &["[typed]"]),
            ("f([x])", "f(x, x)", &["f(x, [x])", "f([x], x)"]),
            ("x [foo] y", "x fooo y", &["x [fooo] y", "x [foo]o y"]),
            ("x [foo] y", "x ffoo y", &["x f[foo] y", "x [ffoo] y"]),
        ] {
            assert_eq!(after(old, new), places, "{old} → {new}");
        }
    }
}
