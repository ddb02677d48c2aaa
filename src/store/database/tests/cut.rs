//! The database or its log is cut or overwritten while it is open. SQLite does not notice: this host does, and writes
//! what it knows into a new one.

use std::fs::OpenOptions;

use super::*;

/// Whether the next host finds the answers of this one, which is closed first.
fn held_in_the_next(told: TestDatabase, dir: &Path) -> Vec<String> {
    told.close();
    drop(told);
    let mut connection = open(dir).unwrap();
    connection.execute("UPDATE jobs SET owner = ?1", [GONE]).unwrap();
    let held = held::adopt(&mut connection, "me:1").unwrap();
    texts(&held).into_iter().map(str::to_owned).collect()
}

fn holding(dir: &Path) -> TestDatabase {
    let told = TestDatabase::open(dir);
    for id in 1..=3 {
        told.keep(record(id, Some(&format!("answer {id}"))));
        told.land(id, "held");
    }
    told.keep(record(4, Some("landed")));
    told.land(4, "applied");
    told.written();
    told
}

fn checkpoint(dir: &Path) {
    let connection = open(dir).unwrap();
    connection.pragma_update(None, "wal_checkpoint", "PASSIVE").unwrap();
}

fn cut(path: &Path, length: u64) {
    OpenOptions::new().write(true).open(path).unwrap().set_len(length).unwrap();
}

const HELD: [&str; 3] = ["answer 1", "answer 2", "answer 3"];

#[test]
fn held_answers_survive_that_the_database_is_cut_while_it_is_open() {
    for length in [0, 100, 4096, 8192] {
        let dir = tempfile::tempdir().unwrap();
        let told = holding(dir.path());
        checkpoint(dir.path());
        cut(&dir.path().join("botglue.db"), length);
        assert_eq!(held_in_the_next(told, dir.path()), HELD, "cut to {length}");
        assert!(!files(dir.path(), "damaged").is_empty(), "cut to {length}: it is put aside");
    }
}

#[test]
fn held_answers_survive_that_the_log_is_overwritten_or_cut_while_it_is_open() {
    let damages: [fn(&Path); 3] = [
        |log| {
            let length = fs::metadata(log).unwrap().len();
            fs::write(log, vec![0xa5; usize::try_from(length).unwrap()]).unwrap();
        },
        |log| cut(log, 0),
        |log| fs::write(log, b"nothing of a log").unwrap(),
    ];
    for (n, damage) in damages.into_iter().enumerate() {
        let dir = tempfile::tempdir().unwrap();
        let told = holding(dir.path());
        damage(&dir.path().join("botglue.db-wal"));
        assert_eq!(held_in_the_next(told, dir.path()), HELD, "damage {n}");
        assert!(!files(dir.path(), "damaged").is_empty(), "damage {n}: it is put aside");
    }
}

#[test]
fn a_host_that_goes_on_after_its_database_was_cut_has_all_that_it_knew() {
    let dir = tempfile::tempdir().unwrap();
    let told = holding(dir.path());
    checkpoint(dir.path());
    cut(&dir.path().join("botglue.db"), 0);
    let warning = told.keep_with_warning(record(5, Some("x")));
    assert!(is_warning(&warning, &["damaged", "put aside"]), "{warning}");
    assert_eq!(told.count(), Ok(5));
    let connection = open(dir.path()).unwrap();
    let landing = "SELECT group_concat(coalesce(landing, 'open')) FROM (SELECT * FROM jobs ORDER BY id)";
    let landings: String = connection.query_row(landing, [], |row| row.get(0)).unwrap();
    assert_eq!(landings, "held,held,held,applied,open");
}

#[test]
fn answers_taken_over_from_another_neovim_survive_that_the_database_is_cut() {
    let dir = tempfile::tempdir().unwrap();
    let connection = open(dir.path()).unwrap();
    sample::insert(&connection, GONE, &record(1, Some("adopted")), None).unwrap();
    let told = TestDatabase::open(dir.path());
    let (sender, adopted) = mpsc::channel();
    told.database.adopt(move |held| sender.send(held.unwrap()).unwrap());
    let held = adopted.recv_timeout(PATIENCE).unwrap();
    told.database.number(held[0].uuid.clone(), 7);
    assert_eq!(told.count(), Ok(1));
    checkpoint(dir.path());
    cut(&dir.path().join("botglue.db"), 0);
    assert_eq!(told.count(), Ok(1));
    assert_eq!(held_in_the_next(told, dir.path()), ["adopted"]);
}

#[test]
fn a_database_that_was_vacuumed_or_checkpointed_by_somebody_else_is_not_put_aside() {
    let dir = tempfile::tempdir().unwrap();
    let told = holding(dir.path());
    for id in 10..60 {
        told.keep(record(id, Some(&"x".repeat(20_000))));
        told.land(id, "applied");
    }
    let other = open(dir.path()).unwrap();
    other.execute_batch("DELETE FROM texts WHERE length(text) > 1000; VACUUM").unwrap();
    other.pragma_update(None, "wal_checkpoint", "TRUNCATE").unwrap();
    assert_eq!(told.keep(record(70, Some("x"))), ["kept 70"]);
    assert_eq!(told.count(), Ok(55));
    assert_eq!(files(dir.path(), "damaged"), []);
    other.execute_batch("DELETE FROM texts WHERE job = (SELECT key FROM jobs WHERE id = 2); DELETE FROM jobs WHERE id = 2").unwrap();
    assert!(told.count().is_ok());
    let found: i64 = other.query_row("SELECT count(*) FROM jobs WHERE id = 2", [], |row| row.get(0)).unwrap();
    assert_eq!(found, 1, "an answer that waits and was deleted is written again");
    assert_eq!(held_in_the_next(told, dir.path()).len(), 4);
}
