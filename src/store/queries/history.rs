//! The history: finished jobs, newest first.

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use serde::Serialize;

use super::entry::{ENDED, JobEntry, LocalTime, QueryContext};
use crate::store::{StoreError, signed};

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

/// What a page shows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Listed {
    /// The jobs, newest first.
    pub jobs: Vec<JobEntry>,
    /// Whether there are older ones.
    pub more: bool,
    /// When that was, where the user is; the editor has a clock of its own.
    #[serde(skip)]
    pub now: LocalTime,
}

/// A page of the history.
pub fn history(connection: &Connection, asker: QueryContext<'_>, page: &Page) -> Result<Listed, StoreError> {
    let (ended_ms, uuid) = page.before.clone().unwrap_or((i64::MAX, String::new()));
    let mut values: Vec<Value> = vec![ended_ms.into(), uuid.into()];
    // The inner query reads an index alone, where it can.
    let mut sql = format!(
        "SELECT jobs.*, {ENDED} FROM (SELECT rowid AS at FROM jobs
         WHERE ended_ms IS NOT NULL AND (ended_ms, uuid) < (?, ?)"
    );
    let mut filter = |condition: &str, value: &str| {
        sql += condition;
        values.push(value.to_owned().into());
    };
    if let Some(path) = &page.path {
        filter(" AND path = ?", path);
    } else if let Some(project) = &page.project {
        filter(" AND project = ?", project);
    } else if page.is_own {
        filter(" AND session = ?", asker.session);
    }
    for word in page.text.iter().flat_map(|text| text.split_whitespace()) {
        filter(" AND instr(words, ?)", &word.to_ascii_lowercase());
    }
    sql += " ORDER BY ended_ms DESC, uuid DESC LIMIT ?) JOIN jobs ON jobs.rowid = at
         ORDER BY ended_ms DESC, uuid DESC";
    // One more than is shown tells whether there are more.
    values.push(signed(page.limit.saturating_add(1)).into());
    let mut statement = connection.prepare(&sql)?;
    let rows = statement.query_and_then(params_from_iter(values), |row| asker.entry(row))?;
    let mut jobs = rows.collect::<Result<Vec<_>, _>>()?;
    let limit = usize::try_from(page.limit).unwrap_or(usize::MAX);
    let more = jobs.len() > limit;
    jobs.truncate(limit);
    let now: String =
        connection
            .query_row("SELECT strftime(?1, 'now', 'localtime')", [LocalTime::FORMAT], |row| row.get(0))?;
    Ok(Listed { jobs, more, now: LocalTime::parse(&now) })
}
