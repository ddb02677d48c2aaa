//! What the questions answer over a handful of jobs.

use std::path::{Path, PathBuf};

use super::entry::{Asker, Entry, Which};
use super::history::Page;
use super::info::{self, Wanted};
use super::{checkpoints, held, history, keep, prompts};
use crate::store::record::{Amounts, Landed, Record, Resumed};
use crate::store::sample::record;
use crate::store::schema;
use rusqlite::Connection;

const DAY: i64 = 24 * 60 * 60 * 1000;

fn store() -> Connection {
    let mut connection = Connection::open_in_memory().unwrap();
    schema::migrate(&mut connection).unwrap();
    connection
}

fn asker() -> Asker<'static> {
    Asker { owner: "me:1", transcripts: Path::new("/nowhere") }
}

fn keep_all(connection: &mut Connection, records: impl IntoIterator<Item = Record>) {
    for record in records {
        keep::insert(connection, "me:1", &record).unwrap();
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

fn ids(entries: &[Entry]) -> Vec<u64> {
    entries.iter().map(|entry| entry.id.unwrap()).collect()
}

fn page(limit: u64) -> Page {
    Page { limit, ..Page::default() }
}

#[test]
fn the_history_is_read_page_by_page_newest_first() {
    let mut connection = store();
    // Those that ended in the same millisecond stand in an order of their own, and none is lost between pages.
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
    let mut connection = store();
    let failed = Record {
        error: Some(("timeout".to_owned(), "It took too long.".to_owned())),
        transcript: Some("gone.jsonl".to_owned()),
        ..record(1, None)
    };
    keep::insert(&mut connection, "you:2", &failed).unwrap();
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
    let asker = Asker { transcripts: dir.path(), ..asker() };
    let entry = history::history(&connection, asker, &page(1)).unwrap().jobs.remove(0);
    assert_eq!(entry.transcript.map(PathBuf::from), Some(dir.path().join("1.jsonl")));
}

#[test]
fn those_that_wrote_in_a_file_are_given_with_what_they_wrote() {
    let mut connection = store();
    let with = |id, session: Option<&str>| Record {
        session_id: session.map(str::to_owned),
        ..record(id, Some("x"))
    };
    keep_all(&mut connection, [with(1, Some("s")), with(2, None), with(3, Some("t")), with(4, Some("u"))]);
    land(&mut connection, 1, "applied", &["a", "b"]);
    land(&mut connection, 2, "applied", &["c"]);
    land(&mut connection, 3, "rejected", &[]);
    land(&mut connection, 4, "merged", &["d"]);
    let writers = history::writers(&connection, asker(), "/project/a.lua", 9).unwrap();
    assert_eq!(ids(&writers), [4, 1]);
    assert_eq!(writers[1].landed_rows.as_deref(), Some(&["a".to_owned(), "b".to_owned()][..]));
    assert_eq!((writers[1].landed_first, writers[1].landed_last), (Some(7), Some(8)));
    assert_eq!(history::writers(&connection, asker(), "/project/b.lua", 9).unwrap(), []);
}

#[test]
fn one_job_is_given_whole_by_either_key() {
    let mut connection = store();
    keep_all(&mut connection, [record(4, Some("answer"))]);
    let full = asker().job(&connection, &Which::Id(4)).unwrap().unwrap();
    assert_eq!(full.text.as_deref(), Some("answer"));
    assert_eq!(full.selection, record(4, None).selection);
    assert_eq!(asker().job(&connection, &Which::Uuid(full.entry.uuid.clone())).unwrap(), Some(full));
    assert_eq!(asker().job(&connection, &Which::Id(5)).unwrap(), None);
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
            .map(|(session, at)| Resumed { session_id: session.to_owned(), at: at.map(str::to_owned) }),
        prompt: format!("prompt {id}"),
        started_ms: at,
        checkpoints: messages.iter().map(|&message| message.to_owned()).collect(),
        ..record(id, None)
    }
}

fn messages(connection: &Connection, session: &str) -> Vec<String> {
    checkpoints::of(connection, "claude", session)
        .unwrap()
        .into_iter()
        .map(|checkpoint| checkpoint.uuid)
        .collect()
}

#[test]
fn a_session_has_the_checkpoints_that_it_shares_with_those_it_was_forked_from() {
    let mut connection = store();
    keep_all(
        &mut connection,
        [
            spoke(1, "s", 10, &["a"], None),
            spoke(2, "s", 20, &["b"], None),
            spoke(3, "t", 30, &["c"], Some(("s", None))),
            spoke(4, "s", 40, &["late"], None),
            spoke(5, "u", 50, &["d"], Some(("t", Some("c")))),
            spoke(6, "v", 60, &["e"], Some(("t", Some("a")))),
        ],
    );
    assert_eq!(messages(&connection, "s"), ["a", "b", "late"]);
    assert_eq!(messages(&connection, "t"), ["a", "b", "c"]);
    assert_eq!(messages(&connection, "u"), ["a", "b", "c", "d"]);
    assert_eq!(messages(&connection, "v"), ["a", "e"], "gone back to before its parent");
    assert_eq!(messages(&connection, "unknown"), [""; 0]);
    let first = &checkpoints::of(&connection, "claude", "u").unwrap()[0];
    assert_eq!((first.prompt.as_str(), first.session_id.as_str(), first.at_ms), ("prompt 1", "s", 10));
    assert_eq!((first.kind.as_str(), first.rows.as_slice()), ("line", &["local a = 1".to_owned()][..]));
}

#[test]
fn sessions_that_name_each_other_as_parents_do_no_harm() {
    let mut connection = store();
    keep_all(
        &mut connection,
        [spoke(1, "s", 10, &["a"], Some(("t", None))), spoke(2, "t", 20, &["b"], Some(("s", None)))],
    );
    assert_eq!(messages(&connection, "t"), ["a", "b"]);
}

#[test]
fn the_newest_hundred_checkpoints_of_a_session_are_kept_and_each_once() {
    let mut connection = store();
    for id in 1..=130 {
        keep_all(&mut connection, [spoke(id, "s", 10, &[&format!("m{id}")], None)]);
    }
    keep_all(
        &mut connection,
        [spoke(131, "s", 11, &["m129", "m130", "m131"], None), spoke(132, "t", 1, &["m1"], None)],
    );
    let kept = messages(&connection, "s");
    assert_eq!((kept.len(), kept[0].as_str(), kept[99].as_str()), (100, "m32", "m131"));
    assert_eq!(messages(&connection, "t"), ["m1"]);
}

#[test]
fn the_sums_are_of_a_session_with_its_family_a_project_days_models_and_agents() {
    let mut connection = store();
    let cost = |cost_usd| Amounts { cost_usd, ..record(1, None).amounts };
    let today = 100 * DAY;
    keep_all(
        &mut connection,
        [
            Record { ended_ms: today + 1, ..spoke(1, "s", 1, &[], None) },
            Record {
                ended_ms: today - 1,
                amounts: cost(Some(0.5)),
                ..spoke(2, "t", 2, &[], Some(("s", None)))
            },
            Record {
                ended_ms: today - 29 * DAY,
                amounts: cost(None),
                ..spoke(3, "u", 3, &[], Some(("t", Some("x"))))
            },
            Record {
                ended_ms: today - 29 * DAY - 1,
                project: "/other".to_owned(),
                model: Some("haiku".to_owned()),
                agent: "droid".to_owned(),
                error: Some(("timeout".to_owned(), String::new())),
                ..spoke(4, "s", 4, &[], None)
            },
        ],
    );
    land(&mut connection, 1, "merged", &[]);
    land(&mut connection, 2, "held", &[]);
    let wanted = Wanted {
        project: "/project".to_owned(),
        session: Some(("claude".to_owned(), "t".to_owned())),
        today_ms: today,
    };
    let info = info::info(&connection, &wanted).unwrap();
    let jobs =
        [info.session.unwrap().jobs, info.project.jobs, info.today.jobs, info.month.jobs, info.all.jobs];
    assert_eq!(jobs, [3, 3, 1, 3, 4]);
    assert_eq!((info.all.landed, info.all.held, info.all.failed), (1, 1, 1));
    assert_eq!((info.all.amounts.cost_usd, info.all.amounts.input_tokens), (Some(1.0), 40));
    assert_eq!((info.all.amounts.num_turns, info.all.amounts.duration_ms), (Some(4), Some(2800)));
    let named = |shares: &[info::Share]| {
        shares.iter().map(|s| (s.name.clone(), s.jobs, s.cost_usd)).collect::<Vec<_>>()
    };
    assert_eq!(
        named(&info.models),
        [("opus".to_owned(), 3, Some(0.75)), ("haiku".to_owned(), 1, Some(0.25))]
    );
    assert_eq!(
        named(&info.agents),
        [("claude".to_owned(), 3, Some(0.75)), ("droid".to_owned(), 1, Some(0.25))]
    );
    let nothing = Wanted { project: "/none".to_owned(), session: None, today_ms: today + DAY };
    let info = info::info(&connection, &nothing).unwrap();
    assert_eq!((info.session, info.project, info.today.jobs), (None, info::Sums::default(), 0));
}

#[test]
fn prompts_come_by_use_and_recency() {
    let mut connection = store();
    let asked = |id, prompt: &str, week: i64| Record {
        prompt: prompt.to_owned(),
        ended_ms: week * 7 * DAY,
        ..record(id, None)
    };
    keep_all(
        &mut connection,
        [
            asked(1, "old", 0),
            asked(2, "old", 0),
            asked(3, "often", 9),
            asked(4, "often", 9),
            asked(5, "often", 9),
            asked(6, "now", 10),
        ],
    );
    let used = prompts::prompts(&connection, 2).unwrap();
    let found: Vec<_> = used.iter().map(|used| (used.prompt.as_str(), used.uses)).collect();
    assert_eq!(found, [("often", 3), ("now", 1)]);
}

#[test]
fn an_answer_held_again_costs_nothing_and_counts_as_no_job() {
    let mut connection = store();
    keep_all(&mut connection, [record(1, Some("answer")), record(2, None)]);
    land(&mut connection, 1, "rejected", &[]);
    let first = asker().job(&connection, &Which::Id(1)).unwrap().unwrap();
    assert!(held::again(&mut connection, "me:1", &first.entry.uuid, 9).unwrap());
    let again = asker().job(&connection, &Which::Id(9)).unwrap().unwrap();
    assert_eq!((again.text, again.lines, again.selection), (first.text, first.lines, first.selection));
    assert_eq!(again.entry.landing.as_deref(), Some("held"));
    assert_eq!((again.entry.amounts.cost_usd, again.entry.amounts.input_tokens), (None, 0));
    assert!(!held::again(&mut connection, "me:1", "no such uuid", 10).unwrap());
    let failed = asker().job(&connection, &Which::Id(2)).unwrap().unwrap();
    assert!(!held::again(&mut connection, "me:1", &failed.entry.uuid, 10).unwrap(), "it has no answer");
    let wanted = Wanted { project: "/project".to_owned(), session: None, today_ms: 0 };
    let sums = info::info(&connection, &wanted).unwrap();
    assert_eq!((sums.all.jobs, sums.all.held, sums.all.amounts.input_tokens), (2, 0, 20));
    assert_eq!(prompts::prompts(&connection, 9).unwrap()[0].uses, 2);
}
