//! The ranges of the jobs of one buffer: from when on each is known, and when it is forgotten.
//!
//! A request says where its range was at a changedtick, a display mark where the editor has it at another. Where both
//! were at one changedtick the range is known; else the mark has to fit what was sent. Where the editor has no mark the
//! rows are looked for. Else the range is lost.

use std::collections::{BTreeMap, VecDeque};

use super::event::Mark;
use super::selected::{SavedRows, Selected};
use super::sent::Sent;
use crate::document::{AnchorId, Document, Place};
use crate::land::Bytes;

/// How many ranges of jobs that have ended are followed.
const MAX_ENDED: usize = 100;

/// See the module. The changedtick that its functions take is that of the document's text.
#[derive(Debug, Default)]
pub struct Ranges {
    jobs: BTreeMap<u64, FollowedRange>,
    /// Those that have ended and are not held, oldest first.
    ended: VecDeque<u64>,
}

#[derive(Debug)]
struct FollowedRange {
    /// As long as the job has not ended.
    sent: Option<Sent>,
    /// Its rows when the file was written.
    saved: Option<SavedRows>,
    /// The screen column at which its block begins.
    column: Option<usize>,
    state: RangeState,
}

#[derive(Debug)]
enum RangeState {
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
        let known = self.jobs.remove(&sent.job);
        let saved = known.as_ref().and_then(|known| known.saved.clone());
        let state = match (known.map(|known| known.state), text) {
            (None, Some((document, tick))) if sent.tick == Some(tick) => as_sent(&sent, document),
            (None | Some(RangeState::Wanted), _) => RangeState::Wanted,
            (Some(RangeState::Marked { anchor, place, tick }), Some((document, _))) => {
                let is_it = sent.tick == Some(tick)
                    || document.rows_at_creation(anchor).is_some_and(|rows| sent.agrees(&place, rows));
                if is_it {
                    rebase(&sent, saved.as_ref(), anchor, document);
                    RangeState::Known(anchor)
                } else {
                    document.forget(anchor);
                    RangeState::Lost
                }
            }
            (Some(state), _) => state,
        };
        let column = sent.selected.column;
        self.jobs.insert(sent.job, FollowedRange { sent: Some(sent), saved, column, state });
    }

    /// A mark of the editor's names what was sent, in a text that is not known.
    pub fn offered(&mut self, mark: &Mark) {
        if let Some(sent) = &mark.sent {
            self.jobs
                .entry(mark.job)
                .or_insert_with(|| FollowedRange::new(Some(sent.clone()), mark.saved.clone()));
        }
    }

    /// The editor's mark is here, in a text with this changedtick. The first one of a range counts.
    pub fn marked(&mut self, mark: Mark, document: &mut Document, tick: u64) {
        let Mark { job, place, sent, saved, has_ended, .. } = mark;
        let is_unknown = sent.is_none() && !self.jobs.contains_key(&job);
        let is_outside = place.as_ref().is_some_and(|place| place.rows().end > document.rows().len());
        if is_outside || (is_unknown && (has_ended || place.is_none())) {
            return;
        }
        let followed = self.jobs.entry(job).or_insert_with(|| FollowedRange::new(sent, None));
        followed.saved = followed.saved.take().or(saved);
        if matches!(followed.state, RangeState::Wanted) {
            followed.state = match (&followed.sent, place) {
                (Some(sent), _) if sent.tick == Some(tick) => as_sent(sent, document),
                (Some(sent), Some(place)) => at_mark(sent, followed.saved.as_ref(), &place, document),
                (Some(sent), None) => found(sent, followed.saved.as_ref(), document),
                (None, Some(place)) => RangeState::Marked { anchor: document.anchor(&place), place, tick },
                (None, None) => RangeState::Wanted,
            };
        }
        if has_ended && !self.ended.contains(&job) {
            self.ended(job, Some(document));
        }
    }

    /// The editor has reported all its marks: a range that is not known by now never will be.
    pub fn marks_complete(&mut self, document: &mut Document, tick: u64) {
        for followed in self.jobs.values_mut() {
            if let (RangeState::Wanted, Some(sent)) = (&followed.state, &followed.sent) {
                let is_now = sent.tick == Some(tick);
                followed.state = if is_now { as_sent(sent, document) } else { RangeState::Lost };
            }
        }
    }

    /// Whether the editor has to tell of its marks.
    pub fn needs_marks(&self) -> bool {
        self.jobs.values().any(|followed| matches!(followed.state, RangeState::Wanted))
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
            && !matches!(followed.state, RangeState::Wanted)
        {
            followed.sent = None;
        }
        while self.ended.len() > MAX_ENDED {
            let oldest = self.ended.pop_front().and_then(|oldest| self.jobs.remove(&oldest));
            let anchor = oldest.and_then(|oldest| oldest.state.anchor());
            if let (Some(anchor), Some(document)) = (anchor, &mut document) {
                document.forget(anchor);
            }
        }
    }

    /// The text is forgotten: where its ranges are in another one is not known.
    pub fn lose(&mut self) {
        for followed in self.jobs.values_mut() {
            if !matches!(followed.state, RangeState::Wanted) {
                followed.state = RangeState::Lost;
            }
        }
    }

    /// From now on this is the range of a job.
    pub fn become_known(&mut self, job: u64, anchor: AnchorId, document: &mut Document) {
        let followed = self.jobs.entry(job).or_insert_with(|| FollowedRange::new(None, None));
        let before = std::mem::replace(&mut followed.state, RangeState::Known(anchor)).anchor();
        if let Some(before) = before.filter(|before| *before != anchor) {
            // It is of whole rows, whatever the one before was.
            followed.column = None;
            document.forget(before);
        }
    }

    /// The jobs, oldest first.
    pub fn jobs(&self) -> impl Iterator<Item = u64> + '_ {
        self.jobs.keys().copied()
    }

    /// The jobs, and the prompts that are being typed, of which it is decided where their ranges are, each with what
    /// that is known by; none where it is lost.
    pub fn decided(&self) -> impl Iterator<Item = (u64, Option<AnchorId>)> + '_ {
        self.jobs.iter().filter_map(|(job, followed)| match followed.state {
            RangeState::Known(anchor) | RangeState::Marked { anchor, .. } => Some((*job, Some(anchor))),
            RangeState::Lost => Some((*job, None)),
            RangeState::Wanted => None,
        })
    }

    /// What the range of a job is known by; none where it is lost.
    pub fn anchor(&self, job: u64) -> Option<AnchorId> {
        match self.jobs.get(&job)?.state {
            RangeState::Known(anchor) => Some(anchor),
            RangeState::Wanted | RangeState::Marked { .. } | RangeState::Lost => None,
        }
    }

    /// What was selected for a job, as long as that has not ended.
    pub fn selected(&self, job: u64) -> Option<&Selected> {
        Some(&self.jobs.get(&job)?.sent.as_ref()?.selected)
    }

    /// What was sent for a job with what was taken of its answer by then, as its file was written last.
    pub fn saved_base(&self, job: u64) -> Option<&[Bytes]> {
        self.jobs.get(&job)?.saved.as_ref()?.base.as_deref()
    }

    /// The screen column at which the block of a job begins.
    pub fn column(&self, job: u64) -> Option<usize> {
        self.jobs.get(&job)?.column
    }

    /// Where the range of a job is; `mark` is where the editor's mark of it is now.
    pub fn place(&self, job: u64, document: &Document, mark: Option<&Place>) -> Option<Place> {
        document.place(self.anchor(job)?, mark)
    }
}

impl FollowedRange {
    fn new(sent: Option<Sent>, saved: Option<SavedRows>) -> Self {
        let column = sent.as_ref().and_then(|sent| sent.selected.column);
        Self { sent, saved, column, state: RangeState::Wanted }
    }
}

impl RangeState {
    fn anchor(&self) -> Option<AnchorId> {
        match self {
            Self::Marked { anchor, .. } | Self::Known(anchor) => Some(*anchor),
            Self::Wanted | Self::Lost => None,
        }
    }
}

/// In the text as it was sent the range is where the request says.
fn as_sent(sent: &Sent, document: &mut Document) -> RangeState {
    let place = sent.selected.place(document.rows());
    place.map_or(RangeState::Lost, |place| known(sent, None, &place, document))
}

/// At the editor's mark, where that fits what was sent, or what was in the file.
fn at_mark(sent: &Sent, saved: Option<&SavedRows>, mark: &Place, document: &mut Document) -> RangeState {
    let at_saved = saved.and_then(|saved| sent.selected.saved_at(saved));
    let fits = at_saved.is_some_and(|at_saved| at_saved.is_at(mark, document.rows()))
        || sent.agrees(mark, document.rows());
    if fits { known(sent, saved, mark, document) } else { RangeState::Lost }
}

/// Where the text reads as it was in the file, else as it was sent. Rows that were gone from the file are not looked
/// for.
fn found(sent: &Sent, saved: Option<&SavedRows>, document: &mut Document) -> RangeState {
    let at_saved = saved.and_then(|saved| sent.selected.saved_at(saved));
    let place = match (at_saved, saved) {
        (None, Some(saved)) if saved.rows.is_empty() => None,
        (at_saved, _) => {
            let at_saved = at_saved.and_then(|at_saved| at_saved.find(document.rows()));
            at_saved.or_else(|| sent.selected.find(document.rows()))
        }
    };
    place.map_or(RangeState::Lost, |place| known(sent, saved, &place, document))
}

fn known(sent: &Sent, saved: Option<&SavedRows>, place: &Place, document: &mut Document) -> RangeState {
    let anchor = document.anchor(place);
    rebase(sent, saved, anchor, document);
    RangeState::Known(anchor)
}

/// The text of a range is what was sent, with what was taken of its answer, whatever is there by now.
fn rebase(sent: &Sent, saved: Option<&SavedRows>, anchor: AnchorId, document: &mut Document) {
    let taken = saved.and_then(|saved| saved.base.as_deref());
    if let Some((place, rows)) = sent.selected.base(taken) {
        document.set_sent_base(anchor, place, &rows);
    }
}
