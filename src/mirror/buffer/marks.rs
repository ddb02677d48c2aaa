//! The display marks as the plugin last reported them: their places, and the text at them where the buffer is too large
//! to be mirrored. Where the marks are believed to be now, [`shown`](super::super::shown) knows.

use std::collections::BTreeMap;

use super::super::event::Mark;
use super::super::large::MarkedText;
use crate::document::Place;

/// See the module.
#[derive(Debug, Default)]
pub struct ReportedMarks {
    /// The changedtick of the last report.
    tick: u64,
    /// The place of each mark at that changedtick, by job.
    places: BTreeMap<u64, Place>,
    excerpts: Excerpts,
}

/// The text at the display marks, by job.
#[derive(Debug, Default)]
enum Excerpts {
    #[default]
    Unknown,
    Wanted,
    Known(BTreeMap<u64, MarkedText>),
}

impl ReportedMarks {
    /// Takes a report of the places.
    pub fn report(&mut self, tick: u64, marks: &[Mark]) {
        let place = |mark: &Mark| Some((mark.job, mark.place.clone()?));
        self.tick = tick;
        self.places = marks.iter().filter_map(place).collect();
    }

    /// The places of the last report, by job.
    pub fn places(&self) -> &BTreeMap<u64, Place> {
        &self.places
    }

    /// Whether these are the places in the text with this changedtick.
    pub fn is_of(&self, tick: u64) -> bool {
        self.tick == tick
    }

    /// The place of a mark in the text with this changedtick, if it was reported.
    pub fn place(&self, job: u64, tick: u64) -> Option<&Place> {
        self.places.get(&job).filter(|_| self.is_of(tick))
    }

    /// Takes a report of the texts.
    pub fn report_excerpts(&mut self, marks: Vec<Mark>) {
        let marked = marks
            .into_iter()
            .filter_map(|mark| Some((mark.job, MarkedText { place: mark.place?, excerpt: mark.excerpt? })));
        let marked: BTreeMap<_, _> = marked.collect();
        if !marked.is_empty() {
            self.excerpts = Excerpts::Known(marked);
        } else if matches!(self.excerpts, Excerpts::Known(_)) {
            self.excerpts = Excerpts::Unknown;
        }
    }

    /// Returns the texts, which are used once. None if they are needed and the plugin has to report them first.
    pub fn take_excerpts(&mut self, are_needed: bool) -> Option<BTreeMap<u64, MarkedText>> {
        match std::mem::take(&mut self.excerpts) {
            Excerpts::Known(excerpts) => Some(excerpts),
            _ if are_needed => {
                self.excerpts = Excerpts::Wanted;
                None
            }
            _ => Some(BTreeMap::new()),
        }
    }

    /// The plugin has reported all marks that it has.
    pub fn complete(&mut self) {
        if matches!(self.excerpts, Excerpts::Wanted) {
            self.excerpts = Excerpts::Known(BTreeMap::new());
        }
    }
}
