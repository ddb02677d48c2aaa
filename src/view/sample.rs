//! A job of the store, for tests.

use crate::journal::Amounts;
use crate::store::{JobEntry, LocalTime};

/// The time of a reader.
pub const NOW: LocalTime = LocalTime { year: 2025, month: 3, day: 9, hour: 10, minute: 0 };

/// A finished job.
pub fn entry() -> JobEntry {
    JobEntry {
        uuid: "u-1".to_owned(),
        id: None,
        agent: "claude".to_owned(),
        protocol: None,
        model: None,
        session_id: Some("s".to_owned()),
        project: "/p".to_owned(),
        path: "/p/src/config.rs".to_owned(),
        filetype: "rust".to_owned(),
        first_line: 5,
        prompt: "shorter".to_owned(),
        question: false,
        status: "done",
        landing: Some("applied".to_owned()),
        held_for: None,
        error: None,
        started_ms: 1,
        ended_ms: 2,
        ended: LocalTime { hour: 9, minute: 5, ..NOW },
        amounts: Amounts { cost_usd: Some(0.02), ..Amounts::default() },
        transcript: None,
        has_answer: true,
        landed_first: Some(7),
        landed_last: None,
    }
}
