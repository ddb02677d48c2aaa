//! A job of a schedule, and what has come of it.

use serde::Deserialize;

use super::counts::Counts;
use super::decision::{self, Written};
use super::expected::{Record, Sent, put_beside};
use super::promise;
use super::schedule::Job;

/// See the module.
pub struct Played {
    pub id: u64,
    pub spec: Job,
    pub started: Started,
    pub sent: Option<Sent>,
    /// How it ended, and what became of it since.
    pub landing: String,
    pub written: Option<Written>,
    /// What was written last.
    pub last: Option<Record>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Started {
    pub id: u64,
    pub ids: Vec<Option<u64>>,
    pub storms: u64,
    pub next: Option<String>,
}

impl Played {
    /// Takes what was recorded of it.
    pub fn judge(&mut self, record: &Record, counts: &Counts) -> Result<(), String> {
        let sent = self.sent.as_ref().ok_or("it has ended before its answer came")?;
        if self.landing.is_empty() {
            let put = put_beside(&sent.ids, &sent.request.selection.rows, record);
            let (known, landing) = either(record, put.as_ref(), |record| promise::judge(sent, record))?;
            counts.add(landing);
            self.written = Written::of(sent, known);
        } else {
            let written = self.written.as_ref();
            let put = match written {
                Some(written) => put_beside(&written.ids, &written.rows, record),
                None => put_beside(&sent.ids, &sent.request.selection.rows, record),
            };
            let last = self.last.as_ref();
            either(record, put.as_ref(), |record| {
                decision::judge(&self.landing, sent, written, last, record)
            })?;
            self.written = None;
        }
        self.landing = record.held_for.clone().unwrap_or_else(|| record.landing.clone());
        self.last = record.after.is_some().then(|| record.clone());
        Ok(())
    }
}

/// Judges what was recorded as the lines are known, or as they are once rows were put beside a range: the one that is
/// right.
fn either<'a, T>(
    record: &'a Record,
    put: Option<&'a Record>,
    judge: impl Fn(&Record) -> Result<T, String>,
) -> Result<(&'a Record, T), String> {
    match (judge(record), put) {
        (Ok(right), _) => Ok((record, right)),
        (Err(_), Some(put)) => judge(put).map(|right| (put, right)),
        (Err(why), None) => Err(why),
    }
}
