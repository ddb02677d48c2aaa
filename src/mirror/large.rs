//! Landing in a buffer that is too large for a mirror: an answer lands where the text at its mark is what was sent.

use super::intent::Settlement;
use super::selected::{Excerpt, Selected};
use super::write::Plan;
use crate::document::{Document, Passage, Place};
use crate::land::{Bytes, HeldFor, Replaced, edits};

/// What the editor has at the mark of a range.
#[derive(Debug, Clone)]
pub struct MarkedText {
    /// Where the mark is.
    pub place: Place,
    /// What is there.
    pub excerpt: Excerpt,
}

/// What an answer to a selection needs to be written at a mark.
///
/// # Errors
/// Why it must not be written there.
pub fn plan(selected: &Selected, marked: &MarkedText, answer: &[Bytes]) -> Result<Plan, HeldFor> {
    let MarkedText { place, excerpt } = marked;
    if !selected.is_excerpt(place, excerpt) {
        return Err(HeldFor::TooLarge);
    } else if matches!(place, Place::Block { .. }) && answer.len() != excerpt.rows.len() {
        return Err(HeldFor::BlockRows);
    }
    // The rows that are known, as a text of their own.
    let known = excerpt.above.iter().chain(&excerpt.rows).chain(&excerpt.below);
    let text = Document::new(known);
    let above = usize::from(excerpt.above.is_some());
    let first = place.rows().start;
    let within = Passage::new(shift(place.clone(), |row| row - first + above), text.rows());
    let replaced = Replaced::new(&within, answer);
    let mut edits = edits(text.rows(), &within, &replaced.rows, selected.column);
    for edit in &mut edits {
        edit.rows = edit.rows.start + first - above..edit.rows.end + first - above;
    }
    let now = Passage { place: place.clone(), rows: within.rows };
    let (replaced, settlement) = (Replaced::new(&now, answer), Settlement::Written { is_merged: false });
    Ok(Plan { anchor: None, now, replaced, edits, settlement, hunks: None })
}

/// A place at other rows.
fn shift(place: Place, by: impl Fn(usize) -> usize) -> Place {
    match place {
        Place::Lines(rows) => Place::Lines(by(rows.start)..by(rows.start) + rows.len()),
        Place::Part { start, end } => Place::Part { start: (by(start.0), start.1), end: (by(end.0), end.1) },
        Place::Block { first, columns } => Place::Block { first: by(first), columns },
    }
}
