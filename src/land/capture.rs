//! The code of an answer while it is still being written: its newest lines, for the preview.
//!
//! It takes text as it comes, however it is split; the work for a piece depends on that piece alone. It applies the
//! rules for fences ([`super::fence`]), as far as they can decide without the end: the newest fenced block is the code,
//! and if there is none, the text itself. Only the newest lines are kept, and only the beginning of each.

use std::collections::VecDeque;

use super::fence::{Fence, holds_fence};
use super::text::is_blank;
use crate::land::is_prose;
use crate::request::Request;
use crate::stream::{ToolStatus, Update, words};

/// How much of a line is kept, in bytes.
const LONGEST: usize = 400;

/// See the module.
#[derive(Debug, Clone)]
pub struct Capture {
    keep: usize,
    fences: Fences,
    place: CapturePosition,
    newest: VecDeque<String>,
    /// The beginning of the line that has no end yet.
    line: String,
}

/// Which fences are not part of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fences {
    /// None.
    Kept,
    /// The one around the whole answer.
    Around,
    /// All.
    Cut,
}

/// Where in the answer the next line stands.
#[derive(Debug, Clone)]
enum CapturePosition {
    /// Nothing but blank lines came.
    Start,
    /// In text that is no fenced block.
    Bare,
    /// In a fenced block.
    Inside(Fence),
    /// After one.
    AfterFence,
}

impl Capture {
    /// For the answer to a request, of which the newest `keep` lines are wanted.
    pub fn new(request: &Request, keep: usize) -> Self {
        // If the selection has fences, those of the answer may belong to its text.
        let kept = request.question || holds_fence(&request.selection.text);
        let fences = match (kept, is_prose(&request.filetype)) {
            (true, _) => Fences::Kept,
            (false, true) => Fences::Around,
            (false, false) => Fences::Cut,
        };
        Self { keep, fences, place: CapturePosition::Start, newest: VecDeque::new(), line: String::new() }
    }

    /// What a job's stream says; whether that may have changed the lines.
    pub fn update(&mut self, update: &Update<'_>) -> bool {
        match update {
            Update::Text { text, begins: true } => {
                self.restart();
                // What parts it from the message before is none of its own.
                self.push(text.strip_prefix('\n').unwrap_or(text));
            }
            Update::Text { text, .. } => self.push(text),
            Update::Restart => self.restart(),
            // What it said before was no answer.
            Update::Tool { tool, .. } if tool.status == ToolStatus::Running => self.restart(),
            _ => return false,
        }
        true
    }

    /// What came so far was no part of the answer.
    pub fn restart(&mut self) {
        self.place = CapturePosition::Start;
        self.newest.clear();
        self.line.clear();
    }

    /// More of the text.
    pub fn push(&mut self, text: &str) {
        let mut rest = text;
        while let Some(end) = memchr::memchr(b'\n', rest.as_bytes()) {
            self.extend(&rest[..end]);
            self.end_line();
            rest = &rest[end + 1..];
        }
        self.extend(rest);
    }

    /// The newest lines, fit to be shown, the one being written last.
    pub fn lines(&self) -> Vec<String> {
        let written = self.written();
        let more = usize::from(written.is_some());
        let skipped = (self.newest.len() + more).saturating_sub(self.keep);
        self.newest.iter().map(String::as_str).chain(written).skip(skipped).map(clean).collect()
    }

    fn extend(&mut self, piece: &str) {
        self.line.push_str(words::clip(piece, LONGEST - self.line.len().min(LONGEST)));
    }

    fn end_line(&mut self) {
        let mut line = std::mem::take(&mut self.line);
        line.truncate(line.trim_end_matches('\r').len());
        self.take(&line);
        line.clear();
        self.line = line;
    }

    fn take(&mut self, line: &str) {
        let opening = if self.may_open() { Fence::opening(line) } else { None };
        if let Some(fence) = opening {
            self.place = CapturePosition::Inside(fence);
            self.newest.clear();
            return;
        }
        match &self.place {
            CapturePosition::Inside(fence) if fence.closes(line) => self.place = CapturePosition::AfterFence,
            CapturePosition::Inside(fence) => {
                let cut = line.len() - fence.unindented(line).len();
                self.keep(&line[cut..]);
            }
            CapturePosition::Start => {
                if !is_blank(line) {
                    self.place = CapturePosition::Bare;
                }
                self.keep(line);
            }
            CapturePosition::Bare => self.keep(line),
            CapturePosition::AfterFence => self.behind(line),
        }
    }

    fn may_open(&self) -> bool {
        match (self.fences, &self.place) {
            (Fences::Kept, _) | (_, CapturePosition::Inside(_)) => false,
            (Fences::Around, place) => matches!(place, CapturePosition::Start),
            (Fences::Cut, _) => true,
        }
    }

    /// After a block of code there is only talk; prose that goes on was not within the fence.
    fn behind(&mut self, line: &str) {
        if self.fences == Fences::Around && !is_blank(line) {
            self.place = CapturePosition::Bare;
            self.keep(line);
        }
    }

    fn keep(&mut self, line: &str) {
        // The oldest line's room is the newest one's.
        let full = self.newest.len() >= self.keep;
        let mut room = if full { self.newest.pop_front() } else { None }.unwrap_or_default();
        room.clear();
        room.push_str(line);
        self.newest.push_back(room);
    }

    /// What is known of the line being written; nothing while it may become a fence.
    fn written(&self) -> Option<&str> {
        let line = self.line.as_str();
        let may_be_fence = self.fences != Fences::Kept && line.trim_start().starts_with(['`', '~']);
        let is_talk = matches!(self.place, CapturePosition::AfterFence) && self.fences == Fences::Cut;
        if is_blank(line) || may_be_fence || is_talk {
            return None;
        }
        Some(match &self.place {
            CapturePosition::Inside(fence) => fence.unindented(line),
            _ => line,
        })
    }
}

/// A line without what moves a cursor; a tab stays, since its width is the editor's to know.
fn clean(line: &str) -> String {
    line.replace(|letter: char| letter.is_control() && letter != '\t', " ")
}

#[cfg(test)]
mod tests;
