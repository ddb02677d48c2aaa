//! Plans what an intent writes in a text: the edits, or the settlement if it needs none. The document says where the
//! range is; [`verdict`] says whether its answer may land.

use std::collections::BTreeMap;
use std::ops::Range;

use super::intent::{Intent, Obstacle, Settlement};
use super::large::{self, MarkedText};
use super::ranges::Ranges;
use super::reviews::{Reviews, chosen};
use crate::document::{AnchorId, Document, Located, Passage, Place};
use crate::land::{Bytes, HeldFor, MergeVerdict, Replaced, RowEdit, edits, edits_at, edits_back, verdict};
use crate::review::{EditId, Hunk, replaced};

/// The buffer for which it is decided.
#[derive(Debug)]
pub struct DecidedText<'a> {
    /// Its rows.
    pub document: &'a mut Document,
    /// The ranges in it.
    pub ranges: &'a mut Ranges,
    /// Where the editor's marks are in it, by job.
    pub marks: &'a BTreeMap<u64, Place>,
    /// The reviews of held answers.
    pub reviews: &'a mut Reviews,
    /// Its changedtick.
    pub tick: u64,
}

/// What an intent needs to be written.
#[derive(Debug)]
pub struct Plan {
    /// What the range is known by; none in a buffer that is too large.
    pub anchor: Option<AnchorId>,
    /// The range before.
    pub now: Passage,
    /// The range once it is written.
    pub replaced: Replaced,
    /// What is written, row by row.
    pub edits: Vec<RowEdit>,
    /// What it comes to once it is written.
    pub settlement: Settlement,
    /// Of a held answer: the hunks that are taken, and what they are merged with still.
    pub hunks: Option<(Vec<Hunk>, Passage)>,
}

impl Plan {
    /// Drops the place of a plan that is not written, where that is not the range of its job.
    pub fn forget(&self, job: u64, ranges: &Ranges, document: &mut Document) {
        if let Some(anchor) = self.anchor.filter(|anchor| ranges.anchor(job) != Some(*anchor)) {
            document.forget(anchor);
        }
    }

    /// The whole rows that it replaces.
    pub fn before(&self) -> Vec<Bytes> {
        self.now.rows.iter().map(|row| row.text.to_vec()).collect()
    }

    /// The range once it is written.
    pub fn after(&self) -> Passage {
        let rows = Document::new(&self.replaced.rows).rows().slice(0..self.replaced.rows.len());
        Passage { place: self.replaced.planned_place(), rows }
    }
}

/// The step that an intent needs, or its settlement without one.
pub fn decide(
    text: &mut DecidedText<'_>,
    job: u64,
    intent: &Intent,
    before: &mut BTreeMap<u64, Vec<Bytes>>,
) -> Result<Plan, Settlement> {
    match intent {
        Intent::Hold(why) => Err(Settlement::Held(*why)),
        Intent::Land(lines) => merge(text, job, lines),
        Intent::Accept { lines, dropped, shown } => {
            text.reviews.set(job, lines, dropped.clone());
            let may_conflict = *shown == Some(text.tick);
            take(text, job, None, before, |hunks| {
                if may_conflict || hunks.iter().all(|hunk| hunk.conflict.is_none()) {
                    Ok(())
                } else {
                    Err(Obstacle::Held(HeldFor::Conflict))
                }
            })
        }
        Intent::Take { hunks, .. } => take(text, job, hunks.as_deref(), before, |_| Ok(())),
        Intent::Put { rows, tick, lines } => {
            if *tick != text.tick || rows.end > text.document.rows().len() {
                return Err(Settlement::Refused(Obstacle::Stale));
            }
            put(text, job, rows, lines)
        }
        Intent::Revert => {
            let before = before.get(&job).ok_or_else(|| intent.denied(HeldFor::RangeLost))?;
            revert(text, job, before).map_err(|settlement| match settlement {
                Settlement::Held(why) => intent.denied(why),
                other => other,
            })
        }
    }
}

/// The same in a buffer that is too large for a mirror.
pub fn decide_by_mark(
    ranges: &Ranges,
    job: u64,
    intent: &Intent,
    marked: Option<&MarkedText>,
) -> Result<Plan, Settlement> {
    let denied = |why| intent.denied(why);
    let (Intent::Land(lines) | Intent::Accept { lines, .. }) = intent else {
        return Err(denied(HeldFor::TooLarge));
    };
    let selected = ranges.selected(job).ok_or_else(|| denied(HeldFor::TooLarge))?;
    let marked = marked.ok_or_else(|| denied(HeldFor::TooLarge))?;
    let large::LargePlan { now, replaced, edits } = large::plan(selected, marked, lines).map_err(denied)?;
    if edits.is_empty() {
        return Err(Settlement::Unchanged);
    }
    Ok(Plan {
        anchor: None,
        now,
        replaced,
        edits,
        settlement: Settlement::Written { is_merged: false },
        hunks: None,
    })
}

fn merge(text: &DecidedText<'_>, job: u64, answer: &[Bytes]) -> Result<Plan, Settlement> {
    let located = locate(text.document, text.ranges, text.marks, job);
    let (anchor, Located { base, now }) = located.ok_or(Settlement::Held(HeldFor::RangeLost))?;
    let (is_merged, pieces) = match verdict(&base, &now, answer) {
        MergeVerdict::Unchanged => return Err(Settlement::Unchanged),
        MergeVerdict::Held(why) => return Err(Settlement::Held(why)),
        MergeVerdict::Write { is_merged, pieces } => (is_merged, pieces),
    };
    let replaced = Replaced::new(&now, &pieces);
    let edits = edits(text.document.rows(), &now, &replaced.rows, text.ranges.column(job));
    if edits.is_empty() {
        return Err(Settlement::Unchanged);
    }
    Ok(Plan {
        anchor: Some(anchor),
        now,
        replaced,
        edits,
        settlement: Settlement::Written { is_merged },
        hunks: None,
    })
}

/// Takes hunks of a held answer, or all of them, if the proposal is as it should be. Once nothing is left the answer
/// lands.
fn take(
    text: &mut DecidedText<'_>,
    job: u64,
    ids: Option<&[EditId]>,
    before: &mut BTreeMap<u64, Vec<Bytes>>,
    check: impl FnOnce(&[Hunk]) -> Result<(), Obstacle>,
) -> Result<Plan, Settlement> {
    let stays = |why| Settlement::Refused(Obstacle::Held(why));
    let located = locate(text.document, text.ranges, text.marks, job);
    let (anchor, Located { base, now }) = located.ok_or(stays(HeldFor::RangeLost))?;
    let column = text.ranges.column(job);
    let rows = text.document.rows();
    let review = text.reviews.review(job, &base).ok_or(Settlement::Refused(Obstacle::Stale))?;
    let all = review.hunks(&now, column).map_err(stays)?;
    check(&all).map_err(Settlement::Refused)?;
    let hunks = chosen(&all, ids).ok_or(Settlement::Refused(Obstacle::Stale))?;
    let is_last = hunks.len() == all.len();
    let (pieces, changes) = replaced(&now, &hunks);
    let settlement =
        if is_last { Settlement::from(review.end(hunks.len(), &pieces)) } else { Settlement::Taken };
    let replaced = Replaced::new(&now, &pieces);
    let edits = edits_at(rows, &now, &replaced.rows, column, changes);
    if !edits.is_empty() {
        let hunks = Some((hunks, base));
        return Ok(Plan { anchor: Some(anchor), now, replaced, edits, settlement, hunks });
    } else if is_last && review.taken() == 0 {
        return Err(Settlement::Unchanged);
    } else if is_last {
        let (written, sent) = review.landed(&now);
        text.document.rebased(anchor, written);
        before.insert(job, sent);
    }
    Err(settlement)
}

/// These rows become the answer, and the range of the job.
fn put(
    text: &mut DecidedText<'_>,
    job: u64,
    rows: &Range<usize>,
    lines: &[Bytes],
) -> Result<Plan, Settlement> {
    let place = if rows.is_empty() { Place::Insertion(rows.start) } else { Place::Lines(rows.clone()) };
    let anchor = text.document.anchor(&place);
    let place = in_empty_text(&place, text.document).unwrap_or(place);
    let now = Passage::new(place, text.document.rows());
    let replaced = Replaced::new(&now, lines);
    let edits = edits(text.document.rows(), &now, &replaced.rows, None);
    if edits.is_empty() {
        text.ranges.become_known(job, anchor, text.document);
        return Err(Settlement::Unchanged);
    }
    let settlement = Settlement::Written { is_merged: false };
    Ok(Plan { anchor: Some(anchor), now, replaced, edits, settlement, hunks: None })
}

/// Takes back what was written: what was there `before` is the answer to it.
fn revert(text: &DecidedText<'_>, job: u64, before: &[Bytes]) -> Result<Plan, Settlement> {
    let lost = Settlement::Held(HeldFor::RangeLost);
    let located = locate(text.document, text.ranges, text.marks, job);
    let (anchor, Located { base, now }) = located.ok_or(lost)?;
    if text.document.is_undone(anchor) {
        return Err(Settlement::Reverted);
    }
    let reads = |first: usize| {
        let own = |at: usize| text.document.rows().get(first + at).map(|row| &row.text[..]);
        before.iter().enumerate().all(|(at, row)| own(at) == Some(row))
    };
    let at = now.place.rows().start;
    if base.rows.is_empty()
        && text.document.last_write(anchor).is_none()
        && (reads(at) || at.checked_sub(before.len()).is_some_and(reads))
    {
        // An earlier host wrote it, and left no row: whether undo has brought those back that were there is unknown.
        return Err(lost);
    }
    let pieces = base.pieces_before(before).ok_or(lost)?;
    let pieces = match verdict(&base, &now, &pieces) {
        MergeVerdict::Unchanged => return Err(Settlement::Reverted),
        MergeVerdict::Held(why) => return Err(Settlement::Held(why)),
        MergeVerdict::Write { pieces, .. } => pieces,
    };
    let replaced = Replaced::taken_back(&base, &now, &pieces, before);
    let edits = edits_back(text.document.rows(), &now, &replaced.rows, text.ranges.column(job));
    if edits.is_empty() {
        return Err(Settlement::Reverted);
    }
    Ok(Plan { anchor: Some(anchor), now, replaced, edits, settlement: Settlement::Reverted, hunks: None })
}

/// The range of a job; none where it is lost. `marks` are where the editor's marks are now.
pub fn locate(
    document: &Document,
    ranges: &Ranges,
    marks: &BTreeMap<u64, Place>,
    job: u64,
) -> Option<(AnchorId, Located)> {
    let anchor = ranges.anchor(job)?;
    let located = document.locate(anchor, marks.get(&job))?;
    let was_nothing = matches!(located.base.place, Place::Insertion(_));
    let place = if was_nothing { Place::Insertion(0) } else { located.now.place.clone() };
    let now = match in_empty_text(&place, document) {
        Some(place) => Passage::new(place, document.rows()),
        None => located.now,
    };
    Some((anchor, Located { base: located.base, now }))
}

/// A text without rows has an empty one, and an insertion takes its place; none where that is not so.
fn in_empty_text(place: &Place, document: &Document) -> Option<Place> {
    let is_empty = document.rows().len() == 1 && document.rows().iter().all(|row| row.text.is_empty());
    (is_empty && matches!(place, Place::Insertion(_))).then_some(Place::Insertion(0))
}

/// Whether two steps are in rows that are the same, or next to each other.
pub fn touch(one: &Plan, other: &Plan) -> bool {
    let (one, other) = (one.now.place.rows(), other.now.place.rows());
    one.start <= other.end && other.start <= one.end
}
