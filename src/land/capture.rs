//! The code of an answer while it is still being written: its newest lines, for the preview.
//!
//! The rules for fences ([`super::fence`]) decide on what came so far: the newest fenced block is the code, and if there is
//! none, the text itself.

use super::fence::{around, blocks, holds_fence};
use super::text::is_blank;
use crate::land::is_prose;
use crate::request::Request;
use crate::stream::{ToolStatus, Update, one_line};

/// How much of a line is shown, in bytes.
const LONGEST: usize = 400;

/// See the module.
#[derive(Debug, Clone)]
pub struct Capture {
    keep: usize,
    fences: Fences,
    text: String,
    is_void: bool,
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

impl Capture {
    /// For the answer to a request, of which the newest `keep` lines are wanted.
    pub fn new(request: &Request, keep: usize) -> Self {
        // If the selection has fences, those of the answer may belong to its text.
        let kept = request.job.question || holds_fence(&request.job.selection.text);
        let fences = match (kept, is_prose(&request.job.filetype)) {
            (true, _) => Fences::Kept,
            (false, true) => Fences::Around,
            (false, false) => Fences::Cut,
        };
        Self { keep, fences, text: String::new(), is_void: false }
    }

    /// What a job's stream says.
    pub fn update(&mut self, update: &Update) {
        match update {
            Update::Text { text, begins: true } => {
                self.text.clear();
                // What parts it from the message before is none of its own.
                self.text.push_str(text.strip_prefix('\n').unwrap_or(text));
            }
            Update::Text { text, .. } => self.text.push_str(text),
            Update::Restart => (self.text, self.is_void) = (String::new(), true),
            // What it said before was no answer.
            Update::Tool { tool, .. } if tool.status == ToolStatus::Running => {
                (self.text, self.is_void) = (String::new(), false);
            }
            _ => {}
        }
    }

    /// Whether what was shown is void, since it will be said again. What comes before a tool stays until more comes.
    pub fn is_void(&self) -> bool {
        self.is_void
    }

    /// The newest lines, fit to be shown, the one being written last.
    pub fn lines(&self) -> Vec<String> {
        let mut lines: Vec<&str> = self.text.split('\n').map(|line| line.trim_end_matches('\r')).collect();
        let is_shown = |line: &&str| {
            let may_be_fence = self.fences != Fences::Kept && line.trim_start().starts_with(['`', '~']);
            !is_blank(line) && !may_be_fence
        };
        if lines.last().is_none_or(|line| !is_shown(line)) {
            lines.pop();
        }
        let blocks = blocks(&lines);
        let block = match self.fences {
            Fences::Kept => None,
            Fences::Around => around(&blocks, &lines),
            Fences::Cut => blocks.last(),
        };
        let lines = block.map_or_else(
            || lines.iter().map(|line| (*line).to_owned()).collect(),
            |block| block.content(&lines),
        );
        lines[lines.len().saturating_sub(self.keep)..].iter().map(|line| clean(line)).collect()
    }
}

/// The beginning of a line without what moves a cursor; a tab stays, since its width is the editor's to know.
fn clean(line: &str) -> String {
    one_line::clip(line, LONGEST).replace(|letter: char| letter.is_control() && letter != '\t', " ")
}

#[cfg(test)]
mod tests;
