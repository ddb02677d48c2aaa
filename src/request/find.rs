//! The questions that the store and the mirror of a buffer answer together: the store has the texts of jobs, the mirror
//! tells where in the buffer they are.

use super::fields::Fields;
use crate::error::JobError;

/// See the module.
#[derive(Debug, PartialEq, Eq)]
pub struct FindRequest {
    /// The number of the buffer that is looked through.
    pub buffer: u64,
    /// What is looked for.
    pub sought: Sought,
}

/// What is looked for in a buffer.
#[derive(Debug, PartialEq, Eq)]
pub enum Sought {
    /// The newest job that wrote a row.
    Writer {
        /// The buffer's file.
        path: String,
        /// The row, from 0.
        row: usize,
    },
    /// The place of a job.
    Job {
        /// Its key in the store.
        uuid: String,
    },
}

impl FindRequest {
    /// Reads a query; none where it is another one.
    pub fn read(fields: &Fields<'_>) -> Option<Result<Self, JobError>> {
        let sought = match fields.get("name")?.as_str()? {
            "wrote" => Self::writer(fields),
            "place" => fields.text("uuid").map(|uuid| Sought::Job { uuid }),
            _ => return None,
        };
        Some(sought.and_then(|sought| Ok(Self { buffer: fields.count("buffer")?, sought })))
    }

    fn writer(fields: &Fields<'_>) -> Result<Sought, JobError> {
        let row = usize::try_from(fields.count("row")?).unwrap_or(usize::MAX);
        Ok(Sought::Writer { path: fields.lossy("path")?, row })
    }
}
