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
    doubts: Doubts,
}

/// Reasons not to take the text for whole; a set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Doubts(u16);

impl Doubts {
    /// The message has begun and not ended.
    const OPEN: u16 = 1;
    /// Text was shown that no whole block has repeated yet.
    const PREVIEWED: u16 = 2;
    /// The message ended for another reason than being complete.
    const INTERRUPTED: u16 = 4;
    /// A line was lost while the message came.
    const LINE_LOST: u16 = 8;
    /// A tool was called after the text.
    const TOOL_AFTER: u16 = 16;
    /// A tool was called in the same message.
    const TOOL_WITHIN: u16 = 32;
    /// The same message had text before that call too, which is none of the answer.
    const TALK_BEFORE: u16 = 512;
    /// It was longer than an answer may be, and was dropped.
    const TOO_LONG: u16 = 64;
    /// It is unknown whether its parts belong together.
    const SEAM: u16 = 128;
    /// Bytes of it were no UTF-8.
    const NOT_UTF8: u16 = 256;

    fn add(&mut self, doubt: u16) {
        self.0 |= doubt;
    }

    fn remove(&mut self, doubt: u16) {
        self.0 &= !doubt;
    }

    fn has(self, doubt: u16) -> bool {
        self.0 & doubt != 0
    }

    /// Whether the text is all of its message, and nothing came after it.
    fn is_whole(self) -> bool {
        self.0 & !Self::NOT_UTF8 == 0
    }
}

impl Answer {
    /// The main agent begins a message.
    pub fn message_began(&mut self) {
        self.doubts.add(Doubts::OPEN);
        self.is_parts = false;
    }

    /// The main agent's message has ended.
    pub fn message_ended(&mut self) {
        self.doubts.remove(Doubts::OPEN);
    }

    /// Whether the main agent's message has begun and not ended.
    pub fn is_open(&self) -> bool {
        self.doubts.has(Doubts::OPEN)
    }

    /// The message is no answer by its own account.
    pub fn message_interrupted(&mut self) {
        self.doubts.add(Doubts::INTERRUPTED);
    }

    /// The main agent's text; `block_separator` joins the blocks of one message. Whether it is the first of a new one.
    pub fn text(&mut self, piece: Piece, message: Option<&str>, text: &str, block_separator: &str) -> bool {
        match piece {
            Piece::Preview => {
                self.doubts.add(Doubts::PREVIEWED);
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
            self.doubts.add(Doubts::SEAM);
            self.append(block_separator);
        }
        has_text
    }

    /// The main agent calls a tool.
    pub fn tool_called(&mut self, message: Option<&str>) {
        self.doubts.add(Doubts::TOOL_AFTER);
        if message.is_some() && message == self.message.as_deref() {
            self.doubts.add(Doubts::TOOL_WITHIN);
        }
        self.tool_message = message.map(str::to_owned);
        self.is_parts = false;
    }

    /// A line was lost.
    pub fn torn(&mut self) {
        self.doubts.add(Doubts::LINE_LOST);
    }

    /// The last message's text, if nothing says that it is not the whole answer.
    pub fn if_complete(&self) -> Option<&str> {
        Some(&*self.text).filter(|text| self.doubts.is_whole() && !text.trim().is_empty())
    }

    /// The last message's text where the agent itself says that it is over: only what is before a tool call
    /// is no answer.
    pub fn concluding(&self) -> Option<&str> {
        Some(&*self.text).filter(|text| !self.doubts.has(Doubts::TOOL_AFTER) && !text.trim().is_empty())
    }

    /// The last block of text, answer or not.
    pub fn last_block(&self) -> &str {
        &self.text[self.last_block..]
    }

    /// The last message's text, if the stream has all of it and nothing came after it.
    pub fn last_message(&self) -> Option<&str> {
        let missing =
            Doubts::PREVIEWED | Doubts::INTERRUPTED | Doubts::LINE_LOST | Doubts::TOO_LONG | Doubts::SEAM;
        self.concluding().filter(|_| !self.doubts.has(missing))
    }

    /// A line of it, or the result, has bytes that are no UTF-8.
    pub fn not_utf8(&mut self) {
        self.doubts.add(Doubts::NOT_UTF8);
    }

    /// Whether the last message, or the result, has bytes that are no UTF-8.
    pub fn is_not_utf8(&self) -> bool {
        self.doubts.has(Doubts::NOT_UTF8)
    }

    /// The service failed and is asked again: parts that no other line repeats are said again from their beginning.
    pub fn retried(&mut self) {
        self.is_parts = false;
    }

    /// Whether the last message said something else before it called a tool.
    pub fn has_talk_before(&self) -> bool {
        self.doubts.has(Doubts::TALK_BEFORE)
    }

    /// Whether the last message may be more than one.
    pub fn is_doubtful(&self) -> bool {
        self.doubts.has(Doubts::SEAM)
    }

    /// Whether a line was lost while the last message came.
    pub fn has_lost_line(&self) -> bool {
        self.doubts.has(Doubts::LINE_LOST)
    }

    /// Whether the last message was longer than an answer may be.
    pub fn is_too_long(&self) -> bool {
        self.doubts.has(Doubts::TOO_LONG)
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
        let is_after_talk = is_same && self.doubts.has(Doubts::TOOL_AFTER);
        let continues = is_same && !is_after_talk;
        if continues {
            self.append(block_separator);
        } else {
            self.start(message);
        }
        // Without ids it may as well be another message.
        if is_after_talk && message != Some("") {
            self.doubts.add(Doubts::TALK_BEFORE);
        }
        self.is_parts = false;
        self.last_block = self.text.len();
        self.append(text);
        self.doubts.remove(Doubts::PREVIEWED | Doubts::TOOL_AFTER);
        self.has_text = true;
        !continues
    }

    fn start(&mut self, message: Option<&str>) {
        self.text.clear();
        self.last_block = 0;
        self.message = message.map(str::to_owned);
        self.doubts.remove(!Doubts::OPEN);
        if self.message.as_deref().is_some_and(|id| !id.is_empty()) && self.message == self.tool_message {
            self.doubts.add(Doubts::TOOL_WITHIN);
        }
    }

    fn append(&mut self, text: &str) {
        if self.text.len() + text.len() > MAX_ANSWER {
            self.doubts.add(Doubts::TOO_LONG);
        }
        if self.is_too_long() {
            self.text = String::new();
            self.last_block = 0;
            return;
        }
        self.text.push_str(text);
    }
}
