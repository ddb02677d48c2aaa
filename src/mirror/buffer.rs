//! The mirror of one buffer: its document, its changedtick, and whether both are known to match the buffer. `review`
//! implements the part for held answers.

mod review;

use std::collections::BTreeMap;
use std::ops::Range;

use super::answers::Answers;
use super::event::{Mark, Notice};
use super::intent::{Intent, SettledIntent};
use super::large::MarkedText;
use super::plan::DecidedText;
use super::query::{Findings, MirrorQuery};
use super::ranges::Ranges;
use super::reviews::{Reviews, ViewDue};
use super::selected::SavedRows;
use super::sent::Sent;
use super::shown::{Places, ShownMarks};
use super::view::MirrorView;
use super::write::{WriteCall, WriteReply};
use crate::document::{AnchorId, Document, MAX_BYTES, MAX_ROWS, Passage, Place};
use crate::land::{Bytes, HeldFor};

/// What a mirror knows of its buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MirrorState {
    /// The document holds an earlier text: Neovim sends no events, or its events do not fit the document.
    Unknown,
    /// The document and the changedtick match the buffer.
    Sure,
    /// Neovim sent events that may not describe the buffer's text: it undoes those of a preview without an event, and
    /// real changes during a preview look the same. The mirror adopts no changedtick before it has compared them.
    Unsure,
    /// The text is too large to be mirrored. The state stays `TooLarge` until the buffer is unloaded.
    TooLarge,
}

/// See the module.
#[derive(Debug)]
pub struct Buffer {
    name: Vec<u8>,
    is_loaded: bool,
    /// The buffer takes no changes, or changes all the time; the host never attaches to it.
    refuses: bool,
    state: MirrorState,
    tick: u64,
    document: Option<Document>,
    ranges: Ranges,
    answers: Answers,
    reviews: Reviews,
    /// The changedtick of the last report of the display marks, and the place of each mark at that changedtick, by job.
    marks: (u64, BTreeMap<u64, Place>),
    /// Where the display marks are believed to be.
    shown: ShownMarks,
    /// The text at the display marks, for a buffer that is too large to be mirrored.
    excerpts: Excerpts,
    /// The file was written, and the host has not reported the ranges in it yet.
    is_written: bool,
}

/// The text at the display marks, by job.
#[derive(Debug)]
enum Excerpts {
    Unknown,
    Wanted,
    Known(BTreeMap<u64, MarkedText>),
}

/// Where the range of a job is in a file, and its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeOnDisk {
    /// The job's id.
    pub job: u64,
    /// The file.
    pub path: Vec<u8>,
    /// The range; none where it was deleted.
    pub passage: Option<Passage>,
    /// Of a held answer: what was sent with what is taken of it in it, where something is.
    pub base: Option<Vec<Bytes>>,
}

/// What the host has to do next for the waiting intents of a buffer.
#[derive(Debug, PartialEq, Eq)]
pub enum Need {
    /// Nothing: no intent waits, or all that waited are settled without a write.
    Nothing,
    /// To get its text.
    Text,
    /// To get its changedtick, and where the display marks are.
    Marks,
    /// To get its changedtick, where the display marks are, and the text at them.
    Excerpts,
    /// To write this.
    Write(WriteCall),
}

impl Buffer {
    /// The mirror of a buffer of which the host knows nothing yet.
    pub fn new() -> Self {
        Self {
            name: Vec::new(),
            is_loaded: false,
            refuses: false,
            state: MirrorState::Unknown,
            tick: 0,
            document: None,
            ranges: Ranges::default(),
            answers: Answers::default(),
            reviews: Reviews::default(),
            marks: (0, BTreeMap::new()),
            shown: ShownMarks::default(),
            excerpts: Excerpts::Unknown,
            is_written: false,
        }
    }

    /// What the mirror knows of its buffer.
    pub fn state(&self) -> MirrorState {
        self.state
    }

    /// Whether the buffer has a text that the mirror does not know and could get.
    pub fn needs_text(&self) -> bool {
        self.is_loaded && self.state == MirrorState::Unknown && !self.refuses
    }

    /// The bytes of memory that it takes, roughly.
    pub fn memory(&self) -> usize {
        self.document.as_ref().map_or(0, Document::memory)
    }

    /// Replaces the whole document by the text that Neovim sends after an attach.
    pub fn whole(&mut self, tick: Option<u64>, rows: &[Vec<u8>]) {
        match &mut self.document {
            Some(document) => {
                self.reviews.changes(|| document.rows().text_hash());
                document.apply(0..document.rows().len(), rows);
                self.reviews.reads_as(|| document.rows().text_hash());
            }
            None => self.document = Some(Document::new(rows)),
        }
        self.reviews.invalidate(ViewDue::Now);
        self.state = if tick.is_some() { MirrorState::Sure } else { MirrorState::Unsure };
        self.tick = tick.unwrap_or_default();
        self.shown.lose_track();
        self.check_size(rows);
    }

    /// Applies a change of rows. `step` is the step of the last write call that made the change; none for any other.
    pub fn lines(&mut self, tick: Option<u64>, range: Range<usize>, rows: &[Vec<u8>], step: Option<usize>) {
        let (MirrorState::Sure | MirrorState::Unsure, Some(document)) = (self.state, &mut self.document)
        else {
            return;
        };
        let Some(tick) = tick else {
            self.state = MirrorState::Unsure;
            return;
        };
        if range.start > range.end || range.end > document.rows().len() {
            // Neovim sends no event for the changes of `:s///c` while it prompts; its event at the end miscounts the
            // rows that others changed meanwhile.
            self.state = MirrorState::Unknown;
            return;
        }
        self.shown.change(&range, rows.len());
        if step.is_none_or(|step| self.answers.begins(step)) {
            self.reviews.changes(|| document.rows().text_hash());
        }
        self.reviews.invalidate(ViewDue::AtPause);
        match step.and_then(|step| self.answers.anchor(step)) {
            Some(anchor) => document.apply_answer(anchor, range, rows),
            None => document.apply(range, rows),
        }
        self.adopt(tick);
        self.check_size(rows);
    }

    /// Handles the end of an undo or a redo.
    pub fn settle(&mut self, tick: u64) {
        if let (MirrorState::Sure | MirrorState::Unsure, Some(document)) = (self.state, &mut self.document) {
            document.settle();
            self.reviews.came_back(|| document.rows().text_hash());
            self.reviews.invalidate(ViewDue::Now);
            self.shown.invalidate();
            self.adopt(tick);
        }
    }

    /// Handles a detach: Neovim sends no more events.
    pub fn detach(&mut self) {
        if self.state != MirrorState::TooLarge {
            self.state = MirrorState::Unknown;
            // The buffer may be loaded or not: only the plugin's next notice says which.
            self.is_loaded = true;
        }
    }

    /// Applies the state of the buffer that the plugin reports.
    pub fn notice(&mut self, notice: Notice) {
        self.is_loaded = notice.rows > 0;
        self.refuses = notice.refuses;
        self.is_written = self.is_loaded && (self.is_written || notice.is_written);
        self.shown.contacted();
        self.reviews.invalidate(ViewDue::Now);
        if !self.is_loaded {
            // The notice's name is not adopted: it may belong to the text that Neovim reads next.
            self.state = MirrorState::Unknown;
            return;
        }
        let is_followed = self.is_followed();
        if !is_followed && self.name != notice.name {
            // If the name differs from that of the last notice, Neovim has used the buffer number for another file.
            self.forget();
        }
        self.name = notice.name;
        let is_as_long = self.document.as_ref().is_some_and(|document| document.rows().len() == notice.rows);
        self.state = match self.state {
            MirrorState::Unknown if notice.rows > MAX_ROWS || notice.bytes > MAX_BYTES + notice.rows => {
                MirrorState::TooLarge
            }
            // A write raises the changedtick without an event.
            MirrorState::Sure if is_as_long => MirrorState::Sure,
            MirrorState::Unsure if is_as_long && self.tick == notice.tick => MirrorState::Sure,
            MirrorState::Sure | MirrorState::Unsure => MirrorState::Unknown,
            other => other,
        };
        match (self.state, &mut self.document) {
            (MirrorState::Sure, Some(document)) => {
                self.tick = notice.tick;
                let place = |mark: &Mark| Some((mark.job, mark.place.clone()?));
                self.marks = (notice.tick, notice.marks.iter().filter_map(place).collect());
                for mut mark in notice.marks {
                    self.shown.set(mark.job, mark.place.as_ref());
                    if let Some(before) = mark.before.take() {
                        self.answers.remember(mark.job, before);
                    }
                    if let (Some(sent), Some(SavedRows { base: Some(_), .. })) = (&mark.sent, &mark.saved) {
                        self.reviews.resume(mark.job, sent.selected.pieces());
                    }
                    self.ranges.marked(mark, document, notice.tick);
                }
                self.shown.keep(|job| self.ranges.has(job));
            }
            (MirrorState::TooLarge, _) => {
                self.tick = notice.tick;
                notice.marks.iter().for_each(|mark| self.ranges.offered(mark));
                let marked = notice.marks.into_iter().filter_map(|mark| {
                    Some((mark.job, MarkedText { place: mark.place?, excerpt: mark.excerpt? }))
                });
                let marked: BTreeMap<_, _> = marked.collect();
                if !marked.is_empty() {
                    self.excerpts = Excerpts::Known(marked);
                } else if matches!(self.excerpts, Excerpts::Known(_)) {
                    self.excerpts = Excerpts::Unknown;
                }
            }
            _ => {}
        }
    }

    /// Whether the host follows the buffer. If so, the plugin reports every reload (`:edit`) of it.
    pub fn is_followed(&self) -> bool {
        self.state != MirrorState::Unknown
    }

    /// Records that Neovim wrote the current text to the file.
    pub fn wrote(&mut self) {
        self.is_written = true;
    }

    /// Follows the range of a request from now on.
    pub fn sent(&mut self, sent: Sent) {
        let document = self.document.as_mut().filter(|_| self.state == MirrorState::Sure);
        let job = (sent.job, sent.tick == Some(self.tick) && self.state == MirrorState::Sure);
        self.ranges.sent(sent, document.map(|document| (document, self.tick)));
        if let (job, true) = job {
            // The plugin set the display mark at the place that the request names.
            let place = self.place(job, None);
            self.shown.set(job, place.as_ref());
        }
        self.shown.invalidate();
    }

    /// Whether the range of a job is in this buffer.
    pub fn has(&self, job: u64) -> bool {
        self.ranges.has(job)
    }

    /// Handles the end of a job whose answer is not held: ends its review, and returns the replies to the queries that
    /// still wait for that review.
    pub fn ended(&mut self, job: u64) -> Vec<(u64, Findings)> {
        self.ranges.ended(job, self.document.as_mut());
        self.answers.keep(&self.ranges);
        self.shown.keep(|job| self.ranges.has(job));
        self.reviews.forget(job)
    }

    /// Whether an intent waits.
    pub fn is_waiting(&self) -> bool {
        self.answers.is_waiting()
    }

    /// Adds an intent for the range of a job.
    pub fn add_intent(&mut self, job: u64, intent: Intent) {
        self.answers.add_intent(job, intent);
    }

    /// Returns what the host has to do next for the waiting intents, and those that are settled without a write.
    pub fn next(&mut self, attempts: &mut u64) -> (Need, Vec<SettledIntent>) {
        if !self.answers.is_waiting() {
            return (Need::Nothing, Vec::new());
        }
        match (self.state, &mut self.document) {
            (MirrorState::Unknown, _) if !self.is_loaded => {
                (Need::Nothing, self.answers.deny(HeldFor::BufferGone))
            }
            _ if self.refuses => (Need::Nothing, self.answers.deny(HeldFor::NotModifiable)),
            (MirrorState::TooLarge, _) => {
                let needs_excerpts = self.answers.needs_excerpts();
                let excerpts = match std::mem::replace(&mut self.excerpts, Excerpts::Unknown) {
                    Excerpts::Known(excerpts) => excerpts,
                    _ if needs_excerpts => {
                        self.excerpts = Excerpts::Wanted;
                        return (Need::Excerpts, Vec::new());
                    }
                    _ => BTreeMap::new(),
                };
                let (call, settled) =
                    self.answers.next_by_marks(&self.ranges, &excerpts, self.tick, attempts);
                (call.map_or(Need::Nothing, Need::Write), settled)
            }
            (MirrorState::Unsure, _) => (Need::Marks, Vec::new()),
            (MirrorState::Unknown, _) | (_, None) => (Need::Text, Vec::new()),
            (MirrorState::Sure, Some(document)) => {
                let is_fresh = self.marks.0 == self.tick;
                if !is_fresh && self.answers.needs_marks(document, &self.ranges) {
                    return (Need::Marks, Vec::new());
                }
                let (ranges, marks, tick) = (&mut self.ranges, &self.marks.1, self.tick);
                let text = DecidedText { document, ranges, marks, reviews: &mut self.reviews, tick };
                let (call, settled) = self.answers.next(text, attempts);
                self.shown.invalidate();
                (call.map_or(Need::Nothing, Need::Write), settled)
            }
        }
    }

    /// Settles a written step. The document has all changes of the step, and no later ones.
    pub fn written(&mut self, step: usize) -> Option<SettledIntent> {
        let document = self.document.as_mut()?;
        let (settled, mark) = self.answers.written(document, &mut self.ranges, &mut self.reviews, step)?;
        self.reviews.invalidate(ViewDue::Now);
        self.shown.set(settled.job, Some(&mark));
        Some(settled)
    }

    /// Handles the reply to a write call. The document has all changes that came before the reply.
    pub fn replied(&mut self, reply: Option<&WriteReply>) -> Vec<SettledIntent> {
        if let Some(WriteReply::Stale { tick } | WriteReply::Done { tick, .. }) = reply {
            self.raise(*tick);
        }
        if reply.is_some_and(WriteReply::differs) {
            self.state = MirrorState::Unknown;
        }
        self.answers.replied(reply, self.document.as_mut(), &self.ranges)
    }

    /// Ends the mirror, and denies every intent that waits.
    pub fn give_up(&mut self, reply: Option<&WriteReply>) -> Vec<SettledIntent> {
        let mut settled = self.answers.replied(reply, None, &self.ranges);
        settled.extend(self.answers.deny(HeldFor::BufferGone));
        settled
    }

    /// Returns the new place of each display mark that is not at its range, and the changedtick of the text for which
    /// the places are valid. The place is none where the range is lost.
    pub fn places(&mut self) -> Option<(u64, Places)> {
        let document = self.document.as_ref().filter(|_| self.state == MirrorState::Sure)?;
        if !self.shown.is_due() {
            return None;
        }
        let places = self.ranges.decided().filter_map(|(job, anchor)| {
            let place = anchor.and_then(|anchor| document.place(anchor, None));
            // If only its mark can tell where the range is, the mark must not move.
            let is_certain = place.is_some() || !anchor.is_some_and(|anchor| document.needs_mark(anchor));
            is_certain.then_some((job, place))
        });
        let places = self.shown.places_to_send(self.tick, places);
        (!places.is_empty()).then_some((self.tick, places))
    }

    /// Handles the editor's reply to places: its changedtick when it got them, none if it took none.
    pub fn placed(&mut self, tick: Option<u64>) {
        if let Some(tick) = tick {
            self.raise(tick);
        }
        self.shown.places_confirmed(tick);
    }

    /// Returns the ranges in the file, once for each write of the file, as soon as the text is known. A range that is
    /// lost but may still exist is left out.
    pub fn ranges_on_disk(&mut self) -> Vec<RangeOnDisk> {
        let Some(document) =
            self.document.as_ref().filter(|_| self.state == MirrorState::Sure && self.is_written)
        else {
            return Vec::new();
        };
        let on_disk = |(job, anchor): (u64, Option<AnchorId>)| {
            let anchor = anchor?;
            let mark = self.marks.1.get(&job).filter(|_| self.marks.0 == self.tick);
            let passage = document.place(anchor, mark).map(|place| Passage::new(place, document.rows()));
            let is_known = passage.is_some() || document.is_gone(anchor);
            let base = match self.reviews.begun(job) {
                Some(review) => review.taken_base(),
                None => self.ranges.saved_base(job).map(<[Bytes]>::to_vec),
            };
            is_known.then(|| RangeOnDisk { job, path: self.name.clone(), passage, base })
        };
        let ranges_on_disk = self.ranges.decided().filter_map(on_disk).collect();
        self.is_written = false;
        ranges_on_disk
    }

    /// Answers a query.
    pub fn answer(&self, question: &MirrorQuery) -> Findings {
        match question {
            MirrorQuery::Mirror => Findings::View(self.view()),
            MirrorQuery::Find(search) => {
                let document = self.document.as_ref().filter(|_| self.state == MirrorState::Sure);
                let reply =
                    document.map_or_else(|| search.reply.clone(), |document| search.look(document.rows()));
                Findings::Found { tick: self.tick, reply }
            }
            MirrorQuery::Blocks(_) | MirrorQuery::Review { .. } => question.without_mirror(),
        }
    }

    /// The range of a job as it is now; none if that is unknown.
    pub fn passage(&self, job: u64) -> Option<Passage> {
        let place = self.place(job, self.marks.1.get(&job).filter(|_| self.marks.0 == self.tick))?;
        Some(Passage::new(place, self.document.as_ref()?.rows()))
    }

    /// Whether the plugin has to say where its marks are.
    pub fn needs_marks(&self) -> bool {
        matches!(self.state, MirrorState::Sure | MirrorState::Unsure) && self.ranges.needs_marks()
    }

    /// The plugin has said where all its marks are.
    pub fn marks_complete(&mut self) {
        if let (MirrorState::Sure, Some(document)) = (self.state, &mut self.document) {
            self.ranges.marks_complete(document, self.tick);
            self.shown.invalidate();
        }
        if matches!(self.excerpts, Excerpts::Wanted) {
            self.excerpts = Excerpts::Known(BTreeMap::new());
        }
    }

    /// The name of the buffer.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// The jobs whose ranges are in this buffer.
    pub fn jobs(&self) -> impl Iterator<Item = u64> + '_ {
        self.ranges.jobs()
    }

    /// Where the range of a job is, if its text is known; `mark` is where the editor's mark of it is now.
    pub fn place(&self, job: u64, mark: Option<&Place>) -> Option<Place> {
        self.ranges.place(job, self.document.as_ref()?, mark)
    }

    /// The state, the changedtick, the text and the places of the ranges.
    pub fn view(&self) -> MirrorView {
        let places = self.ranges.jobs().map(|job| (job, self.place(job, None)));
        MirrorView {
            state: self.state,
            tick: self.tick,
            rows: self.document.as_ref().map(|document| document.rows().clone()).unwrap_or_default(),
            places: places.collect(),
        }
    }

    /// Raises the changedtick to that of a reply: a write of the file raises the buffer's changedtick without an event.
    /// Never lowers it, because later events may have been applied already.
    fn raise(&mut self, tick: u64) {
        if self.state == MirrorState::Sure {
            self.tick = self.tick.max(tick);
        }
    }

    fn adopt(&mut self, tick: u64) {
        if self.state == MirrorState::Sure {
            self.tick = tick;
        }
    }

    /// Forgets the document if it is too large. `rows` are the rows that the last change put in.
    fn check_size(&mut self, rows: &[Vec<u8>]) {
        if self.document.as_ref().is_some_and(|document| document.is_too_large(rows)) {
            self.forget();
            self.state = MirrorState::TooLarge;
        }
    }

    /// Forgets the document. Its ranges are lost: a display mark that still exists is in another text.
    fn forget(&mut self) {
        self.document = None;
        self.ranges.lose();
        self.state = MirrorState::Unknown;
    }
}
