//! Decides which intents go into the next write call, and settles those of the last call.
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

/// The most attempts to write an intent, the first one included, when the buffer differs from its mirror.
const MAX_TRIES: usize = 5;

/// See the module.
#[derive(Debug, Default)]
pub struct Answers {
    intents: BTreeMap<u64, PendingIntent>,
    /// The jobs whose intent waits for a write call, oldest first.
    waiting: Vec<u64>,
    /// The steps of the call that is under way.
    under_way: Vec<StepInFlight>,
    /// The whole rows that were at a range before it was written, by job.
    replaced_rows: BTreeMap<u64, Vec<Bytes>>,
    /// Intents that were refused as stale because an earlier intent for the same range ended the review.
    refused_as_stale: Vec<SettledIntent>,
}

#[derive(Debug)]
struct PendingIntent {
    intent: Intent,
    tries: usize,
    /// The later intents for the same range, oldest first.
    following: VecDeque<Intent>,
}

/// A step of a call.
#[derive(Debug)]
struct StepInFlight {
    job: u64,
    attempt: u64,
    plan: Plan,
}

impl Answers {
    /// Adds an intent for a range; its settlement comes from [`Answers::next`], [`Answers::written`] or
    /// [`Answers::replied`].
    pub fn add_intent(&mut self, job: u64, intent: Intent) {
        // A new intent replaces a waiting one, but not a take: each take is an entry in the history of the review.
        match self.intents.get_mut(&job) {
            Some(PendingIntent { intent: Intent::Take { .. }, following, .. }) => following.push_back(intent),
            _ => self.enqueue(job, intent, VecDeque::new()),
        }
    }

    fn enqueue(&mut self, job: u64, intent: Intent, following: VecDeque<Intent>) {
        self.intents.insert(job, PendingIntent { intent, tries: 0, following });
        self.waiting.retain(|other| *other != job);
        self.waiting.push(job);
    }

    /// Settles an intent. If the answer is still held, the next intent for the same range waits from now on; else all
    /// following ones are refused as stale.
    fn settle(&mut self, job: u64, settlement: impl FnOnce(&Intent) -> Settlement) -> Option<SettledIntent> {
        let PendingIntent { intent, mut following, .. } = self.intents.remove(&job)?;
        let settlement = settlement(&intent);
        if matches!(settlement, Settlement::Taken | Settlement::Refused(_)) {
            if let Some(intent) = following.pop_front() {
                self.enqueue(job, intent, following);
            }
        } else {
            let stale = Settlement::Refused(Obstacle::Stale);
            self.refused_as_stale.extend(following.iter().map(|intent| intent.settled(job, stale)));
        }
        Some(intent.settled(job, settlement))
    }

    /// Records the rows that were at a range before an earlier host wrote its answer there.
    pub fn remember(&mut self, job: u64, before: Vec<Bytes>) {
        self.replaced_rows.entry(job).or_insert(before);
    }

    /// Whether an intent waits.
    pub fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The jobs whose intent waits, oldest first.
    pub fn waiting(&self) -> &[u64] {
        &self.waiting
    }

    /// Whether a waiting intent needs the text at its display mark, in a buffer without a document.
    pub fn needs_excerpts(&self) -> bool {
        let needs = |job: &u64| {
            let intent = self.intents.get(job).map(|pending| &pending.intent);
            matches!(intent, Some(Intent::Land(_) | Intent::Accept { .. }))
        };
        self.waiting.iter().any(needs)
    }

    /// Whether the range of a waiting intent can be located only by its display mark.
    pub fn needs_marks(&self, document: &Document, ranges: &Ranges) -> bool {
        let needs = |job: &u64| {
            let is_wanted_there =
                self.intents.get(job).is_some_and(|pending| !matches!(pending.intent, Intent::Hold(_)));
            is_wanted_there && ranges.anchor(*job).is_some_and(|anchor| document.needs_mark(anchor))
        };
        self.waiting.iter().any(needs)
    }

    /// Settles every waiting intent as impossible, for the reason `why`.
    pub fn deny(&mut self, why: HeldFor) -> Vec<SettledIntent> {
        let mut denied = Vec::new();
        while !self.waiting.is_empty() {
            let job = self.waiting.remove(0);
            denied.extend(self.settle(job, |intent| intent.denied(why)));
        }
        denied
    }

    /// Returns the next write call, with all intents that can be written now, and those that are settled without a
    /// write. `attempts` counts all steps of this host.
    pub fn next(
        &mut self,
        mut text: DecidedText<'_>,
        attempts: &mut u64,
    ) -> (Option<WriteCall>, Vec<SettledIntent>) {
        let (mut before, tick) = (std::mem::take(&mut self.replaced_rows), text.tick);
        let (next, postponed) =
            self.collect(tick, attempts, |job, intent| decide(&mut text, job, intent, &mut before));
        self.replaced_rows = before;
        for (job, plan) in postponed {
            plan.forget(job, text.ranges, text.document);
        }
        next
    }

    /// Like [`Answers::next`], for a buffer that is too large to be mirrored: uses the text at the display marks.
    pub fn next_by_marks(
        &mut self,
        ranges: &Ranges,
        marked: &BTreeMap<u64, MarkedText>,
        tick: u64,
        attempts: &mut u64,
    ) -> (Option<WriteCall>, Vec<SettledIntent>) {
        self.collect(tick, attempts, |job, intent| decide_by_mark(ranges, job, intent, marked.get(&job))).0
    }

    /// Returns the next write call, the intents settled without a write, and the plans that wait for another step.
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
                // This plan touches a step of the call, and can be computed only after that step is written.
                Ok(plan) if self.under_way.iter().any(|other| touch(&other.plan, &plan)) => {
                    self.waiting.push(job);
                    postponed.push((job, plan));
                }
                Ok(plan) => {
                    *attempts += 1;
                    *tries += 1;
                    self.under_way.push(StepInFlight { job, attempt: *attempts, plan });
                }
                Err(settlement) => settled.extend(self.settle(job, |_| settlement)),
            }
        }
        // Bottom-up, so that no step moves the rows of a later one.
        self.under_way.sort_by_key(|step| std::cmp::Reverse(step.plan.now.place.rows().start));
        let steps: Vec<WriteStep> = self.under_way.iter().map(StepInFlight::step).collect();
        settled.append(&mut self.refused_as_stale);
        (((!steps.is_empty()).then_some(WriteCall { tick, steps }), settled), postponed)
    }

    /// The anchor of a step of the call that is under way.
    pub fn anchor(&self, step: usize) -> Option<AnchorId> {
        self.under_way.get(step)?.plan.anchor
    }

    /// Settles a written step. The document has all changes of the step, and no later ones. Returns the settled intent
    /// and the place where the editor's display mark is after the step.
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
        if let Some((hunks, sent)) = &plan.hunks
            && let Some(review) = reviews.review(job, sent)
        {
            let now = Passage::new(place, document.rows());
            review.take(hunks, (&plan.now, &now), document.last_write(anchor));
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
        self.replaced_rows.extend(before.map(|before| (job, before)));
        let settled = SettledIntent { attempt, ..self.settle(job, |_| settlement)? };
        let asked = settled.asked.map(|(token, _)| (token, taken));
        Some((SettledIntent { asked, ..settled }, mark))
    }

    /// Handles the reply to a write call. A step that was not written waits again or is denied. A written step has been
    /// settled by [`Answers::written`], except in a buffer that is too large: Neovim sends no events for it.
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
                settled.extend(self.settle(job, |_| settlement).map(|settled| SettledIntent {
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
                    settled.extend(self.settle(job, |intent| intent.denied(why)));
                }
                None => self.waiting.push(job),
            }
        }
        settled.append(&mut self.refused_as_stale);
        settled
    }

    /// Forgets the replaced rows of ranges that are no longer followed.
    pub fn keep(&mut self, ranges: &Ranges) {
        self.replaced_rows.retain(|job, _| ranges.has(*job));
    }
}

impl StepInFlight {
    fn step(&self) -> WriteStep {
        let Plan { replaced, edits, settlement, .. } = &self.plan;
        WriteStep {
            job: self.job,
            attempt: self.attempt,
            settlement: *settlement,
            edits: edits.clone(),
            place: replaced.planned_place(),
        }
    }
}
