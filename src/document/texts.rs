//! The texts that a document had, oldest first, each known by its hash: which answers were in it.
//!
//! Undo and redo lead to a text that was there before: then the answers are in it that were in it last. Texts inside of
//! a step of undo are none, since nothing leads to them: those of a write are not recorded, and those of an undo or a
//! redo that crosses a write are crossed out.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;

use super::AnchorId;

/// The most texts that are remembered; the oldest go first.
pub const MAX_TEXTS: usize = 10_000;

/// The number of a text. Later ones have higher numbers.
pub type TextNumber = usize;

/// The number of a write of an answer. Later ones have higher numbers.
pub type WriteNumber = u64;

/// The last write to each range.
type Written = BTreeMap<AnchorId, WriteNumber>;

/// See the module.
#[derive(Debug, Default)]
pub struct Texts {
    earlier: VecDeque<EarlierText>,
    /// The number of the first of them.
    first: TextNumber,
    /// The last write to each range that is in the current text. Texts share it.
    written: Arc<Written>,
    writes: WriteNumber,
}

#[derive(Debug)]
struct EarlierText {
    /// None where it was inside of a step.
    hash: Option<u64>,
    written: Arc<Written>,
    /// It is one right before or right after a write.
    is_end: bool,
}

impl Texts {
    /// The number of the current text.
    pub fn current(&self) -> TextNumber {
        self.first + self.earlier.len()
    }

    /// How many texts are remembered.
    pub fn len(&self) -> usize {
        self.earlier.len()
    }

    /// The current text, which has this hash, changes next; `is_write` says whether an answer is written.
    pub fn change(&mut self, hash: u64, is_write: bool) {
        let written = self.written.clone();
        self.earlier.push_back(EarlierText { hash: Some(hash), written, is_end: is_write });
        if self.earlier.len() > MAX_TEXTS {
            self.earlier.pop_front();
            self.first += 1;
        }
    }

    /// The answer to a range was written: the current text has this hash. Of the other ranges those are kept that are
    /// followed.
    pub fn write(&mut self, anchor: AnchorId, hash: u64, is_followed: impl Fn(AnchorId) -> bool) {
        self.writes += 1;
        let written = Arc::make_mut(&mut self.written);
        written.retain(|other, _| is_followed(*other));
        written.insert(anchor, self.writes);
        self.change(hash, true);
    }

    /// The last write to a range that is in the current text; none if none is.
    pub fn last_write(&self, anchor: AnchorId) -> Option<WriteNumber> {
        self.written.get(&anchor).copied()
    }

    /// An undo or a redo is complete, and led to the text with this hash.
    pub fn arrive(&mut self, hash: u64) {
        let before = self.written.clone();
        self.read(hash);
        if before == self.written {
            return;
        }
        let ends: HashSet<_> = self.earlier.iter().filter(|text| text.is_end).map(|text| text.hash).collect();
        // It began at an end of a write.
        if let Some(start) = self.earlier.iter().rposition(|text| ends.contains(&text.hash)) {
            self.earlier.range_mut(start + 1..).for_each(|inside| inside.hash = None);
        }
    }

    /// The text was read again, and has this hash. The texts right before and right after a write are surely ends of a
    /// step; another one may be inside of the step that led here.
    pub fn read(&mut self, hash: u64) {
        let mut same = self.earlier.iter().filter(|text| text.hash == Some(hash));
        let is_end = same.clone().any(|text| text.is_end);
        if let Some(text) = same.rfind(|text| text.is_end || !is_end) {
            self.written.clone_from(&text.written);
        }
    }

    /// The earlier texts with this hash, oldest first.
    pub fn same(&self, hash: u64) -> Vec<TextNumber> {
        let numbered = (self.first..).zip(&self.earlier);
        numbered.filter(|(_, text)| text.hash == Some(hash)).map(|(number, _)| number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_inside_of_a_redo_is_not_taken_for_the_one_that_it_leads_to() {
        let (mut texts, anchor, before, after) = (Texts::default(), AnchorId(7), 1, 2);
        texts.change(before, true);
        texts.write(anchor, after, |_| true);
        texts.change(after, false);
        texts.arrive(before);
        assert_eq!(texts.last_write(anchor), None);
        // The redo leads through the text at its end.
        texts.change(before, false);
        texts.change(after, false);
        texts.arrive(after);
        assert_eq!(texts.last_write(anchor), Some(1));
    }
}
