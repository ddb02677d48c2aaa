//! Decides the result of an answer in the current text: it is written, alone or merged with what the user changed
//! meanwhile, it changes nothing, or it is held. Taking an answer back is the same with the roles changed: the text as
//! it was written is the base, and what was there before is the answer.

use super::replaced::Bytes;
use super::{HeldFor, merge_rows};
use crate::document::{Passage, Place};

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MergeVerdict {
    /// The text is what it should become.
    Unchanged,
    /// These pieces are to be written in place of those that are there.
    Write {
        /// Whether both sides are in it: the user had changed the text meanwhile.
        is_merged: bool,
        /// One a row.
        pieces: Vec<Bytes>,
    },
    /// It must not be written.
    Held(HeldFor),
}

/// Decides what becomes of an answer to `base`, which is `now`.
pub fn verdict(base: &Passage, now: &Passage, answer: &[Bytes]) -> MergeVerdict {
    let (sent, current) = (base.pieces(), now.pieces());
    if matches!(now.place, Place::Block { .. }) {
        if answer.len() != current.len() {
            return MergeVerdict::Held(if answer.len() == sent.len() {
                HeldFor::Conflict
            } else {
                HeldFor::BlockRows
            });
        } else if sent.len() != current.len() {
            return MergeVerdict::Held(HeldFor::Conflict);
        }
    }
    let merged = if sent == current {
        answer.to_vec()
    } else if now.is_of_rows() {
        match merged(base, now, answer) {
            Some(merged) => merged,
            None => return MergeVerdict::Held(HeldFor::Conflict),
        }
    } else if current.iter().copied().eq(answer.iter().map(Vec::as_slice)) {
        answer.to_vec()
    } else {
        return MergeVerdict::Held(HeldFor::Conflict);
    };
    if current.iter().copied().eq(merged.iter().map(Vec::as_slice)) {
        return MergeVerdict::Unchanged;
    }
    MergeVerdict::Write { is_merged: sent != current, pieces: merged }
}

/// The rows of both sides; none where one of the differences is a conflict.
fn merged(base: &Passage, now: &Passage, answer: &[Bytes]) -> Option<Vec<Bytes>> {
    let mut rows: Vec<Bytes> = now.rows.iter().map(|row| row.text.to_vec()).collect();
    for hunk in merge_rows(&base.rows, &now.rows, answer).into_iter().rev() {
        if hunk.is_conflict {
            return None;
        }
        rows.splice(hunk.current, answer[hunk.answer].iter().cloned());
    }
    Some(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    fn bytes(rows: &[&str]) -> Vec<Bytes> {
        rows.iter().map(|row| row.as_bytes().to_vec()).collect()
    }

    /// The verdict on an answer to one text that is another one now, each with its place.
    fn of(base: &Passage, now: &Passage, answer: &[&str]) -> MergeVerdict {
        verdict(base, now, &bytes(answer))
    }

    fn passage(rows: &[&str], place: Place) -> Passage {
        Passage::new(place, Document::new(rows).rows())
    }

    /// The rows of a text, and the same rows once each that differs was edited.
    fn edited(rows: &[&str], now: &[&str]) -> (Passage, Passage) {
        let mut document = Document::new(rows);
        let base = Passage::new(Place::Lines(0..rows.len()), document.rows());
        for (at, row) in now.iter().enumerate() {
            document.apply(at..at + 1, &[row]);
        }
        (base, Passage::new(Place::Lines(0..now.len()), document.rows()))
    }

    fn written(pieces: &[&str], is_merged: bool) -> MergeVerdict {
        MergeVerdict::Write { is_merged, pieces: bytes(pieces) }
    }

    #[test]
    fn whole_rows() {
        let of = |now: &[&str], answer: &[&str]| {
            let (base, now) = edited(&["a1", "b1", "c1"], now);
            verdict(&base, &now, &bytes(answer))
        };
        assert_eq!(of(&["a1", "b1", "c1"], &["a1", "b2", "c1"]), written(&["a1", "b2", "c1"], false));
        assert_eq!(of(&["a1", "b1", "c1"], &["a1", "b1", "c1"]), MergeVerdict::Unchanged);
        assert_eq!(of(&["a1", "b1", "c1"], &[]), written(&[], false));
        assert_eq!(of(&["a2", "b1", "c1"], &["a1", "b1", "c2"]), written(&["a2", "b1", "c2"], true));
        assert_eq!(of(&["a2", "b1", "c1"], &["a3", "b1", "c1"]), MergeVerdict::Held(HeldFor::Conflict));
        assert_eq!(of(&["a1", "b2", "c1"], &["a1", "b2", "c1"]), MergeVerdict::Unchanged);
    }

    #[test]
    fn an_insertion() {
        let place = || passage(&["a"], Place::Insertion(1));
        assert_eq!(of(&place(), &place(), &["x"]), written(&["x"], false));
        assert_eq!(of(&place(), &place(), &[]), MergeVerdict::Unchanged);
    }

    #[test]
    fn a_part_of_a_row_is_not_merged() {
        let part = |row, to| passage(&[row], Place::Part { start: (0, 2), end: (0, to) });
        let base = || part("f(a)", 3);
        assert_eq!(of(&base(), &base(), &["b", "c"]), written(&["b", "c"], false));
        assert_eq!(of(&base(), &part("f(ax)", 4), &["b"]), MergeVerdict::Held(HeldFor::Conflict));
        assert_eq!(of(&base(), &part("f(b)", 3), &["b"]), MergeVerdict::Unchanged);
        // What is around it is the user's.
        assert_eq!(of(&base(), &part("g(a) + 1", 3), &["b"]), written(&["b"], false));
    }

    #[test]
    fn a_block() {
        let block = |rows: &[&str]| passage(rows, Place::Block { first: 0, columns: vec![0..1, 0..1] });
        let base = || block(&["ab", "cd"]);
        assert_eq!(of(&base(), &base(), &["A", "C"]), written(&["A", "C"], false));
        assert_eq!(of(&base(), &base(), &["A"]), MergeVerdict::Held(HeldFor::BlockRows));
        assert_eq!(of(&base(), &block(&["xb", "cd"]), &["A", "C"]), MergeVerdict::Held(HeldFor::Conflict));
        let fewer = passage(&["ab"], Place::Block { first: 0, columns: std::iter::once(0..1).collect() });
        for answer in [&["A", "C"][..], &["A"]] {
            assert_eq!(of(&base(), &fewer, answer), MergeVerdict::Held(HeldFor::Conflict), "{answer:?}");
        }
    }
}
