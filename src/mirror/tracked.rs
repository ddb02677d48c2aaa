//! One job in the text of a buffer: where its range is, what is wanted of it, its review while its answer is held, and
//! what was there before it landed.
//!
//! A request says where its range was at a changedtick, a display mark where the editor has it at another. Where both
//! were at one changedtick the range is known; else it is at the mark, and what differs there from what was sent is taken
//! for a change of the user's. A mark that comes before its request is followed until then. Where the editor has no mark
//! the rows are looked for. Else the range is lost.

use std::collections::VecDeque;

use super::event::Mark;
use super::held::HeldReview;
use super::intent::Intent;
use super::intent::Obstacle;
use super::selected::{SavedRows, Sent};
use super::write::Plan;
use crate::document::{AnchorId, Document, Located, Passage, Place};
use crate::land::{Bytes, HeldFor};
use crate::review::Review;

/// See the module. The changedtick that its functions take is that of the document's text.
#[derive(Debug, Default)]
pub struct Tracked {
    /// As long as the job has not ended.
    sent: Option<Sent>,
    /// Its rows when the file was written.
    saved: Option<SavedRows>,
    /// The screen column at which its block begins.
    pub column: Option<usize>,
    range: Range,
    /// Where the editor's mark was reported last, or was put.
    pub mark: Option<Place>,
    /// What is wanted of it.
    pub pending: Option<Pending>,
    /// Its answer, while that is held.
    pub held: Option<HeldReview>,
    /// The whole rows that were there before its answer was written.
    pub before: Option<Vec<Bytes>>,
    /// Its landing is undone.
    pub is_undone: bool,
    /// It has ended, and is not held: when, in the order of such jobs.
    pub ended: Option<u64>,
}

/// What is known of a range.
#[derive(Debug, Default)]
enum Range {
    /// No request was there.
    #[default]
    Unknown,
    /// The mark was here at a changedtick, before the request.
    Marked(AnchorId, u64),
    /// The request was there before the text, or before the mark.
    Wanted,
    Known(AnchorId),
    Lost,
}

/// What is wanted of a range, until it is settled.
#[derive(Debug)]
pub struct Pending {
    /// What.
    pub intent: Intent,
    /// How often it was in a call that writes.
    pub tries: usize,
    /// Since when it waits, in the order of all that does.
    pub since: u64,
    /// The later intents for the same range, oldest first.
    pub following: VecDeque<Intent>,
    /// Whether it is a step of the call that is under way.
    pub is_in_call: bool,
}

impl Tracked {
    /// A request was sent, maybe to an earlier host or for another buffer, and so its range stood in its file; `text` is
    /// the document and its changedtick, where they are the buffer's. The request of a job that waited for a limit is
    /// sent once more, and what counts is the text as it is then.
    pub fn sent(&mut self, sent: Sent, saved: Option<SavedRows>, mut text: Option<(&mut Document, u64)>) {
        if self.sent.as_ref().is_some_and(|before| before.tick.is_some()) {
            if let Some((document, _)) = &mut text {
                self.forget(document);
            }
            self.range = Range::Unknown;
        }
        if !self.is_decided() {
            self.range = match (&self.range, text) {
                (Range::Marked(anchor, at), Some((document, _))) if sent.tick == Some(*at) => {
                    followed(&sent, saved.as_ref(), *anchor, document)
                }
                (_, Some((document, tick))) if sent.tick == Some(tick) => {
                    self.forget(document);
                    as_sent(&sent, document)
                }
                _ => Range::Wanted,
            };
        }
        (self.column, self.sent, self.saved) = (sent.selected.column, Some(sent), saved);
    }

    /// The editor's mark is here, in a text with this changedtick. The first one of a range counts.
    pub fn marked(&mut self, mark: Mark, document: &mut Document, tick: u64) {
        let place = mark.place;
        let is_outside = place.as_ref().is_some_and(|place| place.rows().end > document.rows().len());
        self.mark.clone_from(&place);
        if let Some(anchor) = self.anchor() {
            document.decide(anchor, place.as_ref());
        }
        if is_outside {
            return;
        }
        if matches!(self.range, Range::Wanted | Range::Unknown) {
            self.range = match (&self.sent, place) {
                (Some(sent), _) if sent.tick == Some(tick) => as_sent(sent, document),
                (Some(sent), Some(place)) => at_mark(sent, self.saved.as_ref(), &place, document),
                (Some(sent), None) => found(sent, self.saved.as_ref(), document),
                (None, Some(place)) if !mark.has_ended => Range::Marked(document.anchor(&place), tick),
                (None, _) => Range::Unknown,
            };
        }
    }

    /// The editor has reported all its marks: what is not known of a range by now never will be.
    pub fn marks_complete(&mut self, document: &mut Document, tick: u64) {
        if let (Range::Wanted, Some(sent)) = (&self.range, &self.sent) {
            let is_as_sent = sent.tick == Some(tick);
            self.range =
                if is_as_sent { as_sent(sent, document) } else { found(sent, self.saved.as_ref(), document) };
        }
        if let Some(anchor) = self.anchor() {
            document.decide(anchor, None);
        }
    }

    /// Whether the editor has to tell of its mark, so that it is known where the range is.
    pub fn needs_mark(&self, document: Option<&Document>) -> bool {
        let is_in_doubt = |anchor| document.is_some_and(|document| document.needs_mark(anchor));
        matches!(self.range, Range::Wanted) || self.anchor().is_some_and(is_in_doubt)
    }

    /// Whether no request of it was there.
    pub fn is_unknown(&self) -> bool {
        matches!(self.range, Range::Unknown)
    }

    /// The job has ended, and its answer is not held.
    pub fn end(&mut self, at: u64) {
        self.ended = Some(at);
        if !matches!(self.range, Range::Wanted) {
            self.sent = None;
        }
    }

    /// The text is forgotten: where its ranges are in another one is not known.
    pub fn lose(&mut self) {
        match self.range {
            Range::Known(_) => self.range = Range::Lost,
            Range::Marked(..) => self.range = Range::Unknown,
            Range::Unknown | Range::Wanted | Range::Lost => {}
        }
    }

    /// The document is another one, and where its range is has to be told again; what was wanted of it is returned.
    pub fn restart(&mut self) -> impl Iterator<Item = Intent> + use<> {
        self.range = if self.sent.is_some() { Range::Wanted } else { Range::Lost };
        let pending = self.pending.take().into_iter();
        pending.flat_map(|pending| std::iter::once(pending.intent).chain(pending.following))
    }

    /// It is followed no more.
    pub fn forget(&self, document: &mut Document) {
        if let Range::Known(anchor) | Range::Marked(anchor, _) = self.range {
            document.forget(anchor);
        }
    }

    /// From now on this is its range.
    pub fn become_known(&mut self, anchor: AnchorId, document: &mut Document) {
        let before = self.anchor();
        self.range = Range::Known(anchor);
        if let Some(before) = before.filter(|before| *before != anchor) {
            // It is of whole rows, whatever the one before was.
            self.column = None;
            document.forget(before);
        }
    }

    /// Drops the place of a plan that is not written, where that is not the range.
    pub fn drop_plan(&self, plan: &Plan, document: &mut Document) {
        if let Some(anchor) = plan.anchor.filter(|anchor| self.anchor() != Some(*anchor)) {
            document.forget(anchor);
        }
    }

    /// Whether it is decided where its range is, or that it is lost.
    pub fn is_decided(&self) -> bool {
        !matches!(self.range, Range::Wanted | Range::Marked(..) | Range::Unknown)
    }

    /// What its range is known by; none where it is lost.
    pub fn anchor(&self) -> Option<AnchorId> {
        if let Range::Known(anchor) = self.range { Some(anchor) } else { None }
    }

    /// What was sent, as long as the job has not ended.
    pub fn request(&self) -> Option<&Sent> {
        self.sent.as_ref()
    }

    /// Where its range is.
    pub fn place(&self, document: &Document) -> Option<Place> {
        document.place(self.anchor()?)
    }

    /// Its range, as it was and as it is; none where it is lost.
    pub fn locate(&self, document: &Document) -> Option<(AnchorId, Located)> {
        let anchor = self.anchor()?;
        let located = document.locate(anchor)?;
        let was_nothing = located.base.place.is_insertion();
        let place = if was_nothing { &located.base.place } else { &located.now.place };
        let now = match in_empty_text(place, document) {
            Some(place) => Passage::new(place, document.rows()),
            None => located.now,
        };
        Some((anchor, Located { base: located.base, now }))
    }

    /// The review of its held answer, which was answered to `base`; none where none is held.
    pub fn review(&mut self, base: &Passage) -> Option<&mut Review> {
        let is_resumed = self.saved.as_ref().is_some_and(|saved| saved.base.is_some());
        let sent = self.sent.as_ref().filter(|_| is_resumed).map(|sent| sent.selected.pieces());
        Some(self.held.as_mut()?.review_of(base, sent.as_deref()))
    }

    /// The review of its held answer, with the range as it was and as it is.
    pub fn reviewed(&mut self, document: &Document) -> Result<(AnchorId, Located, &mut Review), Obstacle> {
        let (anchor, located) = self.locate(document).ok_or(HeldFor::RangeLost)?;
        let review = self.review(&located.base).ok_or(Obstacle::Stale)?;
        Ok((anchor, located, review))
    }

    /// What was sent with what is taken of the answer in it, where something is.
    pub fn taken_base(&self) -> Option<Vec<Bytes>> {
        match self.held.as_ref().and_then(|held| held.review.as_ref()) {
            Some(review) => review.taken_base(),
            None => self.saved.as_ref()?.base.clone(),
        }
    }
}

/// A text without rows has an empty one, and an insertion takes its place; none where that is not so.
pub fn in_empty_text(place: &Place, document: &Document) -> Option<Place> {
    let is_empty = document.rows().len() == 1 && document.rows().iter().all(|row| row.text.is_empty());
    (is_empty && place.is_insertion()).then_some(Place::Lines(0..0))
}

/// In the text as it was sent the range is where the request says.
fn as_sent(sent: &Sent, document: &mut Document) -> Range {
    let place = sent.selected.place(document.rows());
    place.map_or(Range::Lost, |place| known(sent, None, &place, document))
}

/// At the editor's mark, where what was sent can be there.
fn at_mark(sent: &Sent, saved: Option<&SavedRows>, mark: &Place, document: &mut Document) -> Range {
    let fits = sent.selected.may_be_at(mark, document.rows());
    if fits { known(sent, saved, mark, document) } else { Range::Lost }
}

/// Where the text reads as it was in the file, else as it was sent. Rows that were gone from the file are not looked
/// for.
fn found(sent: &Sent, saved: Option<&SavedRows>, document: &mut Document) -> Range {
    let at_saved = saved.and_then(|saved| sent.selected.saved_at(saved));
    let place = match (at_saved, saved) {
        (None, Some(saved)) if saved.rows.is_empty() => None,
        (at_saved, _) => {
            let at_saved = at_saved.and_then(|at_saved| at_saved.find(document.rows()));
            at_saved.or_else(|| sent.selected.find(document.rows()))
        }
    };
    place.map_or(Range::Lost, |place| known(sent, saved, &place, document))
}

fn known(sent: &Sent, saved: Option<&SavedRows>, place: &Place, document: &mut Document) -> Range {
    let anchor = document.anchor(place);
    followed(sent, saved, anchor, document)
}

/// The text of a range is what was sent, with what was taken of its answer, whatever is there by now.
fn followed(sent: &Sent, saved: Option<&SavedRows>, anchor: AnchorId, document: &mut Document) -> Range {
    let taken = saved.and_then(|saved| saved.base.as_deref());
    if let Some((place, rows)) = sent.selected.base(taken) {
        document.set_sent_base(anchor, place, &rows);
    }
    Range::Known(anchor)
}
