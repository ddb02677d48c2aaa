//! A request, as far as its range is concerned: which buffer, what was selected, and the changedtick that the buffer
//! had then.

use super::selected::Selected;
use crate::document::{Place, Rows};
use crate::error::JobError;
use crate::fields::Fields;

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// The job's id.
    pub job: u64,
    /// The buffer's number.
    pub buffer: u64,
    /// The buffer's changedtick; none where the request went to a host that is gone.
    pub tick: Option<u64>,
    /// What was selected.
    pub selected: Selected,
}

impl Sent {
    /// Reads a request, or what is left of one.
    ///
    /// # Errors
    /// Names the field that is wrong.
    pub fn decode(fields: &Fields<'_>) -> Result<Self, JobError> {
        Ok(Self {
            job: fields.count("id")?,
            buffer: fields.count("buffer")?,
            tick: fields.some("tick", Fields::count)?,
            selected: Selected::decode(&fields.fields("selection")?)?,
        })
    }

    /// Whether a mark can be that of the range, though the text may have changed since it was sent: where it reads as
    /// it did or, of whole rows that this host was sent, where they begin and end as they did.
    pub fn agrees(&self, mark: &Place, rows: &Rows) -> bool {
        self.selected.is_at(mark, rows)
            || (self.tick.is_some() && self.selected.begins_and_ends_at(mark, rows))
    }
}
