//! The history: finished jobs, newest first.

use rusqlite::{Connection, named_params};
use serde::Serialize;

use super::entry::{JobEntry, LocalTime, QueryContext};
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
    // The inner query reads an index alone, where it can.
    let mut sql = format!(
        "SELECT jobs.*, strftime('{FORMAT}', ended_ms / 1000, 'unixepoch', 'localtime') AS ended
         FROM (SELECT rowid AS at FROM jobs WHERE ended_ms IS NOT NULL AND (ended_ms, uuid) < (:ended_ms, :uuid)",
        FORMAT = LocalTime::FORMAT
    );
    if page.path.is_some() {
        sql += " AND path = :path";
    } else if page.project.is_some() {
        sql += " AND project = :project";
    } else if page.is_own {
        sql += " AND session = :session";
    }
    let words: Vec<String> = page.text.iter().flat_map(|text| text.split_whitespace().map(pattern)).collect();
    sql.extend(
        (0..words.len())
            .map(|n| format!(r" AND (prompt LIKE :word{n} ESCAPE '\' OR path LIKE :word{n} ESCAPE '\')")),
    );
    sql += " ORDER BY ended_ms DESC, uuid DESC LIMIT :limit) JOIN jobs ON jobs.rowid = at
         ORDER BY ended_ms DESC, uuid DESC";
    let mut statement = connection.prepare(&sql)?;
    let (ended_ms, uuid) =
        page.before.as_ref().map_or((i64::MAX, ""), |(ended_ms, uuid)| (*ended_ms, uuid.as_str()));
    // One more than is shown tells whether there are more.
    let all = named_params! {
        ":ended_ms": ended_ms, ":uuid": uuid, ":limit": signed(page.limit.saturating_add(1)),
        ":path": page.path, ":project": page.project, ":session": asker.session,
    };
    for (name, value) in all {
        if let Some(index) = statement.parameter_index(name)? {
            statement.raw_bind_parameter(index, value)?;
        }
    }
    for (n, word) in words.iter().enumerate() {
        if let Some(index) = statement.parameter_index(&format!(":word{n}"))? {
            statement.raw_bind_parameter(index, word)?;
        }
    }
    let mut jobs = Vec::new();
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        let ended = LocalTime::parse(&row.get::<_, String>("ended")?);
        jobs.push(JobEntry { ended, ..asker.entry(row)? });
    }
    let limit = usize::try_from(page.limit).unwrap_or(usize::MAX);
    let more = jobs.len() > limit;
    jobs.truncate(limit);
    let now: String =
        connection
            .query_row("SELECT strftime(?1, 'now', 'localtime')", [LocalTime::FORMAT], |row| row.get(0))?;
    Ok(Listed { jobs, more, now: LocalTime::parse(&now) })
}

/// A pattern for `LIKE` that finds a word anywhere.
fn pattern(word: &str) -> String {
    let escaped = word.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_");
    format!("%{escaped}%")
}
