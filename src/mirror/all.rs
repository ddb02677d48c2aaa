//! All mirrors: they pass each event to the mirror of its buffer, decide which changes a call of ours made, and keep
//! within the memory that they may take together.

use std::collections::HashMap;

use super::buffer::Buffer;
use super::event::MirrorEvent;
use super::held::ViewDue;
use super::intent::SettledIntent;
use super::order::Order;
use super::write::WriteReply;
use crate::land::HeldFor;

/// The most memory that all mirrors may take, roughly. Beyond it those go that were used longest ago.
const MAX_MEMORY: usize = 64 << 20;

/// See the module. Pure: what it wants is what [`Mirrors::take`] and [`Mirrors::idle`] return.
#[derive(Debug, Default)]
pub struct Mirrors {
    buffers: HashMap<u64, Buffer>,
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
            (MirrorEvent::Want { intent, job, .. }, Some(buffer)) => buffer.add_intent(job, intent),
            (MirrorEvent::Want { intent, job, .. }, None) => {
                orders.push(Order::Settled(SettledIntent::new(job, intent.denied(HeldFor::BufferGone))));
            }
            (event, Some(buffer)) if buffer.is_writing() => buffer.hold_back(event),
            (event, _) => self.handle(event, None, &mut orders),
        }
        if let Some(buffer) = number.and_then(|number| self.buffers.get_mut(&number)) {
            buffer.write(&mut self.attempts);
            if buffer.is_at_rest() {
                buffer.report_ranges_on_disk();
            }
            orders.append(&mut buffer.orders);
        }
        self.keep_within(MAX_MEMORY, &mut orders);
        orders
    }

    /// No more events for now: returns the places that the editor has to set its marks to, and the views that are due.
    pub fn idle(&mut self) -> Vec<Order> {
        self.at_rest(|buffer| {
            buffer.send_places();
            buffer.send_views(ViewDue::Now);
        })
    }

    /// Whether [`Mirrors::pause`] has something to do once no event has come for a moment.
    pub fn waits_for_pause(&self) -> bool {
        self.buffers.values().any(|buffer| buffer.is_at_rest() && buffer.is_view_due(ViewDue::AtPause))
    }

    /// No event has come for a moment: what is proposed of held answers.
    pub fn pause(&mut self) -> Vec<Order> {
        self.at_rest(|buffer| buffer.send_views(ViewDue::AtPause))
    }

    fn at_rest(&mut self, act: impl Fn(&mut Buffer)) -> Vec<Order> {
        let buffers = self.buffers.values_mut().filter(|buffer| buffer.is_at_rest());
        let orders = buffers.flat_map(|buffer| {
            act(buffer);
            std::mem::take(&mut buffer.orders)
        });
        orders.collect()
    }

    /// Handles an event; `step` is the one of the last call that it belongs to.
    fn handle(&mut self, event: MirrorEvent, step: Option<usize>, orders: &mut Vec<Order>) {
        match event {
            MirrorEvent::Notice(notice) => {
                let number = notice.buffer;
                self.buffers.entry(number).or_insert_with(|| Buffer::new(number));
                self.change(number, |buffer| buffer.notice(notice));
            }
            MirrorEvent::Lines { buffer, tick, range: Some(range), rows } => {
                self.change(buffer, |buffer| buffer.lines(tick, range, &rows, step));
            }
            MirrorEvent::Lines { buffer, tick, range: None, rows } => {
                self.change(buffer, |buffer| buffer.whole(tick, &rows));
            }
            MirrorEvent::Tick { buffer, tick } => self.change(buffer, |buffer| buffer.settle(tick)),
            MirrorEvent::Detached { buffer } => self.change(buffer, Buffer::detach),
            MirrorEvent::Contacted { buffer, exists: true } => self.change(buffer, Buffer::contacted),
            MirrorEvent::Contacted { buffer, exists: false } => {
                self.forget(buffer, Some(&WriteReply::Gone), orders);
            }
            MirrorEvent::Moment { buffer } => self.change(buffer, Buffer::moment_came),
            MirrorEvent::AskedAgain { buffer } => self.change(buffer, Buffer::asked_again),
            MirrorEvent::Sent(sent) => self.change(sent.buffer, |buffer| buffer.sent(sent)),
            MirrorEvent::Placed { buffer, tick } => self.change(buffer, |buffer| buffer.placed(tick)),
            MirrorEvent::Ended { job } => {
                if let Some(buffer) = self.buffers.values_mut().find(|buffer| buffer.has(job)) {
                    buffer.ended(job);
                }
            }
            MirrorEvent::Drawn { buffer, job } => self.change(buffer, |buffer| buffer.drawn(job)),
            MirrorEvent::Unwatch { buffer, job } => self.change(buffer, |buffer| buffer.unwatch(job)),
            MirrorEvent::Query { token, buffer, question } => match self.buffers.get_mut(&buffer) {
                None => orders.push(Order::Reply { token, findings: question.without_mirror() }),
                Some(buffer) => buffer.query(token, question),
            },
            MirrorEvent::Disconnected => {
                for number in self.buffers.keys().copied().collect::<Vec<_>>() {
                    // A call under way gets no reply any more.
                    let held_back = self.buffers.get_mut(&number).and_then(Buffer::take_held_back);
                    for event in held_back.into_iter().flatten() {
                        self.handle(event, None, orders);
                    }
                    if let Some(buffer) = self.buffers.get_mut(&number) {
                        buffer.report_ranges_on_disk();
                        orders.append(&mut buffer.orders);
                    }
                }
                orders.push(Order::Disconnected);
            }
            MirrorEvent::Written { .. } | MirrorEvent::Want { .. } => {}
        }
    }

    /// A call is over that wrote. What came meanwhile is taken, each change for the step that made it.
    fn written(&mut self, number: u64, reply: Option<&WriteReply>, orders: &mut Vec<Order>) {
        let Some(buffer) = self.buffers.get_mut(&number) else { return };
        if reply.is_none() && buffer.call_again() {
            return;
        }
        let Some(events) = buffer.take_held_back() else { return };
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
                self.step_written(number, step);
                step = author;
            }
            self.handle(event, step, orders);
        }
        self.step_written(number, step);
        let Some(buffer) = self.buffers.get_mut(&number) else { return };
        buffer.replied(reply);
        if matches!(reply, Some(WriteReply::NotNow)) && !is_moment {
            buffer.wait_for_moment();
        }
    }

    fn step_written(&mut self, number: u64, step: Option<usize>) {
        if let Some((buffer, step)) = self.buffers.get_mut(&number).zip(step) {
            buffer.step_written(step);
        }
    }

    fn buffer_of(&self, job: u64) -> Option<u64> {
        self.buffers.iter().find(|(_, buffer)| buffer.has(job)).map(|(number, _)| *number)
    }

    /// Changes a mirror that is there, and has done what follows from the change.
    fn change(&mut self, number: u64, change: impl FnOnce(&mut Buffer)) {
        let Some(buffer) = self.buffers.get_mut(&number) else { return };
        buffer.used = self.clock;
        buffer.change(change);
    }

    /// Drops those that were used longest ago.
    pub(super) fn keep_within(&mut self, limit: usize, orders: &mut Vec<Order>) {
        while self.buffers.values().map(Buffer::memory).sum::<usize>() > limit {
            let oldest =
                self.buffers.iter().filter(|(_, buffer)| buffer.memory() > 0 && !buffer.is_writing());
            let Some(number) = oldest.min_by_key(|(_, buffer)| buffer.used).map(|(number, _)| *number) else {
                return;
            };
            tracing::info!(buffer = number, "a mirror is dropped: all together take too much memory");
            self.forget(number, None, orders);
            orders.push(Order::Detach(number));
        }
    }

    /// Drops a mirror; `reply` is what a call that is under way comes to.
    fn forget(&mut self, number: u64, reply: Option<&WriteReply>, orders: &mut Vec<Order>) {
        if let Some(mut buffer) = self.buffers.remove(&number) {
            buffer.give_up(reply);
            orders.append(&mut buffer.orders);
        }
    }
}
