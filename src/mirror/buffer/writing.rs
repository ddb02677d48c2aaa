//! What is wanted of the ranges of a buffer: which intents go into the next call that writes, and what the call and its
//! reply settle.
//!
//! [`plan`](super::super::plan) computes what an intent writes; here is decided which waits for what. Nothing is written
//! twice: a range has one intent at a time, and a call has one step for it.

use std::collections::VecDeque;
use std::ops::Range;

use serde_json::Value as Json;

use super::super::event::BufferEvent;
use super::super::held::ViewDue;
use super::super::intent::Obstacle;
use super::super::intent::{Intent, SettledIntent, Settlement};
use super::super::order::{ContactScope, Order};
use super::super::plan::{decide, decide_by_mark};
use super::super::tracked::{Pending, Tracked};
use super::super::write::{Plan, StepReply, WriteCall, WriteReply, WriteStep};
use super::Buffer;
use super::text::MirrorState;
use crate::document::{Document, Passage};
use crate::land::HeldFor;

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
    held_back: Vec<BufferEvent>,
    /// For each step its plan, until it is known to be written.
    plans: Vec<Option<Plan>>,
}

impl Buffer {
    /// Whether a call is under way that writes.
    pub fn is_writing(&self) -> bool {
        self.writing.is_some()
    }

    /// Keeps an event until the call that writes is over; gives it back where there is none.
    pub fn hold_back(&mut self, event: BufferEvent) -> Option<BufferEvent> {
        match &mut self.writing {
            Some(writing) => {
                writing.held_back.push(event);
                None
            }
            None => Some(event),
        }
    }

    /// A call is over that wrote. What came meanwhile is taken, each change for the step that made it. Where the plugin
    /// raised an error, and may have written before, the call is made again: it writes no attempt twice.
    pub fn written(&mut self, reply: Option<&WriteReply>) {
        let Some(mut writing) = self.writing.take() else { return };
        if reply.is_none() && writing.made < MAX_CALLS {
            writing.made += 1;
            self.orders.push(Order::Write { buffer: self.number, call: writing.call.clone() });
            self.writing = Some(writing);
            return;
        }
        let CallUnderWay { call, held_back, mut plans, .. } = writing;
        let is_moment = held_back.iter().any(|event| matches!(event, BufferEvent::Moment));
        let mut step = None;
        for event in held_back {
            let author = match &event {
                BufferEvent::Lines { tick: Some(tick), range: Some(_), .. } | BufferEvent::Tick(tick) => {
                    reply.and_then(|reply| reply.author(*tick))
                }
                BufferEvent::Lines { .. } | BufferEvent::Detached => None,
                // What changes no text ends no step.
                _ => step,
            };
            if author != step {
                self.step_written(&call, step, &mut plans);
                step = author;
            }
            let plan = author.and_then(|at| plans.get(at)?.as_ref());
            self.handle(event, plan.and_then(|plan| plan.anchor));
        }
        self.step_written(&call, step, &mut plans);
        self.replied(&call, plans, if self.is_gone { Some(&WriteReply::Gone) } else { reply });
        if matches!(reply, Some(WriteReply::NotNow)) && !is_moment {
            self.wait_for_moment();
        }
    }

    /// Nothing more comes of the editor, also no reply to a call under way.
    pub fn disconnected(&mut self) {
        for event in self.writing.take().map(|writing| writing.held_back).unwrap_or_default() {
            self.handle(event, None);
        }
        self.report_ranges_on_disk();
    }

    /// The user is in the middle of something: nothing is written before a moment comes.
    fn wait_for_moment(&mut self) {
        self.is_busy = true;
        self.orders.push(Order::NotNow(self.waiting()));
        if !std::mem::replace(&mut self.asks_again, true) {
            self.orders.push(Order::AskAgain(self.number));
        }
    }

    /// Adds an intent for the range of a job. It replaces a waiting one, but not one of hunks: each is an entry in the
    /// history of the review. Where the user presses a key it may be a moment to write.
    pub fn add_intent(&mut self, job: u64, intent: Intent) {
        self.is_busy &= intent.token().is_none();
        let pending = self.jobs.get_mut(&job).and_then(|tracked| tracked.pending.as_mut());
        match pending {
            Some(Pending { intent: Intent::Hunks { .. }, following, .. }) => following.push_back(intent),
            _ => self.enqueue(job, intent, VecDeque::new()),
        }
    }

    fn enqueue(&mut self, job: u64, intent: Intent, following: VecDeque<Intent>) {
        let pending = Pending { intent, tries: 0, since: self.next_turn(), following, is_in_call: false };
        self.jobs.entry(job).or_default().pending = Some(pending);
    }

    /// The jobs whose intent waits for a call, oldest first.
    fn waiting(&self) -> Vec<u64> {
        let since = |tracked: &Tracked| {
            tracked.pending.as_ref().filter(|pending| !pending.is_in_call).map(|pending| pending.since)
        };
        let mut waiting: Vec<(u64, u64)> =
            self.jobs.iter().filter_map(|(job, tracked)| Some((since(tracked)?, *job))).collect();
        waiting.sort_unstable();
        waiting.into_iter().map(|(_, job)| job).collect()
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
                    self.deny_all(why);
                    continue;
                }
                (None, MirrorState::Unknown) => ContactScope::Text,
                (None, MirrorState::Unsure) => ContactScope::Marks,
                (None, MirrorState::TooLarge) if !self.has_marks && self.needs_marks() => ContactScope::Marks,
                (None, MirrorState::TooLarge | MirrorState::Sure) => {
                    self.call(&waiting, attempts);
                    continue;
                }
            };
            self.contact(scope);
        }
    }

    /// Whether what waits needs the display marks, where there is no document.
    fn needs_marks(&self) -> bool {
        let mut pending = self.jobs.values().filter_map(|tracked| tracked.pending.as_ref());
        pending.any(|pending| matches!(pending.intent, Intent::Land(_) | Intent::Accept { .. }))
    }

    /// Makes the next call, with all intents that can be written now, and settles those that need no write.
    fn call(&mut self, waiting: &[u64], attempts: &mut u64) {
        let tick = self.text.tick();
        let mut planned: Vec<(u64, Plan)> = Vec::new();
        for job in waiting {
            let Some(tracked) = self.jobs.get_mut(job) else { continue };
            let Some(mut pending) = tracked.pending.take() else { continue };
            let plan = match self.text.document_mut() {
                Some(document) => decide(tracked, &pending.intent, document, tick),
                None => decide_by_mark(tracked, &pending.intent),
            };
            let touches = |plan: &Plan| planned.iter().any(|(_, other)| touch(&other.rows(), &plan.rows()));
            let settlement = match plan {
                Ok(plan) if touches(&plan) => {
                    // It can be computed only after the other step is written.
                    if let Some(document) = self.text.document_mut() {
                        tracked.drop_plan(&plan, document);
                    }
                    None
                }
                Ok(plan) => {
                    (pending.tries, pending.is_in_call) = (pending.tries + 1, true);
                    planned.push((*job, plan));
                    None
                }
                Err(settlement) => Some(settlement),
            };
            tracked.pending = Some(pending);
            if let Some(settlement) = settlement {
                self.settle_intent(SettledIntent::new(*job, settlement));
            }
        }
        // Bottom-up, so that no step moves the rows of a later one.
        planned.sort_by_key(|(_, plan)| std::cmp::Reverse(plan.rows().start));
        let steps = planned.iter().map(|(job, plan)| {
            *attempts += 1;
            let place = plan.replaced.planned_place();
            WriteStep {
                job: *job,
                attempt: *attempts,
                settlement: plan.settlement,
                edits: plan.edits.clone(),
                place,
            }
        });
        let call = WriteCall { tick, steps: steps.collect() };
        if !call.steps.is_empty() {
            self.orders.push(Order::Write { buffer: self.number, call: call.clone() });
            let plans = planned.into_iter().map(|(_, plan)| Some(plan)).collect();
            self.writing = Some(CallUnderWay { call, made: 1, held_back: Vec::new(), plans });
        }
        (self.has_marks, self.sync.may_differ) = (false, true);
    }

    /// Settles every waiting intent as impossible, for the reason `why`.
    fn deny_all(&mut self, why: HeldFor) {
        while let Some(job) = self.waiting().first() {
            self.deny(*job, why);
        }
    }

    fn deny(&mut self, job: u64, why: HeldFor) {
        let pending = self.jobs.get(&job).and_then(|tracked| tracked.pending.as_ref());
        if let Some(settlement) = pending.map(|pending| pending.intent.denied(why)) {
            self.settle_intent(SettledIntent::new(job, settlement));
        }
    }

    /// A step is written, and the document has all its changes and no later ones. In a buffer that is too large, be it by
    /// the step itself, only the reply tells that.
    fn step_written(&mut self, call: &WriteCall, at: Option<usize>, plans: &mut [Option<Plan>]) {
        let Some(document) = self.text.document_mut() else { return };
        let is_mirrored = |plan: &&mut Option<Plan>| plan.as_ref().is_some_and(|plan| plan.anchor.is_some());
        let plan = at.and_then(|at| plans.get_mut(at)).filter(is_mirrored).and_then(Option::take);
        let (Some(plan), Some(step)) = (plan, at.and_then(|at| call.steps.get(at))) else { return };
        let Some(tracked) = self.jobs.get_mut(&step.job) else { return };
        land(tracked, &plan, document);
        tracked.mark = Some(step.place.clone());
        self.look_again(ViewDue::Now);
        self.sync.may_differ = true;
        let attempt = Some(step.attempt);
        self.settle_intent(SettledIntent { attempt, ..SettledIntent::new(step.job, plan.settlement) });
    }

    /// Handles the reply to a call that writes. The document has all changes that came before the reply. A step that was
    /// not written waits again or is denied.
    fn replied(&mut self, call: &WriteCall, plans: Vec<Option<Plan>>, reply: Option<&WriteReply>) {
        if let Some(WriteReply::Stale { tick } | WriteReply::Done { tick, .. }) = reply {
            self.text.raise(*tick);
        }
        if self.text.document().is_some() && reply.is_some_and(WriteReply::differs) {
            self.text.distrust();
        }
        let results = match reply {
            Some(WriteReply::Done { steps, .. }) => &steps[..],
            _ => &[],
        };
        for (at, (WriteStep { job, attempt, .. }, plan)) in call.steps.iter().zip(plans).enumerate() {
            let (Some(plan), since) = (plan, self.next_turn()) else { continue };
            let Some(tracked) = self.jobs.get_mut(job) else { continue };
            if let Some(document) = self.text.document_mut() {
                tracked.drop_plan(&plan, document);
            }
            let Some(pending) = &mut tracked.pending else { continue };
            (pending.since, pending.is_in_call) = (since, false);
            let denied = match (reply, results.get(at)) {
                (_, Some(StepReply::Written { .. })) if self.text.document().is_none() => {
                    let (attempt, passage) = (Some(*attempt), Some(plan.after()));
                    let settled = SettledIntent::new(*job, plan.settlement);
                    self.settle_intent(SettledIntent { attempt, passage, ..settled });
                    continue;
                }
                (None, _) => HeldFor::RangeLost,
                (Some(WriteReply::Gone), _) => HeldFor::BufferGone,
                (_, Some(StepReply::NotModifiable)) => HeldFor::NotModifiable,
                (_, Some(StepReply::Differs)) if self.text.document().is_none() => HeldFor::TooLarge,
                (_, Some(StepReply::Differs)) if pending.tries >= MAX_TRIES => HeldFor::RangeLost,
                (_, Some(StepReply::Error)) => HeldFor::RangeLost,
                _ => continue,
            };
            self.deny(*job, denied);
        }
    }

    /// Ends the mirror; `reply` is what a call that is under way comes to.
    pub fn give_up(&mut self, reply: Option<&WriteReply>) {
        for token in std::mem::take(&mut self.queries) {
            self.orders.push(Order::Reply { token, findings: Ok(Json::Null) });
        }
        if let Some(CallUnderWay { call, plans, .. }) = self.writing.take() {
            self.replied(&call, plans, reply);
        }
        self.deny_all(HeldFor::BufferGone);
        self.is_gone = true;
    }

    /// Begins again after a panic, which may have left its text and its ranges half changed: both are asked for, what was
    /// wanted is settled as where the range is lost. After the second panic it ends.
    pub fn restart(&mut self) {
        let mut jobs = std::mem::take(&mut self.jobs);
        let mut orders = std::mem::take(&mut self.orders);
        let reply = |token, findings| Order::Reply { token, findings };
        orders
            .extend(std::mem::take(&mut self.queries).into_iter().map(|token| reply(token, Ok(Json::Null))));
        for (job, tracked) in &mut jobs {
            orders.extend(tracked.restart().map(|intent| Order::denied(*job, &intent, HeldFor::RangeLost)));
            let replies = tracked.held.as_mut().map(|held| std::mem::take(&mut held.replies));
            orders.extend(replies.into_iter().flatten().map(|(token, findings)| reply(token, findings)));
        }
        let (number, used, is_gone) = (self.number, self.used, self.is_restarted);
        let (asks_again, name, turn) = (self.asks_again, std::mem::take(&mut self.name), self.turn);
        *self = Self {
            number,
            used,
            is_gone,
            asks_again,
            name,
            turn,
            jobs,
            orders,
            is_restarted: true,
            ..Self::default()
        };
        if is_gone {
            self.orders.push(Order::Detach(number));
        } else {
            self.contact(ContactScope::Text);
        }
    }

    /// Settles an intent. If the answer is still held, the next intent for the same range waits from now on; else all
    /// following ones are refused as stale.
    fn settle_intent(&mut self, settled: SettledIntent) {
        let (job, settlement) = (settled.job, settled.settlement);
        let pending = self.jobs.get_mut(&job).and_then(|tracked| tracked.pending.take());
        let Some(Pending { intent, mut following, .. }) = pending else { return };
        self.report(settled, intent.token());
        if matches!(settlement, Settlement::Taken | Settlement::Kept | Settlement::Refused(_)) {
            if let Some(intent) = following.pop_front() {
                self.enqueue(job, intent, following);
            }
        } else {
            for intent in following {
                self.report(SettledIntent::new(job, Settlement::Refused(Obstacle::Stale)), intent.token());
            }
        }
    }

    /// Reports a settled intent. The key with the token that asked for it gets its reply: with the next view, as long as
    /// the answer is held. What ends a job ends its review.
    fn report(&mut self, mut settled: SettledIntent, token: Option<u64>) {
        let (job, settlement) = (settled.job, settled.settlement);
        settled.passage = settled.passage.or_else(|| self.passage(job));
        let findings = match settlement {
            Settlement::Refused(why) => Err(why),
            Settlement::Held(why) => Err(why.into()),
            _ => Ok(Json::Null),
        };
        let reply = token.map(|token| (token, findings));
        match (settlement, reply) {
            (Settlement::Taken | Settlement::Kept | Settlement::Refused(_), Some((token, findings))) => {
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

/// The document and the review follow a step that is written.
fn land(tracked: &mut Tracked, plan: &Plan, document: &mut Document) {
    let Some(anchor) = plan.anchor else { return };
    let place = plan.replaced.place(document.rows());
    document.landed(anchor, &place);
    tracked.become_known(anchor, document);
    let Some((hunks, sent)) = &plan.hunks else {
        tracked.before = Some(plan.before());
        return;
    };
    let Some(review) = tracked.review(sent) else { return };
    let now = Passage::new(place, document.rows());
    let is_whole = review.taken() == 0 && plan.settlement != Settlement::Taken;
    review.take(hunks, (&plan.now, &now), document.last_write(anchor));
    if is_whole {
        tracked.before = Some(plan.before());
    } else if plan.settlement == Settlement::Taken {
        document.rebased(anchor, sent.clone());
    } else {
        let (written, sent) = review.landed(&now);
        document.rebased(anchor, written);
        tracked.before = Some(sent);
    }
}

/// Whether two steps are in rows that are the same, or next to each other.
fn touch(one: &Range<usize>, other: &Range<usize>) -> bool {
    one.start <= other.end && other.start <= one.end
}
