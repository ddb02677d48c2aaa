//! One mirror with what is under way for it: contacts with the plugin, the queries that wait for them, and the call that
//! writes. What is known of the buffer itself is in [`Buffer`]; each function here adds the orders that follow.

use super::buffer::{Buffer, MirrorState, Need};
use super::event::{MirrorEvent, Notice};
use super::intent::{Obstacle, SettledIntent, Settlement};
use super::order::{ContactScope, Order};
use super::query::{Findings, MirrorQuery};
use super::reviews::{ReviewUpdate, ViewDue};
use super::write::{WriteCall, WriteReply};

/// How often a call is made whose reply is an error.
const MAX_CALLS: usize = 5;

/// See the module.
#[derive(Debug)]
pub struct MirrorEntry {
    /// The buffer's number.
    number: u64,
    pub buffer: Buffer,
    /// When it was used last, as [`Mirrors`](super::Mirrors) count.
    pub used: u64,
    /// How many contacts are under way.
    contacts: usize,
    /// Whether the whole text is to come with one of them.
    is_attaching: bool,
    /// The queries that wait for them.
    queries: Vec<(u64, MirrorQuery)>,
    /// The call under way that writes.
    writing: Option<CallUnderWay>,
    /// Whether the last reply said that the user is in the middle of something.
    is_busy: bool,
    /// Whether an [`Order::AskAgain`] is under way.
    asks_again: bool,
}

/// A call that writes, until its reply.
#[derive(Debug)]
struct CallUnderWay {
    call: WriteCall,
    /// How often it was made.
    made: usize,
    /// What came meanwhile: which changes are this call's its reply tells.
    held_back: Vec<MirrorEvent>,
}

impl MirrorEntry {
    /// The mirror of a buffer of which nothing is known yet.
    pub fn new(number: u64) -> Self {
        Self {
            number,
            buffer: Buffer::default(),
            used: 0,
            contacts: 0,
            is_attaching: false,
            queries: Vec::new(),
            writing: None,
            is_busy: false,
            asks_again: false,
        }
    }

    /// Nothing is under way that changes what is known of it.
    pub fn is_at_rest(&self) -> bool {
        !self.is_writing() && self.contacts == 0
    }

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
    pub fn call_again(&mut self, orders: &mut Vec<Order>) -> bool {
        let Some(writing) = self.writing.as_mut().filter(|writing| writing.made < MAX_CALLS) else {
            return false;
        };
        writing.made += 1;
        orders.push(Order::Write { buffer: self.number, call: writing.call.clone() });
        true
    }

    /// Makes a change. Ends the events of a buffer that becomes too large, and contacts the plugin where the mirror does
    /// not know the text or the marks any more.
    pub fn change(&mut self, orders: &mut Vec<Order>, change: impl FnOnce(&mut Self, &mut Vec<Order>)) {
        let was = self.buffer.state();
        change(self, orders);
        let is_too_large = self.buffer.state() == MirrorState::TooLarge;
        if is_too_large && was != MirrorState::TooLarge {
            tracing::info!(buffer = self.number, "too large to be mirrored");
            orders.push(Order::Detach(self.number));
        } else if self.buffer.needs_text() {
            self.contact(ContactScope::Text, orders);
        } else if self.buffer.needs_marks() {
            self.contact(ContactScope::Marks, orders);
        }
    }

    /// The plugin says how the buffer is.
    pub fn notice(&mut self, notice: Notice, orders: &mut Vec<Order>) {
        if notice.is_written && notice.rows == 0 {
            // It is unloaded next, with the text that its file has.
            self.buffer.wrote();
            self.report_ranges_on_disk(orders);
        } else if notice.rows > 0 && self.buffer.is_followed() && self.buffer.name() != notice.name {
            let renamed = |job| Order::Renamed { job, path: notice.name.clone() };
            orders.extend(self.buffer.jobs().map(renamed));
        }
        self.buffer.notice(notice);
    }

    /// Neovim sends the whole text after an attach.
    pub fn attached(&mut self, tick: Option<u64>, rows: &[Vec<u8>]) {
        self.is_attaching = false;
        self.buffer.whole(tick, rows);
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
    pub fn wait_for_moment(&mut self, orders: &mut Vec<Order>) {
        self.is_busy = true;
        orders.push(Order::NotNow(self.buffer.waiting().to_vec()));
        if !std::mem::replace(&mut self.asks_again, true) {
            orders.push(Order::AskAgain(self.number));
        }
    }

    /// A job has ended, and its answer is not held.
    pub fn ended(&mut self, job: u64, orders: &mut Vec<Order>) {
        let replies = self.buffer.ended(job).into_iter();
        orders.extend(replies.map(|(token, findings)| Order::Reply { token, findings }));
    }

    /// Goes on with what is to be written. Steps are numbered from `attempts` on.
    pub fn write(&mut self, attempts: &mut u64, orders: &mut Vec<Order>) {
        if !self.is_at_rest() || self.is_busy {
            return;
        }
        let (need, settled) = self.buffer.next(attempts);
        self.settle(settled, orders);
        match need {
            // What waited for another intent of its range.
            Need::Nothing if self.buffer.is_waiting() => self.write(attempts, orders),
            Need::Nothing => {}
            Need::Text => self.contact(ContactScope::Text, orders),
            Need::Marks => self.contact(ContactScope::Marks, orders),
            Need::Excerpts => self.contact(ContactScope::Excerpts, orders),
            Need::Write(call) => {
                let writing = CallUnderWay { call: call.clone(), made: 1, held_back: Vec::new() };
                self.writing = Some(writing);
                orders.push(Order::Write { buffer: self.number, call });
            }
        }
    }

    /// A step is written, and the mirror has all its changes and no later ones.
    pub fn step_written(&mut self, step: usize, orders: &mut Vec<Order>) {
        let settled = self.buffer.written(step);
        self.settle(settled, orders);
    }

    /// The call that wrote has its reply, and the mirror has all changes that came before it.
    pub fn replied(&mut self, reply: Option<&WriteReply>, orders: &mut Vec<Order>) {
        let settled = self.buffer.replied(reply);
        self.settle(settled, orders);
    }

    /// Ends the mirror; `reply` is what a call that is under way comes to.
    pub fn give_up(mut self, reply: Option<&WriteReply>, orders: &mut Vec<Order>) {
        for (token, question) in std::mem::take(&mut self.queries) {
            orders.push(Order::Reply { token, findings: question.without_mirror() });
        }
        let settled = self.buffer.give_up(reply);
        self.settle(settled, orders);
    }

    /// Reports the ranges in a file that was written, once the mirror is sure of it.
    pub fn report_ranges_on_disk(&mut self, orders: &mut Vec<Order>) {
        orders.extend(self.buffer.ranges_on_disk().into_iter().map(Order::RangeOnDisk));
    }

    /// The places that the editor has to set its marks to, if there are any.
    pub fn places(&mut self) -> Option<Order> {
        let (tick, places) = self.buffer.places()?;
        Some(Order::Places { buffer: self.number, tick, places })
    }

    /// Sends the views of held answers that are due.
    pub fn send_views(&mut self, due: ViewDue, orders: &mut Vec<Order>) {
        let (views, needs_contact) = self.buffer.views(due);
        if needs_contact {
            self.contact(ContactScope::Marks, orders);
        }
        for ReviewUpdate { view, replies } in views {
            orders.extend(view.map(|view| Order::Review { buffer: self.number, view }));
            orders.extend(replies.into_iter().map(|(token, findings)| Order::Reply { token, findings }));
        }
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
    fn contact(&mut self, scope: ContactScope, orders: &mut Vec<Order>) {
        let is_whole = scope == ContactScope::Text;
        let is_under_way = if is_whole { self.is_attaching } else { self.contacts > 0 };
        if !is_under_way {
            self.contacts += 1;
            self.is_attaching |= is_whole;
            orders.push(Order::Contact { buffer: self.number, scope });
        }
    }

    /// A contact is over. One that showed that the text is wanted has led to another.
    pub fn contacted(&mut self, orders: &mut Vec<Order>) {
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

    /// Takes a query. Nothing is said of a text that is unsure before the editor was contacted.
    pub fn query(&mut self, token: u64, question: MirrorQuery, orders: &mut Vec<Order>) {
        if self.buffer.state() == MirrorState::Unsure || self.buffer.needs_marks_for(&question) {
            self.contact(ContactScope::Marks, orders);
        }
        if self.contacts > 0 {
            self.queries.push((token, question));
        } else {
            self.answer(token, &question, orders);
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
}

/// What became of a question for hunks.
fn findings(settlement: Settlement, hunks: Vec<crate::review::EditId>) -> Findings {
    match settlement {
        Settlement::Refused(Obstacle::Stale) => Findings::Stale,
        Settlement::Refused(Obstacle::Held(why)) | Settlement::Held(why) => Findings::Unknown(why),
        _ => Findings::Done(hunks),
    }
}
