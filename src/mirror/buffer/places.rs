//! The current places of the ranges in a buffer: for queries, for the store, and for the editor's display marks.

use super::super::query::{Findings, MirrorQuery};
use super::super::shown::Places;
use super::super::view::MirrorView;
use super::Buffer;
use crate::document::{Passage, Place};

impl Buffer {
    /// Where the range of a job is, if its text is known; `mark` is where the editor's mark of it is now.
    pub fn place(&self, job: u64, mark: Option<&Place>) -> Option<Place> {
        self.ranges.place(job, self.text.document()?, mark)
    }

    /// The range of a job as it is now; none if that is unknown.
    pub fn passage(&self, job: u64) -> Option<Passage> {
        let place = self.place(job, self.marks.place(job, self.text.tick()))?;
        Some(Passage::new(place, self.text.document()?.rows()))
    }

    /// The state, the changedtick, the text and the places of the ranges.
    pub fn view(&self) -> MirrorView {
        let places = self.ranges.jobs().map(|job| (job, self.place(job, None)));
        MirrorView {
            state: self.text.state(),
            tick: self.text.tick(),
            rows: self.text.document().map(|document| document.rows().clone()).unwrap_or_default(),
            places: places.collect(),
        }
    }

    /// Answers a query.
    pub fn answer(&self, question: &MirrorQuery) -> Findings {
        match question {
            MirrorQuery::Mirror => Findings::View(self.view()),
            MirrorQuery::Blocks(_) | MirrorQuery::Review { .. } => question.without_mirror(),
        }
    }

    /// Returns the new place of each display mark that is not at its range, and the changedtick of the text for which
    /// the places are valid. The place is none where the range is lost.
    pub fn places(&mut self) -> Option<(u64, Places)> {
        let document = self.text.sure()?;
        if !self.shown.is_due() {
            return None;
        }
        let places = self.ranges.decided().filter_map(|(job, anchor)| {
            let place = anchor.and_then(|anchor| document.place(anchor, None));
            // If only its mark can tell where the range is, the mark must not move.
            let is_certain = place.is_some() || !anchor.is_some_and(|anchor| document.needs_mark(anchor));
            is_certain.then_some((job, place))
        });
        let places = self.shown.places_to_send(self.text.tick(), places);
        (!places.is_empty()).then_some((self.text.tick(), places))
    }

    /// Handles the editor's reply to places: its changedtick when it got them, none if it took none.
    pub fn placed(&mut self, tick: Option<u64>) {
        if let Some(tick) = tick {
            self.text.raise(tick);
        }
        self.shown.confirmed(tick);
    }
}
