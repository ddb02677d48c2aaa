//! What the questions answer over a handful of jobs.

mod accepted;
mod checkpoints;
mod held;
mod logins;
mod spending;
mod sums;
mod unsent;

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::entry::{JobEntry, JobKey, LocalTime, QueryContext};
use super::history::Page;
use super::{history, info, keep};
use crate::request::Resume;
use crate::store::Amounts;
use crate::store::record::{Landed, Record};
use crate::store::sample::{self, record};
use crate::store::schema;

const DAY: i64 = 24 * 60 * 60 * 1000;

fn store() -> Connection {
    let mut connection = Connection::open_in_memory().unwrap();
    schema::prepare(&mut connection).unwrap();
    connection
}

fn asker() -> QueryContext<'static> {
    QueryContext { owner: "me:1", transcripts: Path::new("/nowhere") }
}

fn keep_all(connection: &mut Connection, records: impl IntoIterator<Item = Record>) {
    for record in records {
        sample::insert(connection, "me:1", &record, None).unwrap();
    }
}

fn land(connection: &mut Connection, id: u64, landing: &str, rows: &[&str]) {
    let landed = Landed {
        landing: landing.to_owned(),
        place: Some((7, 6 + rows.len() as u64)),
        rows: Some(rows.iter().map(|&row| row.to_owned()).collect()),
        ..Landed::default()
    };
    keep::land(connection, "me:1", id, &landed).unwrap();
}

/// The sums that are kept are those over all jobs.
fn assert_totals(connection: &Connection) {
    let read = |sql: &str| {
        let mut statement = connection.prepare(sql).unwrap();
        let row = |row: &rusqlite::Row<'_>| {
            let key = (0..3).map(|column| row.get::<_, String>(column)).collect::<Result<Vec<_>, _>>()?;
            let sums = (3..14).map(|column| row.get::<_, f64>(column)).collect::<Result<Vec<_>, _>>()?;
            Ok((key, sums.iter().map(|sum| (sum * 1e6).round()).collect::<Vec<_>>()))
        };
        statement.query_map([], row).unwrap().collect::<Result<Vec<_>, _>>().unwrap()
    };
    let columns =
        "total(input_tokens), total(output_tokens), total(cache_read_tokens), total(cache_creation_tokens),
        total(num_turns), total(duration_ms)";
    let kept = read(&format!(
        "SELECT project, agent, model, total(jobs), total(landed), total(held), total(failed), total(cost_usd), {columns}
         FROM totals GROUP BY 1, 2, 3"
    ));
    let counted = read(&format!(
        "SELECT project, agent, coalesce(model, ''), total(1), total(landing IN ('applied', 'merged', 'unchanged')),
            total(landing = 'held'), total(error_code IS NOT NULL), total(cost_usd), {columns}
         FROM jobs GROUP BY 1, 2, 3"
    ));
    assert_eq!(kept, counted);
}

fn ids(entries: &[JobEntry]) -> Vec<u64> {
    entries.iter().map(|entry| entry.id.unwrap()).collect()
}

fn page(limit: u64) -> Page {
    Page { limit, ..Page::default() }
}

#[test]
fn a_page_says_when_jobs_ended_where_the_user_is() {
    assert_eq!(
        LocalTime::parse("2023-11-04-09-05"),
        LocalTime { year: 2023, month: 11, day: 4, hour: 9, minute: 5 }
    );
    let mut connection = store();
    let now_ms: i64 = connection.query_row("SELECT unixepoch('now') * 1000", [], |row| row.get(0)).unwrap();
    keep_all(
        &mut connection,
        [Record { ended_ms: now_ms, ..record(1, None) }, Record { ended_ms: 0, ..record(2, None) }],
    );
    let listed = history::history(&connection, asker(), &page(9)).unwrap();
    let alone = asker().job(&connection, &JobKey::Id(2)).unwrap().unwrap().entry;
    assert_eq!(alone.ended, listed.jobs[1].ended, "also of one job");
    let minutes = |time: LocalTime| (time.day * 24 + time.hour) * 60 + time.minute;
    // A day or a month may begin between the two.
    assert!(minutes(listed.now).wrapping_sub(minutes(listed.jobs[0].ended)) <= 1 || listed.now.hour == 0);
    assert!([(1969, 12), (1970, 1)].contains(&(listed.jobs[1].ended.year, listed.jobs[1].ended.month)));
}

#[test]
fn the_history_is_read_page_by_page_newest_first() {
    let mut connection = store();
    // Those that ended in the same millisecond are in an order of their own, and none is lost between pages.
    keep_all(
        &mut connection,
        (1..=7).map(|id| Record { ended_ms: 2000 + i64::try_from(id / 4).unwrap(), ..record(id, None) }),
    );
    let mut seen = Vec::new();
    let mut next = page(3);
    loop {
        let listed = history::history(&connection, asker(), &next).unwrap();
        let last = listed.jobs.last().unwrap();
        next.before = Some((last.ended_ms, last.uuid.clone()));
        seen.extend(listed.jobs.iter().map(|job| (job.ended_ms, job.id.unwrap())));
        if !listed.more {
            break;
        }
    }
    assert!(seen.is_sorted_by_key(|(ended_ms, _)| -ended_ms), "{seen:?}");
    let mut found: Vec<u64> = seen.iter().map(|(_, id)| *id).collect();
    found.sort_unstable();
    assert_eq!(found, [1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn the_history_is_filtered_by_file_project_and_words() {
    let mut connection = store();
    let named = |id, path: &str, prompt: &str| Record {
        path: path.to_owned(),
        prompt: prompt.to_owned(),
        ..record(id, None)
    };
    keep_all(
        &mut connection,
        [
            named(1, "/project/a.lua", "Add a Test"),
            named(2, "/project/b.lua", "100% sure, a_b"),
            Record { project: "/other".to_owned(), ..named(3, "/other/a.lua", "test the other") },
        ],
    );
    let find =
        |page: Page| ids(&history::history(&connection, asker(), &Page { limit: 9, ..page }).unwrap().jobs);
    let text = |text: &str| Page { text: Some(text.to_owned()), ..Page::default() };
    assert_eq!(find(Page { path: Some("/project/a.lua".to_owned()), ..Page::default() }), [1]);
    assert_eq!(find(Page { project: Some("/project".to_owned()), ..Page::default() }), [2, 1]);
    assert_eq!(find(text("TEST")), [3, 1]);
    assert_eq!(find(text("test add")), [1], "all words, in any order");
    assert_eq!(find(text("b.lua")), [2], "in the path too");
    assert_eq!(find(text("0% a_")), [2], "as they are, not as patterns");
    assert_eq!(find(text("a%e")), [0; 0]);
    assert_eq!(find(Page { project: Some("/other".to_owned()), ..text("test") }), [3]);
}

#[test]
fn an_entry_has_what_a_list_shows_and_no_number_of_another_neovim() {
    let connection = store();
    let failed = Record {
        error: Some(("timeout".to_owned(), "It took too long.".to_owned())),
        transcript: Some("gone.jsonl".to_owned()),
        ..record(1, None)
    };
    sample::insert(&connection, "you:2", &failed, None).unwrap();
    let entry = history::history(&connection, asker(), &page(1)).unwrap().jobs.remove(0);
    let json = serde_json::to_value(&entry).unwrap();
    assert_eq!((json["id"].as_u64(), json["status"].as_str()), (None, Some("failed")));
    assert_eq!(json["error"]["code"], "timeout");
    assert_eq!((json["cost_usd"].as_f64(), json["cache_read_tokens"].as_u64()), (Some(0.25), Some(100)));
    assert_eq!((json["has_answer"].as_bool(), json["transcript"].as_str()), (Some(false), None));
}

#[test]
fn a_transcript_is_named_as_long_as_it_is_there() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("1.jsonl"), "").unwrap();
    let mut connection = store();
    keep_all(&mut connection, [Record { transcript: Some("1.jsonl".to_owned()), ..record(1, None) }]);
    let asker = QueryContext { transcripts: dir.path(), ..asker() };
    let entry = history::history(&connection, asker, &page(1)).unwrap().jobs.remove(0);
    assert_eq!(entry.transcript.map(PathBuf::from), Some(dir.path().join("1.jsonl")));
}

#[test]
fn one_job_is_given_whole_by_either_key() {
    let mut connection = store();
    keep_all(&mut connection, [record(4, Some("answer"))]);
    let full = asker().job(&connection, &JobKey::Id(4)).unwrap().unwrap();
    assert_eq!(full.text.as_deref(), Some("answer"));
    assert_eq!(full.selection, record(4, None).selection);
    assert_eq!(asker().job(&connection, &JobKey::Uuid(full.entry.uuid.clone())).unwrap(), Some(full));
    assert_eq!(asker().job(&connection, &JobKey::Id(5)).unwrap(), None);
}

/// A job of `session` with messages of these ids, started at `at`.
fn spoke(
    id: u64,
    session: &str,
    at: i64,
    messages: &[&str],
    resumed: Option<(&str, Option<&str>)>,
) -> Record {
    Record {
        session_id: Some(session.to_owned()),
        resumed: resumed
            .map(|(session, at)| Resume { session_id: session.to_owned(), at: at.map(str::to_owned) }),
        prompt: format!("prompt {id}"),
        started_ms: at,
        checkpoints: messages.iter().map(|&message| message.to_owned()).collect(),
        ..record(id, None)
    }
}
