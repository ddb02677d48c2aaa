//! All mirrors: which buffers are mirrored, when their text is asked for, what is written to them, and how much memory
//! they may take together.

use std::collections::HashMap;

use super::answers::Fate;
use super::buffer::{Buffer, Link, Need};
use super::event::Event;
use super::view::View;
use super::write::{Call, Reply};
use crate::document::{Passage, Place};
use crate::land::HeldFor;

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
    /// Have the plugin write; its reply is told by [`Event::Written`].
    Write {
        /// The buffer's number.
        buffer: u64,
        /// What.
        call: Call,
    },
    /// Tell [`Event::Moment`] after a while: the plugin tells it as soon as it comes, but what it tells may be lost.
    AskAgain(u64),
    /// This became of what was wanted of a job's range.
    Settled {
        /// The job's id.
        job: u64,
        /// What.
        fate: Fate,
        /// The range as it is now; none where that is not known.
        passage: Option<Passage>,
    },
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
    /// What came while a call was under way that writes: which changes are that call's its reply tells.
    held_back: Option<Vec<Event>>,
    /// Whether the user is in the middle of something, as far as the last reply told.
    is_busy: bool,
}

impl Mirrors {
    /// Takes the next event.
    pub fn take(&mut self, event: Event) -> Vec<Order> {
        self.clock += 1;
        let mut orders = Vec::new();
        let number = match &event {
            Event::Wish { job, .. } | Event::Ended { job } => self.buffer_of(*job),
            event => event.buffer(),
        };
        match (event, number.and_then(|number| self.buffers.get_mut(&number))) {
            (Event::Written { buffer, reply }, _) => self.written(buffer, reply.as_ref(), &mut orders),
            (Event::Wish { wish, job }, Some(entry)) => entry.buffer.want(job, wish),
            (Event::Wish { job, .. }, None) => {
                let fate = Fate::Held(HeldFor::BufferGone);
                orders.push(Order::Settled { job, fate, passage: None });
            }
            (event, Some(Entry { held_back: Some(held_back), .. })) => held_back.push(event),
            (event, _) => self.handle(event, None, &mut orders),
        }
        if let Some(number) = number {
            self.write(number, &mut orders);
        }
        self.keep_within(MAX_MEMORY, &mut orders);
        orders
    }

    /// Handles an event; `step` is the one of the last call that it belongs to.
    fn handle(&mut self, event: Event, step: Option<usize>, orders: &mut Vec<Order>) {
        match event {
            Event::Notice(notice) => {
                let number = notice.buffer;
                self.buffers.entry(number).or_insert_with(Entry::new);
                self.change(number, orders, |entry, _| entry.buffer.notice(notice));
            }
            Event::Lines { buffer, tick, range: Some(range), rows } => {
                self.change(buffer, orders, |entry, _| entry.buffer.lines(tick, range, &rows, step));
            }
            Event::Lines { buffer, tick, range: None, rows } => {
                self.change(buffer, orders, |entry, _| {
                    entry.is_attaching = false;
                    entry.buffer.whole(tick, &rows);
                });
            }
            Event::Tick { buffer, tick } => {
                self.change(buffer, orders, |entry, _| entry.buffer.settle(tick));
            }
            Event::Detached { buffer } => {
                self.change(buffer, orders, |entry, _| entry.buffer.detach());
            }
            Event::Contacted { buffer, exists: true } => {
                self.change(buffer, orders, Entry::contacted);
            }
            Event::Contacted { buffer, exists: false } => self.forget(buffer, orders),
            Event::Moment { buffer } => {
                self.change(buffer, orders, |entry, _| entry.is_busy = false);
            }
            Event::Sent(sent) => {
                self.change(sent.buffer, orders, |entry, _| entry.buffer.sent(sent));
            }
            Event::Ended { job } => {
                if let Some(entry) = self.buffers.values_mut().find(|entry| entry.buffer.has(job)) {
                    entry.buffer.ended(job);
                }
            }
            Event::Query { token, buffer } => match self.buffers.get_mut(&buffer) {
                None => orders.push(Order::Reply { token, view: None }),
                Some(entry) => entry.query(token, buffer, orders),
            },
            Event::Written { .. } | Event::Wish { .. } => {}
        }
    }

    /// A call is over that wrote. What came meanwhile is taken, each change for the step that made it.
    fn written(&mut self, number: u64, reply: Option<&Reply>, orders: &mut Vec<Order>) {
        let entry = self.buffers.get_mut(&number);
        let Some(events) = entry.and_then(|entry| entry.held_back.take()) else { return };
        let is_moment = events.iter().any(|event| matches!(event, Event::Moment { .. }));
        let mut step = None;
        for event in events {
            let author = match &event {
                Event::Lines { tick: Some(tick), range: Some(_), .. } | Event::Tick { tick, .. } => {
                    reply.and_then(|reply| reply.author(*tick))
                }
                _ => None,
            };
            if author != step {
                self.step_written(number, step, orders);
                step = author;
            }
            self.handle(event, step, orders);
        }
        self.step_written(number, step, orders);
        let Some(entry) = self.buffers.get_mut(&number) else { return };
        let fates = entry.buffer.replied(reply);
        entry.settle(fates, orders);
        if matches!(reply, Some(Reply::NotNow)) && !is_moment {
            entry.is_busy = true;
            orders.push(Order::AskAgain(number));
        }
    }

    fn step_written(&mut self, number: u64, step: Option<usize>, orders: &mut Vec<Order>) {
        let Some((entry, step)) = self.buffers.get_mut(&number).zip(step) else { return };
        let fate = entry.buffer.written(step);
        entry.settle(fate, orders);
    }

    /// Goes on with what is to be written to a buffer.
    fn write(&mut self, number: u64, orders: &mut Vec<Order>) {
        let Some(entry) = self.buffers.get_mut(&number) else { return };
        if entry.held_back.is_some() || entry.contacts > 0 || entry.is_busy {
            return;
        }
        let (need, fates) = entry.buffer.next();
        entry.settle(fates, orders);
        match need {
            Need::Nothing => {}
            Need::Text => entry.contact(number, true, orders),
            Need::Marks => entry.contact(number, false, orders),
            Need::Write(call) => {
                entry.held_back = Some(Vec::new());
                orders.push(Order::Write { buffer: number, call });
            }
        }
    }

    fn buffer_of(&self, job: u64) -> Option<u64> {
        self.buffers.iter().find(|(_, entry)| entry.buffer.has(job)).map(|(number, _)| *number)
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
        self.buffer_of(job).is_some()
    }

    /// Where the range of a job is; `mark` is where the editor's mark of it is now.
    pub fn place(&self, job: u64, mark: Option<&Place>) -> Option<Place> {
        self.buffers.get(&self.buffer_of(job)?)?.buffer.place(job, mark)
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
        let Some(mut entry) = self.buffers.remove(&number) else { return };
        let tokens = std::mem::take(&mut entry.tokens);
        orders.extend(tokens.into_iter().map(|token| Order::Reply { token, view: None }));
        let fates = entry.buffer.give_up();
        entry.settle(fates, orders);
    }
}

impl Entry {
    fn new() -> Self {
        Self {
            buffer: Buffer::new(),
            used: 0,
            contacts: 0,
            is_attaching: false,
            tokens: Vec::new(),
            held_back: None,
            is_busy: false,
        }
    }

    /// Tells what became of wishes.
    fn settle(&self, fates: impl IntoIterator<Item = (u64, Fate)>, orders: &mut Vec<Order>) {
        let settled =
            |(job, fate): (u64, Fate)| Order::Settled { job, fate, passage: self.buffer.passage(job) };
        orders.extend(fates.into_iter().map(settled));
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
