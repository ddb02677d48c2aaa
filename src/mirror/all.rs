//! All mirrors: which buffers are mirrored, when their text is asked for, and how much memory they may take together.

use std::collections::HashMap;

use super::buffer::{Buffer, Link};
use super::event::Event;
use super::view::View;
use crate::document::Place;

/// The most memory that all mirrors may take, roughly. Beyond it those go that were used longest ago.
const MAX_MEMORY: usize = 64 << 20;

/// What the mirrors want done.
#[derive(Debug)]
pub enum Order {
    /// Have the plugin say how a buffer is ([`Event::Notice`]), after Neovim has sent the whole text of it where that is
    /// wanted, in one call; the end of that call is told by [`Event::Contacted`].
    Contact {
        /// The buffer's number.
        buffer: u64,
        /// Whether the text is wanted, and the events of the buffer from then on.
        whole: bool,
    },
    /// Have Neovim send nothing more of a buffer.
    Detach(u64),
    /// Answer a query; without a view where the buffer has no mirror.
    Reply {
        /// The query's.
        token: u64,
        /// What is known of the buffer.
        view: Option<View>,
    },
}

/// See the module. Pure: what it wants is what [`Mirrors::take`] returns.
#[derive(Debug, Default)]
pub struct Mirrors {
    buffers: HashMap<u64, Entry>,
    /// Counts events, to know which mirror was used longest ago.
    clock: u64,
}

#[derive(Debug)]
struct Entry {
    buffer: Buffer,
    used: u64,
    /// How many contacts are under way.
    contacts: usize,
    /// Whether the whole text is to come with one of them.
    is_attaching: bool,
    /// The queries that wait for them.
    tokens: Vec<u64>,
}

impl Mirrors {
    /// Takes the next event.
    pub fn take(&mut self, event: Event) -> Vec<Order> {
        self.clock += 1;
        let mut orders = Vec::new();
        match event {
            Event::Notice(notice) => {
                let number = notice.buffer;
                self.buffers.entry(number).or_insert_with(Entry::new);
                self.change(number, &mut orders, |entry, _| entry.buffer.notice(notice));
            }
            Event::Lines { buffer, tick, range: Some(range), rows } => {
                self.change(buffer, &mut orders, |entry, _| entry.buffer.lines(tick, range, &rows));
            }
            Event::Lines { buffer, tick, range: None, rows } => {
                self.change(buffer, &mut orders, |entry, _| {
                    entry.is_attaching = false;
                    entry.buffer.whole(tick, &rows);
                });
            }
            Event::Tick { buffer, tick } => {
                self.change(buffer, &mut orders, |entry, _| entry.buffer.settle(tick));
            }
            Event::Detached { buffer } => {
                self.change(buffer, &mut orders, |entry, _| entry.buffer.detach());
            }
            Event::Contacted { buffer, exists: true } => {
                self.change(buffer, &mut orders, Entry::contacted);
            }
            Event::Contacted { buffer, exists: false } => self.forget(buffer, &mut orders),
            Event::Sent(sent) => {
                self.change(sent.buffer, &mut orders, |entry, _| entry.buffer.sent(sent));
            }
            Event::Ended { job } => {
                if let Some(entry) = self.buffers.values_mut().find(|entry| entry.buffer.has(job)) {
                    entry.buffer.ended(job);
                }
            }
            Event::Query { token, buffer } => match self.buffers.get_mut(&buffer) {
                None => orders.push(Order::Reply { token, view: None }),
                Some(entry) => entry.query(token, buffer, &mut orders),
            },
        }
        self.keep_within(MAX_MEMORY, &mut orders);
        orders
    }

    /// Changes a mirror that is there. Ends the events of one that becomes too large, and has the text sent of one that
    /// does not know it any more.
    fn change(
        &mut self,
        number: u64,
        orders: &mut Vec<Order>,
        change: impl FnOnce(&mut Entry, &mut Vec<Order>),
    ) {
        let Some(entry) = self.buffers.get_mut(&number) else { return };
        entry.used = self.clock;
        let was = entry.buffer.link();
        change(entry, orders);
        let is_too_large = entry.buffer.link() == Link::TooLarge;
        if is_too_large && was != Link::TooLarge {
            tracing::info!(buffer = number, "too large to be mirrored");
            orders.push(Order::Detach(number));
        } else if entry.buffer.needs_text() {
            entry.contact(number, true, orders);
        } else if entry.buffer.needs_marks() {
            entry.contact(number, false, orders);
        }
    }

    /// Whether the range of a job is followed, wherever it is.
    pub fn follows(&self, job: u64) -> bool {
        self.buffers.values().any(|entry| entry.buffer.has(job))
    }

    /// Where the range of a job is; `mark` is where the editor's mark of it is now.
    pub fn place(&self, job: u64, mark: Option<&Place>) -> Option<Place> {
        self.buffers.values().find(|entry| entry.buffer.has(job))?.buffer.place(job, mark)
    }

    /// Drops those that were used longest ago.
    pub(super) fn keep_within(&mut self, limit: usize, orders: &mut Vec<Order>) {
        while self.buffers.values().map(|entry| entry.buffer.memory()).sum::<usize>() > limit {
            let oldest = self.buffers.iter().filter(|(_, entry)| entry.buffer.memory() > 0);
            let Some(number) = oldest.min_by_key(|(_, entry)| entry.used).map(|(number, _)| *number) else {
                return;
            };
            tracing::info!(buffer = number, "a mirror is dropped: all together take too much memory");
            self.forget(number, orders);
            orders.push(Order::Detach(number));
        }
    }

    fn forget(&mut self, number: u64, orders: &mut Vec<Order>) {
        let tokens = self.buffers.remove(&number).map(|entry| entry.tokens).unwrap_or_default();
        orders.extend(tokens.into_iter().map(|token| Order::Reply { token, view: None }));
    }
}

impl Entry {
    fn new() -> Self {
        Self { buffer: Buffer::new(), used: 0, contacts: 0, is_attaching: false, tokens: Vec::new() }
    }

    /// Contacts the editor, unless that is under way.
    fn contact(&mut self, buffer: u64, whole: bool, orders: &mut Vec<Order>) {
        let is_under_way = if whole { self.is_attaching } else { self.contacts > 0 };
        if !is_under_way {
            self.contacts += 1;
            self.is_attaching |= whole;
            orders.push(Order::Contact { buffer, whole });
        }
    }

    /// A contact is over. One that showed that the text is wanted has led to another.
    fn contacted(&mut self, orders: &mut Vec<Order>) {
        self.contacts = self.contacts.saturating_sub(1);
        if self.contacts > 0 {
            return;
        }
        self.is_attaching = false;
        self.buffer.told();
        if !self.buffer.needs_text() {
            for token in std::mem::take(&mut self.tokens) {
                orders.push(Order::Reply { token, view: Some(self.buffer.view()) });
            }
        }
    }

    /// Nothing is said of a text that is unsure before the editor was contacted.
    fn query(&mut self, token: u64, number: u64, orders: &mut Vec<Order>) {
        if self.buffer.link() == Link::Unsure {
            self.contact(number, false, orders);
        }
        if self.contacts > 0 {
            self.tokens.push(token);
        } else {
            orders.push(Order::Reply { token, view: Some(self.buffer.view()) });
        }
    }
}
