//! The mirror of one buffer: its document, its changedtick, and whether both are known to be the buffer's.

use std::collections::BTreeMap;
use std::ops::Range;

use super::event::{Mark, Notice};
use super::view::View;
use crate::document::{AnchorId, Document, MAX_BYTES, MAX_ROWS};

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
    /// Of the jobs' ranges; none for one whose text is forgotten.
    anchors: BTreeMap<u64, Option<AnchorId>>,
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
            anchors: BTreeMap::new(),
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

    /// Rows were replaced.
    pub fn lines(&mut self, tick: Option<u64>, range: Range<usize>, rows: &[Vec<u8>]) {
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
        document.apply(range, rows);
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
        if self.link == Link::Sure {
            self.tick = notice.tick;
            self.anchor(&notice.marks);
        }
    }

    /// What is known of it.
    pub fn view(&self) -> View {
        let place = |anchor: Option<AnchorId>| self.document.as_ref()?.place(anchor?, None);
        let places = self.anchors.iter().map(|(job, anchor)| (*job, place(*anchor)));
        View {
            link: self.link,
            tick: self.tick,
            rows: self.document.as_ref().map(|document| document.rows().clone()).unwrap_or_default(),
            places: places.collect(),
        }
    }

    /// From now on the ranges of these jobs are followed; one that is followed already stays as it is.
    fn anchor(&mut self, marks: &[Mark]) {
        let Some(document) = &mut self.document else { return };
        for Mark { job, place } in marks {
            if place.rows().end <= document.rows().len() {
                self.anchors.entry(*job).or_insert_with(|| Some(document.anchor(place)));
            }
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
        self.anchors.values_mut().for_each(|anchor| *anchor = None);
        self.link = Link::Unknown;
    }
}
