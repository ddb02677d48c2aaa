//! The database as the host sees it, and what several hosts make of one file.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::*;
use crate::store::owner;
use crate::store::queries::{held, keep};
use crate::store::sample::record;
use open::to_write as open;

const GONE: &str = "4194304:1";

fn landed(landing: &str, held_for: Option<&str>) -> Landed {
    let (landing, held_for) = (landing.to_owned(), held_for.map(str::to_owned));
    Landed { landing, held_for, ..Landed::default() }
}

fn texts(held: &[Held]) -> Vec<&str> {
    held.iter().map(|held| held.record.text.as_deref().unwrap()).collect()
}

#[test]
fn what_waited_when_its_neovim_ended_is_adopted_once_and_whole() {
    let dir = tempfile::tempdir().unwrap();
    let mut connection = open(dir.path()).unwrap();
    for (id, text) in [(1, Some("held")), (2, Some("undecided")), (3, Some("landed")), (4, None)] {
        keep::insert(&mut connection, GONE, &record(id, text), None).unwrap();
    }
    keep::land(&mut connection, GONE, 1, &landed("held", Some("conflict"))).unwrap();
    keep::land(&mut connection, GONE, 3, &landed("applied", None)).unwrap();
    keep::insert(&mut connection, &owner::current(), &record(1, Some("of a living one")), None).unwrap();

    let held = held::adopt(&mut connection, "me:1").unwrap();
    assert_eq!(texts(&held), ["held", "undecided"]);
    let conflict = Record { id: 0, held_for: Some("conflict".to_owned()), ..record(1, Some("held")) };
    assert_eq!(held[0].record, conflict);
    assert_eq!(held[1].record.held_for.as_deref(), Some("buffer_gone"));
    for (id, held) in held.iter().enumerate() {
        held::number(&connection, "me:1", &held.uuid, id as u64 + 7).unwrap();
    }
    keep::land(&mut connection, "me:1", 7, &landed("rejected", None)).unwrap();
    // "me" is no process: what is still held goes to the next who asks.
    assert_eq!(texts(&held::adopt(&mut connection, "you:1").unwrap()), ["undecided"]);
}

#[test]
fn only_the_owner_reads_the_files() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("data");
    let mut connection = open(&folder).unwrap();
    keep::insert(&mut connection, GONE, &record(1, Some("x")), None).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for file in std::fs::read_dir(&folder).unwrap() {
        assert_eq!(mode(&file.unwrap().path()), 0o600);
    }
}

#[test]
fn a_store_of_a_newer_version_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    open(dir.path()).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let error = open(dir.path()).unwrap_err();
    assert!(matches!(error, StoreError::Newer { version: 99, .. }), "{error}");
}

#[test]
fn eight_at_once_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let writers: Vec<_> = (0..8)
        .map(|writer| {
            let dir = dir.path().to_owned();
            std::thread::spawn(move || {
                let mut connection = open(&dir).unwrap();
                for id in 0..25 {
                    keep::insert(&mut connection, &format!("{writer}:0"), &record(id, Some("x")), None)
                        .unwrap();
                }
            })
        })
        .collect();
    for writer in writers {
        writer.join().unwrap();
    }
    let count: i64 =
        open(dir.path()).unwrap().query_row("SELECT count(*) FROM jobs", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 200);
}

#[test]
fn a_store_that_cannot_be_opened_warns_once_and_holds_up_nothing() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("botglue.db"), "this is no database, and long enough to be seen as none")
        .unwrap();
    let (told, telling) = mpsc::channel();
    let warned = told.clone();
    let database =
        Database::open(Some(dir.path().to_owned()), move |error| warned.send(error.to_string()).unwrap());
    for id in 1..=2 {
        let told = told.clone();
        database.keep(record(id, Some("x")), move |_| told.send(format!("went on {id}")).unwrap());
    }
    let next = || telling.recv_timeout(Duration::from_secs(20)).expect("the store goes on");
    assert!(next().contains("not a database"));
    assert_eq!([next(), next()], ["went on 1", "went on 2"]);
}
