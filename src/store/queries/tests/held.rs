//! How the ranges of answers stand in their files, as the next Neovim is told.

use super::super::{held, put};
use super::*;
use crate::store::known::Known;
use crate::store::record::{Draft, Held, Stands, Stood, StoodRows};

/// A Neovim that is gone.
const GONE: &str = "4194304:1";

fn known(id: u64, known: Known) -> Known {
    Known { id, ..known }
}

fn put(connection: &Connection, known: &Known) {
    put::put(connection, GONE, "host", known).unwrap();
}

fn stood(place: Option<(u64, u64)>, rows: &[&str]) -> Stood {
    let rows = rows.iter().map(|&row| row.to_owned()).collect();
    Stood { range: Some(StoodRows { place, rows }), path: Some("/project/b.lua".to_owned()) }
}

fn stands(first_line: u64, rows: &[&str]) -> Stands {
    Stands { first_line, rows: rows.iter().map(|&row| row.to_owned()).collect() }
}

/// A job that is held, and of which this is known besides.
fn adopt(more: Known) -> Held {
    let mut connection = store();
    sample::insert(&connection, GONE, &record(1, Some("x")), None).unwrap();
    let landed = Landed { landing: "held".to_owned(), ..Landed::default() };
    put(&connection, &known(1, Known { landed: Some(landed.into()), ..more }));
    held::adopt(&mut connection, "me:1").unwrap().remove(0)
}

#[test]
fn an_answer_is_handed_over_with_how_its_range_stood() {
    let held = adopt(Known { stood: Some(stood(Some((7, 8)), &["a", "b"]).into()), ..Known::default() });
    assert_eq!((held.stands, held.record.path.as_str()), (Some(stands(7, &["a", "b"])), "/project/b.lua"));
    let held = adopt(Known { stood: Some(stood(None, &[]).into()), ..Known::default() });
    assert_eq!(held.stands, Some(stands(3, &[])), "it was deleted");
    assert_eq!(adopt(Known::default()).stands, None, "nobody looked");
}

#[test]
fn earlier_versions_kept_that_beside_the_draft() {
    let draft = Draft { disk_rows: Some(vec!["a".to_owned()]), ..Draft::default() };
    let held = adopt(Known { draft: Some(draft.clone().into()), ..Known::default() });
    assert_eq!(held.stands, Some(stands(3, &["a"])));
    let newer = Some(stood(Some((9, 9)), &["b"]).into());
    let held = adopt(Known { draft: Some(draft.into()), stood: newer, ..Known::default() });
    assert_eq!(held.stands, Some(stands(9, &["b"])));
}

#[test]
fn how_a_range_stands_is_kept_whatever_became_of_its_answer_and_twice_is_once() {
    let connection = store();
    sample::insert(&connection, GONE, &record(1, Some("x")), None).unwrap();
    let job = || asker().job(&connection, &Which::Uuid(uuid(&connection))).unwrap().unwrap().entry;
    let all = [
        known(1, Known { stood: Some(stood(Some((7, 7)), &["a"]).into()), ..Known::default() }),
        known(
            1,
            Known {
                stood: Some(Stood { range: None, path: Some("/c".to_owned()) }.into()),
                ..Known::default()
            },
        ),
    ];
    for known in &all {
        put(&connection, known);
        put(&connection, known);
    }
    let entry = job();
    assert_eq!((entry.landed_first, entry.landed_last, entry.path.as_str()), (Some(7), Some(7), "/c"));
    assert_eq!((entry.landed_rows, entry.landing), (Some(vec!["a".to_owned()]), None));
    put(&connection, &known(1, Known { stood: Some(stood(None, &[]).into()), ..Known::default() }));
    let entry = job();
    assert_eq!((entry.landed_first, entry.landed_rows), (None, Some(Vec::new())));
    put(&connection, &known(2, Known { stood: all[0].stood.clone(), ..Known::default() }));
}

#[test]
fn a_job_that_was_not_stored_yet_is_stored_with_how_its_range_stands() {
    let connection = store();
    let stood = stood(Some((7, 7)), &["a"]);
    let landed = Landed { landing: "applied".to_owned(), ..Landed::default() };
    let all = Known {
        uuid: Some("u".to_owned()),
        record: Some(record(1, Some("x")).into()),
        landed: Some(landed.into()),
        stood: Some(stood.into()),
        ..Known::default()
    };
    put(&connection, &known(1, all));
    let entry = asker().job(&connection, &Which::Uuid("u".to_owned())).unwrap().unwrap().entry;
    assert_eq!((entry.landing.as_deref(), entry.landed_first), (Some("applied"), Some(7)));
}

#[test]
fn an_answer_that_is_held_again_stands_where_the_first_does() {
    let mut connection = store();
    keep_all(&mut connection, [record(1, Some("x"))]);
    land(&mut connection, 1, "applied", &["a", "b"]);
    let uuid = uuid(&connection);
    let copy = held::again(&mut connection, "me:1", &uuid, 2).unwrap().unwrap();
    assert_eq!(copy.stands, Some(stands(7, &["a", "b"])));
}

fn uuid(connection: &Connection) -> String {
    connection.query_row("SELECT uuid FROM jobs", [], |row| row.get(0)).unwrap()
}
