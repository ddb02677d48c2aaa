//! Plans what an intent writes in a text: the edits, or the settlement if it needs none. The document says where the
//! range is; [`merge`] says whether its answer may land.

use std::ops::Range;

use super::held::chosen;
use super::intent::{HunkAct, Intent, Obstacle, Settlement};
use super::selected::Selected;
use super::tracked::{Tracked, in_empty_text};
use super::write::Plan;
use crate::document::{AnchorId, Document, Located, Passage, Place};
use crate::land::{Bytes, HeldFor, Replaced, changes, edits};
use crate::review::{EditId, merge, replaced};

/// The step that an intent for a range of a text with this changedtick needs, or its settlement without one.
pub fn decide(
    tracked: &mut Tracked,
    intent: &Intent,
    document: &mut Document,
    tick: u64,
) -> Result<Plan, Settlement> {
    match intent {
        Intent::Hold(why) => Err(Settlement::Held(*why)),
        Intent::Land(lines) => land(tracked, lines, document),
        Intent::Accept { lines, dropped, shown } => {
            tracked.held.get_or_insert_default().set(lines, dropped);
            let conflicts = if *shown == Some(tick) { Conflicts::Taken } else { Conflicts::Refused };
            take(tracked, None, document, conflicts)
        }
        Intent::Hunks { act, hunks, .. } => {
            let hunks = hunks.as_deref();
            match act {
                HunkAct::Take => take(tracked, hunks, document, Conflicts::Taken),
                HunkAct::TakeBoth => take(tracked, hunks, document, Conflicts::Both),
                HunkAct::Drop => Err(drop_hunks(tracked, hunks, document).unwrap_or_else(Settlement::from)),
                HunkAct::Undrop => Err(undrop(tracked, hunks, document).unwrap_or_else(Settlement::from)),
            }
        }
        Intent::Put { rows, tick: at, lines } => {
            if *at != tick || rows.end > document.rows().len() {
                return Err(Settlement::Refused(Obstacle::Stale));
            }
            put(tracked, rows, lines, document)
        }
        Intent::Revert => revert(tracked, document).map_err(|settlement| match settlement {
            Settlement::Held(why) => intent.denied(why),
            other => other,
        }),
    }
}

/// The same in a buffer that is too large for a mirror.
pub fn decide_by_mark(tracked: &mut Tracked, intent: &Intent) -> Result<Plan, Settlement> {
    let denied = |why| intent.denied(why);
    let (Intent::Land(lines) | Intent::Accept { lines, .. }) = intent else {
        return Err(denied(HeldFor::TooLarge));
    };
    let mark = tracked.mark.take();
    let (sent, mark) = tracked.request().zip(mark).ok_or_else(|| denied(HeldFor::TooLarge))?;
    let plan = plan_by_mark(&sent.selected, &mark, lines).map_err(denied)?;
    if plan.edits.is_empty() { Err(Settlement::Unchanged) } else { Ok(plan) }
}

/// What an answer to a selection needs to be written at a mark, where the text there is what was sent: the plugin compares
/// that as it writes.
///
/// # Errors
/// Why it must not be written there.
fn plan_by_mark(selected: &Selected, mark: &Place, answer: &[Bytes]) -> Result<Plan, HeldFor> {
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

fn land(tracked: &Tracked, answer: &[Bytes], document: &Document) -> Result<Plan, Settlement> {
    let located = tracked.locate(document).ok_or(Settlement::Held(HeldFor::RangeLost))?;
    write(located, answer, document, tracked.column)
}

/// The answer to a range takes the place of what was sent.
fn write(
    (anchor, Located { base, now }): (AnchorId, Located),
    answer: &[Bytes],
    document: &Document,
    column: Option<usize>,
) -> Result<Plan, Settlement> {
    let (pieces, changes) = merge(&base, &now, answer).map_err(Settlement::Held)?;
    let replaced = Replaced::new(&now, &pieces);
    let edits = edits(document.rows(), &now, &replaced.rows, column, changes);
    if edits.is_empty() {
        return Err(Settlement::Unchanged);
    }
    let settlement = Settlement::Written { is_merged: base.pieces() != now.pieces() };
    Ok(Plan { anchor: Some(anchor), now, replaced, edits, settlement, hunks: None })
}

/// What is done where the user has changed the same rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Conflicts {
    /// Nothing is written.
    Refused,
    /// The answer's rows take the place of theirs.
    Taken,
    /// They come below theirs.
    Both,
}

/// Takes hunks of a held answer, or all of them: also conflicts, where these were shown. Once nothing is left the
/// answer lands.
fn take(
    tracked: &mut Tracked,
    ids: Option<&[EditId]>,
    document: &mut Document,
    conflicts: Conflicts,
) -> Result<Plan, Settlement> {
    let column = tracked.column;
    let (anchor, Located { base, now }, review) = tracked.reviewed(document)?;
    let all = review.hunks(&now, column).map_err(Obstacle::Held)?;
    let mut hunks = chosen(&all, ids).ok_or(Obstacle::Stale)?;
    let own = now.pieces();
    let is_refused = match conflicts {
        Conflicts::Refused => all.iter().any(|hunk| hunk.conflict.is_some()),
        Conflicts::Taken => false,
        // Of parts of rows there are none to keep beside, and where rows only go there are no two.
        Conflicts::Both => {
            let mut both = hunks.iter_mut().filter(|hunk| hunk.conflict.is_some());
            !both.all(|hunk| now.is_of_rows() && hunk.keep_both(&own))
        }
    };
    if is_refused {
        return Err(Obstacle::Held(HeldFor::Conflict).into());
    }
    let is_last = hunks.len() == all.len();
    let (pieces, changes) = replaced(&now, &hunks);
    let settlement =
        if is_last { Settlement::from(review.end(hunks.len(), &pieces)) } else { Settlement::Taken };
    let replaced = Replaced::new(&now, &pieces);
    let edits = edits(document.rows(), &now, &replaced.rows, column, changes);
    if !edits.is_empty() {
        let hunks = Some((hunks, base));
        return Ok(Plan { anchor: Some(anchor), now, replaced, edits, settlement, hunks });
    } else if is_last && review.taken() == 0 {
        return Err(Settlement::Unchanged);
    } else if is_last {
        let (written, sent) = review.landed(&now);
        document.rebased(anchor, written);
        tracked.before = Some(sent);
    }
    Err(settlement)
}

/// Drops hunks, or all. Where nothing is left, that is what becomes of the answer.
fn drop_hunks(
    tracked: &mut Tracked,
    ids: Option<&[EditId]>,
    document: &mut Document,
) -> Result<Settlement, Obstacle> {
    let column = tracked.column;
    let (anchor, Located { now, .. }, review) = tracked.reviewed(document)?;
    let all = review.hunks(&now, column)?;
    let hunks = chosen(&all, ids).ok_or(Obstacle::Stale)?;
    review.drop(&hunks);
    if hunks.len() < all.len() {
        return Ok(Settlement::Kept);
    }
    let pieces: Vec<Bytes> = now.pieces().into_iter().map(<[u8]>::to_vec).collect();
    let settlement = Settlement::from(review.end(0, &pieces));
    if settlement != Settlement::Rejected {
        let (written, sent) = review.landed(&now);
        document.rebased(anchor, written);
        tracked.before.get_or_insert(sent);
    }
    Ok(settlement)
}

/// Proposes dropped hunks again.
fn undrop(
    tracked: &mut Tracked,
    ids: Option<&[EditId]>,
    document: &Document,
) -> Result<Settlement, Obstacle> {
    let column = tracked.column;
    let (_, Located { now, .. }, review) = tracked.reviewed(document)?;
    let gone = review.dropped_hunks(&now, column)?;
    review.undrop(&chosen(&gone, ids).ok_or(Obstacle::Stale)?);
    Ok(Settlement::Kept)
}

/// These rows become the answer, and the range of the job.
fn put(
    tracked: &mut Tracked,
    rows: &Range<usize>,
    lines: &[Bytes],
    document: &mut Document,
) -> Result<Plan, Settlement> {
    let place = Place::Lines(rows.clone());
    let anchor = document.anchor(&place);
    let place = in_empty_text(&place, document).unwrap_or(place);
    let now = Passage::new(place, document.rows());
    let plan = write((anchor, Located { base: now.clone(), now }), lines, document, None);
    if plan.is_err() {
        tracked.become_known(anchor, document);
    }
    plan
}

/// Takes back what was written: what was there before is the answer to it.
fn revert(tracked: &Tracked, document: &Document) -> Result<Plan, Settlement> {
    let lost = Settlement::Held(HeldFor::RangeLost);
    let before = tracked.before.as_ref().ok_or(lost)?;
    let (anchor, Located { base, now }) = tracked.locate(document).ok_or(lost)?;
    if document.is_undone(anchor) {
        return Err(Settlement::Reverted);
    }
    let pieces = base.pieces_before(before).ok_or(lost)?;
    let (pieces, _) = merge(&base, &now, &pieces).map_err(Settlement::Held)?;
    let replaced = Replaced::taken_back(&base, &now, &pieces, before);
    // The rows that were put in for it are those that go, also where the rows that it left beside them read the same.
    let changes = changes(&replaced.rows, &now.rows).into_iter().map(|(lines, rows)| (rows, lines)).collect();
    let edits = edits(document.rows(), &now, &replaced.rows, tracked.column, changes);
    if edits.is_empty() {
        return Err(Settlement::Reverted);
    }
    Ok(Plan { anchor: Some(anchor), now, replaced, edits, settlement: Settlement::Reverted, hunks: None })
}
