//! The reviews of one buffer: which held answers are followed, the proposal of each, and what the plugin knows of it.
//!
//! A view is computed when the text has changed, and goes out when the one before it was drawn, so no queue of views
//! grows. The reply to a query follows the view that shows its result.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::proposal::{ReviewView, ShownHunk};
use super::query::Findings;
use crate::document::{Document, Located, Passage, WriteNumber};
use crate::land::{Bytes, HeldFor};
use crate::review::{EditId, Hunk, Review, marks};

/// When a view has to be looked at again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ViewDue {
    /// It shows what is.
    No,
    /// Once the text has not changed for a moment.
    AtPause,
    /// At once.
    Now,
}

/// What to send to the plugin about one held answer.
#[derive(Debug, Default)]
pub struct ReviewUpdate {
    /// What is proposed, where that is news.
    pub view: Option<ReviewView>,
    /// The replies that go out after it.
    pub replies: Vec<(u64, Findings)>,
}

/// A text to propose something for.
pub struct CurrentText<'a> {
    /// Its document.
    pub document: &'a Document,
    /// Where the range of a job is.
    pub locate: &'a dyn Fn(u64) -> Option<Located>,
    /// The screen column at which its block begins.
    pub column: &'a dyn Fn(u64) -> Option<usize>,
}

/// See the module.
#[derive(Debug, Default)]
pub struct Reviews {
    followed: BTreeMap<u64, FollowedReview>,
    /// What was sent, of answers of which some was taken in an earlier session.
    resumed: BTreeMap<u64, Vec<Bytes>>,
}

/// One held answer.
#[derive(Debug)]
struct FollowedReview {
    answer: Vec<Bytes>,
    dropped: Vec<Vec<EditId>>,
    /// None as long as its range was unknown.
    review: Option<Review>,
    /// Whether the plugin gets each change.
    is_watched: bool,
    due: ViewDue,
    /// What the plugin got last: enough to see whether a new view differs.
    told: Option<LastView>,
    is_under_way: bool,
    replies: Vec<(u64, Findings)>,
}

#[derive(Debug, PartialEq, Eq)]
struct LastView {
    tick: u64,
    taken: usize,
    dropped: Vec<Vec<EditId>>,
    hunks: Result<Vec<(EditId, usize)>, HeldFor>,
}

impl Reviews {
    /// The answer of a job, as the user has edited it, and what they have dropped of it.
    pub fn set(&mut self, job: u64, answer: &[Bytes], dropped: Vec<Vec<EditId>>) {
        let followed = self.followed.entry(job).or_insert_with(|| FollowedReview {
            answer: Vec::new(),
            dropped: Vec::new(),
            review: None,
            is_watched: false,
            due: ViewDue::No,
            told: None,
            is_under_way: false,
            replies: Vec::new(),
        });
        answer.clone_into(&mut followed.answer);
        followed.dropped.clone_from(&dropped);
        if let Some(review) = &mut followed.review {
            review.set_answer(answer);
            review.set_dropped(dropped);
        }
        followed.due = ViewDue::Now;
    }

    /// Tells the plugin of each change from now on.
    pub fn watch(&mut self, job: u64) {
        if let Some(followed) = self.followed.get_mut(&job) {
            (followed.is_watched, followed.told, followed.due) = (true, None, ViewDue::Now);
        }
    }

    /// Tells it no more; what is taken and dropped is remembered.
    pub fn unwatch(&mut self, job: u64) {
        if let Some(followed) = self.followed.get_mut(&job) {
            followed.is_watched = false;
        }
    }

    /// A job is not held any more. Returns the replies that are owed.
    pub fn forget(&mut self, job: u64) -> Vec<(u64, Findings)> {
        self.resumed.remove(&job);
        self.followed.remove(&job).map(|followed| followed.replies).unwrap_or_default()
    }

    /// The review of a job, which was answered to `sent`.
    pub fn review(&mut self, job: u64, sent: &Passage) -> Option<&mut Review> {
        let FollowedReview { answer, dropped, review, .. } = self.followed.get_mut(&job)?;
        let resumed = self.resumed.get(&job);
        Some(review.get_or_insert_with(|| {
            let review = Review::new(sent, answer.clone(), dropped.clone());
            match resumed {
                Some(sent) => review.resumed(sent),
                None => review,
            }
        }))
    }

    /// Some of the answer to this was taken in an earlier session.
    pub fn resume(&mut self, job: u64, sent: Vec<Bytes>) {
        self.resumed.insert(job, sent);
    }

    /// The review of a job; none where there was no need of it yet.
    pub fn begun(&self, job: u64) -> Option<&Review> {
        self.followed.get(&job)?.review.as_ref()
    }

    /// The text may have other writes in it: `last_write` says which is the last one to the range of a job.
    pub fn follow(&mut self, last_write: impl Fn(u64) -> Option<WriteNumber>) {
        for (job, followed) in &mut self.followed {
            if let Some(review) = &mut followed.review {
                review.follow(last_write(*job));
            }
        }
    }

    /// The text may be another one.
    pub fn invalidate(&mut self, due: ViewDue) {
        for followed in self.followed.values_mut() {
            followed.due = followed.due.max(due);
        }
    }

    /// Replies once the plugin has seen what there is now.
    pub fn reply(&mut self, job: u64, token: u64, findings: Findings) -> Result<(), Findings> {
        match self.followed.get_mut(&job) {
            Some(followed) => {
                followed.replies.push((token, findings));
                followed.due = ViewDue::Now;
                Ok(())
            }
            None => Err(findings),
        }
    }

    /// The plugin has drawn a view.
    pub fn drawn(&mut self, job: u64) {
        if let Some(followed) = self.followed.get_mut(&job) {
            followed.is_under_way = false;
        }
    }

    /// The jobs that are looked at when it is that time.
    pub fn due(&self, due: ViewDue) -> Vec<u64> {
        let is_due = |followed: &FollowedReview| {
            followed.due >= due
                && !followed.is_under_way
                && (followed.is_watched || !followed.replies.is_empty())
        };
        self.followed.iter().filter(|(_, followed)| is_due(followed)).map(|(job, _)| *job).collect()
    }

    /// Whether there is something to look at after a pause.
    pub fn waits_for_pause(&self) -> bool {
        !self.due(ViewDue::AtPause).is_empty()
    }

    /// The view of a job for the plugin, and the replies that go out after it.
    pub fn next(&mut self, job: u64, now: Result<&CurrentText<'_>, HeldFor>, tick: u64) -> ReviewUpdate {
        let hunks = now.and_then(|now| self.hunks(job, now));
        let gone = now.and_then(|now| self.of_review(job, now, Review::dropped_hunks)).unwrap_or_default();
        let Some(followed) = self.followed.get_mut(&job) else { return ReviewUpdate::default() };
        followed.due = ViewDue::No;
        let replies = std::mem::take(&mut followed.replies);
        if !followed.is_watched {
            return ReviewUpdate { view: None, replies };
        }
        let review = followed.review.as_ref();
        let taken = review.map_or(0, Review::taken);
        let dropped = review.map_or(&followed.dropped[..], Review::dropped).to_vec();
        let told = LastView {
            tick,
            taken,
            dropped: dropped.clone(),
            hunks: hunks
                .as_ref()
                .map_err(|why| *why)
                .map(|hunks| hunks.iter().map(|hunk| (hunk.id, hunk.rows.start)).collect()),
        };
        if followed.told.as_ref() == Some(&told) {
            return ReviewUpdate { view: None, replies };
        }
        let before = followed.told.replace(told).and_then(|told| told.hunks.ok()).unwrap_or_default();
        followed.is_under_way = true;
        let before: HashSet<EditId> = before.into_iter().map(|(id, _)| id).collect();
        let shown = |hunk: Hunk| {
            let now = now.ok().filter(|_| !before.contains(&hunk.id));
            let rows = now.map(|now| now.document.rows().slice(hunk.rows.clone())).unwrap_or_default();
            let old: Vec<Arc<[u8]>> = rows.into_iter().map(|row| row.text).collect();
            let marks = now.map(|_| marks(&old, &hunk.lines));
            ShownHunk { hunk, marks, old }
        };
        let hunks = hunks.map(|hunks| hunks.into_iter().map(shown).collect());
        ReviewUpdate { view: Some(ReviewView { job, tick, taken, dropped, gone, hunks }), replies }
    }

    /// What is proposed of an answer.
    pub fn hunks(&mut self, job: u64, now: &CurrentText<'_>) -> Result<Vec<Hunk>, HeldFor> {
        self.of_review(job, now, Review::hunks)
    }

    fn of_review(
        &mut self,
        job: u64,
        now: &CurrentText<'_>,
        hunks: impl Fn(&Review, &Passage, Option<usize>) -> Result<Vec<Hunk>, HeldFor>,
    ) -> Result<Vec<Hunk>, HeldFor> {
        let located = (now.locate)(job).ok_or(HeldFor::RangeLost)?;
        let review = self.review(job, &located.base).ok_or(HeldFor::RangeLost)?;
        hunks(review, &located.now, (now.column)(job))
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
