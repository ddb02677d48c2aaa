//! Databases of every earlier version, with jobs in them.

use rusqlite::types::Value;
use rusqlite::{Connection, Row};

use super::*;

/// A database as the first version left it: sessions with several jobs, failures, answers in every state.
const FIRST: &str = include_str!("first.sql");

/// One as the second version left it: a held answer, one that landed, a session with a fork and a checkpoint.
const SECOND: &str = include_str!("second.sql");

/// One as the third version left it: a held answer of which the user made something.
const THIRD: &str = include_str!("third.sql");

/// One as the fourth version left it: the same with what was typed and not sent.
const FOURTH: &str = concat!(
    include_str!("third.sql"),
    "INSERT INTO unsent VALUES ('41:7', 1700000000000001, 5000, 'half a thought'), ('42:8', 2, 6000, 'é');"
);

fn old(version: usize, data: &str) -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    for migration in &MIGRATIONS[..version] {
        connection.execute_batch(migration).unwrap();
    }
    connection.pragma_update(None, "user_version", u32::try_from(version).unwrap()).unwrap();
    connection.execute_batch(data).unwrap();
    connection
}

fn rows(connection: &Connection, sql: &str) -> Vec<Vec<Value>> {
    let mut statement = connection.prepare(sql).unwrap();
    let width = statement.column_count();
    let read = |row: &Row<'_>| (0..width).map(|column| row.get(column)).collect();
    statement.query_map([], read).unwrap().collect::<Result<_, _>>().unwrap()
}

/// The columns that a table had when it was read first; later versions add theirs at the end.
fn narrowed(rows: Vec<Vec<Value>>, before: &[Vec<Value>]) -> Vec<Vec<Value>> {
    let width = before.first().map_or(0, Vec::len);
    rows.into_iter().map(|row| row.into_iter().take(width).collect()).collect()
}

fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}

#[test]
fn nothing_of_the_first_version_is_lost() {
    let mut connection = old(1, FIRST);
    let before = rows(&connection, "SELECT * FROM jobs ORDER BY uuid");
    assert_eq!(before.len(), 6);
    migrate(&mut connection).unwrap();
    let after = rows(
        &connection,
        "SELECT uuid, owner, id, agent, model, session_id, project, path, filetype, prompt, selection, started_ms, ended_ms,
            error_code, error_message, text, lines, landing, held_for, cost_usd, input_tokens, output_tokens, num_turns
         FROM jobs JOIN texts ON job = key ORDER BY uuid",
    );
    assert_eq!(after, before);
    assert_eq!(
        rows(
            &connection,
            "SELECT kind, first_line, last_line, has_answer, question, duration_ms FROM jobs ORDER BY id"
        ),
        [
            ("char", 4, 6, 1, 900),
            ("line", 1, 1, 1, 500),
            ("line", 2, 3, 0, 300),
            ("insert", 0, 0, 1, 100),
            ("line", 9, 9, 1, 0),
            ("line", 9, 9, 1, 70)
        ]
        .map(|(kind, first, last, has_answer, ms)| {
            vec![
                text(kind),
                Value::Integer(first),
                Value::Integer(last),
                Value::Integer(has_answer),
                Value::Integer(0),
                Value::Integer(ms),
            ]
        })
    );
}

#[test]
fn sessions_of_the_first_version_are_those_of_its_jobs() {
    let mut connection = old(1, FIRST);
    migrate(&mut connection).unwrap();
    assert_eq!(
        rows(
            &connection,
            "SELECT agent, session_id, family, parent, model, project, first_ms, last_ms FROM sessions ORDER BY 1"
        ),
        [
            vec![
                text("claude"),
                text("s1"),
                text("s1"),
                Value::Null,
                text("opus"),
                text("/p"),
                Value::Integer(1000),
                Value::Integer(3500)
            ],
            vec![
                text("droid"),
                text("s1"),
                text("s1"),
                Value::Null,
                Value::Null,
                text("/p"),
                Value::Integer(4000),
                Value::Integer(4300)
            ],
        ]
    );
    assert_eq!(
        rows(
            &connection,
            "SELECT agent, cost_usd, input_tokens, output_tokens, num_turns, duration_ms FROM session_metadata ORDER BY 1"
        ),
        [
            vec![
                text("claude"),
                Value::Real(0.75),
                Value::Integer(30),
                Value::Integer(12),
                Value::Integer(3),
                Value::Integer(1400)
            ],
            vec![
                text("droid"),
                Value::Null,
                Value::Integer(7),
                Value::Integer(0),
                Value::Null,
                Value::Integer(300)
            ],
        ]
    );
}

#[test]
fn sums_of_the_first_version_are_those_over_its_jobs() {
    let mut connection = old(1, FIRST);
    migrate(&mut connection).unwrap();
    assert_eq!(
        rows(
            &connection,
            "SELECT project, agent, model, jobs, landed, held, failed, priced, cost_usd, input_tokens FROM totals"
        ),
        [
            ("/p", "claude", "", [1, 0, 1, 0, 1], 0.5, 20),
            ("/p", "claude", "opus", [1, 1, 0, 0, 1], 0.25, 10),
            ("/p", "droid", "", [1, 0, 0, 1, 0], 0.0, 7),
            ("/q", "claude", "", [1, 0, 0, 0, 1], 0.125, 1),
            ("/q", "text", "", [2, 0, 0, 0, 0], 0.0, 0),
        ]
        .map(|(project, agent, model, counts, cost, input)| {
            let mut row = vec![text(project), text(agent), text(model)];
            row.extend(counts.map(Value::Integer));
            row.extend([Value::Real(cost), Value::Integer(input)]);
            row
        })
    );
}

#[test]
fn nothing_of_the_second_version_is_lost() {
    let mut connection = old(2, SECOND);
    let tables = ["jobs", "sessions", "session_metadata", "checkpoints", "totals"];
    let all =
        |connection: &Connection| tables.map(|table| rows(connection, &format!("SELECT * FROM {table}")));
    let texts = "SELECT job, selection, text, lines, landed_rows FROM texts";
    let (before, written) = (all(&connection), rows(&connection, texts));
    assert!(before.iter().all(|rows| !rows.is_empty()), "{before:?}");
    migrate(&mut connection).unwrap();
    for (after, before) in all(&connection).into_iter().zip(&before) {
        assert_eq!(&narrowed(after, before), before);
    }
    assert_eq!(rows(&connection, texts), written);
    assert_eq!(rows(&connection, "SELECT DISTINCT draft FROM texts"), [[Value::Null]]);
}

#[test]
fn nothing_of_the_third_version_is_lost() {
    let mut connection = old(3, THIRD);
    let tables = ["jobs", "texts", "sessions", "session_metadata", "checkpoints", "totals"];
    let all =
        |connection: &Connection| tables.map(|table| rows(connection, &format!("SELECT * FROM {table}")));
    let before = all(&connection);
    assert!(before.iter().all(|rows| !rows.is_empty()), "{before:?}");
    migrate(&mut connection).unwrap();
    for (after, before) in all(&connection).into_iter().zip(&before) {
        assert_eq!(&narrowed(after, before), before);
    }
    assert_eq!(rows(&connection, "SELECT * FROM unsent"), [[]; 0]);
}

#[test]
fn nothing_of_the_fourth_version_is_lost() {
    let mut connection = old(4, FOURTH);
    let tables = ["jobs", "texts", "sessions", "session_metadata", "checkpoints", "totals", "unsent"];
    let all =
        |connection: &Connection| tables.map(|table| rows(connection, &format!("SELECT * FROM {table}")));
    let before = all(&connection);
    assert!(before.iter().all(|rows| !rows.is_empty()), "{before:?}");
    migrate(&mut connection).unwrap();
    for (after, before) in all(&connection).into_iter().zip(&before) {
        assert_eq!(&narrowed(after, before), before);
    }
    assert_eq!(
        rows(&connection, "SELECT DISTINCT review, resumed FROM jobs"),
        [[Value::Integer(0), Value::Null]],
        "what was not kept of a job is what most jobs have"
    );
    assert_eq!(rows(&connection, "SELECT * FROM accepted"), [[]; 0]);
}

#[test]
fn every_version_becomes_the_same_as_a_new_one() {
    let shape = |connection: &Connection| {
        rows(connection, "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name")
    };
    let mut new = old(0, "");
    migrate(&mut new).unwrap();
    for (version, data) in [(0, ""), (1, FIRST), (2, SECOND), (3, THIRD), (4, FOURTH), (5, "")] {
        let mut connection = old(version, data);
        migrate(&mut connection).unwrap();
        assert_eq!(shape(&connection), shape(&new), "from version {version}");
        let number: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
        assert_eq!(number as usize, MIGRATIONS.len());
        let sound: String = connection.pragma_query_value(None, "integrity_check", |row| row.get(0)).unwrap();
        assert_eq!(sound, "ok");
        migrate(&mut connection).unwrap();
    }
}

#[test]
fn a_migration_that_fails_leaves_the_old_version_as_it_was() {
    let mut connection = old(1, FIRST);
    // Not what the first version wrote: the second cannot read it.
    connection.execute("UPDATE jobs SET selection = 'broken' WHERE id = 1", []).unwrap();
    let before = rows(&connection, "SELECT * FROM jobs");
    migrate(&mut connection).unwrap_err();
    assert_eq!(rows(&connection, "SELECT * FROM jobs"), before);
    let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(version, 1);
}
