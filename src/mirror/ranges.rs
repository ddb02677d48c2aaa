//! The ranges of the jobs of one buffer: from when on each is known, and when it is forgotten.
//!
//! A request says where its range was at a changedtick, a display mark where the editor has it at another. Where both
//! were at one changedtick the range is known; else the mark has to fit what was sent, or the range is lost.

use std::collections::{BTreeMap, VecDeque};

use super::event::Mark;
use super::sent::Sent;
use crate::document::{AnchorId, Document, Place};

/// How many ranges of jobs that have ended are followed.
const MAX_ENDED: usize = 100;

/// See the module. The changedtick that its functions take is that of the document's text.
#[derive(Debug, Default)]
pub struct Ranges {
    jobs: BTreeMap<u64, Followed>,
    /// Those that have ended and are not held, oldest first.
    ended: VecDeque<u64>,
}

#[derive(Debug)]
struct Followed {
    /// As long as the job has not ended.
    sent: Option<Sent>,
    standing: Standing,
}

#[derive(Debug)]
enum Standing {
    /// The request was there before the text.
    Wanted,
    /// The mark was there before the request.
    Marked {
        anchor: AnchorId,
        place: Place,
        tick: u64,
    },
    Known(AnchorId),
    Lost,
}

impl Ranges {
    /// A request was sent; `text` is the document and its changedtick, where they are the buffer's.
    pub fn sent(&mut self, sent: Sent, text: Option<(&mut Document, u64)>) {
        let standing = match (self.jobs.remove(&sent.job), text) {
            (None, Some((document, tick))) if sent.tick == Some(tick) => as_sent(&sent, document),
            (None | Some(Followed { standing: Standing::Wanted, .. }), _) => Standing::Wanted,
            (Some(Followed { standing: Standing::Marked { anchor, tick, .. }, .. }), _)
                if sent.tick == Some(tick) =>
            {
                Standing::Known(anchor)
            }
            (
                Some(Followed { standing: Standing::Marked { anchor, place, .. }, .. }),
                Some((document, _)),
            ) => {
                let is_it = document.text_at(anchor).is_some_and(|rows| sent.agrees(&place, rows));
                if is_it {
                    Standing::Known(anchor)
                } else {
                    document.forget(anchor);
                    Standing::Lost
                }
            }
            (Some(Followed { standing, .. }), _) => standing,
        };
        self.jobs.insert(sent.job, Followed { sent: Some(sent), standing });
    }

    /// The editor's mark is here, in a text with this changedtick. The first one of a range counts.
    pub fn marked(&mut self, mark: Mark, document: &mut Document, tick: u64) {
        let Mark { job, place, sent, has_ended } = mark;
        let is_forgotten = has_ended && sent.is_none() && !self.jobs.contains_key(&job);
        if is_forgotten || place.rows().end > document.rows().len() {
            return;
        }
        let followed = self.jobs.entry(job).or_insert(Followed { sent, standing: Standing::Wanted });
        if matches!(followed.standing, Standing::Wanted) {
            followed.standing = match &followed.sent {
                None => Standing::Marked { anchor: document.anchor(&place), place, tick },
                Some(sent) if sent.tick == Some(tick) => as_sent(sent, document),
                Some(sent) if sent.agrees(&place, document.rows()) => {
                    Standing::Known(document.anchor(&place))
                }
                Some(_) => Standing::Lost,
            };
        }
        if has_ended && !self.ended.contains(&job) {
            self.ended(job, Some(document));
        }
    }

    /// The editor has told of all its marks: a range that is not known by now never will be.
    pub fn told(&mut self, document: &mut Document, tick: u64) {
        for followed in self.jobs.values_mut() {
            if let (Standing::Wanted, Some(sent)) = (&followed.standing, &followed.sent) {
                let is_now = sent.tick == Some(tick);
                followed.standing = if is_now { as_sent(sent, document) } else { Standing::Lost };
            }
        }
    }

    /// Whether the editor has to tell of its marks.
    pub fn needs_marks(&self) -> bool {
        self.jobs.values().any(|followed| matches!(followed.standing, Standing::Wanted))
    }

    /// Whether the range of a job is here.
    pub fn has(&self, job: u64) -> bool {
        self.jobs.contains_key(&job)
    }

    /// A job has ended, and its answer is not held: of such jobs the newest are followed.
    pub fn ended(&mut self, job: u64, mut document: Option<&mut Document>) {
        self.ended.retain(|other| *other != job);
        self.ended.push_back(job);
        if let Some(followed) = self.jobs.get_mut(&job)
            && !matches!(followed.standing, Standing::Wanted)
        {
            followed.sent = None;
        }
        while self.ended.len() > MAX_ENDED {
            let oldest = self.ended.pop_front().and_then(|oldest| self.jobs.remove(&oldest));
            let anchor = oldest.and_then(|oldest| oldest.standing.anchor());
            if let (Some(anchor), Some(document)) = (anchor, &mut document) {
                document.forget(anchor);
            }
        }
    }

    /// The text is forgotten: where its ranges are in another one is not known.
    pub fn lose(&mut self) {
        for followed in self.jobs.values_mut() {
            if !matches!(followed.standing, Standing::Wanted) {
                followed.standing = Standing::Lost;
            }
        }
    }

    /// The jobs, oldest first.
    pub fn jobs(&self) -> impl Iterator<Item = u64> + '_ {
        self.jobs.keys().copied()
    }

    /// What the range of a job is known by; none where it is lost.
    pub fn anchor(&self, job: u64) -> Option<AnchorId> {
        match self.jobs.get(&job)?.standing {
            Standing::Known(anchor) => Some(anchor),
            Standing::Wanted | Standing::Marked { .. } | Standing::Lost => None,
        }
    }

    /// The screen column at which the block of a job begins.
    pub fn column(&self, job: u64) -> Option<usize> {
        self.jobs.get(&job)?.sent.as_ref()?.column
    }

    /// Where the range of a job is; `mark` is where the editor's mark of it is now.
    pub fn place(&self, job: u64, document: &Document, mark: Option<&Place>) -> Option<Place> {
        document.place(self.anchor(job)?, mark)
    }
}

impl Standing {
    fn anchor(&self) -> Option<AnchorId> {
        match self {
            Self::Marked { anchor, .. } | Self::Known(anchor) => Some(*anchor),
            Self::Wanted | Self::Lost => None,
        }
    }
}

/// In the text as it was sent the range is where the request says.
fn as_sent(sent: &Sent, document: &mut Document) -> Standing {
    let place = sent.place(document.rows());
    place.map_or(Standing::Lost, |place| Standing::Known(document.anchor(&place)))
}
