//! All mirrors: which buffers are mirrored, when their text is asked for, what is written to them, and how much memory
//! they may take together.

use std::collections::HashMap;

use super::buffer::{Buffer, MirrorState, Need, RangeOnDisk};
use super::event::{MirrorEvent, Notice};
use super::intent::{Obstacle, SettledIntent, Settlement};
use super::proposal::ReviewView;
use super::query::{Findings, MirrorQuery};
use super::reviews::{ReviewUpdate, ViewDue};
use super::sent::Sent;
use super::shown::Places;
use super::write::{WriteCall, WriteReply};
use crate::land::HeldFor;

/// The most memory that all mirrors may take, roughly. Beyond it those go that were used longest ago.
const MAX_MEMORY: usize = 64 << 20;

/// What the mirrors want done.
#[derive(Debug)]
pub enum Order {
    /// Have the plugin say how a buffer is ([`MirrorEvent::Notice`]), in one call; its end comes as
    /// [`MirrorEvent::Contacted`].
    Contact {
        /// The buffer's number.
        buffer: u64,
        /// What is wanted besides.
        scope: ContactScope,
    },
    /// Have Neovim send nothing more of a buffer.
    Detach(u64),
    /// Have the plugin write; its reply comes as [`MirrorEvent::Written`].
    Write {
        /// The buffer's number.
        buffer: u64,
        /// What.
        call: WriteCall,
    },
    /// Tell [`MirrorEvent::Moment`] after a while: the plugin tells it as soon as it comes, but what it tells may be
    /// lost.
    AskAgain(u64),
    /// Have the plugin put its marks to these places; its reply comes as [`MirrorEvent::Placed`].
    Places {
        /// The buffer's number.
        buffer: u64,
        /// The changedtick of the text in which they are.
        tick: u64,
        /// By job; none where its range is lost.
        places: Places,
    },
    /// Have the plugin draw what is proposed of a held answer; its reply comes as [`MirrorEvent::Drawn`].
    Review {
        /// The buffer's number.
        buffer: u64,
        /// What.
        view: ReviewView,
    },
    /// An intent for the range of a job is settled.
    Settled(SettledIntent),
    /// The range of a job stands like this in its file.
    RangeOnDisk(RangeOnDisk),
    /// The file of a job has this name now.
    Renamed {
        /// The job's id.
        job: u64,
        /// The name.
        path: Vec<u8>,
    },
    /// Answer a query.
    Reply {
        /// The query's.
        token: u64,
        /// With this.
        findings: Findings,
    },
    /// The editor is gone, and all that it sent before has been taken.
    Disconnected,
}

/// What is wanted of a contact with the plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactScope {
    /// The changedtick, and where the display marks are.
    Marks,
    /// The same, and the text at the display marks.
    Excerpts,
    /// The whole text, and the events of the buffer from then on: Neovim sends them before the plugin says where the
    /// marks are.
    Text,
}

/// See the module. Pure: what it wants is what [`Mirrors::take`] and [`Mirrors::idle`] return.
#[derive(Debug, Default)]
pub struct Mirrors {
    buffers: HashMap<u64, MirrorEntry>,
    /// The number of the last step, which no other step of this Neovim has.
    attempts: u64,
    /// Counts events, to know which mirror was used longest ago.
    clock: u64,
}

#[derive(Debug)]
struct MirrorEntry {
    buffer: Buffer,
    used: u64,
    /// How many contacts are under way.
    contacts: usize,
    /// Whether the whole text is to come with one of them.
    is_attaching: bool,
    /// The queries that wait for them.
    queries: Vec<(u64, MirrorQuery)>,
    /// What came while a call was under way that writes: which changes are that call's its reply tells.
    held_back: Option<Vec<MirrorEvent>>,
    /// Whether the last reply said that the user is in the middle of something.
    is_busy: bool,
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
            (
                MirrorEvent::Want { intent, job, .. } | MirrorEvent::Resumed(Sent { job, .. }, intent),
                None,
            ) => {
                orders.push(Order::Settled(SettledIntent::new(job, intent.denied(HeldFor::BufferGone))));
            }
            (event, Some(MirrorEntry { held_back: Some(held_back), .. })) => held_back.push(event),
            (event, _) => self.handle(event, None, &mut orders),
        }
        if let Some(number) = number {
            self.write(number, &mut orders);
            self.report_ranges_on_disk(number, &mut orders);
        }
        self.keep_within(MAX_MEMORY, &mut orders);
        orders
    }

    /// No more events for now: returns the places that the editor has to set its marks to.
    pub fn idle(&mut self) -> Vec<Order> {
        let at_rest = self.buffers.iter_mut().filter(|(_, entry)| entry.is_at_rest());
        let orders = at_rest.filter_map(|(number, entry)| {
            let (tick, places) = entry.buffer.places()?;
            Some(Order::Places { buffer: *number, tick, places })
        });
        let mut orders: Vec<Order> = orders.collect();
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
        for (number, entry) in self.buffers.iter_mut().filter(|(_, entry)| entry.is_at_rest()) {
            let (views, needs_contact) = entry.buffer.views(due);
            if needs_contact {
                entry.contact(*number, ContactScope::Marks, orders);
            }
            for ReviewUpdate { view, replies } in views {
                orders.extend(view.map(|view| Order::Review { buffer: *number, view }));
                orders.extend(replies.into_iter().map(|(token, findings)| Order::Reply { token, findings }));
            }
        }
    }

    /// Handles an event; `step` is the one of the last call that it belongs to.
    fn handle(&mut self, event: MirrorEvent, step: Option<usize>, orders: &mut Vec<Order>) {
        match event {
            MirrorEvent::Notice(notice) => {
                let number = notice.buffer;
                self.buffers.entry(number).or_insert_with(MirrorEntry::new);
                self.change(number, orders, |entry, orders| entry.notice(notice, orders));
            }
            MirrorEvent::Lines { buffer, tick, range: Some(range), rows } => {
                self.change(buffer, orders, |entry, _| entry.buffer.lines(tick, range, &rows, step));
            }
            MirrorEvent::Lines { buffer, tick, range: None, rows } => {
                self.change(buffer, orders, |entry, _| {
                    entry.is_attaching = false;
                    entry.buffer.whole(tick, &rows);
                });
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
                self.change(buffer, orders, |entry, _| entry.is_busy = false);
            }
            MirrorEvent::Sent(sent) => {
                self.change(sent.buffer, orders, |entry, _| entry.buffer.sent(sent));
            }
            MirrorEvent::Resumed(sent, intent) => {
                self.change(sent.buffer, orders, |entry, _| {
                    let job = sent.job;
                    entry.buffer.sent(sent);
                    entry.buffer.add_intent(job, intent);
                });
            }
            MirrorEvent::Placed { buffer, tick } => {
                self.change(buffer, orders, |entry, _| entry.buffer.placed(tick));
            }
            MirrorEvent::Ended { job } => {
                if let Some(entry) = self.buffers.values_mut().find(|entry| entry.buffer.has(job)) {
                    let replies = entry.buffer.ended(job).into_iter();
                    orders.extend(replies.map(|(token, findings)| Order::Reply { token, findings }));
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
                Some(entry) => entry.query(token, buffer, question, orders),
            },
            MirrorEvent::Disconnected => {
                for entry in self.buffers.values_mut().filter(|entry| entry.held_back.is_none()) {
                    orders.extend(entry.buffer.ranges_on_disk().into_iter().map(Order::RangeOnDisk));
                }
                orders.push(Order::Disconnected);
            }
            MirrorEvent::Written { .. } | MirrorEvent::Want { .. } => {}
        }
    }

    /// A call is over that wrote. What came meanwhile is taken, each change for the step that made it.
    fn written(&mut self, number: u64, reply: Option<&WriteReply>, orders: &mut Vec<Order>) {
        let entry = self.buffers.get_mut(&number);
        let Some(events) = entry.and_then(|entry| entry.held_back.take()) else { return };
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
        let settled = entry.buffer.replied(reply);
        entry.settle(settled, orders);
        if matches!(reply, Some(WriteReply::NotNow)) && !is_moment {
            entry.is_busy = true;
            orders.push(Order::AskAgain(number));
        }
    }

    fn step_written(&mut self, number: u64, step: Option<usize>, orders: &mut Vec<Order>) {
        let Some((entry, step)) = self.buffers.get_mut(&number).zip(step) else { return };
        let settled = entry.buffer.written(step);
        entry.settle(settled, orders);
    }

    /// Goes on with what is to be written to a buffer.
    fn write(&mut self, number: u64, orders: &mut Vec<Order>) {
        let Some(entry) = self.buffers.get_mut(&number) else { return };
        if entry.held_back.is_some() || entry.contacts > 0 || entry.is_busy {
            return;
        }
        let (need, settled) = entry.buffer.next(&mut self.attempts);
        entry.settle(settled, orders);
        match need {
            // What waited for another intent of its range.
            Need::Nothing if entry.buffer.is_waiting() => self.write(number, orders),
            Need::Nothing => {}
            Need::Text => entry.contact(number, ContactScope::Text, orders),
            Need::Marks => entry.contact(number, ContactScope::Marks, orders),
            Need::Excerpts => entry.contact(number, ContactScope::Excerpts, orders),
            Need::Write(call) => {
                entry.held_back = Some(Vec::new());
                orders.push(Order::Write { buffer: number, call });
            }
        }
    }

    /// Reports the ranges in a file that was written, once its mirror is sure of it.
    fn report_ranges_on_disk(&mut self, number: u64, orders: &mut Vec<Order>) {
        if let Some(entry) = self.buffers.get_mut(&number)
            && entry.held_back.is_none()
            && entry.contacts == 0
        {
            orders.extend(entry.buffer.ranges_on_disk().into_iter().map(Order::RangeOnDisk));
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
        change: impl FnOnce(&mut MirrorEntry, &mut Vec<Order>),
    ) {
        let Some(entry) = self.buffers.get_mut(&number) else { return };
        entry.used = self.clock;
        let was = entry.buffer.state();
        change(entry, orders);
        let is_too_large = entry.buffer.state() == MirrorState::TooLarge;
        if is_too_large && was != MirrorState::TooLarge {
            tracing::info!(buffer = number, "too large to be mirrored");
            orders.push(Order::Detach(number));
        } else if entry.buffer.needs_text() {
            entry.contact(number, ContactScope::Text, orders);
        } else if entry.buffer.needs_marks() {
            entry.contact(number, ContactScope::Marks, orders);
        }
    }

    /// Drops those that were used longest ago.
    pub(super) fn keep_within(&mut self, limit: usize, orders: &mut Vec<Order>) {
        while self.buffers.values().map(|entry| entry.buffer.memory()).sum::<usize>() > limit {
            let oldest = self.buffers.iter().filter(|(_, entry)| entry.buffer.memory() > 0);
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
        let Some(mut entry) = self.buffers.remove(&number) else { return };
        for (token, question) in std::mem::take(&mut entry.queries) {
            orders.push(Order::Reply { token, findings: question.without_mirror() });
        }
        let settled = entry.buffer.give_up(reply);
        entry.settle(settled, orders);
    }
}

impl MirrorEntry {
    fn new() -> Self {
        Self {
            buffer: Buffer::default(),
            used: 0,
            contacts: 0,
            is_attaching: false,
            queries: Vec::new(),
            held_back: None,
            is_busy: false,
        }
    }

    /// The plugin says how the buffer is.
    fn notice(&mut self, notice: Notice, orders: &mut Vec<Order>) {
        if notice.is_written && notice.rows == 0 {
            // It is unloaded next, with the text that its file has.
            self.buffer.wrote();
            orders.extend(self.buffer.ranges_on_disk().into_iter().map(Order::RangeOnDisk));
        } else if notice.rows > 0 && self.buffer.is_followed() && self.buffer.name() != notice.name {
            let renamed = |job| Order::Renamed { job, path: notice.name.clone() };
            orders.extend(self.buffer.jobs().map(renamed));
        }
        self.buffer.notice(notice);
    }

    /// Nothing is under way that changes what is known of it.
    fn is_at_rest(&self) -> bool {
        self.held_back.is_none() && self.contacts == 0
    }

    /// Reports settled intents. A query that asked for one gets its reply: with the next view, as long as the answer is
    /// held.
    fn settle(&mut self, settled: impl IntoIterator<Item = SettledIntent>, orders: &mut Vec<Order>) {
        for mut settled in settled {
            settled.passage = settled.passage.or_else(|| self.buffer.passage(settled.job));
            let reply =
                settled.asked.take().map(|(token, hunks)| (token, findings(settled.settlement, hunks)));
            match (settled.settlement, reply) {
                (Settlement::Taken | Settlement::Refused(_), Some((token, findings))) => {
                    let at_once = self.buffer.reply(settled.job, token, findings);
                    orders.extend(at_once.map(|findings| Order::Reply { token, findings }));
                    if settled.settlement == Settlement::Taken {
                        orders.push(Order::Settled(settled));
                    }
                }
                (_, Some(reply)) => {
                    orders.push(Order::Settled(SettledIntent { reply: Some(reply), ..settled }));
                }
                (_, None) => orders.push(Order::Settled(settled)),
            }
        }
    }

    /// Contacts the editor, unless that is under way.
    fn contact(&mut self, buffer: u64, scope: ContactScope, orders: &mut Vec<Order>) {
        let is_whole = scope == ContactScope::Text;
        let is_under_way = if is_whole { self.is_attaching } else { self.contacts > 0 };
        if !is_under_way {
            self.contacts += 1;
            self.is_attaching |= is_whole;
            orders.push(Order::Contact { buffer, scope });
        }
    }

    /// A contact is over. One that showed that the text is wanted has led to another.
    fn contacted(&mut self, orders: &mut Vec<Order>) {
        self.contacts = self.contacts.saturating_sub(1);
        if self.contacts > 0 {
            return;
        }
        self.is_attaching = false;
        self.buffer.marks_complete();
        if !self.buffer.needs_text() {
            for (token, question) in std::mem::take(&mut self.queries) {
                self.answer(token, &question, orders);
            }
        }
    }

    fn answer(&mut self, token: u64, question: &MirrorQuery, orders: &mut Vec<Order>) {
        if let MirrorQuery::Review { job, asked } = question {
            let (findings, settled) = self.buffer.ask(token, *job, asked);
            orders.extend(findings.map(|findings| Order::Reply { token, findings }));
            self.settle(settled, orders);
        } else {
            orders.push(Order::Reply { token, findings: self.buffer.answer(question) });
        }
    }

    /// Nothing is said of a text that is unsure before the editor was contacted.
    fn query(&mut self, token: u64, number: u64, question: MirrorQuery, orders: &mut Vec<Order>) {
        if self.buffer.state() == MirrorState::Unsure || self.buffer.needs_marks_for(&question) {
            self.contact(number, ContactScope::Marks, orders);
        }
        if self.contacts > 0 {
            self.queries.push((token, question));
        } else {
            self.answer(token, &question, orders);
        }
    }
}

/// What became of a question for hunks.
fn findings(settlement: Settlement, hunks: Vec<crate::review::EditId>) -> Findings {
    match settlement {
        Settlement::Refused(Obstacle::Stale) => Findings::Stale,
        Settlement::Refused(Obstacle::Held(why)) | Settlement::Held(why) => Findings::Unknown(why),
        _ => Findings::Done(hunks),
    }
}
