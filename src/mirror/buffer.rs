//! The mirror of one buffer, as its events change it: its text (`text`), the jobs in it, and what is under way for it:
//! contacts with the plugin, the queries that wait for them, and the call that writes. What it wants done it puts into
//! its orders. What is asked of a mirror is in the files beside: `writing` for the answers to write, `review` for held
//! answers, `places` for where the ranges are.

mod places;
mod review;
mod text;
mod writing;

use std::collections::BTreeMap;
use std::ops::Range;

use super::event::{BufferEvent, Mark, Notice};
use super::held::ViewDue;
use super::order::{ContactScope, Order};
use super::selected::{SavedRows, Sent};
use super::tracked::Tracked;
use super::write::WriteReply;
use crate::document::{AnchorId, Document};
use places::MarkSync;
use text::{MirrorState, MirroredText};
use writing::CallUnderWay;

/// How many ranges of jobs that have ended are followed.
const MAX_ENDED: usize = 100;

/// See the module.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each says something of its own")]
pub struct Buffer {
    /// The buffer's number.
    number: u64,
    name: Vec<u8>,
    text: MirroredText,
    jobs: BTreeMap<u64, Tracked>,
    /// Counts what waits and what ends, to know which was first.
    turn: u64,
    /// In a buffer that is too large to be mirrored: whether it is known where the display marks are. It is used once.
    has_marks: bool,
    sync: MarkSync,
    /// When it was used last, as [`Mirrors`](super::Mirrors) count.
    pub used: u64,
    /// The buffer does not exist any more.
    pub is_gone: bool,
    /// How many contacts are under way.
    contacts: usize,
    /// Whether the whole text is to come with one of them.
    is_attaching: bool,
    /// Whether another mark is needed since: the plugin may have told of its marks before that.
    has_news: bool,
    /// The tokens of the queries that wait for them.
    queries: Vec<u64>,
    /// The call under way that writes.
    writing: Option<CallUnderWay>,
    /// Whether the last reply said that the user is in the middle of something.
    is_busy: bool,
    /// Whether an [`Order::AskAgain`] is under way.
    asks_again: bool,
    /// It has begun again after a panic.
    is_restarted: bool,
    /// What it wants done.
    pub orders: Vec<Order>,
}

impl Buffer {
    /// The mirror of a buffer of which nothing is known yet.
    pub fn new(number: u64) -> Self {
        Self { number, ..Self::default() }
    }

    /// Nothing is under way that changes what is known of it.
    pub fn is_at_rest(&self) -> bool {
        !self.is_writing() && self.contacts == 0
    }

    /// The bytes of memory that it takes, roughly.
    pub fn memory(&self) -> usize {
        self.text.document().map_or(0, Document::memory)
    }

    /// Whether a job is in this buffer.
    pub fn has(&self, job: u64) -> bool {
        self.jobs.contains_key(&job)
    }

    /// Whether it is known what was sent of a job in it.
    pub fn has_request(&self, job: u64) -> bool {
        self.jobs.get(&job).is_some_and(|tracked| tracked.request().is_some())
    }

    /// The buffer's number.
    pub fn number(&self) -> u64 {
        self.number
    }

    fn next_turn(&mut self) -> u64 {
        self.turn += 1;
        self.turn
    }

    /// Takes the next event. Steps are numbered from `attempts` on.
    pub fn take(&mut self, event: BufferEvent, attempts: &mut u64) {
        match event {
            BufferEvent::Written(reply) => self.written(reply.as_ref()),
            BufferEvent::Want { job, intent } => self.add_intent(job, intent),
            event => {
                if let Some(event) = self.hold_back(event) {
                    self.handle(event, None);
                }
            }
        }
        self.write(attempts);
        if self.is_at_rest() {
            self.report_ranges_on_disk();
        }
    }

    /// Handles an event; `writer` is the range whose answer made the change, if one did. Ends the events of a buffer that becomes
    /// too large, and contacts the plugin where the mirror does not know the text or the marks any more.
    fn handle(&mut self, event: BufferEvent, writer: Option<AnchorId>) {
        let (was, needed) = (self.text.state(), self.marks_needed());
        match event {
            BufferEvent::Lines { tick, range: Some(range), rows } => self.lines(tick, range, &rows, writer),
            BufferEvent::Lines { tick, range: None, rows } => self.whole(tick, &rows),
            BufferEvent::Tick(tick) => self.settle(tick),
            BufferEvent::Detached => self.text.detach(),
            BufferEvent::Notice(notice) => self.notice(notice),
            BufferEvent::Sent(sent, saved) => self.sent(sent, saved),
            BufferEvent::Contacted { exists: true } => self.contacted(),
            BufferEvent::Contacted { exists: false } => return self.give_up(Some(&WriteReply::Gone)),
            BufferEvent::AskedAgain => (self.asks_again, self.is_busy) = (false, false),
            BufferEvent::Moment => self.is_busy = false,
            BufferEvent::Placed(tick) => self.placed(tick),
            BufferEvent::Drawn(job) => self.drawn(job),
            BufferEvent::Watch { job, lines, dropped } => self.watch(job, &lines, &dropped),
            BufferEvent::Unwatch(job) => self.unwatch(job),
            BufferEvent::Ended(job) => self.ended(job),
            BufferEvent::Query(token) => self.query(token),
            #[cfg(test)]
            BufferEvent::Panic => panic!("a mirror panics"),
            BufferEvent::Written(_) | BufferEvent::Want { .. } => {}
        }
        self.has_news |= self.contacts > 0 && self.marks_needed() > needed;
        let is_too_large = self.text.state() == MirrorState::TooLarge;
        if is_too_large && was != MirrorState::TooLarge {
            tracing::info!(buffer = self.number, "too large to be mirrored");
            self.orders.push(Order::Detach(self.number));
        } else if self.text.is_missing() {
            self.contact(ContactScope::Text);
        } else if self.text.is_fed() && self.marks_needed() > 0 {
            self.contact(ContactScope::Marks);
        }
    }

    /// Of how many ranges the plugin has to tell where their marks are.
    fn marks_needed(&self) -> usize {
        self.jobs.values().filter(|tracked| tracked.needs_mark(self.text.document())).count()
    }

    /// Contacts the editor, unless that is under way.
    fn contact(&mut self, scope: ContactScope) {
        let is_whole = scope == ContactScope::Text;
        let is_under_way = if is_whole { self.is_attaching } else { self.contacts > 0 };
        if !is_under_way {
            self.contacts += 1;
            self.is_attaching |= is_whole;
            if self.text.state() == MirrorState::TooLarge {
                self.jobs.values_mut().for_each(|tracked| tracked.mark = None);
            }
            self.orders.push(Order::Contact { buffer: self.number, scope });
        }
    }

    /// A contact is over: the plugin has said where all its marks are. One that showed that the text is wanted has led to
    /// another.
    fn contacted(&mut self) {
        self.contacts = self.contacts.saturating_sub(1);
        if self.contacts > 0 {
            return;
        }
        self.is_attaching = false;
        let has_news = std::mem::take(&mut self.has_news);
        if has_news && self.text.document().is_some() && self.marks_needed() > 0 {
            return self.contact(ContactScope::Marks);
        }
        if let Some((document, tick)) = self.text.sure_mut() {
            self.jobs.values_mut().for_each(|tracked| tracked.marks_complete(document, tick));
            self.sync.may_differ = true;
        }
        self.has_marks = self.text.state() == MirrorState::TooLarge;
        if !self.text.is_missing() {
            for token in std::mem::take(&mut self.queries) {
                self.tell_view(token);
            }
        }
    }

    /// Replaces the whole document by the text that Neovim sends after an attach.
    fn whole(&mut self, tick: Option<u64>, rows: &[Vec<u8>]) {
        self.is_attaching = false;
        if self.text.read(tick, rows) {
            self.follow_writes();
        }
        self.look_again(ViewDue::Now);
        self.sync.may_differ = true;
        self.check_size(rows);
    }

    /// Applies a change of rows. `writer` is the range whose answer it is; none for any other.
    fn lines(&mut self, tick: Option<u64>, range: Range<usize>, rows: &[Vec<u8>], writer: Option<AnchorId>) {
        let Some(document) = self.text.changed(tick, &range) else { return };
        match writer {
            Some(anchor) => document.apply_answer(anchor, range.clone(), rows),
            None => document.apply(range.clone(), rows),
        }
        self.move_marks(&range, rows.len());
        self.look_again(ViewDue::AtPause);
        self.check_size(rows);
    }

    /// Handles the end of an undo or a redo.
    fn settle(&mut self, tick: u64) {
        if self.text.settle(tick) {
            self.follow_writes();
            self.look_again(ViewDue::Now);
            self.sync.may_differ = true;
        }
    }

    /// The text may have other writes in it.
    fn follow_writes(&mut self) {
        let document = self.text.document();
        for (job, tracked) in &mut self.jobs {
            let anchor = tracked.anchor();
            let is_undone = document.zip(anchor).is_some_and(|(text, anchor)| text.is_undone(anchor));
            if tracked.ended.is_some() && std::mem::replace(&mut tracked.is_undone, is_undone) != is_undone {
                self.orders.push(Order::Undone { job: *job, is_undone });
            }
            if let Some(review) = tracked.held.as_mut().and_then(|held| held.review.as_mut()) {
                review.follow(anchor.and_then(|anchor| document?.last_write(anchor)));
            }
        }
    }

    /// The views of held answers have to be looked at.
    fn look_again(&mut self, due: ViewDue) {
        for held in self.jobs.values_mut().filter_map(|tracked| tracked.held.as_mut()) {
            held.due = held.due.max(due);
        }
    }

    /// Applies the state of the buffer that the plugin reports.
    fn notice(&mut self, mut notice: Notice) {
        let is_followed = self.text.state() != MirrorState::Unknown;
        if notice.is_written && notice.rows == 0 {
            // It is unloaded next, with the text that its file has.
            self.text.is_written = true;
            self.report_ranges_on_disk();
        } else if notice.rows > 0 && is_followed && self.name != notice.name {
            let jobs = self.jobs.iter().filter(|(_, tracked)| !tracked.is_unknown());
            self.orders.extend(jobs.map(|(job, _)| Order::Renamed { job: *job, path: notice.name.clone() }));
        }
        self.text.load(&notice);
        self.sync.is_refused = false;
        self.look_again(ViewDue::Now);
        if !self.text.is_loaded() {
            // The notice's name is not adopted: it may belong to the text that Neovim reads next.
            return;
        }
        if !is_followed && self.name != notice.name {
            // If the name differs from that of the last notice, Neovim has used the buffer number for another file. The
            // ranges are lost: a display mark that still exists is in another text.
            self.text.forget();
            self.jobs.values_mut().for_each(Tracked::lose);
        }
        self.name = std::mem::take(&mut notice.name);
        self.text.compare(&notice);
        match self.text.state() {
            MirrorState::Sure => notice.marks.into_iter().for_each(|mark| self.marked(notice.tick, mark)),
            MirrorState::TooLarge => {
                self.has_marks = false;
                for mark in notice.marks {
                    self.jobs.entry(mark.job).or_default().mark = mark.place;
                }
            }
            MirrorState::Unknown | MirrorState::Unsure => return,
        }
        self.sync.may_differ = true;
    }

    /// Takes what the plugin reports of a display mark in a text that is known.
    fn marked(&mut self, tick: u64, mark: Mark) {
        let Mark { job, has_ended, .. } = mark;
        let is_known = self.jobs.contains_key(&job);
        let Some(document) = self.text.document_mut().filter(|_| !has_ended || is_known) else { return };
        let tracked = self.jobs.entry(job).or_default();
        tracked.marked(mark, document, tick);
        if has_ended && tracked.ended.is_none() {
            self.end(job);
        }
    }

    /// Follows the range of a request from now on. At its changedtick the plugin has the display mark where it says.
    fn sent(&mut self, sent: Sent, saved: Option<SavedRows>) {
        let text = self.text.sure_mut();
        self.sync.may_differ |= text.as_ref().is_none_or(|(_, tick)| sent.tick != Some(*tick));
        let tracked = self.jobs.entry(sent.job).or_default();
        tracked.sent(sent, saved, text);
        if let Some(place) = self.text.document().and_then(|document| tracked.place(document)) {
            tracked.mark = Some(place);
        }
    }

    /// A job has ended, and its answer is not held: its review ends. Of such jobs the newest are followed.
    pub fn ended(&mut self, job: u64) {
        let Some(tracked) = self.jobs.get_mut(&job) else { return };
        let replies = tracked.held.take().map(|held| held.replies).unwrap_or_default();
        self.orders.extend(replies.into_iter().map(|(token, findings)| Order::Reply { token, findings }));
        self.end(job);
    }

    fn end(&mut self, job: u64) {
        let turn = self.next_turn();
        if let Some(tracked) = self.jobs.get_mut(&job) {
            tracked.end(turn);
        }
        let ended = self.jobs.iter().filter(|(_, tracked)| tracked.pending.is_none());
        let ended = ended.filter_map(|(job, tracked)| Some((tracked.ended?, *job)));
        let mut ended: Vec<(u64, u64)> = ended.collect();
        ended.sort_unstable();
        ended.truncate(ended.len().saturating_sub(MAX_ENDED));
        for (_, job) in ended {
            self.orders.push(Order::Unfollowed(job));
            if let Some((tracked, document)) = self.jobs.remove(&job).zip(self.text.document_mut()) {
                tracked.forget(document);
            }
        }
    }

    /// Forgets the document if it is too large, and with it the ranges. `rows` are the rows that the last change put
    /// in.
    fn check_size(&mut self, rows: &[Vec<u8>]) {
        if self.text.drop_if_too_large(rows) {
            self.jobs.values_mut().for_each(Tracked::lose);
        }
    }
}
