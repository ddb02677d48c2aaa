//! The mirror of one buffer: its document, its changedtick, and whether both are known to be the buffer's.

use std::collections::BTreeMap;
use std::ops::Range;

use super::answers::{Answers, Fate, Text, Wish};
use super::event::Notice;
use super::ranges::Ranges;
use super::sent::Sent;
use super::view::View;
use super::write::{Call, Reply};
use crate::document::{Document, MAX_BYTES, MAX_ROWS, Passage, Place};
use crate::land::HeldFor;

/// How a mirror stands to its buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    /// The text is one that the buffer had: no events come, or they do not fit it.
    Unknown,
    /// Text and changedtick are the buffer's.
    Sure,
    /// Events came that may not be the buffer's text: those of a preview, which are taken back without a word, and
    /// changes during one, which look the same. Until the changedticks were compared none is adopted.
    Unsure,
    /// The text is too large to be mirrored. It stays so until it is unloaded.
    TooLarge,
}

/// See the module.
#[derive(Debug)]
pub struct Buffer {
    name: Vec<u8>,
    is_loaded: bool,
    link: Link,
    tick: u64,
    document: Option<Document>,
    ranges: Ranges,
    answers: Answers,
    /// Where the display marks were, and the changedtick then.
    marks: (u64, BTreeMap<u64, Place>),
}

/// What has to be done before anything more can be written to a buffer.
#[derive(Debug, PartialEq, Eq)]
pub enum Need {
    /// Nothing: no answer waits, or each has been told of.
    Nothing,
    /// To get its text.
    Text,
    /// To get its changedtick, and where the display marks are.
    Marks,
    /// To write this.
    Write(Call),
}

impl Buffer {
    /// Of a buffer that nothing is known of.
    pub fn new() -> Self {
        Self {
            name: Vec::new(),
            is_loaded: false,
            link: Link::Unknown,
            tick: 0,
            document: None,
            ranges: Ranges::default(),
            answers: Answers::default(),
            marks: (0, BTreeMap::new()),
        }
    }

    /// How it stands to its buffer.
    pub fn link(&self) -> Link {
        self.link
    }

    /// Whether there is a text, which is not known.
    pub fn needs_text(&self) -> bool {
        self.is_loaded && self.link == Link::Unknown
    }

    /// The bytes of memory that it takes, roughly.
    pub fn memory(&self) -> usize {
        self.document.as_ref().map_or(0, Document::memory)
    }

    /// The whole text, as it is sent after an attach. What was there before was replaced by it.
    pub fn whole(&mut self, tick: Option<u64>, rows: &[Vec<u8>]) {
        match &mut self.document {
            Some(document) => document.apply(0..document.rows().len(), rows),
            None => self.document = Some(Document::new(rows)),
        }
        self.link = if tick.is_some() { Link::Sure } else { Link::Unsure };
        self.tick = tick.unwrap_or_default();
        self.check_size(rows);
    }

    /// Rows were replaced: by a step of the last call, or by anything else.
    pub fn lines(&mut self, tick: Option<u64>, range: Range<usize>, rows: &[Vec<u8>], step: Option<usize>) {
        let (Link::Sure | Link::Unsure, Some(document)) = (self.link, &mut self.document) else { return };
        let Some(tick) = tick else {
            self.link = Link::Unsure;
            return;
        };
        if range.start > range.end || range.end > document.rows().len() {
            // While `:s///c` asks, no change of its own is told; at its end it miscounts what others changed meanwhile.
            self.link = Link::Unknown;
            return;
        }
        match step.and_then(|step| self.answers.anchor(step)) {
            Some(anchor) => document.apply_answer(anchor, range, rows),
            None => document.apply(range, rows),
        }
        self.adopt(tick);
        self.check_size(rows);
    }

    /// An undo or a redo is complete.
    pub fn settle(&mut self, tick: u64) {
        if let (Link::Sure | Link::Unsure, Some(document)) = (self.link, &mut self.document) {
            document.settle();
            self.adopt(tick);
        }
    }

    /// No more events come.
    pub fn detach(&mut self) {
        if self.link != Link::TooLarge {
            self.link = Link::Unknown;
            // Or it may be; only a contact tells what became of it.
            self.is_loaded = true;
        }
    }

    /// Takes over what the plugin says of the buffer.
    pub fn notice(&mut self, notice: Notice) {
        self.is_loaded = notice.rows > 0;
        if !self.is_loaded {
            // Its name may be that of the text which is read next.
            self.link = Link::Unknown;
            return;
        }
        let is_followed = matches!(self.link, Link::Sure | Link::Unsure);
        if !is_followed && self.name != notice.name {
            // A number that got another name while nobody watched is another buffer.
            self.forget();
        }
        self.name = notice.name;
        let is_as_long = self.document.as_ref().is_some_and(|document| document.rows().len() == notice.rows);
        self.link = match self.link {
            Link::Unknown if notice.rows > MAX_ROWS || notice.bytes > MAX_BYTES + notice.rows => {
                Link::TooLarge
            }
            // A write raises the changedtick without an event.
            Link::Sure if is_as_long => Link::Sure,
            Link::Unsure if is_as_long && self.tick == notice.tick => Link::Sure,
            Link::Sure | Link::Unsure => Link::Unknown,
            other => other,
        };
        if let (Link::Sure, Some(document)) = (self.link, &mut self.document) {
            self.tick = notice.tick;
            self.marks =
                (notice.tick, notice.marks.iter().map(|mark| (mark.job, mark.place.clone())).collect());
            for mark in notice.marks {
                self.ranges.marked(mark, document, notice.tick);
            }
        }
    }

    /// A request was sent.
    pub fn sent(&mut self, sent: Sent) {
        let document = self.document.as_mut().filter(|_| self.link == Link::Sure);
        self.ranges.sent(sent, document.map(|document| (document, self.tick)));
    }

    /// Whether the range of a job is here.
    pub fn has(&self, job: u64) -> bool {
        self.ranges.has(job)
    }

    /// A job has ended, and its answer is not held.
    pub fn ended(&mut self, job: u64) {
        self.ranges.ended(job, self.document.as_mut());
        self.answers.keep(&self.ranges);
    }

    /// Something is wanted of a job's range.
    pub fn want(&mut self, job: u64, wish: Wish) {
        self.answers.want(job, wish);
    }

    /// What has to be done next for the answers that wait; what became of those that need nothing is told.
    pub fn next(&mut self) -> (Need, Vec<(u64, Fate)>) {
        if !self.answers.is_waiting() {
            return (Need::Nothing, Vec::new());
        }
        match (self.link, &self.document) {
            (Link::Unknown, _) if !self.is_loaded => (Need::Nothing, self.answers.deny(HeldFor::BufferGone)),
            (Link::TooLarge, _) => (Need::Nothing, self.answers.deny(HeldFor::RangeLost)),
            (Link::Unsure, _) => (Need::Marks, Vec::new()),
            (Link::Unknown, _) | (_, None) => (Need::Text, Vec::new()),
            (Link::Sure, Some(document)) => {
                let is_fresh = self.marks.0 == self.tick;
                if !is_fresh && self.answers.needs_marks(document, &self.ranges) {
                    return (Need::Marks, Vec::new());
                }
                let text = Text { document, ranges: &self.ranges, marks: &self.marks.1 };
                let (call, fates) = self.answers.next(text, self.tick);
                (call.map_or(Need::Nothing, Need::Write), fates)
            }
        }
    }

    /// All changes of a step were taken, and none that came after it.
    pub fn written(&mut self, step: usize) -> Option<(u64, Fate)> {
        self.answers.written(self.document.as_mut()?, step)
    }

    /// The call is over, and all that came before its reply was taken.
    pub fn replied(&mut self, reply: Option<&Reply>) -> Vec<(u64, Fate)> {
        if let Some(Reply::Stale { tick } | Reply::Done { tick, .. }) = reply
            && self.link == Link::Sure
        {
            // A write of the file raises the changedtick without an event. Later events may be here already.
            self.tick = self.tick.max(*tick);
        }
        if reply.is_some_and(Reply::differs) {
            self.link = Link::Unknown;
        }
        self.answers.replied(reply)
    }

    /// It is mirrored no more: what is wanted of it cannot be.
    pub fn give_up(&mut self) -> Vec<(u64, Fate)> {
        let mut fates = self.answers.replied(None);
        fates.extend(self.answers.deny(HeldFor::BufferGone));
        fates
    }

    /// The range of a job as it is now; none where that cannot be told.
    pub fn passage(&self, job: u64) -> Option<Passage> {
        let place = self.place(job, self.marks.1.get(&job).filter(|_| self.marks.0 == self.tick))?;
        Some(Passage::new(place, self.document.as_ref()?.rows()))
    }

    /// Whether the plugin has to say where its marks are.
    pub fn needs_marks(&self) -> bool {
        matches!(self.link, Link::Sure | Link::Unsure) && self.ranges.needs_marks()
    }

    /// The plugin has said where all its marks are.
    pub fn told(&mut self) {
        if let (Link::Sure, Some(document)) = (self.link, &mut self.document) {
            self.ranges.told(document, self.tick);
        }
    }

    /// Where the range of a job is, if its text is known; `mark` is where the editor's mark of it is now.
    pub fn place(&self, job: u64, mark: Option<&Place>) -> Option<Place> {
        self.ranges.place(job, self.document.as_ref()?, mark)
    }

    /// What is known of it.
    pub fn view(&self) -> View {
        let places = self.ranges.jobs().map(|job| (job, self.place(job, None)));
        View {
            link: self.link,
            tick: self.tick,
            rows: self.document.as_ref().map(|document| document.rows().clone()).unwrap_or_default(),
            places: places.collect(),
        }
    }

    fn adopt(&mut self, tick: u64) {
        if self.link == Link::Sure {
            self.tick = tick;
        }
    }

    /// What is too large is forgotten; `rows` came last.
    fn check_size(&mut self, rows: &[Vec<u8>]) {
        if self.document.as_ref().is_some_and(|document| document.is_too_large(rows)) {
            self.forget();
            self.link = Link::TooLarge;
        }
    }

    /// Lets go of the text. The ranges in it are lost: a mark that is still there stands in another text.
    fn forget(&mut self) {
        self.document = None;
        self.ranges.lose();
        self.link = Link::Unknown;
    }
}
