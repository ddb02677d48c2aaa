//! What a host knows of one of its jobs: everything that the database has to have of it. Pure.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::amounts::Amounts;
use super::record::{Accepted, Draft, Landed, OnDisk, Record};

/// A job as its host knows it. A field that is `None` is not known, and stays as it is in the database.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct KnownJob {
    /// Its number in its Neovim.
    pub id: u64,
    /// Its key in the database. `None` for a job of an earlier host of this Neovim: the number identifies it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uuid: Option<String>,
    /// The accepted job. `None` from when it ends: its record has the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted: Option<Arc<Accepted>>,
    /// The user left Neovim before it had ended.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// The finished job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<Arc<Record>>,
    /// What the session that it resumed had counted when the job started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<Amounts>,
    /// What the database says that it cost. `None` until its record is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_usage: Option<Amounts>,
    /// Later amounts that `job_usage` does not include.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub more: Option<Amounts>,
    /// What became of its answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub landed: Option<Arc<Landed>>,
    /// Its range in its file, which was looked at after its answer had landed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_disk: Option<Arc<OnDisk>>,
    /// What the user made of its held answer; an empty draft removes the one before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft: Option<Arc<Draft>>,
}

impl KnownJob {
    /// Adds what is newer: each field that it has replaces the older one.
    pub fn update(&mut self, newer: Self) {
        let Self { id, uuid, accepted, interrupted, record, parent, job_usage, more, landed, on_disk, draft } =
            newer;
        self.id = id;
        self.uuid = uuid.or(self.uuid.take());
        self.accepted = accepted.or(self.accepted.take());
        self.interrupted |= interrupted;
        self.record = record.or(self.record.take());
        self.parent = parent.or(self.parent);
        self.job_usage = job_usage.or(self.job_usage);
        self.more = more.or(self.more);
        self.draft = draft.or(self.draft.take());
        let has_landed_anew = landed.as_ref().is_some_and(|landed| landed.rows.is_some());
        let before = self.on_disk.take().map(|before| {
            if has_landed_anew { Arc::new(OnDisk { range: None, path: before.path.clone() }) } else { before }
        });
        self.on_disk = match (on_disk, before) {
            (Some(newer), Some(older)) => Some(Arc::new(newer.over(&older))),
            (newer, older) => newer.or(older),
        };
        self.landed = match (landed, self.landed.take()) {
            (Some(newer), Some(older)) => Some(Arc::new(over(&newer, &older))),
            (newer, older) => newer.or(older),
        };
    }

    /// Whether its answer waits for a decision.
    pub fn is_open(&self) -> bool {
        let has_answer = self.record.as_ref().is_some_and(|record| record.text.is_some() && !record.question);
        has_answer && self.landed.as_ref().is_none_or(|landed| landed.landing == "held")
    }

    /// Whether a write of this has to reach the disk before anything else happens: it may wait for days.
    pub fn is_lasting(&self) -> bool {
        self.draft.is_some() || self.landed.as_ref().is_some_and(|landed| landed.landing == "held")
    }

    /// The same in parts, the most important first: the facts, the rows where the answer landed, those that are there
    /// now, the draft. When the time runs out the small fact that an answer has landed must not wait for its long rows.
    pub fn parts(&self) -> Vec<Self> {
        let part = || Self { id: self.id, uuid: self.uuid.clone(), ..Self::default() };
        let rows = self.landed.as_ref().filter(|landed| landed.rows.is_some());
        let facts = self.landed.as_ref().map(|landed| match &landed.rows {
            Some(_) => Arc::new(Landed {
                landing: landed.landing.clone(),
                held_for: landed.held_for.clone(),
                place: landed.place,
                rows: None,
                path: landed.path.clone(),
            }),
            None => Arc::clone(landed),
        });
        let mut parts = vec![Self { landed: facts, on_disk: None, draft: None, ..self.clone() }];
        parts.extend(rows.map(|rows| Self { landed: Some(Arc::clone(rows)), ..part() }));
        parts.extend(
            self.on_disk.as_ref().map(|on_disk| Self { on_disk: Some(Arc::clone(on_disk)), ..part() }),
        );
        parts.extend(self.draft.as_ref().map(|draft| Self { draft: Some(Arc::clone(draft)), ..part() }));
        parts
    }

    /// About how many bytes it takes.
    pub fn size(&self) -> usize {
        let lines =
            |lines: &[String]| lines.iter().map(|line| line.len() + size_of::<String>()).sum::<usize>();
        let record = self.record.as_ref().map_or(0, |record| {
            record.text.as_ref().map_or(0, String::len)
                + record.lines.as_deref().map_or(0, lines)
                + record.prompt.len()
                + lines(&record.selection.text)
                + lines(&record.selection.rows)
        });
        let rows = self.landed.as_ref().and_then(|landed| landed.rows.as_deref());
        let on_disk = self.on_disk.as_ref().and_then(|on_disk| on_disk.range.as_ref());
        size_of::<Self>()
            + record
            + rows.map_or(0, lines)
            + on_disk.map_or(0, |range| lines(&range.rows) + range.base.as_deref().map_or(0, lines))
    }
}

/// A later message about the same answer; its missing fields change nothing.
fn over(newer: &Landed, older: &Landed) -> Landed {
    Landed {
        landing: newer.landing.clone(),
        held_for: newer.held_for.clone(),
        place: newer.place.or(older.place),
        rows: newer.rows.clone().or_else(|| older.rows.clone()),
        path: newer.path.clone().or_else(|| older.path.clone()),
    }
}

/// A new key for a job, which no other job of any host has.
pub fn new_uuid() -> String {
    let mut bytes = [0_u8; 16];
    // SAFETY: the buffer has the length that is given; SQLite's generator may be called from any thread.
    unsafe { rusqlite::ffi::sqlite3_randomness(16, bytes.as_mut_ptr().cast()) };
    format!("{:032x}", u128::from_be_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::RowsOnDisk;
    use crate::store::sample::record;

    fn landed(landing: &str, rows: Option<&str>) -> Arc<Landed> {
        let rows = rows.map(|row| vec![row.to_owned()]);
        Arc::new(Landed { landing: landing.to_owned(), place: Some((3, 3)), rows, ..Landed::default() })
    }

    #[test]
    fn what_a_later_message_does_not_say_stays() {
        let mut known = KnownJob { id: 1, landed: Some(landed("applied", Some("x"))), ..KnownJob::default() };
        known.update(KnownJob { id: 1, landed: Some(landed("reverted", None)), ..KnownJob::default() });
        assert_eq!(known.landed, Some(landed("reverted", Some("x"))));
    }

    fn on_disk(row: &str, path: &str) -> OnDisk {
        let range = RowsOnDisk { place: Some((3, 3)), rows: vec![row.to_owned()], base: None };
        OnDisk { range: Some(range), path: Some(path.to_owned()) }
    }

    #[test]
    fn how_a_range_stands_counts_until_its_answer_lands_anew() {
        let known = |known: KnownJob| KnownJob { id: 1, ..known };
        let mut all = known(KnownJob { landed: Some(landed("held", None)), ..KnownJob::default() });
        let saved = known(KnownJob { on_disk: Some(Arc::new(on_disk("x", "/a"))), ..KnownJob::default() });
        all.update(saved);
        let renamed = OnDisk { range: None, path: Some("/b".to_owned()) };
        all.update(known(KnownJob { on_disk: Some(Arc::new(renamed.clone())), ..KnownJob::default() }));
        assert_eq!(all.on_disk.as_deref(), Some(&on_disk("x", "/b")));
        all.update(known(KnownJob { landed: Some(landed("rejected", None)), ..KnownJob::default() }));
        assert_eq!(all.on_disk.as_deref(), Some(&on_disk("x", "/b")), "it says nothing of the rows");
        all.update(known(KnownJob { landed: Some(landed("applied", Some("y"))), ..KnownJob::default() }));
        assert_eq!(all.on_disk.as_deref(), Some(&renamed));
    }

    #[test]
    fn the_fact_that_an_answer_landed_comes_before_its_rows_and_a_draft_last() {
        let draft = Arc::new(Draft { lines: Some(vec!["mine".to_owned()]), ..Draft::default() });
        let on_disk = Arc::new(on_disk("y", "/a"));
        let known = KnownJob {
            id: 1,
            uuid: Some(new_uuid()),
            record: Some(Arc::new(record(1, Some("x")))),
            landed: Some(landed("merged", Some("x"))),
            on_disk: Some(on_disk),
            draft: Some(draft),
            ..KnownJob::default()
        };
        let parts = known.parts();
        let has = |part: &KnownJob| {
            let landed = part.landed.as_ref();
            let rows = landed.is_some_and(|landed| landed.rows.is_some());
            let texts = (rows, part.on_disk.is_some(), part.draft.is_some());
            (part.record.is_some(), landed.is_some(), texts)
        };
        let found: Vec<_> = parts.iter().map(has).collect();
        assert_eq!(
            found,
            [
                (true, true, (false, false, false)),
                (false, true, (true, false, false)),
                (false, false, (false, true, false)),
                (false, false, (false, false, true)),
            ]
        );
        let mut whole = KnownJob::default();
        for part in parts {
            whole.update(part);
        }
        assert_eq!(whole, known);
    }

    #[test]
    fn only_an_answer_that_may_still_be_decided_is_open() {
        let known = |text, landing: Option<&str>| KnownJob {
            record: Some(Arc::new(record(1, text))),
            landed: landing.map(|landing| landed(landing, None)),
            ..KnownJob::default()
        };
        assert!(known(Some("x"), None).is_open() && known(Some("x"), Some("held")).is_open());
        assert!(!known(Some("x"), Some("applied")).is_open() && !known(None, None).is_open());
    }
}
