//! A job of the store, for tests.

use crate::journal::{Amounts, Record, sample};
use crate::request::Accepted;
use crate::store::JobEntry;

/// The time of a reader.
pub const NOW: &str = "2025-03-09 10:00";

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
        ended: "2025-03-09 09:05".to_owned(),
        landing: Some("applied".to_owned()),
        place: Some((7, 7)),
        landed_rows: None,
        has_answer: true,
        resumes_at: None,
    }
}
