//! What is wanted of the ranges of a buffer: which intents go into the next call that writes, and what the call and its
//! reply settle.
//!
//! [`plan`](super::super::plan) computes what an intent writes; here is decided which waits for what. Nothing is written
//! twice: a range has one intent at a time, and a call has one step for it.

use std::collections::VecDeque;
use std::ops::Range;

use super::super::event::MirrorEvent;
use super::super::held::ViewDue;
use super::super::intent::{Intent, Obstacle, SettledIntent, Settlement};
use super::super::order::{ContactScope, Order};
use super::super::plan::{decide, decide_by_mark};
use super::super::query::Findings;
use super::super::tracked::{Pending, Shown, Step, Tracked};
use super::super::view::MirrorState;
use super::super::write::{Plan, StepReply, WriteCall, WriteReply, WriteStep};
use super::{Buffer, Excerpts};
use crate::document::{AnchorId, Document, Passage};
use crate::land::HeldFor;
use crate::review::EditId;

/// The most attempts to write an intent, the first one included, when the buffer differs from its mirror.
const MAX_TRIES: usize = 5;
/// How often a call is made whose reply is an error.
const MAX_CALLS: usize = 5;

/// A call that writes, until its reply.
#[derive(Debug)]
pub struct CallUnderWay {
    call: WriteCall,
    /// How often it was made.
    made: usize,
    /// What came meanwhile: which changes are this call's its reply tells.
    held_back: Vec<MirrorEvent>,
}

impl Buffer {
    /// Whether a call is under way that writes.
    pub fn is_writing(&self) -> bool {
        self.writing.is_some()
    }

    /// Keeps an event until the call that writes is over.
    pub fn hold_back(&mut self, event: MirrorEvent) {
        if let Some(writing) = &mut self.writing {
            writing.held_back.push(event);
        }
    }

    /// The call that wrote is over: returns what came meanwhile; none if there was no call.
    pub fn take_held_back(&mut self) -> Option<Vec<MirrorEvent>> {
        self.writing.take().map(|writing| writing.held_back)
    }

    /// Makes the call again that writes: the plugin raised an error, and may have written before. It writes no attempt
    /// twice. Returns whether the call is made again.
    pub fn call_again(&mut self) -> bool {
        let Some(writing) = self.writing.as_mut().filter(|writing| writing.made < MAX_CALLS) else {
            return false;
        };
        writing.made += 1;
        self.orders.push(Order::Write { buffer: self.number, call: writing.call.clone() });
        true
    }

    /// It may be a moment at which text can be written.
    pub fn moment_came(&mut self) {
        self.is_busy = false;
    }

    /// So may it be after a while.
    pub fn asked_again(&mut self) {
        self.asks_again = false;
        self.moment_came();
    }

    /// The user is in the middle of something: nothing is written before a moment comes.
    pub fn wait_for_moment(&mut self) {
        self.is_busy = true;
        self.orders.push(Order::NotNow(self.waiting()));
        if !std::mem::replace(&mut self.asks_again, true) {
            self.orders.push(Order::AskAgain(self.number));
        }
    }

    /// Adds an intent for the range of a job. It replaces a waiting one, but not a take: each take is an entry in the
    /// history of the review.
    pub fn add_intent(&mut self, job: u64, intent: Intent) {
        let pending = self.jobs.get_mut(&job).and_then(|tracked| tracked.pending.as_mut());
        match pending {
            Some(Pending { intent: Intent::Take { .. }, following, .. }) => following.push_back(intent),
            _ => self.enqueue(job, intent, VecDeque::new()),
        }
    }

    fn enqueue(&mut self, job: u64, intent: Intent, following: VecDeque<Intent>) {
        let pending = Pending { intent, tries: 0, since: self.next_turn(), following, step: None };
        self.jobs.entry(job).or_default().pending = Some(pending);
    }

    /// The jobs whose intent waits for a call, oldest first.
    fn waiting(&self) -> Vec<u64> {
        let since = |tracked: &Tracked| {
            tracked.pending.as_ref().filter(|pending| pending.step.is_none()).map(|pending| pending.since)
        };
        let mut waiting: Vec<(u64, u64)> =
            self.jobs.iter().filter_map(|(job, tracked)| Some((since(tracked)?, *job))).collect();
        waiting.sort_unstable();
        waiting.into_iter().map(|(_, job)| job).collect()
    }

    /// The step of the call under way that is at this place in it, and its job.
    pub(super) fn step(&self, at: usize) -> Option<(u64, &Step)> {
        let steps = self.jobs.iter().filter_map(|(job, tracked)| Some((*job, tracked.step()?)));
        steps.into_iter().find(|(_, step)| step.at == at)
    }

    /// Goes on with what is to be written. Steps are numbered from `attempts` on.
    pub fn write(&mut self, attempts: &mut u64) {
        while self.is_at_rest() && !self.is_busy {
            let waiting = self.waiting();
            if waiting.is_empty() {
                return;
            }
            let scope = match (self.text.obstacle(), self.text.state()) {
                (Some(why), _) => {
                    self.deny(why);
                    continue;
                }
                (None, MirrorState::Unknown) => ContactScope::Text,
                (None, MirrorState::Unsure) => ContactScope::Marks,
                (None, MirrorState::TooLarge) if self.excerpts != Excerpts::Known && self.needs_text() => {
                    ContactScope::Excerpts
                }
                (None, MirrorState::Sure) if waiting.iter().any(|job| self.needs_mark_of(*job)) => {
                    ContactScope::Marks
                }
                (None, MirrorState::TooLarge | MirrorState::Sure) => {
                    self.call(&waiting, attempts);
                    continue;
                }
            };
            self.contact(scope);
        }
    }

    /// Whether what waits needs the text at the display marks, where there is no document.
    fn needs_text(&self) -> bool {
        let mut pending = self.jobs.values().filter_map(|tracked| tracked.pending.as_ref());
        pending.any(|pending| matches!(pending.intent, Intent::Land(_) | Intent::Accept { .. }))
    }

    /// Makes the next call, with all intents that can be written now, and settles those that need no write.
    fn call(&mut self, waiting: &[u64], attempts: &mut u64) {
        let tick = self.text.tick();
        let mut planned: Vec<(Range<usize>, u64)> = Vec::new();
        for job in waiting {
            let Some(tracked) = self.jobs.get_mut(job) else { continue };
            let Some(mut pending) = tracked.pending.take() else { continue };
            let plan = match self.text.document_mut() {
                Some(document) => decide(tracked, &pending.intent, document, tick),
                None => decide_by_mark(tracked, &pending.intent),
            };
            let settlement = match plan {
                // This plan touches a step of the call, and can be computed only after that step is written.
                Ok(plan) if planned.iter().any(|(other, _)| touch(other, &plan.now.place.rows())) => {
                    if let Some(document) = self.text.document_mut() {
                        tracked.drop_plan(&plan, document);
                    }
                    None
                }
                Ok(plan) => {
                    *attempts += 1;
                    pending.tries += 1;
                    planned.push((plan.now.place.rows(), *job));
                    pending.step = Some(Step { at: 0, attempt: *attempts, plan });
                    None
                }
                Err(settlement) => Some(settlement),
            };
            tracked.pending = Some(pending);
            if let Some(settlement) = settlement {
                self.settle_intent(*job, |_| settlement, SettledIntent::new);
            }
        }
        // Bottom-up, so that no step moves the rows of a later one.
        planned.sort_by_key(|(rows, _)| std::cmp::Reverse(rows.start));
        let mut steps = Vec::new();
        for (at, (_, job)) in planned.into_iter().enumerate() {
            let pending = self.jobs.get_mut(&job).and_then(|tracked| tracked.pending.as_mut());
            let Some(step) = pending.and_then(|pending| pending.step.as_mut()) else { continue };
            step.at = at;
            let Step { attempt, plan, .. } = &*step;
            steps.push(WriteStep {
                job,
                attempt: *attempt,
                settlement: plan.settlement,
                edits: plan.edits.clone(),
                place: plan.replaced.planned_place(),
            });
        }
        if !steps.is_empty() {
            let call = WriteCall { tick, steps };
            self.writing = Some(CallUnderWay { call: call.clone(), made: 1, held_back: Vec::new() });
            self.orders.push(Order::Write { buffer: self.number, call });
        }
        (self.excerpts, self.sync.may_differ) = (Excerpts::Unknown, true);
    }

    /// Settles every waiting intent as impossible, for the reason `why`.
    fn deny(&mut self, why: HeldFor) {
        while let Some(job) = self.waiting().first() {
            self.settle_intent(*job, |intent| intent.denied(why), SettledIntent::new);
        }
    }

    /// A step is written, and the document has all its changes and no later ones.
    pub fn step_written(&mut self, at: usize) {
        let Some((job, anchor)) = self.step(at).and_then(|(job, step)| Some((job, step.plan.anchor?))) else {
            return;
        };
        let Some((tracked, document)) = self.jobs.get_mut(&job).zip(self.text.document_mut()) else { return };
        let step = tracked.pending.as_mut().and_then(|pending| pending.step.take());
        let Some(Step { attempt, plan, .. }) = step else { return };
        let taken = land(tracked, anchor, &plan, document);
        tracked.shown = Shown::At(plan.replaced.planned_place());
        self.look_again(ViewDue::Now);
        self.sync.may_differ = true;
        self.settle_intent(
            job,
            |_| plan.settlement,
            |job, settlement| SettledIntent {
                attempt: Some(attempt),
                taken,
                ..SettledIntent::new(job, settlement)
            },
        );
    }

    /// Handles the reply to a call that writes. The document has all changes that came before the reply. A step that was
    /// not written waits again or is denied. One that was is settled, except in a buffer that is too large: Neovim sends
    /// no events for it.
    pub fn replied(&mut self, reply: Option<&WriteReply>) {
        if let Some(WriteReply::Stale { tick } | WriteReply::Done { tick, .. }) = reply {
            self.text.raise(*tick);
        }
        if reply.is_some_and(WriteReply::differs) {
            self.text.distrust();
        }
        let steps = self.jobs.iter().filter_map(|(job, tracked)| Some((tracked.step()?.at, *job)));
        let mut steps: Vec<(usize, u64)> = steps.collect();
        steps.sort_unstable();
        for (at, job) in steps {
            let since = self.next_turn();
            let Some(tracked) = self.jobs.get_mut(&job) else { continue };
            let Some(pending) = &mut tracked.pending else { continue };
            let (Some(Step { attempt, plan, .. }), tries) = (pending.step.take(), pending.tries) else {
                continue;
            };
            pending.since = since;
            if let Some(document) = self.text.document_mut() {
                tracked.drop_plan(&plan, document);
            }
            let result = match reply {
                Some(WriteReply::Done { steps, .. }) => steps.get(at),
                _ => None,
            };
            let denied = match (reply, result) {
                (_, Some(StepReply::Written { .. })) if plan.anchor.is_none() => {
                    let (attempt, passage) = (Some(attempt), Some(plan.after()));
                    self.settle_intent(
                        job,
                        |_| plan.settlement,
                        |job, settlement| SettledIntent {
                            attempt,
                            passage,
                            ..SettledIntent::new(job, settlement)
                        },
                    );
                    continue;
                }
                (None, _) => HeldFor::RangeLost,
                (Some(WriteReply::Gone), _) => HeldFor::BufferGone,
                (_, Some(StepReply::NotModifiable)) => HeldFor::NotModifiable,
                (_, Some(StepReply::Differs)) if tries >= MAX_TRIES => HeldFor::RangeLost,
                (_, Some(StepReply::Error)) => HeldFor::RangeLost,
                _ => continue,
            };
            self.settle_intent(job, |intent| intent.denied(denied), SettledIntent::new);
        }
    }

    /// Ends the mirror; `reply` is what a call that is under way comes to.
    pub fn give_up(&mut self, reply: Option<&WriteReply>) {
        for (token, question) in std::mem::take(&mut self.queries) {
            self.orders.push(Order::Reply { token, findings: question.without_mirror() });
        }
        self.replied(reply);
        self.deny(HeldFor::BufferGone);
    }

    /// Settles an intent. If the answer is still held, the next intent for the same range waits from now on; else all
    /// following ones are refused as stale.
    fn settle_intent(
        &mut self,
        job: u64,
        settlement: impl FnOnce(&Intent) -> Settlement,
        settled: impl FnOnce(u64, Settlement) -> SettledIntent,
    ) {
        let pending = self.jobs.get_mut(&job).and_then(|tracked| tracked.pending.take());
        let Some(Pending { intent, mut following, .. }) = pending else { return };
        let settlement = settlement(&intent);
        self.report(settled(job, settlement), intent.token());
        if matches!(settlement, Settlement::Taken | Settlement::Refused(_)) {
            if let Some(intent) = following.pop_front() {
                self.enqueue(job, intent, following);
            }
        } else {
            for intent in following {
                self.report(SettledIntent::new(job, Settlement::Refused(Obstacle::Stale)), intent.token());
            }
        }
    }

    /// Reports a settled intent. The query with the token that asked for it gets its reply: with the next view, as long
    /// as the answer is held. What ends a job ends its review.
    pub(super) fn report(&mut self, mut settled: SettledIntent, token: Option<u64>) {
        let (job, settlement) = (settled.job, settled.settlement);
        settled.passage = settled.passage.or_else(|| self.passage(job));
        let hunks = std::mem::take(&mut settled.taken);
        let reply = token.map(|token| (token, findings(settlement, hunks)));
        match (settlement, reply) {
            (Settlement::Taken | Settlement::Refused(_), Some((token, findings))) => {
                self.reply(job, token, findings);
                if settlement == Settlement::Taken {
                    self.orders.push(Order::Settled(settled));
                }
            }
            (_, reply) => self.orders.push(Order::Settled(SettledIntent { reply, ..settled })),
        }
        if settlement.is_end() {
            self.ended(job);
        }
    }
}

/// The document and the review follow a step that is written. Returns the hunks of a held answer that it took.
fn land(tracked: &mut Tracked, anchor: AnchorId, plan: &Plan, document: &mut Document) -> Vec<EditId> {
    let place = plan.replaced.place(document.rows());
    document.landed(anchor, &place);
    tracked.become_known(anchor, document);
    let Some((hunks, sent)) = &plan.hunks else {
        tracked.before = Some(plan.before());
        return Vec::new();
    };
    let Some(review) = tracked.review(sent) else { return Vec::new() };
    let now = Passage::new(place, document.rows());
    review.take(hunks, (&plan.now, &now), document.last_write(anchor));
    if plan.settlement == Settlement::Taken {
        document.rebased(anchor, sent.clone());
    } else {
        let (written, sent) = review.landed(&now);
        document.rebased(anchor, written);
        tracked.before = Some(sent);
    }
    hunks.iter().map(|hunk| hunk.id).collect()
}

/// What became of a question for hunks.
fn findings(settlement: Settlement, hunks: Vec<EditId>) -> Findings {
    match settlement {
        Settlement::Refused(Obstacle::Stale) => Findings::Stale,
        Settlement::Refused(Obstacle::Held(why)) | Settlement::Held(why) => Findings::Unknown(why),
        _ => Findings::Done(hunks),
    }
}

/// Whether two steps are in rows that are the same, or next to each other.
fn touch(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start <= other.end && other.start <= one.end
}
