//! The text of a mirror: its document and its changedtick, and whether both are known to match the buffer. What follows
//! from a change of the text, for ranges, marks and reviews, is up to [`Buffer`](super::Buffer).

use std::ops::Range;

use serde::Serialize;

use super::super::event::Notice;
use crate::document::{Document, MAX_BYTES, MAX_ROWS};
use crate::land::HeldFor;

/// What a mirror knows of its buffer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MirrorState {
    /// The document holds an earlier text: Neovim sends no events, or its events do not fit the document.
    #[default]
    Unknown,
    /// The document and the changedtick match the buffer.
    Sure,
    /// Neovim sent events that may not describe the buffer's text: it undoes those of a preview without an event, and
    /// real changes during a preview look the same. The mirror adopts no changedtick before it has compared them.
    Unsure,
    /// The text is too large to be mirrored. The state stays `TooLarge` until the buffer is unloaded.
    TooLarge,
}

impl MirrorState {
    /// Whether the host gets the buffer's events, and they fit so far.
    pub fn is_fed(self) -> bool {
        matches!(self, Self::Sure | Self::Unsure)
    }
}

/// See the module.
#[derive(Debug, Default)]
pub struct MirroredText {
    state: MirrorState,
    tick: u64,
    document: Option<Document>,
    is_loaded: bool,
    /// The file was written, and the host has not reported the ranges in it yet.
    pub is_written: bool,
    /// The buffer takes no changes, or changes all the time; the host never attaches to it.
    refuses: bool,
}

impl MirroredText {
    /// What is known of it.
    pub fn state(&self) -> MirrorState {
        self.state
    }

    /// The last changedtick that is known.
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// Whether the buffer is loaded.
    pub fn is_loaded(&self) -> bool {
        self.is_loaded
    }

    /// Whether the buffer has a text that is not known and that the host could get.
    pub fn is_missing(&self) -> bool {
        self.is_loaded && self.state == MirrorState::Unknown && !self.refuses
    }

    /// Whether the host gets the buffer's events, and they fit so far.
    pub fn is_fed(&self) -> bool {
        self.state.is_fed()
    }

    /// The document, which may hold an earlier text.
    pub fn document(&self) -> Option<&Document> {
        self.document.as_ref()
    }

    /// The document, which may hold an earlier text.
    pub fn document_mut(&mut self) -> Option<&mut Document> {
        self.document.as_mut()
    }

    /// The document, if it matches the buffer.
    pub fn sure(&self) -> Option<&Document> {
        self.document.as_ref().filter(|_| self.state == MirrorState::Sure)
    }

    /// The document with its changedtick, if they match the buffer.
    pub fn sure_mut(&mut self) -> Option<(&mut Document, u64)> {
        let document = self.document.as_mut().filter(|_| self.state == MirrorState::Sure)?;
        Some((document, self.tick))
    }

    /// Why nothing can be written to the buffer, whatever its text is.
    pub fn obstacle(&self) -> Option<HeldFor> {
        match self.state {
            MirrorState::Unknown if !self.is_loaded => Some(HeldFor::BufferGone),
            _ if self.refuses => Some(HeldFor::NotModifiable),
            _ => None,
        }
    }

    /// The document, if it matches the buffer.
    ///
    /// # Errors
    /// Why nothing can be said of an answer.
    pub fn known(&self) -> Result<&Document, HeldFor> {
        match self.obstacle() {
            Some(why) => Err(why),
            None if self.state == MirrorState::TooLarge => Err(HeldFor::TooLarge),
            None => self.sure().ok_or(HeldFor::RangeLost),
        }
    }

    /// Neovim sent the whole text after an attach. Returns whether there was a document of it before.
    pub fn read(&mut self, tick: Option<u64>, rows: &[Vec<u8>]) -> bool {
        let was_known = self.document.is_some();
        match &mut self.document {
            Some(document) => document.reload(rows),
            None => self.document = Some(Document::new(rows)),
        }
        self.state = if tick.is_some() { MirrorState::Sure } else { MirrorState::Unsure };
        self.tick = tick.unwrap_or_default();
        was_known
    }

    /// The document to which a change of rows applies, if the change fits it.
    pub fn changed(&mut self, tick: Option<u64>, range: &Range<usize>) -> Option<&mut Document> {
        let len = self.document.as_ref().filter(|_| self.is_fed())?.rows().len();
        let Some(tick) = tick else {
            self.state = MirrorState::Unsure;
            return None;
        };
        if range.start > range.end || range.end > len {
            // Neovim sends no event for the changes of `:s///c` while it prompts; its event at the end miscounts the
            // rows that others changed meanwhile.
            self.state = MirrorState::Unknown;
            return None;
        }
        self.adopt(tick);
        self.document.as_mut()
    }

    /// Handles the end of an undo or a redo. Returns whether the document has the changes.
    pub fn settle(&mut self, tick: u64) -> bool {
        let Some(document) = self.document.as_mut().filter(|_| self.state.is_fed()) else { return false };
        document.settle();
        self.adopt(tick);
        true
    }

    /// Handles a detach: Neovim sends no more events.
    pub fn detach(&mut self) {
        if self.state != MirrorState::TooLarge {
            self.state = MirrorState::Unknown;
            // The buffer may be loaded or not: only the plugin's next notice says which.
            self.is_loaded = true;
        }
    }

    /// Takes from a notice whether the buffer is loaded, and whether it takes changes.
    pub fn load(&mut self, notice: &Notice) {
        self.is_loaded = notice.rows > 0;
        self.is_written = self.is_loaded && (self.is_written || notice.is_written);
        self.refuses = notice.refuses;
        if !self.is_loaded {
            self.state = MirrorState::Unknown;
        }
    }

    /// Compares what is known with a notice of the loaded buffer.
    pub fn compare(&mut self, notice: &Notice) {
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
        if matches!(self.state, MirrorState::Sure | MirrorState::TooLarge) {
            self.tick = notice.tick;
        }
    }

    /// The buffer has another text than the document.
    pub fn distrust(&mut self) {
        self.state = MirrorState::Unknown;
    }

    /// Raises the changedtick to that of a reply: a write of the file raises the buffer's changedtick without an event.
    /// Never lowers it, because later events may have been applied already.
    pub fn raise(&mut self, tick: u64) {
        if self.state == MirrorState::Sure {
            self.tick = self.tick.max(tick);
        }
    }

    fn adopt(&mut self, tick: u64) {
        if self.state == MirrorState::Sure {
            self.tick = tick;
        }
    }

    /// Forgets the document.
    pub fn forget(&mut self) {
        self.document = None;
        self.state = MirrorState::Unknown;
    }

    /// Forgets the document if it is too large, and returns whether it was. `rows` are the rows that the last change
    /// put in.
    pub fn drop_if_too_large(&mut self, rows: &[Vec<u8>]) -> bool {
        let is_too_large = self.document.as_ref().is_some_and(|document| document.is_too_large(rows));
        if is_too_large {
            self.document = None;
            self.state = MirrorState::TooLarge;
        }
        is_too_large
    }
}
