//! Landing in a buffer that is too large for a mirror: an answer lands where the text at its mark is what was sent, which
//! the plugin compares as it writes.

use super::intent::Settlement;
use super::selected::Selected;
use super::write::Plan;
use crate::document::{Passage, Place};
use crate::land::{Bytes, HeldFor, Replaced, changes, edits};

/// What an answer to a selection needs to be written at a mark.
///
/// # Errors
/// Why it must not be written there.
pub fn plan(selected: &Selected, mark: &Place, answer: &[Bytes]) -> Result<Plan, HeldFor> {
    let (text, within, above) = selected.as_text(mark).ok_or(HeldFor::TooLarge)?;
    if matches!(mark, Place::Block { .. }) && answer.len() != within.rows.len() {
        return Err(HeldFor::BlockRows);
    }
    let lines = Replaced::new(&within, answer).rows;
    let changes = changes(&within.rows, &lines);
    let mut edits = edits(text.rows(), &within, &lines, selected.column, changes);
    for edit in &mut edits {
        edit.rows = edit.rows.start + above..edit.rows.end + above;
    }
    let now = Passage { place: mark.clone(), rows: within.rows };
    let (replaced, settlement) = (Replaced::new(&now, answer), Settlement::Written { is_merged: false });
    Ok(Plan { anchor: None, now, replaced, edits, settlement, hunks: None })
}
