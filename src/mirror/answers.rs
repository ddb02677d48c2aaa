//! What is to be written to the ranges of one buffer: which answers go into the next call to the editor, and what became
//! of those that were in the last one.
//!
//! Where a range is the document knows, what becomes of an answer there is decided by [`verdict`]; here is who waits for
//! what. Nothing is written twice: a range has one wish at a time, and a call one step for it.

use std::collections::BTreeMap;

use super::ranges::Ranges;
use super::write::{Call, Reply, Step, StepReply};
use crate::document::{AnchorId, Document, Located, Passage, Place};
use crate::land::{Bytes, HeldFor, Replaced, RowEdit, Verdict, edits, verdict};

/// How often a step is made again because the text was not what its mirror had.
const MAX_TRIES: usize = 5;

/// What is wanted of a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// That its answer lands.
    Land(Vec<Bytes>),
    /// That its answer is held, whatever the text is.
    Hold(HeldFor),
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
    /// It was not written, and is not by itself.
    Held(HeldFor),
    /// It was not taken back: it stays as it is.
    Stays(HeldFor),
}

impl Wish {
    /// What it comes to where it cannot be.
    fn denied(&self, why: HeldFor) -> Fate {
        match self {
            Self::Land(_) | Self::Hold(_) => Fate::Held(why),
            Self::Revert => Fate::Stays(why),
        }
    }
}

/// The buffer for which it is decided.
#[derive(Debug, Clone, Copy)]
pub struct Text<'a> {
    /// Its rows.
    pub document: &'a Document,
    /// The ranges in it.
    pub ranges: &'a Ranges,
    /// Where the editor's marks are in it, by job.
    pub marks: &'a BTreeMap<u64, Place>,
}

/// See the module.
#[derive(Debug, Default)]
pub struct Answers {
    wishes: BTreeMap<u64, Wished>,
    /// The jobs whose wish waits, oldest first.
    waiting: Vec<u64>,
    /// The steps of the call that is under way.
    under_way: Vec<Sent>,
    /// How many steps were made.
    attempts: u64,
    /// What was at a range before it was written, by job.
    before: BTreeMap<u64, Vec<Bytes>>,
}

#[derive(Debug)]
struct Wished {
    wish: Wish,
    tries: usize,
}

/// A step of a call.
#[derive(Debug)]
struct Sent {
    job: u64,
    anchor: AnchorId,
    now: Passage,
    replaced: Replaced,
    /// What it comes to once it is written.
    fate: Fate,
}

impl Answers {
    /// Wants something of a range; what becomes of it is told by [`Answers::next`], [`Answers::written`] or
    /// [`Answers::replied`].
    pub fn want(&mut self, job: u64, wish: Wish) {
        self.wishes.insert(job, Wished { wish, tries: 0 });
        self.waiting.retain(|other| *other != job);
        self.waiting.push(job);
    }

    /// Whether a wish waits.
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Whether the editor's marks may tell where the ranges of those are that wait, and nothing else does.
    pub fn needs_marks(&self, document: &Document, ranges: &Ranges) -> bool {
        let is_unknown = |job: &u64| {
            ranges.anchor(*job).is_some_and(|anchor| document.place(anchor, None).is_none())
                && !matches!(self.wishes.get(job), Some(Wished { wish: Wish::Hold(_), .. }))
        };
        self.waiting.iter().any(is_unknown)
    }

    /// Whatever waits is not to be.
    pub fn deny(&mut self, why: HeldFor) -> Vec<(u64, Fate)> {
        let waiting = std::mem::take(&mut self.waiting);
        let denied = |job: u64| Some((job, self.wishes.remove(&job)?.wish.denied(why)));
        waiting.into_iter().filter_map(denied).collect()
    }

    /// The next call, with all answers that can be written now; those that need none are told.
    pub fn next(&mut self, text: Text<'_>, tick: u64) -> (Option<Call>, Vec<(u64, Fate)>) {
        let (mut steps, mut fates) = (BTreeMap::new(), Vec::new());
        for job in std::mem::take(&mut self.waiting) {
            let Some(Wished { wish, tries }) = self.wishes.get_mut(&job) else { continue };
            match decide(text, job, wish, self.before.get(&job)) {
                // Where the other one leaves the text is known only then.
                Ok((sent, _)) if self.under_way.iter().any(|other| touch(other, &sent)) => {
                    self.waiting.push(job);
                }
                Ok((sent, edits)) => {
                    self.attempts += 1;
                    *tries += 1;
                    let (attempt, place) = (self.attempts, sent.replaced.planned_place());
                    steps.insert(job, Step { job, attempt, edits, place });
                    self.under_way.push(sent);
                }
                Err(fate) => {
                    self.wishes.remove(&job);
                    fates.push((job, fate));
                }
            }
        }
        // From below to above: what one step writes moves no row of the next.
        self.under_way.sort_by_key(|sent| std::cmp::Reverse(sent.now.place.rows().start));
        let steps: Vec<_> = self.under_way.iter().filter_map(|sent| steps.remove(&sent.job)).collect();
        ((!steps.is_empty()).then_some(Call { tick, steps }), fates)
    }

    /// The anchor of a step of the call that is under way.
    pub fn anchor(&self, step: usize) -> Option<AnchorId> {
        self.under_way.get(step).map(|sent| sent.anchor)
    }

    /// A step was written, and the document has all of its changes and none that came after it.
    pub fn written(&mut self, document: &mut Document, step: usize) -> Option<(u64, Fate)> {
        let sent = self.under_way.get(step)?;
        document.landed(sent.anchor, &sent.replaced.place(document.rows()));
        self.wishes.remove(&sent.job);
        self.before.insert(sent.job, sent.now.pieces().into_iter().map(<[u8]>::to_vec).collect());
        Some((sent.job, sent.fate))
    }

    /// The call is over. What it did not write waits again, or is not to be; what it wrote was told before.
    pub fn replied(&mut self, reply: Option<&Reply>) -> Vec<(u64, Fate)> {
        let mut fates = Vec::new();
        for (at, Sent { job, .. }) in std::mem::take(&mut self.under_way).into_iter().enumerate() {
            let Some(Wished { wish, tries }) = self.wishes.get(&job) else { continue };
            let denied = match reply {
                None => Some(HeldFor::RangeLost),
                Some(Reply::Gone) => Some(HeldFor::BufferGone),
                Some(Reply::NotNow | Reply::Stale { .. }) => None,
                Some(Reply::Done { steps, .. }) => match steps.get(at) {
                    Some(StepReply::NotModifiable) => Some(HeldFor::NotModifiable),
                    Some(StepReply::Differs) if *tries >= MAX_TRIES => Some(HeldFor::RangeLost),
                    Some(StepReply::Error) => Some(HeldFor::RangeLost),
                    _ => None,
                },
            };
            match denied {
                Some(why) => {
                    fates.push((job, wish.denied(why)));
                    self.wishes.remove(&job);
                }
                None => self.waiting.push(job),
            }
        }
        fates
    }

    /// Forgets what was at ranges that are followed no more.
    pub fn keep(&mut self, ranges: &Ranges) {
        self.before.retain(|job, _| ranges.has(*job));
    }
}

/// The step that a wish needs, or what becomes of it without one.
fn decide(
    text: Text<'_>,
    job: u64,
    wish: &Wish,
    before: Option<&Vec<Bytes>>,
) -> Result<(Sent, Vec<RowEdit>), Fate> {
    let lost = || wish.denied(HeldFor::RangeLost);
    let (answer, written, unchanged) = match wish {
        Wish::Hold(why) => return Err(Fate::Held(*why)),
        Wish::Land(lines) => (lines, None, Fate::Unchanged),
        Wish::Revert => (before.ok_or_else(lost)?, Some(Fate::Reverted), Fate::Reverted),
    };
    let anchor = text.ranges.anchor(job).ok_or_else(lost)?;
    let Located { base, now } = text.document.locate(anchor, text.marks.get(&job)).ok_or_else(lost)?;
    let (is_merged, pieces) = match verdict(&base, &now, answer) {
        Verdict::Unchanged => return Err(unchanged),
        Verdict::Held(why) => return Err(wish.denied(why)),
        Verdict::Write { is_merged, pieces } => (is_merged, pieces),
    };
    let replaced = Replaced::new(&now, &pieces);
    let edits = edits(text.document.rows(), &now, &replaced.rows, text.ranges.column(job));
    if edits.is_empty() {
        return Err(unchanged);
    }
    let fate = written.unwrap_or(Fate::Written { is_merged });
    Ok((Sent { job, anchor, now, replaced, fate }, edits))
}

/// Whether two steps are in rows that are the same, or next to each other.
fn touch(one: &Sent, other: &Sent) -> bool {
    let (one, other) = (one.now.place.rows(), other.now.place.rows());
    one.start <= other.end && other.start <= one.end
}
