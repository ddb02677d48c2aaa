//! The assumed positions of the editor's display marks, so that the host sends the editor only the places that differ.
//!
//! A mark moves with the text as Neovim moves extmarks. Only what an edit of one row cannot have moved is taken to be
//! where it was; of all other marks the place is unknown after a change, and the host sends it.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::document::Place;

/// The places of ranges by job; none of a range that is lost.
pub type Places = Vec<(u64, Option<Place>)>;

/// See the module.
#[derive(Debug, Default)]
pub struct ShownMarks {
    /// Where the marks are known to be.
    marks: BTreeMap<u64, Option<Place>>,
    /// The changedtick of the text for which the editor was sent places, and these; none since the text has changed.
    under_way: Option<(u64, Places)>,
    /// A range may be elsewhere than its mark.
    may_differ: bool,
    /// The editor takes no places.
    takes_no_places: bool,
}

impl ShownMarks {
    /// The editor's mark of a range is here; nowhere: it has none.
    pub fn set(&mut self, job: u64, mark: Option<&Place>) {
        match mark {
            Some(place) => self.marks.insert(job, Some(place.clone())),
            None => self.marks.remove(&job),
        };
        self.may_differ = true;
    }

    /// The editor says how the buffer is: it takes places again.
    pub fn contacted(&mut self) {
        self.takes_no_places = false;
    }

    /// Rows were replaced by so many others.
    pub fn change(&mut self, rows: &Range<usize>, len: usize) {
        let is_edit = rows.len() == 1 && len == 1;
        let before = self.marks.len();
        self.marks
            .retain(|_, place| place.as_ref().is_none_or(|place| is_edit && is_apart(rows.start, place)));
        self.may_differ |= !is_edit || self.marks.len() < before;
        if let Some((_, places)) = &mut self.under_way {
            places.clear();
        }
    }

    /// All of the text may be another one, and a mark anywhere in it.
    pub fn lose_track(&mut self) {
        self.under_way = None;
        self.marks.clear();
        self.may_differ = true;
    }

    /// A range may be known better than before.
    pub fn invalidate(&mut self) {
        self.may_differ = true;
    }

    /// Forgets the marks of other jobs.
    pub fn keep(&mut self, is_followed: impl Fn(u64) -> bool) {
        self.marks.retain(|job, _| is_followed(*job));
    }

    /// Whether the editor may need places, and takes them now.
    pub fn is_due(&self) -> bool {
        self.may_differ && self.under_way.is_none() && !self.takes_no_places
    }

    /// Of these places, in a text with this changedtick, those that the editor has to be told; none at all where a
    /// range is lost. From now on they are under way.
    pub fn places_to_send(
        &mut self,
        tick: u64,
        places: impl Iterator<Item = (u64, Option<Place>)>,
    ) -> Places {
        let changed: Places = places.filter(|(job, place)| self.marks.get(job) != Some(place)).collect();
        self.may_differ = false;
        if !changed.is_empty() {
            self.under_way = Some((tick, changed.clone()));
        }
        changed
    }

    /// The editor has been told, and its text had this changedtick then: it has put its marks there only if that is the
    /// one that it was told of. None if it is unknown.
    pub fn confirmed(&mut self, tick: Option<u64>) {
        let Some((at, places)) = self.under_way.take() else { return };
        self.takes_no_places = tick.is_none();
        self.may_differ |= tick != Some(at) || places.is_empty();
        self.marks.extend(places.into_iter().filter(|_| tick == Some(at)));
    }
}

/// Whether the edit of a row cannot have moved a mark. A line that is set again moves one at the start of the next, too.
fn is_apart(row: usize, place: &Place) -> bool {
    let (first, last) = match place {
        Place::Insertion(row) => (row.saturating_sub(1), *row),
        place => (place.rows().start, place.rows().end.saturating_sub(1)),
    };
    row < first || row > last
}
