//! All mirrors: they pass each event to the mirror of its buffer, and keep within the memory that they may take together.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value as Json;

use super::buffer::Buffer;
use super::event::{BufferEvent, MirrorEvent};
use super::held::ViewDue;
use super::order::Order;
use super::selected::{SavedRows, Sent};
use crate::land::HeldFor;

/// The most memory that all mirrors may take, roughly. Beyond it those go that were used longest ago.
const MAX_MEMORY: usize = 64 << 20;

/// See the module. Pure: what it wants is what [`Mirrors::take`] and [`Mirrors::idle`] return.
#[derive(Debug, Default)]
pub struct Mirrors {
    pub(super) buffers: HashMap<u64, Buffer>,
    /// The number of the last step, which no other step of this Neovim has.
    attempts: u64,
    /// Counts events, to know which mirror was used longest ago.
    clock: u64,
    /// The buffer whose mirror is at work.
    at_work: Option<u64>,
    /// What was sent of the jobs that have not ended, or are held: those that a buffer does not have may be there next.
    sent: BTreeMap<u64, (Sent, Option<SavedRows>)>,
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
        match event {
            MirrorEvent::Buffer(number, event) => self.handle(number, event, &mut orders),
            MirrorEvent::Recalled(sent, saved) => {
                if let Some(number) = self.buffer_of(sent.job) {
                    self.handle(number, BufferEvent::Sent(sent, saved), &mut orders);
                } else {
                    self.sent.insert(sent.job, (sent, saved));
                }
            }
            MirrorEvent::Ended { job } => {
                self.sent.remove(&job);
                if let Some(number) = self.buffer_of(job) {
                    self.handle(number, BufferEvent::Ended(job), &mut orders);
                }
            }
            MirrorEvent::Disconnected => {
                for buffer in self.buffers.values_mut() {
                    buffer.disconnected();
                    orders.append(&mut buffer.orders);
                }
                orders.push(Order::Disconnected);
            }
        }
        self.keep_within(MAX_MEMORY, &mut orders);
        orders
    }

    fn buffer_of(&self, job: u64) -> Option<u64> {
        self.buffers.iter().find(|(_, buffer)| buffer.has(job)).map(|(number, _)| *number)
    }

    fn handle(&mut self, mut number: u64, event: BufferEvent, orders: &mut Vec<Order>) {
        match &event {
            // Its file may have been closed, and be open again.
            BufferEvent::Want { job, .. } if !self.buffers.contains_key(&number) => {
                number = self.buffer_of(*job).unwrap_or(number);
            }
            BufferEvent::Sent(sent, saved) => {
                self.sent.insert(sent.job, (Sent { tick: None, ..sent.clone() }, saved.clone()));
            }
            BufferEvent::Notice(notice) => {
                let buffer = self.buffers.entry(number).or_insert_with(|| Buffer::new(number));
                let marks =
                    notice.marks.iter().filter(|mark| !mark.has_ended && !buffer.has_request(mark.job));
                let recalled: Vec<_> = marks.filter_map(|mark| self.sent.get(&mark.job).cloned()).collect();
                for (sent, saved) in recalled {
                    self.handle(number, BufferEvent::Sent(sent, saved), orders);
                }
            }
            _ => {}
        }
        let Some(buffer) = self.buffers.get_mut(&number) else {
            return orders.extend(match event {
                BufferEvent::Want { job, intent } => Some(Order::denied(job, &intent, HeldFor::BufferGone)),
                BufferEvent::Query(token) => Some(Order::Reply { token, findings: Ok(Json::Null) }),
                _ => None,
            });
        };
        buffer.used = self.clock;
        self.at_work = Some(number);
        buffer.take(event, &mut self.attempts);
        let settled = buffer.orders.iter().filter_map(|order| match order {
            Order::Settled(settled) if settled.settlement.is_end() => Some(settled.job),
            _ => None,
        });
        settled.for_each(|job| _ = self.sent.remove(&job));
        for order in &buffer.orders {
            if let Order::RangeOnDisk(on_disk) = order
                && let Some((_, saved)) = self.sent.get_mut(&on_disk.job)
                && let Some(passage) = &on_disk.passage
            {
                *saved = Some(SavedRows::of(passage, on_disk.base.clone()));
            }
        }
        orders.append(&mut buffer.orders);
        if buffer.is_gone {
            self.buffers.remove(&number);
        }
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
        let buffers = self.buffers.iter_mut().filter(|(_, buffer)| buffer.is_at_rest());
        let orders = buffers.flat_map(|(number, buffer)| {
            self.at_work = Some(*number);
            act(buffer);
            std::mem::take(&mut buffer.orders)
        });
        orders.collect()
    }

    /// A mirror has panicked: it begins again with the text as it is, and its answers are held.
    pub fn recover(&mut self) -> Vec<Order> {
        let Some(mut buffer) = self.at_work.take().and_then(|number| self.buffers.remove(&number)) else {
            return Vec::new();
        };
        buffer.restart();
        let orders = std::mem::take(&mut buffer.orders);
        if !buffer.is_gone {
            self.buffers.insert(buffer.number(), buffer);
        }
        orders
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
            if let Some(mut buffer) = self.buffers.remove(&number) {
                buffer.give_up(None);
                orders.append(&mut buffer.orders);
            }
            orders.push(Order::Detach(number));
        }
    }
}
