//! The review of a held answer: what it would change in the text as it is now, of which the user takes some and drops
//! some.
//!
//! A held answer is its base and a fixed list of edits of that base; each edit is open, taken or dropped. The base of
//! the merge is what was sent with the taken edits in it; the proposal merges that base, the text as it is now, and the
//! base with the open edits. Taking a hunk is an edit of the text like any other; so what the user then changes in it
//! is their own. Which edits are taken belongs to the text: the document knows the last write that is in it, also after
//! undo and redo. What was taken by typing needs no memory: both sides have it.
//!
//! Pure: where the range is the document knows, and writing is the editor's part.

mod base;
mod hunk;
mod id;
mod inline;
mod proposal;
#[cfg(test)]
mod sample;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

pub use self::hunk::{Conflict, Hunk};
pub use self::id::EditId;
pub use self::inline::{WordMarks, marks};
pub use self::proposal::replaced;

use self::base::{Base, TakenHunk};
use self::proposal::ProposalInput;
use crate::document::{Passage, Row, WriteNumber};
use crate::land::{Bytes, HeldFor, Replaced, RowChange};

/// A held answer, and what the user made of it.
#[derive(Debug)]
pub struct Review {
    answer: Vec<Bytes>,
    base: Arc<Base>,
    /// The edits that were dropped, those of one hunk together, oldest first.
    pub dropped: Vec<Vec<EditId>>,
    /// The base after each write to the range, and before the first one.
    bases: HashMap<Option<WriteNumber>, Arc<Base>>,
}

/// How a review ends once nothing is left of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReviewEnd {
    /// The text has the answer, and nothing else.
    Applied,
    /// It has some of the answer, or changes of the user's, too.
    Merged,
    /// Nothing of the answer was taken.
    Rejected,
}

impl Review {
    /// Of an answer to `sent`, of which the user has dropped some edits before.
    pub fn new(sent: &Passage, answer: Vec<Bytes>, dropped: Vec<Vec<EditId>>) -> Self {
        let base = Arc::new(Base::new(pieces(sent).into_owned(), &answer, sent.is_of_rows()));
        let bases = HashMap::from([(None, Arc::clone(&base))]);
        Self { answer, base, dropped, bases }
    }

    /// The same of an answer of which some was taken in an earlier session: the base of `sent` has it.
    #[must_use]
    pub fn resumed(self, sent: &[Bytes]) -> Self {
        let base = Arc::new((*self.base).clone().resumed(sent));
        Self { bases: HashMap::from([(None, Arc::clone(&base))]), base, ..self }
    }

    /// This is the answer from now on; what is taken, and what is dropped, stays.
    pub fn set_answer(&mut self, answer: &[Bytes]) {
        if self.answer == answer {
            return;
        }
        answer.clone_into(&mut self.answer);
        let with_answer = |base: &Arc<Base>| Arc::new(base.with_answer(answer));
        self.bases.values_mut().for_each(|base| *base = with_answer(base));
        self.base = with_answer(&self.base);
    }

    /// How many edits are taken.
    pub fn taken(&self) -> usize {
        self.base.taken
    }

    /// What was sent with the taken edits in it; none where nothing is taken.
    pub fn taken_base(&self) -> Option<Vec<Bytes>> {
        let rows = || self.base.rows.iter().map(|row| row.text.to_vec()).collect();
        (self.base.taken > 0).then(rows)
    }

    /// This is the last write to the range that is in the text; none where none is.
    pub fn follow(&mut self, last_write: Option<WriteNumber>) {
        if let Some(base) = self.bases.get(&last_write) {
            self.base = Arc::clone(base);
        }
    }

    /// What is proposed for the text as it is `now`, ascending and apart from each other. `column` is where a block
    /// begins on the screen.
    ///
    /// # Errors
    /// Why the answer cannot be compared with the text.
    pub fn hunks(&self, now: &Passage, column: Option<usize>) -> Result<Vec<Hunk>, HeldFor> {
        self.merged(now, column, false)
    }

    /// The same for the dropped edits: what they would change on their own.
    ///
    /// # Errors
    /// Why the answer cannot be compared with the text.
    pub fn dropped_hunks(&self, now: &Passage, column: Option<usize>) -> Result<Vec<Hunk>, HeldFor> {
        if self.dropped.is_empty() { Ok(Vec::new()) } else { self.merged(now, column, true) }
    }

    fn merged(&self, now: &Passage, column: Option<usize>, is_dropped: bool) -> Result<Vec<Hunk>, HeldFor> {
        let dropped: HashSet<EditId> = self.dropped.iter().flatten().copied().collect();
        let is_open = |id: EditId| dropped.contains(&id) == is_dropped;
        let (base, answer) = (&*self.base, &self.answer[..]);
        let current = &pieces(now);
        ProposalInput { base, answer, is_open: &is_open, now, current, column }.hunks()
    }

    /// The hunks are taken by this write, and this was the range before, and is it after that.
    pub fn take(
        &mut self,
        hunks: &[Hunk],
        (before, after): (&Passage, &Passage),
        write: Option<WriteNumber>,
    ) {
        let (before, after) = (before.pieces(), pieces(after));
        let mut base = (*self.base).clone();
        let (mut more, mut less) = (0, 0);
        let taken = hunks.iter().map(|Hunk { take, .. }| {
            let start = take.now.start + more - less;
            (more, less) = (more + take.come, less + take.now.len());
            let gone = before.get(take.now.clone()).unwrap_or_default();
            TakenHunk {
                rows: take.base.clone(),
                new: after.get(start..start + take.come).unwrap_or_default(),
                edits: &take.edits,
                before: gone.iter().map(|piece| piece.to_vec()).collect(),
            }
        });
        base.take(&taken.collect::<Vec<_>>());
        self.base = Arc::new(base);
        self.bases.insert(write, Arc::clone(&self.base));
    }

    /// The hunks are dropped: the text stays.
    pub fn drop(&mut self, hunks: &[Hunk]) {
        self.dropped.extend(hunks.iter().map(|hunk| hunk.take.edits.clone()));
    }

    /// Dropped hunks are proposed again.
    pub fn undrop(&mut self, hunks: &[Hunk]) {
        let is_back = |id: &EditId| hunks.iter().any(|hunk| hunk.take.edits.contains(id));
        self.dropped.retain(|drop| !drop.iter().any(is_back));
    }

    /// How it ends, if nothing is left of it once these pieces are there.
    pub fn end(&self, taken: usize, pieces: &[Bytes]) -> ReviewEnd {
        let is_dropped = |edit: &base::Edit| self.dropped.iter().flatten().any(|id| *id == edit.id);
        if pieces == self.answer {
            ReviewEnd::Applied
        } else if self.base.taken + taken == 0 && self.base.edits.iter().any(is_dropped) {
            ReviewEnd::Rejected
        } else {
            ReviewEnd::Merged
        }
    }

    /// What was written as far as taking the answer back is concerned, and what was there before: for whole rows what
    /// was sent, with what was taken in it and without. A part of a row and a block are taken as a whole.
    pub fn landed(&self, now: &Passage) -> (Passage, Vec<Bytes>) {
        let texts = |rows: &[Row]| rows.iter().map(|row| row.text.to_vec()).collect();
        if now.is_of_rows() {
            (Passage { place: now.place.clone(), rows: self.base.rows.clone() }, self.base.before())
        } else if self.base.taken == 0 {
            (now.clone(), texts(&now.rows))
        } else {
            (now.clone(), Replaced::new(now, &self.base.before()).rows)
        }
    }
}

/// The pieces of a passage, each with the identity of its row.
fn pieces(passage: &Passage) -> Cow<'_, [Row]> {
    if passage.is_of_rows() {
        return Cow::Borrowed(&passage.rows);
    }
    let pieces = passage.pieces();
    let piece = |(row, piece): (&Row, &[u8])| Row { text: piece.into(), ..row.clone() };
    passage.rows.iter().zip(pieces).map(piece).collect()
}

/// The pieces of a range with all of an answer to `sent` in them, and which of them differ.
///
/// # Errors
/// Why the answer must not land by itself: one of its hunks is a conflict.
pub fn merge(
    sent: &Passage,
    now: &Passage,
    answer: &[Bytes],
) -> Result<(Vec<Bytes>, Vec<RowChange>), HeldFor> {
    let hunks = Review::new(sent, answer.to_vec(), Vec::new()).hunks(now, None)?;
    if hunks.iter().any(|hunk| hunk.conflict.is_some()) {
        return Err(HeldFor::Conflict);
    }
    Ok(replaced(now, &hunks))
}

#[cfg(test)]
mod tests;
