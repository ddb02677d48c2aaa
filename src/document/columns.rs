//! Columns of a part of a row, followed through the edits of the row, which come as its old and its new text.
//!
//! Such an edit may have had several places (in `f(x, x)` either argument may have been typed): then there are several
//! places for the columns, and each is followed. What the row read before has, after undo, the columns it had then.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::rows::Row;

/// The most places that are followed; beyond it none is known.
const MAX_PLACES: usize = 16;
/// The most texts of a row whose columns are remembered.
const MAX_TEXTS: usize = 1000;

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
}

/// Where a part of one row may be.
#[derive(Debug)]
pub struct Columns {
    text: Arc<[u8]>,
    hash: u64,
    places: Vec<Bounds>,
    /// It had no text when it was sent, or once its answer was written.
    has_no_text: bool,
    /// What was known of earlier texts, by their hashes.
    seen: HashMap<u64, Vec<Bounds>>,
    /// What was known right before and right after an answer was written, by the hashes of the row and of the whole
    /// text.
    kept: HashMap<(u64, u64), Vec<Bounds>>,
    /// What is known of the row as it is was not remembered yet.
    is_new: bool,
    /// The row was edited since the last undo or redo.
    is_edited: bool,
}

impl Columns {
    /// The part of a row as it is.
    pub fn new(row: &Row, bounds: Bounds) -> Self {
        Self {
            text: row.text.clone(),
            hash: row.hash,
            places: vec![bounds],
            has_no_text: bounds.is_empty(),
            seen: HashMap::new(),
            kept: HashMap::new(),
            is_new: true,
            is_edited: false,
        }
    }

    /// The places that the part may have; none where it is not known.
    pub fn places(&self) -> &[Bounds] {
        &self.places
    }

    /// The row was edited.
    pub fn edit(&mut self, row: &Row) {
        if row.hash == self.hash {
            return;
        }
        let shifted =
            self.places.iter().flat_map(|place| shifts(&self.text, &row.text, *place, self.has_no_text));
        let mut places: Vec<Bounds> = Vec::new();
        for place in shifted {
            add(&mut places, &[place]);
            if places.len() > MAX_PLACES {
                places.clear();
                break;
            }
        }
        (self.text, self.hash, self.places) = (row.text.clone(), row.hash, places);
        (self.is_new, self.is_edited) = (true, true);
    }

    /// Remembers what is known of the row as it is, in a text with this hash. A text that had other columns before has
    /// all of them.
    pub fn remember(&mut self, text: u64) {
        if !std::mem::take(&mut self.is_new) {
            return;
        }
        if let Some(kept) = self.kept.get_mut(&(self.hash, text)) {
            add(kept, &self.places);
        }
        if self.seen.len() >= MAX_TEXTS && !self.seen.contains_key(&self.hash) {
            return;
        }
        add(self.seen.entry(self.hash).or_default(), &self.places);
    }

    /// An answer is written next, or was just now: what is known of the row as it is in a text with this hash.
    pub fn keep(&mut self, text: u64) {
        if self.kept.len() < MAX_TEXTS {
            add(self.kept.entry((self.hash, text)).or_default(), &self.places);
        }
    }

    /// Undo or redo brought the row to what it is in a text with this hash: it has the columns that it had.
    pub fn recall(&mut self, text: u64) {
        if std::mem::take(&mut self.is_edited)
            && let Some(seen) = self.kept.get(&(self.hash, text)).or_else(|| self.seen.get(&self.hash))
        {
            self.places.clone_from(seen);
        }
    }

    /// Another part was written here: of the places none is known where one overlaps it.
    pub fn cede(&mut self, other: Bounds) {
        let is_before = |a: &Bounds, b: &Bounds| a.to.is_some_and(|to| b.from.is_some_and(|from| to <= from));
        if self.places.iter().any(|place| !is_before(place, &other) && !is_before(&other, place)) {
            self.places.clear();
        }
    }

    /// The part was replaced, and is here now.
    pub fn set(&mut self, row: &Row, bounds: Bounds) {
        (self.text, self.hash, self.places) = (row.text.clone(), row.hash, vec![bounds]);
        (self.has_no_text, self.is_new) = (bounds.is_empty(), true);
    }
}

/// Adds the places that are not known yet.
fn add(known: &mut Vec<Bounds>, places: &[Bounds]) {
    for place in places {
        if !known.contains(place) {
            known.push(*place);
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

/// Where a part may be after an edit. What is put in where one is that `has_no_text` is the part, since it is there
/// that both the user and the answer write.
fn shifts(old: &[u8], new: &[u8], part: Bounds, has_no_text: bool) -> Vec<Bounds> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let slack = (head + tail).saturating_sub(old.len().min(new.len()));
    let same = head + tail - slack;
    let (gone, come) = (old.len() - same, new.len() - same);
    let place = |at: usize| match part {
        Bounds { from: Some(from), .. } if has_no_text && part.is_empty() && gone == 0 && from == at => {
            Bounds { to: Some(at + come), ..part }
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
        for (old, new, place) in [
            ("x [foo] y", "long foo y", "long [foo] y"),
            ("x [foo] y", "x foo z", "x [foo] z"),
            ("x [foo] y", "x fXoo y", "x [fXoo] y"),
            ("x [foo] y", "x fo y", "x [fo] y"),
            ("x [foo] y", "foo y", "[foo] y"),
            ("x [foo] y", "x  y", "x [] y"),
            ("[foo]", "foo bar", "[foo] bar"),
            ("[foo]", "bar foo", "bar [foo]"),
            ("a [b] c", "a b, c", "a [b], c"),
            ("call([one], two)", "call(two)", "call([]two)"),
            ("call(one, [two], three)", "x", "x[]"),
            ("f([]) + x", "f(typed) + x", "f([typed]) + x"),
            ("[]", "typed", "[typed]"),
        ] {
            assert_eq!(after(old, new), [place], "{old} → {new}");
        }
    }

    #[test]
    fn an_edit_with_two_places_leaves_two() {
        assert_eq!(after("f([x])", "f(x, x)"), ["f(x, [x])", "f([x], x)"]);
        assert_eq!(after("x [foo] y", "x fooo y"), ["x [fooo] y", "x [foo]o y"]);
        assert_eq!(after("x [foo] y", "x ffoo y"), ["x f[foo] y", "x [ffoo] y"]);
    }

    #[test]
    fn a_part_that_goes_on_in_other_rows_has_one_bound() {
        let at = |part: Bounds, old: &str, new: &str| shifts(old.as_bytes(), new.as_bytes(), part, false);
        let (first, last) = (Bounds { from: Some(2), to: None }, Bounds { from: None, to: Some(2) });
        assert_eq!(at(first, "a bc", "a bcd"), [first]);
        assert_eq!(at(first, "a bc", "xa bc"), [Bounds { from: Some(3), to: None }]);
        assert_eq!(at(last, "bc d", "xbc d"), [Bounds { from: None, to: Some(3) }]);
        assert_eq!(at(last, "bc d", "bc dx"), [last]);
    }
}
