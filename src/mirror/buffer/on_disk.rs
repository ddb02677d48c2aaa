//! The ranges of a buffer in its file: reported once for each write of the file, for the next session to find them.

use super::Buffer;
use crate::document::{AnchorId, Passage};
use crate::land::Bytes;

/// Where the range of a job is in a file, and its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeOnDisk {
    /// The job's id.
    pub job: u64,
    /// The file.
    pub path: Vec<u8>,
    /// The range; none where it was deleted.
    pub passage: Option<Passage>,
    /// Of a held answer: what was sent with what is taken of it in it, where something is.
    pub base: Option<Vec<Bytes>>,
}

impl Buffer {
    /// Records that Neovim wrote the current text to the file.
    pub fn wrote(&mut self) {
        self.is_written = true;
    }

    /// Returns the ranges in the file, once for each write of the file, as soon as the text is known. A range that is
    /// lost but may still exist is left out.
    pub fn ranges_on_disk(&mut self) -> Vec<RangeOnDisk> {
        let Some(document) = self.text.sure().filter(|_| self.is_written) else { return Vec::new() };
        let on_disk = |(job, anchor): (u64, Option<AnchorId>)| {
            let anchor = anchor?;
            let mark = self.marks.place(job, self.text.tick());
            let passage = document.place(anchor, mark).map(|place| Passage::new(place, document.rows()));
            let is_known = passage.is_some() || document.is_gone(anchor);
            let base = match self.reviews.begun(job) {
                Some(review) => review.taken_base(),
                None => self.ranges.saved_base(job).map(<[Bytes]>::to_vec),
            };
            is_known.then(|| RangeOnDisk { job, path: self.name.clone(), passage, base })
        };
        let ranges_on_disk = self.ranges.decided().filter_map(on_disk).collect();
        self.is_written = false;
        ranges_on_disk
    }
}
