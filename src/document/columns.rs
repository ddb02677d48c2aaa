//! Columns of a part of a row, followed through the edits of the row, which come as its old and its new text.
//!
//! Such an edit may have had several places (in `f(x, x)` either argument may have been typed), and then the columns have:
//! the editor's mark decides, before the next edit, or they are not known. Undo and redo lead to a text that was there
//! before: the row has the columns that it had then.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use super::rows::Row;
use super::texts::{MAX_TEXTS, TextNumber};

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
#[derive(Debug)]
pub struct Columns {
    text: Arc<[u8]>,
    /// What was known before, oldest first.
    earlier: VecDeque<Known>,
    now: Known,
}

/// Where a part may be from one text on, until the next change of that.
#[derive(Debug, Clone)]
struct Known {
    since: TextNumber,
    /// The hash of the row.
    row: u64,
    /// None where it is not known; several where the last edit leaves several.
    places: Vec<Bounds>,
    /// What is put in at its ends is part of it, since it had no text: it was sent empty, its answer left nothing, or
    /// just its text was deleted.
    is_open: bool,
}

impl Columns {
    /// The part of a row in the current text.
    pub fn new(row: &Row, bounds: Bounds, current: TextNumber) -> Self {
        Self {
            text: row.text.clone(),
            earlier: VecDeque::new(),
            now: Known { since: current, row: row.hash, places: vec![bounds], is_open: bounds.is_empty() },
        }
    }

    /// Where the part is; none where that is not known.
    pub fn bounds(&self) -> Option<Bounds> {
        if let [only] = self.now.places[..] { Some(only) } else { None }
    }

    /// Whether the editor's mark can say which of several places it has.
    pub fn is_in_doubt(&self) -> bool {
        self.now.places.len() > 1
    }

    /// It has the one of several places that the editor's mark has, if it is one of them.
    pub fn decide(&mut self, mark: Option<Bounds>) {
        if self.is_in_doubt() {
            self.now.places = mark.filter(|mark| self.now.places.contains(mark)).into_iter().collect();
        }
    }

    /// The row has this text in the current text.
    pub fn edit(&mut self, row: &Row, current: TextNumber) {
        if row.hash == self.now.row {
            return;
        }
        let (before, is_open) = (self.bounds(), self.now.is_open);
        let places = before.map_or_else(Vec::new, |before| shifts(&self.text, &row.text, before, is_open));
        let is_deleted = before.is_some_and(|before| before.is_deleted(&self.text, &row.text));
        self.text = row.text.clone();
        self.know(Known { since: current, row: row.hash, places, is_open: is_deleted || is_open });
    }

    /// Undo or redo led to the current text, which was there before, as these: the row has the columns that it had then,
    /// if it had the same ones each time.
    pub fn recall(&mut self, same: &[TextNumber], current: TextNumber) {
        if same.last().is_none_or(|last| self.now.since <= *last) {
            return;
        }
        let at = |number: &TextNumber| self.earlier.iter().rev().find(|known| known.since <= *number);
        let mut then = same.iter().filter_map(at).filter(|known| known.row == self.now.row);
        let Some(Known { row, mut places, mut is_open, .. }) = then.next().cloned() else { return };
        for known in then {
            is_open &= known.is_open;
            if known.places != places {
                places.clear();
            }
        }
        self.know(Known { since: current, row, places, is_open });
    }

    /// Another part was written here: of the places none is known where one overlaps it.
    pub fn yield_overlap_to(&mut self, other: Bounds, current: TextNumber) {
        let is_before = |a: &Bounds, b: &Bounds| a.to.is_some_and(|to| b.from.is_some_and(|from| to <= from));
        if self.now.places.iter().any(|place| !is_before(place, &other) && !is_before(&other, place)) {
            self.know(Known { since: current, row: self.now.row, places: Vec::new(), is_open: false });
        }
    }

    /// The part was replaced, and is here now.
    pub fn set(&mut self, row: &Row, bounds: Bounds, current: TextNumber) {
        self.text = row.text.clone();
        self.know(Known { since: current, row: row.hash, places: vec![bounds], is_open: bounds.is_empty() });
    }

    fn know(&mut self, known: Known) {
        let before = std::mem::replace(&mut self.now, known);
        if before.since == self.now.since {
            return;
        }
        self.earlier.push_back(before);
        if self.earlier.len() > MAX_TEXTS {
            self.earlier.pop_front();
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
