//! The history: finished jobs, newest first; and one job whole.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use rusqlite::types::Value;
use rusqlite::{Row, params, params_from_iter};
use serde::{Deserialize, Serialize};

use super::{Asker, StoreError};
use crate::journal::{Record, now_ms};

/// A finished job, or one that was interrupted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JobEntry {
    /// Its key in the store.
    #[serde(skip)]
    pub uuid: String,
    /// Its number, where it is one of the asking Neovim.
    #[serde(skip)]
    pub id: Option<u64>,
    /// As it is kept; in a list without its long texts. `transcript` is the path, as long as the file is there.
    #[serde(flatten)]
    pub record: Record,
    /// When it ended, where the user is: `2025-03-09 09:05`.
    #[serde(skip)]
    pub ended: DateTime,
    /// What became of its answer.
    pub landing: Option<String>,
    /// The first and the last line of its range when it had landed, or when its file was written last.
    pub place: Option<(u64, u64)>,
    /// The rows of the range then; not in a list.
    pub landed_rows: Option<Vec<String>>,
    /// Whether there is an answer.
    #[serde(default)]
    pub has_answer: bool,
    /// When the limit ended that it waited for, Unix time in seconds.
    pub resumes_at: Option<i64>,
}

/// A page of the history: what it is filtered by, how long it is, and where it begins.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// Words in the prompt or the path, capital letters or not; all of them.
    pub text: Option<String>,
    /// The file.
    pub path: Option<String>,
    /// The project's directory.
    pub project: Option<String>,
    /// Only jobs of the asking Neovim.
    pub is_own: bool,
    /// The most entries.
    pub limit: u64,
    /// The last entry of the page before: when it ended, and its key.
    pub before: Option<(i64, String)>,
}

impl Page {
    /// How many rows a list reads at once.
    pub const ROWS: u64 = 100;
}

/// What a page shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// The jobs, newest first.
    pub jobs: Vec<JobEntry>,
    /// Whether there are older ones.
    pub more: bool,
    /// When that was, where the user is.
    pub now: DateTime,
}

/// Which job is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobKey {
    /// The one with this key.
    Uuid(String),
    /// The one with this number in the asking Neovim.
    Id(u64),
}

impl JobEntry {
    /// Its first line when its file was written last, else when it was asked for.
    pub fn line(&self) -> u64 {
        self.place.map_or(self.record.job.selection.first_line, |(first, _)| first).max(1)
    }
}

/// A time where the user is.
fn local(ms: i64) -> DateTime {
    Timestamp::from_millisecond(ms).unwrap_or_default().to_zoned(TimeZone::system()).datetime()
}

impl Asker<'_> {
    /// Reads a row of `jobs`.
    fn entry(&self, row: &Row<'_>) -> Result<JobEntry, StoreError> {
        let mut entry: JobEntry = serde_json::from_str(&row.get::<_, String>("entry")?)?;
        entry.uuid = row.get("uuid")?;
        let is_own = row.get::<_, String>("session")? == self.session;
        entry.id = u64::try_from(row.get::<_, i64>("id")?).ok().filter(|_| is_own);
        entry.ended = local(entry.record.ended_ms);
        if let (true, Some(at), Some((_, words))) =
            (entry.record.is_interrupted(), entry.resumes_at, &mut entry.record.error)
        {
            let until = local(at.saturating_mul(1000)).strftime("%Y-%m-%d %H:%M");
            *words = format!("the host ended while the job waited for a limit, until {until}: ask again");
        }
        let path = entry.record.transcript.map(|name| self.transcripts.join(name));
        entry.record.transcript =
            path.filter(|path| path.exists()).map(|path| path.to_string_lossy().into_owned());
        Ok(entry)
    }

    /// Lists finished jobs.
    pub fn history(&self, page: &Page) -> Result<Listed, StoreError> {
        let (ended_ms, uuid) = page.before.clone().unwrap_or((i64::MAX, String::new()));
        let mut values: Vec<Value> = vec![ended_ms.into(), uuid.into()];
        // The inner query reads an index alone, where it can.
        let mut sql = "SELECT jobs.* FROM (SELECT rowid AS at FROM jobs
             WHERE ended_ms IS NOT NULL AND (ended_ms, uuid) < (?, ?)"
            .to_owned();
        let mut filter = |condition: &str, value: &str| {
            sql += condition;
            values.push(value.to_owned().into());
        };
        if let Some(path) = &page.path {
            filter(" AND path = ?", path);
        } else if let Some(project) = &page.project {
            filter(" AND project = ?", project);
        } else if page.is_own {
            filter(" AND session = ?", self.session);
        }
        for word in page.text.iter().flat_map(|text| text.split_whitespace()) {
            filter(" AND instr(words, ?)", &word.to_ascii_lowercase());
        }
        sql += " ORDER BY ended_ms DESC, uuid DESC LIMIT ?) JOIN jobs ON jobs.rowid = at
             ORDER BY ended_ms DESC, uuid DESC";
        // One more than is shown tells whether there are more.
        values.push(page.limit.saturating_add(1).cast_signed().into());
        let mut statement = self.connection.prepare(&sql)?;
        let rows = statement.query_and_then(params_from_iter(values), |row| self.entry(row))?;
        let mut jobs = rows.collect::<Result<Vec<_>, _>>()?;
        let limit = usize::try_from(page.limit).unwrap_or(usize::MAX);
        let more = jobs.len() > limit;
        jobs.truncate(limit);
        Ok(Listed { jobs, more, now: local(now_ms()) })
    }

    /// How many answers have landed, at most so many.
    pub fn answers(&self, most: u32) -> Result<u32, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT count(*) FROM (SELECT 1 FROM jobs WHERE landing IN ('applied', 'merged', 'unchanged') LIMIT ?1)",
        )?;
        Ok(statement.query_row([most], |row| row.get(0))?)
    }

    /// All of a job.
    pub fn job(&self, which: &JobKey) -> Result<JobEntry, StoreError> {
        let (uuid, id) = match which {
            JobKey::Uuid(uuid) => (Some(uuid), None),
            JobKey::Id(id) => (None, Some(id.cast_signed())),
        };
        let whole = |row: &Row<'_>| {
            let landed_rows: Option<String> = row.get("landed_rows")?;
            let landed_rows = landed_rows.as_deref().map(serde_json::from_str).transpose()?;
            Ok(JobEntry { landed_rows, ..self.entry(row)? })
        };
        self.connection
            .prepare_cached(
                "SELECT uuid, session, id, json_patch(record, entry) entry, landed_rows FROM jobs JOIN texts USING (uuid)
                 WHERE ended_ms IS NOT NULL AND (uuid = ?1 OR session = ?2 AND id = ?3)",
            )?
            .query_and_then(params![uuid, self.session, id], whole)?
            .next()
            .unwrap_or(Err(StoreError::NoSuchJob))
    }
}
