//! Which intents go into the next call to the editor, and the settlement of those in the last call.
//!
//! [`plan`](super::plan) computes what an intent writes; this module decides which intent waits for what. Nothing is
//! written twice: a range has one intent at a time, and a call has one step for it.

use std::collections::{BTreeMap, VecDeque};

use super::intent::{Intent, Obstacle, SettledIntent, Settlement};
use super::large::MarkedText;
use super::plan::{DecidedText, Plan, decide, decide_by_mark, touch};
use super::ranges::Ranges;
use super::reviews::Reviews;
use super::write::{StepReply, WriteCall, WriteReply, WriteStep};
use crate::document::{AnchorId, Document, Passage, Place};
use crate::land::{Bytes, HeldFor};

/// How often a step is made again because the text was not what its mirror had.
const MAX_TRIES: usize = 5;

/// See the module.
#[derive(Debug, Default)]
pub struct Answers {
    intents: BTreeMap<u64, PendingIntent>,
    /// The jobs whose intent waits, oldest first.
    waiting: Vec<u64>,
    /// The steps of the call that is under way.
    under_way: Vec<StepInFlight>,
    /// The whole rows that were at a range before it was written, by job.
    before: BTreeMap<u64, Vec<Bytes>>,
    /// Intents for answers that had landed before the intent's turn.
    overtaken: Vec<SettledIntent>,
}

#[derive(Debug)]
struct PendingIntent {
    intent: Intent,
    tries: usize,
    /// The intents that follow.
    next: VecDeque<Intent>,
}

/// A step of a call.
#[derive(Debug)]
struct StepInFlight {
    job: u64,
    attempt: u64,
    plan: Plan,
    /// Whether a change of it came.
    has_begun: bool,
}

impl Answers {
    /// Adds an intent for a range; its settlement comes from [`Answers::next`], [`Answers::written`] or
    /// [`Answers::replied`].
    pub fn add_intent(&mut self, job: u64, intent: Intent) {
        // Each take belongs to the history of a held answer.
        match self.intents.get_mut(&job) {
            Some(PendingIntent { intent: Intent::Take { .. }, next, .. }) => next.push_back(intent),
            _ => self.begin(job, intent, VecDeque::new()),
        }
    }

    fn begin(&mut self, job: u64, intent: Intent, next: VecDeque<Intent>) {
        self.intents.insert(job, PendingIntent { intent, tries: 0, next });
        self.waiting.retain(|other| *other != job);
        self.waiting.push(job);
    }

    /// An intent is settled: the next one of the same range waits from now on, if its answer is held still.
    fn end(&mut self, job: u64, settlement: impl FnOnce(&Intent) -> Settlement) -> Option<SettledIntent> {
        let PendingIntent { intent, mut next, .. } = self.intents.remove(&job)?;
        let settlement = settlement(&intent);
        if matches!(settlement, Settlement::Taken | Settlement::Refused(_)) {
            if let Some(intent) = next.pop_front() {
                self.begin(job, intent, next);
            }
        } else {
            let stale = Settlement::Refused(Obstacle::Stale);
            self.overtaken.extend(next.iter().map(|intent| intent.settled(job, stale)));
        }
        Some(intent.settled(job, settlement))
    }

    /// What was at a range before its answer was written, as far as an earlier host had it written.
    pub fn remember(&mut self, job: u64, before: Vec<Bytes>) {
        self.before.entry(job).or_insert(before);
    }

    /// Whether an intent waits.
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Whether an intent waits for which the text at its mark has to be known, where there is no document.
    pub fn needs_excerpts(&self) -> bool {
        let needs = |job: &u64| {
            let intent = self.intents.get(job).map(|pending| &pending.intent);
            matches!(intent, Some(Intent::Land(_) | Intent::Accept { .. }))
        };
        self.waiting.iter().any(needs)
    }

    /// Whether only the editor's marks tell where the ranges of those are that wait.
    pub fn needs_marks(&self, document: &Document, ranges: &Ranges) -> bool {
        let needs = |job: &u64| {
            let is_wanted_there =
                self.intents.get(job).is_some_and(|pending| !matches!(pending.intent, Intent::Hold(_)));
            is_wanted_there && ranges.anchor(*job).is_some_and(|anchor| document.needs_mark(anchor))
        };
        self.waiting.iter().any(needs)
    }

    /// Whatever waits is not to be.
    pub fn deny(&mut self, why: HeldFor) -> Vec<SettledIntent> {
        let mut denied = Vec::new();
        while !self.waiting.is_empty() {
            let job = self.waiting.remove(0);
            denied.extend(self.end(job, |intent| intent.denied(why)));
        }
        denied
    }

    /// The next call, with all answers that can be written now; those that need none are settled. `attempts` counts all
    /// steps that were ever made.
    pub fn next(
        &mut self,
        mut text: DecidedText<'_>,
        attempts: &mut u64,
    ) -> (Option<WriteCall>, Vec<SettledIntent>) {
        let (mut before, tick) = (std::mem::take(&mut self.before), text.tick);
        let (next, postponed) =
            self.collect(tick, attempts, |job, intent| decide(&mut text, job, intent, &mut before));
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
        marked: &BTreeMap<u64, MarkedText>,
        tick: u64,
        attempts: &mut u64,
    ) -> (Option<WriteCall>, Vec<SettledIntent>) {
        self.collect(tick, attempts, |job, intent| decide_by_mark(ranges, job, intent, marked.get(&job))).0
    }

    /// The next call, what became of those that need none, and the steps that have to wait for others.
    #[expect(clippy::type_complexity, reason = "a pair of pairs for the two functions above")]
    fn collect(
        &mut self,
        tick: u64,
        attempts: &mut u64,
        mut decide: impl FnMut(u64, &Intent) -> Result<Plan, Settlement>,
    ) -> ((Option<WriteCall>, Vec<SettledIntent>), Vec<(u64, Plan)>) {
        let (mut settled, mut postponed) = (Vec::new(), Vec::new());
        for job in std::mem::take(&mut self.waiting) {
            let Some(PendingIntent { intent, tries, .. }) = self.intents.get_mut(&job) else { continue };
            match decide(job, intent) {
                // Where the other one leaves the text is known only then.
                Ok(plan) if self.under_way.iter().any(|other| touch(&other.plan, &plan)) => {
                    self.waiting.push(job);
                    postponed.push((job, plan));
                }
                Ok(plan) => {
                    *attempts += 1;
                    *tries += 1;
                    self.under_way.push(StepInFlight { job, attempt: *attempts, plan, has_begun: false });
                }
                Err(settlement) => settled.extend(self.end(job, |_| settlement)),
            }
        }
        // From below to above: what one step writes moves no row of the next.
        self.under_way.sort_by_key(|step| std::cmp::Reverse(step.plan.now.place.rows().start));
        let steps: Vec<WriteStep> = self.under_way.iter().map(StepInFlight::step).collect();
        settled.append(&mut self.overtaken);
        (((!steps.is_empty()).then_some(WriteCall { tick, steps }), settled), postponed)
    }

    /// The anchor of a step of the call that is under way.
    pub fn anchor(&self, step: usize) -> Option<AnchorId> {
        self.under_way.get(step)?.plan.anchor
    }

    /// A change of a step came. Returns whether it is the first one: the text before each of the others is inside the
    /// step, and no undo leads there.
    pub fn begins(&mut self, step: usize) -> bool {
        self.under_way.get_mut(step).is_none_or(|step| !std::mem::replace(&mut step.has_begun, true))
    }

    /// A step was written, and the document has all of its changes and none that came after it. Returns what became of
    /// it, and where the editor's mark is then.
    pub fn written(
        &mut self,
        document: &mut Document,
        ranges: &mut Ranges,
        reviews: &mut Reviews,
        step: usize,
    ) -> Option<(SettledIntent, Place)> {
        let StepInFlight { job, attempt, plan, .. } = self.under_way.get(step)?;
        let (job, anchor) = (*job, plan.anchor?);
        let place = plan.replaced.place(document.rows());
        document.landed(anchor, &place);
        ranges.become_known(job, anchor, document);
        let (attempt, settlement, mark) = (Some(*attempt), plan.settlement, plan.replaced.planned_place());
        let (mut before, mut taken) = (Some(plan.before()), Vec::new());
        if let Some((hunks, sent, text)) = &plan.hunks
            && let Some(review) = reviews.review(job, sent)
        {
            let now = Passage::new(place, document.rows());
            review.take(hunks, (&plan.now, &now), (*text, document.rows().text_hash()));
            taken = hunks.iter().map(|hunk| hunk.id).collect();
            if settlement == Settlement::Taken {
                document.rebased(anchor, sent.clone());
                before = None;
            } else {
                let (written, sent) = review.landed(&now);
                document.rebased(anchor, written);
                before = Some(sent);
            }
        }
        self.before.extend(before.map(|before| (job, before)));
        let settled = SettledIntent { attempt, ..self.end(job, |_| settlement)? };
        let asked = settled.asked.map(|(token, _)| (token, taken));
        Some((SettledIntent { asked, ..settled }, mark))
    }

    /// The call is over. What it did not write waits again, or is not to be; what it wrote was told before, but in a
    /// buffer that is too large, of which no event tells.
    pub fn replied(
        &mut self,
        reply: Option<&WriteReply>,
        mut document: Option<&mut Document>,
        ranges: &Ranges,
    ) -> Vec<SettledIntent> {
        let mut settled = Vec::new();
        for (at, StepInFlight { job, attempt, plan, .. }) in
            std::mem::take(&mut self.under_way).into_iter().enumerate()
        {
            let Some(PendingIntent { tries, .. }) = self.intents.get(&job) else { continue };
            if let Some(document) = &mut document {
                plan.forget(job, ranges, document);
            }
            let result = match reply {
                Some(WriteReply::Done { steps, .. }) => steps.get(at),
                _ => None,
            };
            if plan.anchor.is_none() && matches!(result, Some(StepReply::Written { .. })) {
                let (passage, attempt, settlement) = (Some(plan.after()), Some(attempt), plan.settlement);
                settled.extend(self.end(job, |_| settlement).map(|settled| SettledIntent {
                    attempt,
                    passage,
                    ..settled
                }));
                continue;
            }
            let denied = match (reply, result) {
                (None, _) => Some(HeldFor::RangeLost),
                (Some(WriteReply::Gone), _) => Some(HeldFor::BufferGone),
                (_, Some(StepReply::NotModifiable)) => Some(HeldFor::NotModifiable),
                (_, Some(StepReply::Differs)) if *tries >= MAX_TRIES => Some(HeldFor::RangeLost),
                (_, Some(StepReply::Error)) => Some(HeldFor::RangeLost),
                _ => None,
            };
            match denied {
                Some(why) => {
                    settled.extend(self.end(job, |intent| intent.denied(why)));
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

impl StepInFlight {
    fn step(&self) -> WriteStep {
        let Plan { now, replaced, edits, settlement, .. } = &self.plan;
        WriteStep {
            job: self.job,
            attempt: self.attempt,
            settlement: *settlement,
            was: now.place.rows(),
            edits: edits.clone(),
            place: replaced.planned_place(),
        }
    }
}
