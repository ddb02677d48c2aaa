//! All mirrors: they pass each event to the mirror of its buffer, decide which changes a call of ours made, and keep
//! within the memory that they may take together.

use std::collections::HashMap;

use super::entry::MirrorEntry;
use super::event::MirrorEvent;
use super::intent::SettledIntent;
use super::order::Order;
use super::reviews::ViewDue;
use super::write::WriteReply;
use crate::land::HeldFor;

/// The most memory that all mirrors may take, roughly. Beyond it those go that were used longest ago.
const MAX_MEMORY: usize = 64 << 20;

/// See the module. Pure: what it wants is what [`Mirrors::take`] and [`Mirrors::idle`] return.
#[derive(Debug, Default)]
pub struct Mirrors {
    buffers: HashMap<u64, MirrorEntry>,
    /// The number of the last step, which no other step of this Neovim has.
    attempts: u64,
    /// Counts events, to know which mirror was used longest ago.
    clock: u64,
}

impl Mirrors {
    /// Without mirrors. Steps are numbered from here on: a plugin may remember those of an earlier host.
    pub fn new(attempts: u64) -> Self {
        Self { attempts, ..Self::default() }
    }

    /// Takes the next event.
    pub fn take(&mut self, event: MirrorEvent) -> Vec<Order> {
        self.clock += 1;
        let mut orders = Vec::new();
        let number = match &event {
            MirrorEvent::Ended { job } => self.buffer_of(*job),
            event => event.buffer(),
        };
        match (event, number.and_then(|number| self.buffers.get_mut(&number))) {
            (MirrorEvent::Written { buffer, reply }, _) => self.written(buffer, reply.as_ref(), &mut orders),
            (MirrorEvent::Want { intent, job, .. }, Some(entry)) => entry.buffer.add_intent(job, intent),
            (MirrorEvent::Want { intent, job, .. }, None) => {
                orders.push(Order::Settled(SettledIntent::new(job, intent.denied(HeldFor::BufferGone))));
            }
            (event, Some(entry)) if entry.is_writing() => entry.hold_back(event),
            (event, _) => self.handle(event, None, &mut orders),
        }
        if let Some(entry) = number.and_then(|number| self.buffers.get_mut(&number)) {
            entry.write(&mut self.attempts, &mut orders);
            if entry.is_at_rest() {
                entry.report_ranges_on_disk(&mut orders);
            }
        }
        self.keep_within(MAX_MEMORY, &mut orders);
        orders
    }

    /// No more events for now: returns the places that the editor has to set its marks to.
    pub fn idle(&mut self) -> Vec<Order> {
        let at_rest = self.buffers.values_mut().filter(|entry| entry.is_at_rest());
        let mut orders: Vec<Order> = at_rest.filter_map(MirrorEntry::places).collect();
        self.send_views(ViewDue::Now, &mut orders);
        orders
    }

    /// Whether [`Mirrors::pause`] has something to do once no event has come for a moment.
    pub fn waits_for_pause(&self) -> bool {
        self.buffers.values().any(|entry| entry.is_at_rest() && entry.buffer.waits_for_pause())
    }

    /// No event has come for a moment: what is proposed of held answers.
    pub fn pause(&mut self) -> Vec<Order> {
        let mut orders = Vec::new();
        self.send_views(ViewDue::AtPause, &mut orders);
        orders
    }

    fn send_views(&mut self, due: ViewDue, orders: &mut Vec<Order>) {
        for entry in self.buffers.values_mut().filter(|entry| entry.is_at_rest()) {
            entry.send_views(due, orders);
        }
    }

    /// Handles an event; `step` is the one of the last call that it belongs to.
    fn handle(&mut self, event: MirrorEvent, step: Option<usize>, orders: &mut Vec<Order>) {
        match event {
            MirrorEvent::Notice(notice) => {
                let number = notice.buffer;
                self.buffers.entry(number).or_insert_with(|| MirrorEntry::new(number));
                self.change(number, orders, |entry, orders| entry.notice(notice, orders));
            }
            MirrorEvent::Lines { buffer, tick, range: Some(range), rows } => {
                self.change(buffer, orders, |entry, _| entry.buffer.lines(tick, range, &rows, step));
            }
            MirrorEvent::Lines { buffer, tick, range: None, rows } => {
                self.change(buffer, orders, |entry, _| entry.attached(tick, &rows));
            }
            MirrorEvent::Tick { buffer, tick } => {
                self.change(buffer, orders, |entry, _| entry.buffer.settle(tick));
            }
            MirrorEvent::Detached { buffer } => {
                self.change(buffer, orders, |entry, _| entry.buffer.detach());
            }
            MirrorEvent::Contacted { buffer, exists: true } => {
                self.change(buffer, orders, MirrorEntry::contacted);
            }
            MirrorEvent::Contacted { buffer, exists: false } => {
                self.forget(buffer, Some(&WriteReply::Gone), orders);
            }
            MirrorEvent::Moment { buffer } => {
                self.change(buffer, orders, |entry, _| entry.moment_came());
            }
            MirrorEvent::AskedAgain { buffer } => {
                self.change(buffer, orders, |entry, _| entry.asked_again());
            }
            MirrorEvent::Sent(sent) => {
                self.change(sent.buffer, orders, |entry, _| entry.buffer.sent(sent));
            }
            MirrorEvent::Placed { buffer, tick } => {
                self.change(buffer, orders, |entry, _| entry.buffer.placed(tick));
            }
            MirrorEvent::Ended { job } => {
                if let Some(entry) = self.buffers.values_mut().find(|entry| entry.buffer.has(job)) {
                    entry.ended(job, orders);
                }
            }
            MirrorEvent::Drawn { buffer, job } => {
                self.change(buffer, orders, |entry, _| entry.buffer.drawn(job));
            }
            MirrorEvent::Unwatch { buffer, job } => {
                self.change(buffer, orders, |entry, _| entry.buffer.unwatch(job));
            }
            MirrorEvent::Query { token, buffer, question } => match self.buffers.get_mut(&buffer) {
                None => orders.push(Order::Reply { token, findings: question.without_mirror() }),
                Some(entry) => entry.query(token, question, orders),
            },
            MirrorEvent::Disconnected => {
                for number in self.buffers.keys().copied().collect::<Vec<_>>() {
                    // A call under way gets no reply any more.
                    let held_back = self.buffers.get_mut(&number).and_then(MirrorEntry::take_held_back);
                    for event in held_back.into_iter().flatten() {
                        self.handle(event, None, orders);
                    }
                    if let Some(entry) = self.buffers.get_mut(&number) {
                        entry.report_ranges_on_disk(orders);
                    }
                }
                orders.push(Order::Disconnected);
            }
            MirrorEvent::Written { .. } | MirrorEvent::Want { .. } => {}
        }
    }

    /// A call is over that wrote. What came meanwhile is taken, each change for the step that made it.
    fn written(&mut self, number: u64, reply: Option<&WriteReply>, orders: &mut Vec<Order>) {
        let Some(entry) = self.buffers.get_mut(&number) else { return };
        if reply.is_none() && entry.call_again(orders) {
            return;
        }
        let Some(events) = entry.take_held_back() else { return };
        let is_moment = events.iter().any(|event| matches!(event, MirrorEvent::Moment { .. }));
        let mut step = None;
        for event in events {
            let author = match &event {
                MirrorEvent::Lines { tick: Some(tick), range: Some(_), .. }
                | MirrorEvent::Tick { tick, .. } => reply.and_then(|reply| reply.author(*tick)),
                MirrorEvent::Lines { .. } | MirrorEvent::Detached { .. } => None,
                // What changes no text ends no step.
                _ => step,
            };
            if author != step {
                self.step_written(number, step, orders);
                step = author;
            }
            self.handle(event, step, orders);
        }
        self.step_written(number, step, orders);
        let Some(entry) = self.buffers.get_mut(&number) else { return };
        entry.replied(reply, orders);
        if matches!(reply, Some(WriteReply::NotNow)) && !is_moment {
            entry.wait_for_moment(orders);
        }
    }

    fn step_written(&mut self, number: u64, step: Option<usize>, orders: &mut Vec<Order>) {
        let Some((entry, step)) = self.buffers.get_mut(&number).zip(step) else { return };
        entry.step_written(step, orders);
    }

    fn buffer_of(&self, job: u64) -> Option<u64> {
        self.buffers.iter().find(|(_, entry)| entry.buffer.has(job)).map(|(number, _)| *number)
    }

    /// Changes a mirror that is there, and has done what follows from the change.
    fn change(
        &mut self,
        number: u64,
        orders: &mut Vec<Order>,
        change: impl FnOnce(&mut MirrorEntry, &mut Vec<Order>),
    ) {
        let Some(entry) = self.buffers.get_mut(&number) else { return };
        entry.used = self.clock;
        entry.change(orders, change);
    }

    /// Drops those that were used longest ago.
    pub(super) fn keep_within(&mut self, limit: usize, orders: &mut Vec<Order>) {
        while self.buffers.values().map(|entry| entry.buffer.memory()).sum::<usize>() > limit {
            let oldest =
                self.buffers.iter().filter(|(_, entry)| entry.buffer.memory() > 0 && !entry.is_writing());
            let Some(number) = oldest.min_by_key(|(_, entry)| entry.used).map(|(number, _)| *number) else {
                return;
            };
            tracing::info!(buffer = number, "a mirror is dropped: all together take too much memory");
            self.forget(number, None, orders);
            orders.push(Order::Detach(number));
        }
    }

    /// Drops a mirror; `reply` is what a call that is under way comes to.
    fn forget(&mut self, number: u64, reply: Option<&WriteReply>, orders: &mut Vec<Order>) {
        if let Some(entry) = self.buffers.remove(&number) {
            entry.give_up(reply, orders);
        }
    }
}
