//! What is to be written to the ranges of one buffer: which answers go into the next call to the editor, and what became
//! of those that were in the last one.
//!
//! Where a range is the document knows, what becomes of an answer there is decided by [`verdict`]; here is who waits for
//! what. Nothing is written twice: a range has one wish at a time, and a call one step for it.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use super::large::{self, Marked};
use super::query::Findings;
use super::ranges::Ranges;
use super::reviews::{Reviews, chosen};
use super::write::{Call, Reply, Step, StepReply};
use crate::document::{AnchorId, Document, Located, Passage, Place};
use crate::land::{Bytes, HeldFor, Replaced, RowEdit, Verdict, edits, edits_at, edits_back, verdict};
use crate::names::name;
use crate::review::{End, Hunk, Id, replaced};

/// How often a step is made again because the text was not what its mirror had.
const MAX_TRIES: usize = 5;

/// What is wanted of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// That its answer lands.
    Land(Vec<Bytes>),
    /// That its answer is held, whatever the text is.
    Hold(HeldFor),
    /// That its held answer lands, as the user has edited it.
    Accept {
        /// The answer.
        lines: Vec<Bytes>,
        /// What was dropped of it.
        dropped: Vec<Vec<Id>>,
        /// The changedtick of the text beside which the user has seen its conflicts, if they have.
        shown: Option<u64>,
    },
    /// That hunks of its held answer are taken.
    Take {
        /// Which; all where none is named.
        hunks: Option<Vec<Id>>,
        /// The question's that asks for it.
        token: u64,
    },
    /// That these rows become its answer, and its range.
    Put {
        /// The rows.
        rows: Range<usize>,
        /// The changedtick of the text in which they are those.
        tick: u64,
        /// The answer.
        lines: Vec<Bytes>,
    },
    /// That what was written to it last is taken back.
    Revert,
}

/// What became of a wish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The text is what it should be; nothing was written.
    Unchanged,
    /// It was written, in one undo step.
    Written {
        /// Whether changes of the user's are in it, too.
        is_merged: bool,
    },
    /// It was taken back, or had been already.
    Reverted,
    /// Some of a held answer was written; the rest is held still.
    Taken,
    /// All of it was dropped.
    Rejected,
    /// It was not written, and is not by itself.
    Held(HeldFor),
    /// It was not accepted, or not taken back: all stays as it is.
    Stays(Obstacle),
}

/// Why an accept or a revert cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// For what an answer is held, too.
    Held(HeldFor),
    /// The text is another one than the user has seen.
    Stale,
}

impl Obstacle {
    /// Its public name.
    pub fn name(self) -> String {
        match self {
            Self::Held(why) => name(why),
            Self::Stale => "stale".to_owned(),
        }
    }
}

impl Fate {
    /// The public name of what became of the answer.
    pub fn landing(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Written { is_merged: false } => "applied",
            Self::Written { is_merged: true } => "merged",
            Self::Reverted => "reverted",
            Self::Taken => "taken",
            Self::Rejected => "rejected",
            Self::Held(_) | Self::Stays(_) => "held",
        }
    }
}

impl Wish {
    /// What it comes to where it cannot be.
    pub fn denied(&self, why: HeldFor) -> Fate {
        match self {
            Self::Hold(own) if why != HeldFor::BufferGone => Fate::Held(*own),
            Self::Land(_) | Self::Hold(_) => Fate::Held(why),
            Self::Accept { .. } | Self::Put { .. } | Self::Take { .. } | Self::Revert => {
                Fate::Stays(Obstacle::Held(why))
            }
        }
    }

    /// What became of it.
    pub fn settled(&self, job: u64, fate: Fate) -> Settled {
        let asked = match self {
            Self::Take { token, .. } => Some((*token, Vec::new())),
            _ => None,
        };
        Settled { asked, ..Settled::new(job, fate) }
    }
}

impl From<End> for Fate {
    fn from(end: End) -> Self {
        match end {
            End::Applied => Self::Written { is_merged: false },
            End::Merged => Self::Written { is_merged: true },
            End::Rejected => Self::Rejected,
        }
    }
}

/// What became of what was wanted of a range.
#[derive(Debug)]
pub struct Settled {
    /// The job's id.
    pub job: u64,
    /// What.
    pub fate: Fate,
    /// The number of the step that was written.
    pub attempt: Option<u64>,
    /// The range as it is now, where no document knows it.
    pub passage: Option<Passage>,
    /// The question's token that asked for it, and the hunks that were taken.
    pub asked: Option<(u64, Vec<Id>)>,
    /// A reply that is to go out after it.
    pub reply: Option<(u64, Findings)>,
}

impl Settled {
    /// Without a step.
    pub fn new(job: u64, fate: Fate) -> Self {
        Self { job, fate, attempt: None, passage: None, asked: None, reply: None }
    }
}

/// The buffer for which it is decided.
#[derive(Debug)]
pub struct Text<'a> {
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

/// See the module.
#[derive(Debug, Default)]
pub struct Answers {
    wishes: BTreeMap<u64, Wished>,
    /// The jobs whose wish waits, oldest first.
    waiting: Vec<u64>,
    /// The steps of the call that is under way.
    under_way: Vec<UnderWay>,
    /// The whole rows that were at a range before it was written, by job.
    before: BTreeMap<u64, Vec<Bytes>>,
    /// What was wanted of answers that had landed by the time it was to be done.
    overtaken: Vec<Settled>,
}

#[derive(Debug)]
struct Wished {
    wish: Wish,
    tries: usize,
    /// What is wanted once that is over.
    next: VecDeque<Wish>,
}

/// What a wish needs to be written.
#[derive(Debug)]
struct Plan {
    /// What the range is known by; none in a buffer that is too large.
    anchor: Option<AnchorId>,
    now: Passage,
    replaced: Replaced,
    edits: Vec<RowEdit>,
    /// What it comes to once it is written.
    fate: Fate,
    /// Of a held answer: the hunks that are taken, what they are merged with still, and the hash of the text.
    hunks: Option<(Vec<Hunk>, Passage, u64)>,
}

/// A step of a call.
#[derive(Debug)]
struct UnderWay {
    job: u64,
    attempt: u64,
    plan: Plan,
}

impl Answers {
    /// Wants something of a range; what becomes of it is told by [`Answers::next`], [`Answers::written`] or
    /// [`Answers::replied`].
    pub fn want(&mut self, job: u64, wish: Wish) {
        // Of what a held answer is made of each take is part.
        match self.wishes.get_mut(&job) {
            Some(Wished { wish: Wish::Take { .. }, next, .. }) => next.push_back(wish),
            _ => self.begin(job, wish, VecDeque::new()),
        }
    }

    fn begin(&mut self, job: u64, wish: Wish, next: VecDeque<Wish>) {
        self.wishes.insert(job, Wished { wish, tries: 0, next });
        self.waiting.retain(|other| *other != job);
        self.waiting.push(job);
    }

    /// A wish is over: the next one of the same range waits from now on, if its answer is held still.
    fn end(&mut self, job: u64, fate: impl FnOnce(&Wish) -> Fate) -> Option<Settled> {
        let Wished { wish, mut next, .. } = self.wishes.remove(&job)?;
        let fate = fate(&wish);
        if matches!(fate, Fate::Taken | Fate::Stays(_)) {
            if let Some(wish) = next.pop_front() {
                self.begin(job, wish, next);
            }
        } else {
            let stale = Fate::Stays(Obstacle::Stale);
            self.overtaken.extend(next.iter().map(|wish| wish.settled(job, stale)));
        }
        Some(wish.settled(job, fate))
    }

    /// What was at a range before its answer was written, as far as an earlier host had it written.
    pub fn remember(&mut self, job: u64, before: Vec<Bytes>) {
        self.before.entry(job).or_insert(before);
    }

    /// Whether a wish waits.
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Whether a wish waits for which the text at its mark has to be known, where there is no document.
    pub fn needs_excerpts(&self) -> bool {
        let needs = |job: &u64| {
            let wish = self.wishes.get(job).map(|wished| &wished.wish);
            matches!(wish, Some(Wish::Land(_) | Wish::Accept { .. }))
        };
        self.waiting.iter().any(needs)
    }

    /// Whether only the editor's marks tell where the ranges of those are that wait.
    pub fn needs_marks(&self, document: &Document, ranges: &Ranges) -> bool {
        let needs = |job: &u64| {
            let is_wanted_there =
                self.wishes.get(job).is_some_and(|wished| !matches!(wished.wish, Wish::Hold(_)));
            is_wanted_there && ranges.anchor(*job).is_some_and(|anchor| document.needs_mark(anchor))
        };
        self.waiting.iter().any(needs)
    }

    /// Whatever waits is not to be.
    pub fn deny(&mut self, why: HeldFor) -> Vec<Settled> {
        let mut denied = Vec::new();
        while !self.waiting.is_empty() {
            let job = self.waiting.remove(0);
            denied.extend(self.end(job, |wish| wish.denied(why)));
        }
        denied
    }

    /// The next call, with all answers that can be written now; those that need none are told. `attempts` counts all
    /// steps that were ever made.
    pub fn next(&mut self, mut text: Text<'_>, attempts: &mut u64) -> (Option<Call>, Vec<Settled>) {
        let (mut before, tick) = (std::mem::take(&mut self.before), text.tick);
        let (next, postponed) =
            self.collect(tick, attempts, |job, wish| decide(&mut text, job, wish, &mut before));
        self.before = before;
        for (job, plan) in postponed {
            plan.forget(job, text.ranges, text.document);
        }
        next
    }

    /// The same in a buffer that is too large for a mirror, by what the editor has at the marks.
    pub fn next_by_marks(
        &mut self,
        ranges: &Ranges,
        marked: &BTreeMap<u64, Marked>,
        tick: u64,
        attempts: &mut u64,
    ) -> (Option<Call>, Vec<Settled>) {
        self.collect(tick, attempts, |job, wish| decide_by_mark(ranges, job, wish, marked.get(&job))).0
    }

    /// The next call, what became of those that need none, and the steps that have to wait for others.
    #[expect(clippy::type_complexity, reason = "a pair of pairs for the two functions above")]
    fn collect(
        &mut self,
        tick: u64,
        attempts: &mut u64,
        mut decide: impl FnMut(u64, &Wish) -> Result<Plan, Fate>,
    ) -> ((Option<Call>, Vec<Settled>), Vec<(u64, Plan)>) {
        let (mut settled, mut postponed) = (Vec::new(), Vec::new());
        for job in std::mem::take(&mut self.waiting) {
            let Some(Wished { wish, tries, .. }) = self.wishes.get_mut(&job) else { continue };
            match decide(job, wish) {
                // Where the other one leaves the text is known only then.
                Ok(plan) if self.under_way.iter().any(|other| touch(&other.plan, &plan)) => {
                    self.waiting.push(job);
                    postponed.push((job, plan));
                }
                Ok(plan) => {
                    *attempts += 1;
                    *tries += 1;
                    self.under_way.push(UnderWay { job, attempt: *attempts, plan });
                }
                Err(fate) => settled.extend(self.end(job, |_| fate)),
            }
        }
        // From below to above: what one step writes moves no row of the next.
        self.under_way.sort_by_key(|step| std::cmp::Reverse(step.plan.now.place.rows().start));
        let steps: Vec<Step> = self.under_way.iter().map(UnderWay::step).collect();
        settled.append(&mut self.overtaken);
        (((!steps.is_empty()).then_some(Call { tick, steps }), settled), postponed)
    }

    /// The anchor of a step of the call that is under way.
    pub fn anchor(&self, step: usize) -> Option<AnchorId> {
        self.under_way.get(step)?.plan.anchor
    }

    /// A step was written, and the document has all of its changes and none that came after it. Gives what became of it,
    /// and where the editor's mark is then.
    pub fn written(
        &mut self,
        document: &mut Document,
        ranges: &mut Ranges,
        reviews: &mut Reviews,
        step: usize,
    ) -> Option<(Settled, Place)> {
        let UnderWay { job, attempt, plan } = self.under_way.get(step)?;
        let (job, anchor) = (*job, plan.anchor?);
        let place = plan.replaced.place(document.rows());
        document.landed(anchor, &place);
        ranges.become_known(job, anchor, document);
        let (attempt, fate, mark) = (Some(*attempt), plan.fate, plan.replaced.planned_place());
        let (mut before, mut taken) = (Some(plan.before()), Vec::new());
        if let Some((hunks, sent, text)) = &plan.hunks
            && let Some(review) = reviews.review(job, sent)
        {
            let now = Passage::new(place, document.rows());
            review.take(hunks, (&plan.now, &now), (*text, document.rows().text_hash()));
            taken = hunks.iter().map(|hunk| hunk.id).collect();
            if fate == Fate::Taken {
                document.rebased(anchor, sent.clone());
                before = None;
            } else {
                let (written, sent) = review.landed(&now);
                document.rebased(anchor, written);
                before = Some(sent);
            }
        }
        self.before.extend(before.map(|before| (job, before)));
        let settled = Settled { attempt, ..self.end(job, |_| fate)? };
        let asked = settled.asked.map(|(token, _)| (token, taken));
        Some((Settled { asked, ..settled }, mark))
    }

    /// The call is over. What it did not write waits again, or is not to be; what it wrote was told before, but in a
    /// buffer that is too large, of which no event tells.
    pub fn replied(
        &mut self,
        reply: Option<&Reply>,
        mut document: Option<&mut Document>,
        ranges: &Ranges,
    ) -> Vec<Settled> {
        let mut settled = Vec::new();
        for (at, UnderWay { job, attempt, plan }) in
            std::mem::take(&mut self.under_way).into_iter().enumerate()
        {
            let Some(Wished { tries, .. }) = self.wishes.get(&job) else { continue };
            if let Some(document) = &mut document {
                plan.forget(job, ranges, document);
            }
            let result = match reply {
                Some(Reply::Done { steps, .. }) => steps.get(at),
                _ => None,
            };
            if plan.anchor.is_none() && matches!(result, Some(StepReply::Written { .. })) {
                let (passage, attempt, fate) = (Some(plan.after()), Some(attempt), plan.fate);
                settled.extend(self.end(job, |_| fate).map(|settled| Settled {
                    attempt,
                    passage,
                    ..settled
                }));
                continue;
            }
            let denied = match (reply, result) {
                (None, _) => Some(HeldFor::RangeLost),
                (Some(Reply::Gone), _) => Some(HeldFor::BufferGone),
                (_, Some(StepReply::NotModifiable)) => Some(HeldFor::NotModifiable),
                (_, Some(StepReply::Differs)) if *tries >= MAX_TRIES => Some(HeldFor::RangeLost),
                (_, Some(StepReply::Error)) => Some(HeldFor::RangeLost),
                _ => None,
            };
            match denied {
                Some(why) => {
                    settled.extend(self.end(job, |wish| wish.denied(why)));
                }
                None => self.waiting.push(job),
            }
        }
        settled.append(&mut self.overtaken);
        settled
    }

    /// Forgets what was at ranges that are followed no more.
    pub fn keep(&mut self, ranges: &Ranges) {
        self.before.retain(|job, _| ranges.has(*job));
    }
}

impl UnderWay {
    fn step(&self) -> Step {
        let Plan { now, replaced, edits, fate, .. } = &self.plan;
        Step {
            job: self.job,
            attempt: self.attempt,
            fate: *fate,
            was: now.place.rows(),
            edits: edits.clone(),
            place: replaced.planned_place(),
        }
    }
}

impl Plan {
    /// It is not written: where it was to be in another place than the range of its job, nobody asks for that place.
    fn forget(&self, job: u64, ranges: &Ranges, document: &mut Document) {
        if let Some(anchor) = self.anchor.filter(|anchor| ranges.anchor(job) != Some(*anchor)) {
            document.forget(anchor);
        }
    }

    /// The whole rows that it replaces.
    fn before(&self) -> Vec<Bytes> {
        self.now.rows.iter().map(|row| row.text.to_vec()).collect()
    }

    /// The range once it is written.
    fn after(&self) -> Passage {
        let rows = Document::new(&self.replaced.rows).rows().slice(0..self.replaced.rows.len());
        Passage { place: self.replaced.planned_place(), rows }
    }
}

/// The step that a wish needs, or what becomes of it without one.
fn decide(
    text: &mut Text<'_>,
    job: u64,
    wish: &Wish,
    before: &mut BTreeMap<u64, Vec<Bytes>>,
) -> Result<Plan, Fate> {
    match wish {
        Wish::Hold(why) => Err(Fate::Held(*why)),
        Wish::Land(lines) => merge(text, job, lines),
        Wish::Accept { lines, dropped, shown } => {
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
        Wish::Take { hunks, .. } => take(text, job, hunks.as_deref(), before, |_| Ok(())),
        Wish::Put { rows, tick, lines } => {
            if *tick != text.tick || rows.end > text.document.rows().len() {
                return Err(Fate::Stays(Obstacle::Stale));
            }
            put(text, job, rows, lines)
        }
        Wish::Revert => {
            let before = before.get(&job).ok_or_else(|| wish.denied(HeldFor::RangeLost))?;
            revert(text, job, before).map_err(|fate| match fate {
                Fate::Held(why) => wish.denied(why),
                other => other,
            })
        }
    }
}

/// The same in a buffer that is too large for a mirror.
fn decide_by_mark(ranges: &Ranges, job: u64, wish: &Wish, marked: Option<&Marked>) -> Result<Plan, Fate> {
    let denied = |why| wish.denied(why);
    let (Wish::Land(lines) | Wish::Accept { lines, .. }) = wish else {
        return Err(denied(HeldFor::TooLarge));
    };
    let selected = ranges.selected(job).ok_or_else(|| denied(HeldFor::TooLarge))?;
    let marked = marked.ok_or_else(|| denied(HeldFor::TooLarge))?;
    let large::Plan { now, replaced, edits } = large::plan(selected, marked, lines).map_err(denied)?;
    if edits.is_empty() {
        return Err(Fate::Unchanged);
    }
    Ok(Plan { anchor: None, now, replaced, edits, fate: Fate::Written { is_merged: false }, hunks: None })
}

fn merge(text: &Text<'_>, job: u64, answer: &[Bytes]) -> Result<Plan, Fate> {
    let located = locate(text.document, text.ranges, text.marks, job);
    let (anchor, Located { base, now }) = located.ok_or(Fate::Held(HeldFor::RangeLost))?;
    let (is_merged, pieces) = match verdict(&base, &now, answer) {
        Verdict::Unchanged => return Err(Fate::Unchanged),
        Verdict::Held(why) => return Err(Fate::Held(why)),
        Verdict::Write { is_merged, pieces } => (is_merged, pieces),
    };
    let replaced = Replaced::new(&now, &pieces);
    let edits = edits(text.document.rows(), &now, &replaced.rows, text.ranges.column(job));
    if edits.is_empty() {
        return Err(Fate::Unchanged);
    }
    Ok(Plan { anchor: Some(anchor), now, replaced, edits, fate: Fate::Written { is_merged }, hunks: None })
}

/// Takes hunks of a held answer, or all of them, if the proposal is as it should be. Once nothing is left the answer lands.
fn take(
    text: &mut Text<'_>,
    job: u64,
    ids: Option<&[Id]>,
    before: &mut BTreeMap<u64, Vec<Bytes>>,
    check: impl FnOnce(&[Hunk]) -> Result<(), Obstacle>,
) -> Result<Plan, Fate> {
    let stays = |why| Fate::Stays(Obstacle::Held(why));
    let located = locate(text.document, text.ranges, text.marks, job);
    let (anchor, Located { base, now }) = located.ok_or(stays(HeldFor::RangeLost))?;
    let column = text.ranges.column(job);
    let rows = text.document.rows();
    let review = text.reviews.review(job, &base).ok_or(Fate::Stays(Obstacle::Stale))?;
    let all = review.hunks(rows, &now, column).map_err(stays)?;
    check(&all).map_err(Fate::Stays)?;
    let hunks = chosen(&all, ids).ok_or(Fate::Stays(Obstacle::Stale))?;
    let is_last = hunks.len() == all.len();
    let (pieces, changes) = replaced(&now, &hunks);
    let fate = if is_last { Fate::from(review.end(hunks.len(), &pieces)) } else { Fate::Taken };
    let replaced = Replaced::new(&now, &pieces);
    let edits = edits_at(rows, &now, &replaced.rows, column, changes);
    if !edits.is_empty() {
        let hunks = Some((hunks, base, rows.text_hash()));
        return Ok(Plan { anchor: Some(anchor), now, replaced, edits, fate, hunks });
    } else if is_last && review.taken() == 0 {
        return Err(Fate::Unchanged);
    } else if is_last {
        let (written, sent) = review.landed(&now);
        text.document.rebased(anchor, written);
        before.insert(job, sent);
    }
    Err(fate)
}

/// These rows become the answer, and the range of the job.
fn put(text: &mut Text<'_>, job: u64, rows: &Range<usize>, lines: &[Bytes]) -> Result<Plan, Fate> {
    let place = if rows.is_empty() { Place::Insertion(rows.start) } else { Place::Lines(rows.clone()) };
    let anchor = text.document.anchor(&place);
    let place = in_empty_text(&place, text.document).unwrap_or(place);
    let now = Passage::new(place, text.document.rows());
    let replaced = Replaced::new(&now, lines);
    let edits = edits(text.document.rows(), &now, &replaced.rows, None);
    if edits.is_empty() {
        text.ranges.become_known(job, anchor, text.document);
        return Err(Fate::Unchanged);
    }
    let fate = Fate::Written { is_merged: false };
    Ok(Plan { anchor: Some(anchor), now, replaced, edits, fate, hunks: None })
}

/// Takes back what was written: what was there `before` is the answer to it.
fn revert(text: &Text<'_>, job: u64, before: &[Bytes]) -> Result<Plan, Fate> {
    let lost = Fate::Held(HeldFor::RangeLost);
    let located = locate(text.document, text.ranges, text.marks, job);
    let (anchor, Located { base, now }) = located.ok_or(lost)?;
    let pieces = base.pieces_before(before).ok_or(lost)?;
    let pieces = match verdict(&base, &now, &pieces) {
        Verdict::Unchanged => return Err(Fate::Reverted),
        Verdict::Held(why) => return Err(Fate::Held(why)),
        Verdict::Write { pieces, .. } => pieces,
    };
    let replaced = Replaced::taken_back(&base, &now, &pieces, before);
    let edits = edits_back(text.document.rows(), &now, &replaced.rows, text.ranges.column(job));
    if edits.is_empty() {
        return Err(Fate::Reverted);
    }
    Ok(Plan { anchor: Some(anchor), now, replaced, edits, fate: Fate::Reverted, hunks: None })
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
    let place = in_empty_text(&place, document).unwrap_or(located.now.place);
    Some((anchor, Located { base: located.base, now: Passage::new(place, document.rows()) }))
}

/// A text without rows has an empty one, and an insertion takes its place; none where that is not so.
fn in_empty_text(place: &Place, document: &Document) -> Option<Place> {
    let is_empty = document.rows().len() == 1 && document.rows().iter().all(|row| row.text.is_empty());
    (is_empty && matches!(place, Place::Insertion(_))).then_some(Place::Insertion(0))
}

/// Whether two steps are in rows that are the same, or next to each other.
fn touch(one: &Plan, other: &Plan) -> bool {
    let (one, other) = (one.now.place.rows(), other.now.place.rows());
    one.start <= other.end && other.start <= one.end
}
