//! A job of the store, for tests.

use jiff::civil::{DateTime, date};

use crate::journal::{Amounts, Record, sample};
use crate::request::Accepted;
use crate::store::JobEntry;

/// The time of a reader.
pub const NOW: DateTime = date(2025, 3, 9).at(10, 0, 0, 0);

/// A finished job.
pub fn entry() -> JobEntry {
    let mut record = sample::record(1, None);
    record.job = Accepted {
        model: None,
        path: "/p/src/config.rs".to_owned(),
        filetype: "rust".to_owned(),
        started_ms: 1,
        ..record.job
    };
    let share = Amounts { cost_usd: Some(0.02), ..Amounts::default() };
    let record = Record { session_id: Some("s".to_owned()), ended_ms: 2, share, ..record };
    JobEntry {
        uuid: "u-1".to_owned(),
        id: None,
        record,
        ended: date(2025, 3, 9).at(9, 5, 0, 0),
        landing: Some("applied".to_owned()),
        place: Some((7, 7)),
        landed_rows: None,
        has_answer: true,
        resumes_at: None,
    }
}
