//! The ranges of answers in their files, as the next Neovim gets them.

use super::super::{held, put};
use super::*;
use crate::store::FullJob;
use crate::store::known::KnownJob;
use crate::store::record::{Held, OnDisk, RowsOnDisk, SavedRange};

/// A Neovim that is gone.
const GONE: &str = "4194304:1";

fn known(id: u64, known: KnownJob) -> KnownJob {
    KnownJob { id, ..known }
}

fn put(connection: &Connection, known: &KnownJob) {
    put::put(connection, GONE, "host", known).unwrap();
}

fn on_disk(place: Option<(u64, u64)>, rows: &[&str]) -> OnDisk {
    let rows = rows.iter().map(|&row| row.to_owned()).collect();
    OnDisk { range: Some(RowsOnDisk { place, rows, base: None }), path: Some("/project/b.lua".to_owned()) }
}

fn saved(first_line: u64, rows: &[&str]) -> SavedRange {
    SavedRange { first_line, rows: rows.iter().map(|&row| row.to_owned()).collect(), base: None }
}

/// A job that is held, and of which this is known besides.
fn adopt(more: KnownJob) -> Held {
    let mut connection = store();
    sample::insert(&connection, GONE, &record(1, Some("x")), None).unwrap();
    let landed = Landed { landing: "held".to_owned(), ..Landed::default() };
    put(&connection, &known(1, KnownJob { landed: Some(landed.into()), ..more }));
    held::adopt(&mut connection, "me:1").unwrap().remove(0)
}

#[test]
fn an_answer_is_handed_over_with_how_its_range_stood() {
    let held =
        adopt(KnownJob { on_disk: Some(on_disk(Some((7, 8)), &["a", "b"]).into()), ..KnownJob::default() });
    assert_eq!((held.saved, held.record.path.as_str()), (Some(saved(7, &["a", "b"])), "/project/b.lua"));
    let held = adopt(KnownJob { on_disk: Some(on_disk(None, &[]).into()), ..KnownJob::default() });
    assert_eq!(held.saved, Some(saved(3, &[])), "it was deleted");
    assert_eq!(adopt(KnownJob::default()).saved, None, "nobody looked");
}

#[test]
fn what_was_taken_of_an_answer_is_handed_over_with_it() {
    let base = Some(vec!["taken".to_owned(), "open".to_owned()]);
    let RowsOnDisk { place, rows, .. } = on_disk(Some((7, 8)), &["taken", "mine"]).range.unwrap();
    let range = Some(RowsOnDisk { place, rows, base: base.clone() });
    let on_disk = Some(OnDisk { range, path: None }.into());
    let held = adopt(KnownJob { on_disk, ..KnownJob::default() });
    assert_eq!(held.saved, Some(SavedRange { base, ..saved(7, &["taken", "mine"]) }));
}

#[test]
fn how_a_range_stands_is_kept_whatever_became_of_its_answer_and_twice_is_once() {
    let connection = store();
    sample::insert(&connection, GONE, &record(1, Some("x")), None).unwrap();
    let job = || asker().job(&connection, &JobKey::Uuid(uuid(&connection))).unwrap().unwrap();
    let all = [
        known(1, KnownJob { on_disk: Some(on_disk(Some((7, 7)), &["a"]).into()), ..KnownJob::default() }),
        known(
            1,
            KnownJob {
                on_disk: Some(OnDisk { range: None, path: Some("/c".to_owned()) }.into()),
                ..KnownJob::default()
            },
        ),
    ];
    for known in &all {
        put(&connection, known);
        put(&connection, known);
    }
    let FullJob { entry, landed_rows, .. } = job();
    assert_eq!((entry.landed_first, entry.landed_last, entry.path.as_str()), (Some(7), Some(7), "/c"));
    assert_eq!((landed_rows, entry.landing), (Some(vec!["a".to_owned()]), None));
    put(&connection, &known(1, KnownJob { on_disk: Some(on_disk(None, &[]).into()), ..KnownJob::default() }));
    let FullJob { entry, landed_rows, .. } = job();
    assert_eq!((entry.landed_first, landed_rows), (None, Some(Vec::new())));
    put(&connection, &known(2, KnownJob { on_disk: all[0].on_disk.clone(), ..KnownJob::default() }));
}

#[test]
fn a_job_that_was_not_stored_yet_is_stored_with_how_its_range_stands() {
    let connection = store();
    let on_disk = on_disk(Some((7, 7)), &["a"]);
    let landed = Landed { landing: "applied".to_owned(), ..Landed::default() };
    let all = KnownJob {
        uuid: Some("u".to_owned()),
        record: Some(record(1, Some("x")).into()),
        landed: Some(landed.into()),
        on_disk: Some(on_disk.into()),
        ..KnownJob::default()
    };
    put(&connection, &known(1, all));
    let entry = asker().job(&connection, &JobKey::Uuid("u".to_owned())).unwrap().unwrap().entry;
    assert_eq!((entry.landing.as_deref(), entry.landed_first), (Some("applied"), Some(7)));
}

fn uuid(connection: &Connection) -> String {
    connection.query_row("SELECT uuid FROM jobs", [], |row| row.get(0)).unwrap()
}
