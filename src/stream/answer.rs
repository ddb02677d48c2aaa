//! The text that would be the answer if the stream ended now.
//!
//! That is the last message of the main agent, and only where nothing says that it is half of something: a tool
//! call in it or after it, a part that was streamed and not yet repeated whole, a line of it that was lost.

use super::event::Piece;

/// The longest answer, in bytes: 16 MB. A longer one is none, since an editor could not work with it.
pub const MAX_ANSWER: usize = 16 << 20;

/// See the module.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    text: String,
    /// Where in `text` the last block begins.
    last_block: usize,
    message: Option<String>,
    /// The message of the last tool call.
    tool_message: Option<String>,
    has_text: bool,
    is_parts: bool,
    /// The text of the message before, where no tool call was between.
    before: String,
    /// A line came that could not be read, and nothing of a message since: it may have begun the next one.
    is_lost_before: bool,
    /// Why it may not be the whole answer.
    pub doubts: Doubts,
}

/// Reasons not to take the text for whole.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a reason of its own")]
pub struct Doubts {
    /// The message has begun and not ended.
    pub open: bool,
    /// Text was shown that no whole block has repeated yet.
    pub previewed: bool,
    /// The message ended for another reason than being complete.
    pub interrupted: bool,
    /// The message before it did, and it goes on with that.
    pub was_cut: bool,
    /// A line was lost while the message came.
    pub line_lost: bool,
    /// A tool was called after the text.
    pub tool_after: bool,
    /// A tool was called in the same message.
    pub tool_within: bool,
    /// The same message had text before that call too, which is none of the answer.
    pub talk_before: bool,
    /// It was longer than an answer may be, and was dropped.
    pub too_long: bool,
    /// It is unknown whether its parts belong together, or whether there are more of them.
    pub seam: bool,
    /// Bytes of it were no UTF-8.
    pub not_utf8: bool,
}

impl Answer {
    /// The main agent begins a message.
    pub fn message_began(&mut self) {
        self.doubts.open = true;
        self.is_parts = false;
    }

    /// What was said of the message is said again.
    pub fn message_abandoned(&mut self) {
        self.start(None);
        self.doubts.interrupted = true;
    }

    /// A line was lost, or could be one of the protocol's with something `beside` it.
    pub fn line_lost(&mut self, beside: bool) {
        self.doubts.line_lost |= !beside;
        self.doubts.seam |= beside;
        // What is printed before the agent speaks is none of an answer.
        self.is_lost_before = self.doubts.open || self.has_text || self.doubts.tool_after;
    }

    /// The main agent's text; `block_separator` joins the blocks of one message. Whether it is the first of a new one.
    pub fn text(&mut self, piece: Piece, message: Option<&str>, text: &str, block_separator: &str) -> bool {
        match piece {
            Piece::Preview => {
                self.doubts.previewed = true;
                false
            }
            Piece::Part => self.part(text),
            Piece::Whole => self.block(message, text, block_separator),
        }
    }

    /// Whether what comes next belongs to the text so far is not known: both are kept. Whether there is any text.
    pub fn seam(&mut self, block_separator: &str) -> bool {
        let has_text = self.is_parts && !self.text.trim().is_empty();
        if has_text {
            self.doubts.seam = true;
            self.append(block_separator);
        }
        has_text
    }

    /// The main agent calls a tool.
    pub fn tool_called(&mut self, message: Option<&str>) {
        self.doubts.tool_after = true;
        if message.is_some() && message == self.message.as_deref() {
            self.doubts.tool_within = true;
        }
        self.tool_message = message.map(str::to_owned);
        self.is_parts = false;
        self.is_lost_before = false;
    }

    /// The last message's text, if nothing says that it is not the whole answer.
    pub fn if_complete(&self) -> Option<&str> {
        Some(&*self.text).filter(|text| self.is_whole() && !text.trim().is_empty())
    }

    /// The last message's text where the agent itself says that it is over: only what is before a tool call
    /// is no answer.
    pub fn concluding(&self) -> Option<&str> {
        Some(&*self.text).filter(|text| !self.doubts.tool_after && !text.trim().is_empty())
    }

    /// The same with what it may go on with: the message before, where no tool call was between.
    pub fn continued(&self) -> Option<String> {
        let said = self.concluding().filter(|_| !self.before.is_empty())?;
        Some([&self.before, said].concat())
    }

    /// The last block of text, answer or not.
    pub fn last_block(&self) -> &str {
        &self.text[self.last_block..]
    }

    /// The last message's text, if the stream has all of it and nothing came after it.
    pub fn last_message(&self) -> Option<&str> {
        let Doubts { previewed, interrupted, line_lost, too_long, seam, .. } = self.doubts;
        self.concluding().filter(|_| !(previewed || interrupted || line_lost || too_long || seam))
    }

    /// The service failed and is asked again: parts that no other line repeats are said again from their beginning.
    pub fn retried(&mut self) {
        self.is_parts = false;
    }

    /// Whether the text is all of its message, and nothing came after it.
    fn is_whole(&self) -> bool {
        self.doubts == Doubts { not_utf8: self.doubts.not_utf8, ..Doubts::default() }
    }

    fn part(&mut self, text: &str) -> bool {
        let starts = !self.is_parts;
        if starts {
            self.start(None);
            self.is_parts = true;
        }
        self.append(text);
        starts
    }

    fn block(&mut self, message: Option<&str>, text: &str, block_separator: &str) -> bool {
        let is_same =
            self.has_text && !self.is_parts && message.is_some() && message == self.message.as_deref();
        // Text before a tool call is talk; the answer begins after it.
        let is_after_talk = is_same && self.doubts.tool_after;
        let continues = is_same && !is_after_talk;
        if continues {
            self.append(block_separator);
        } else {
            let before = self.concluding().filter(|_| !self.doubts.tool_within);
            let before = before.map(str::to_owned).unwrap_or_default();
            let was_cut = self.doubts.interrupted && !before.is_empty();
            self.start(message);
            (self.before, self.doubts.was_cut) = (before, was_cut);
        }
        // Without ids it may as well be another message.
        if is_after_talk && message != Some("") {
            self.doubts.talk_before = true;
        }
        self.is_parts = false;
        self.last_block = self.text.len();
        self.append(text);
        (self.doubts.previewed, self.doubts.tool_after) = (false, false);
        self.has_text = true;
        !continues
    }

    fn start(&mut self, message: Option<&str>) {
        self.text.clear();
        self.last_block = 0;
        self.message = message.map(str::to_owned);
        self.before.clear();
        let Doubts { open, line_lost, seam, .. } = self.doubts;
        let is_lost = |doubt: bool| doubt && self.is_lost_before;
        self.doubts =
            Doubts { open, line_lost: is_lost(line_lost), seam: is_lost(seam), ..Doubts::default() };
        if self.message.as_deref().is_some_and(|id| !id.is_empty()) && self.message == self.tool_message {
            self.doubts.tool_within = true;
        }
    }

    fn append(&mut self, text: &str) {
        self.is_lost_before = false;
        if self.text.len() + text.len() > MAX_ANSWER {
            self.doubts.too_long = true;
        }
        if self.doubts.too_long {
            self.text = String::new();
            self.last_block = 0;
            return;
        }
        self.text.push_str(text);
    }
}
