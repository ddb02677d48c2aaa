//! A held answer under review: its proposal, and what the plugin knows of it.
//!
//! A view is computed when the text has changed, and goes out when the one before it was drawn, so no queue of views
//! grows. The reply to a query follows the view that shows its result.

use std::collections::HashSet;

use super::intent::Findings;
use crate::document::{Document, Passage, Rows};
use crate::land::{Bytes, HeldFor};
use crate::review::{EditId, Hunk, Review};

/// When a view has to be looked at again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ViewDue {
    /// It shows what is.
    #[default]
    No,
    /// Once the text has not changed for a moment.
    AtPause,
    /// At once.
    Now,
}

/// What is proposed of a held answer: the hunks in the present text, or why there are none.
#[derive(Debug)]
pub struct ReviewView {
    /// The job's id.
    pub job: u64,
    /// The text; empty where it is not known.
    pub text: Rows,
    /// Its changedtick.
    pub tick: u64,
    /// How many edits are taken.
    pub taken: usize,
    /// The edits that were dropped, those of one hunk together.
    pub dropped: Vec<Vec<EditId>>,
    /// The hunks that were dropped and would still change something.
    pub gone: Vec<Hunk>,
    /// The hunks.
    pub hunks: Result<Vec<Hunk>, HeldFor>,
}

/// See the module.
#[derive(Debug, Default)]
pub struct HeldReview {
    answer: Vec<Bytes>,
    dropped: Vec<Vec<EditId>>,
    /// None as long as its range was unknown.
    pub review: Option<Review>,
    /// Whether the plugin gets each change.
    pub is_watched: bool,
    /// When it has to be looked at.
    pub due: ViewDue,
    /// Whether the plugin draws a view.
    pub is_under_way: bool,
    /// The replies that go out with the next view.
    pub replies: Vec<(u64, Findings)>,
}

impl HeldReview {
    /// The answer, as the user has edited it, and what they have dropped of it.
    pub fn set(&mut self, answer: &[Bytes], dropped: &[Vec<EditId>]) {
        answer.clone_into(&mut self.answer);
        dropped.clone_into(&mut self.dropped);
        if let Some(review) = &mut self.review {
            review.set_answer(answer);
            dropped.clone_into(&mut review.dropped);
        }
        self.due = ViewDue::Now;
    }

    /// The review of an answer to `base`; what was `sent`, where some was taken in an earlier session.
    pub fn review_of(&mut self, base: &Passage, sent: Option<&[Bytes]>) -> &mut Review {
        let Self { answer, dropped, review, .. } = self;
        review.get_or_insert_with(|| {
            let review = Review::new(base, answer.clone(), dropped.clone());
            match sent {
                Some(sent) => review.resumed(sent),
                None => review,
            }
        })
    }

    /// Whether it is looked at when it is that time.
    pub fn is_due(&self, due: ViewDue) -> bool {
        self.due >= due && !self.is_under_way && (self.is_watched || !self.replies.is_empty())
    }

    /// What the plugin gets: the view of the hunks and the dropped ones, where it follows them. The replies go out after
    /// it.
    pub fn next(
        &mut self,
        job: u64,
        hunks: Result<(Vec<Hunk>, Vec<Hunk>), HeldFor>,
        (document, tick): (Option<&Document>, u64),
    ) -> (Option<ReviewView>, Vec<(u64, Findings)>) {
        self.due = ViewDue::No;
        let replies = std::mem::take(&mut self.replies);
        if !self.is_watched {
            return (None, replies);
        }
        let (hunks, gone) = match hunks {
            Ok((hunks, gone)) => (Ok(hunks), gone),
            Err(why) => (Err(why), Vec::new()),
        };
        let review = self.review.as_ref();
        let taken = review.map_or(0, Review::taken);
        let dropped = review.map_or(&self.dropped, |review| &review.dropped).clone();
        self.is_under_way = true;
        let text = document.map(|document| document.rows().clone()).unwrap_or_default();
        (Some(ReviewView { job, text, tick, taken, dropped, gone, hunks }), replies)
    }
}

/// Those of the hunks that were asked for, all of them where none is named; none where one is not there.
pub fn chosen(hunks: &[Hunk], ids: Option<&[EditId]>) -> Option<Vec<Hunk>> {
    let Some(ids) = ids else { return Some(hunks.to_vec()) };
    let ids: HashSet<EditId> = ids.iter().copied().collect();
    let chosen: Vec<Hunk> = hunks.iter().filter(|hunk| ids.contains(&hunk.id)).cloned().collect();
    let found: HashSet<EditId> = chosen.iter().map(|hunk| hunk.id).collect();
    (found == ids).then_some(chosen)
}
