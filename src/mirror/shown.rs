//! Where the editor's display marks are believed to be, so that the host sends the editor only the places that differ.
//!
//! A mark moves with the text as Neovim moves extmarks. Where that is certain it is followed here; where it is not, its
//! place is unknown, and the host sends the editor the place of the range.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::document::Place;

/// The places of ranges by job; none of a range that is lost.
pub type Places = Vec<(u64, Option<Place>)>;

/// Where the mark of a range is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Belief {
    Unknown,
    At(Place),
    /// The editor knows that the range is lost.
    Lost,
}

/// Places that the editor was sent, and has not confirmed.
#[derive(Debug)]
struct PlacesInFlight {
    tick: u64,
    marks: BTreeMap<u64, Belief>,
}

/// See the module.
#[derive(Debug, Default)]
pub struct ShownMarks {
    marks: BTreeMap<u64, Belief>,
    under_way: Option<PlacesInFlight>,
    /// A range may be elsewhere than its mark.
    may_differ: bool,
    /// The editor takes no places.
    takes_no_places: bool,
}

impl ShownMarks {
    /// The editor's mark of a range is here; nowhere: it has none.
    pub fn set(&mut self, job: u64, mark: Option<&Place>) {
        let belief = mark.map_or(Belief::Unknown, |place| Belief::At(place.clone()));
        self.marks.insert(job, belief);
        self.may_differ = true;
    }

    /// The editor says how the buffer is: it takes places again.
    pub fn contacted(&mut self) {
        self.takes_no_places = false;
    }

    /// Rows were replaced by so many others.
    pub fn change(&mut self, rows: &Range<usize>, len: usize) {
        let under_way = self.under_way.iter_mut().flat_map(|under_way| under_way.marks.values_mut());
        let mut is_edit = rows.len() == 1 && len == 1;
        for belief in self.marks.values_mut().chain(under_way) {
            if let Belief::At(place) = belief {
                let moved = moved(place, rows, len);
                is_edit &= moved.is_some();
                *belief = moved.map_or(Belief::Unknown, Belief::At);
            }
        }
        // The edit of a row moves no other.
        self.may_differ |= !is_edit;
    }

    /// All of the text may be another one, and a mark anywhere in it.
    pub fn lose_track(&mut self) {
        self.under_way = None;
        for belief in self.marks.values_mut() {
            *belief = Belief::Unknown;
        }
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
        let is_new = |job: &u64, place: &Option<Place>| match (self.marks.get(job), place) {
            (Some(Belief::At(at)), Some(place)) => at != place,
            (Some(Belief::Lost), None) => false,
            _ => true,
        };
        let changed: Vec<_> = places.filter(|(job, place)| is_new(job, place)).collect();
        self.may_differ = false;
        if !changed.is_empty() {
            let belief =
                |(job, place): &(u64, Option<Place>)| (*job, place.clone().map_or(Belief::Lost, Belief::At));
            self.under_way = Some(PlacesInFlight { tick, marks: changed.iter().map(belief).collect() });
        }
        changed
    }

    /// The editor has been told, and its text had this changedtick then: it has put its marks there only if that is the
    /// one that it was told of. None if it is unknown.
    pub fn places_confirmed(&mut self, tick: Option<u64>) {
        let Some(PlacesInFlight { tick: at, marks }) = self.under_way.take() else { return };
        match tick {
            Some(tick) if tick == at => {
                self.may_differ |= marks.values().any(|belief| *belief == Belief::Unknown);
                self.marks.extend(marks);
            }
            tick => (self.may_differ, self.takes_no_places) = (true, tick.is_none()),
        }
    }
}

/// Where a mark is once rows were replaced by so many others; none if that depends on how Neovim replaced them.
fn moved(place: &Place, rows: &Range<usize>, len: usize) -> Option<Place> {
    let by = |row: usize| row + len - rows.len();
    // The first row and the last one that the marks of a place are in.
    let (first, last) = match place {
        Place::Insertion(row) => (row.saturating_sub(1), *row),
        place => (place.rows().start, place.rows().end.saturating_sub(1)),
    };
    if rows.start > last + 1 {
        return Some(place.clone());
    }
    if rows.end < first {
        return Some(match place {
            Place::Lines(range) => Place::Lines(by(range.start)..by(range.end)),
            Place::Insertion(row) => Place::Insertion(by(*row)),
            Place::Part { start, end } => {
                Place::Part { start: (by(start.0), start.1), end: (by(end.0), end.1) }
            }
            Place::Block { first, columns } => Place::Block { first: by(*first), columns: columns.clone() },
        });
    }
    // A line that is set again moves a mark at the start of the next one, too.
    let is_between = first < rows.start && rows.end < last;
    match place {
        Place::Lines(range) if is_between => Some(Place::Lines(range.start..by(range.end))),
        Place::Part { start, end } if is_between => {
            Some(Place::Part { start: *start, end: (by(end.0), end.1) })
        }
        // The row that a mark is in: a typed letter leaves the mark, a line that is set again moves it.
        _ if rows.len() == 1 && len == 1 && is_beside(rows, first, last) => Some(place.clone()),
        _ => None,
    }
}

/// Whether a row is none of these, but next to them.
fn is_beside(rows: &Range<usize>, first: usize, last: usize) -> bool {
    rows.end <= first || rows.start > last
}
