//! Ranges in files: how they stand when those are written, and where they are found when those are read again.

use super::*;

pub fn wrote(tick: u64, rows: usize, name: &str) -> MirrorEvent {
    let MirrorEvent::Buffer(1, BufferEvent::Notice(notice)) = notice(1, tick, rows) else { unreachable!() };
    MirrorEvent::Buffer(
        1,
        BufferEvent::Notice(Notice { is_written: true, name: name.as_bytes().to_vec(), ..notice }),
    )
}

fn held(text: &[&str]) -> Mirrors {
    let mut mirrors = mirrored(text);
    mirrors.take(requested(&sent(7, Some(2), "line", (2, 4), text)));
    mirrors
}

/// What is told of how ranges stand: the rows and what they read, none where the range is lost.
type RangesOnDisk = Vec<(u64, Option<(std::ops::Range<usize>, Vec<String>)>)>;

fn ranges_on_disk(orders: &[Order]) -> RangesOnDisk {
    let on_disk = |order: &Order| match order {
        Order::RangeOnDisk(RangeOnDisk { job, passage, .. }) => {
            let passage = passage.as_ref().map(|passage| {
                let text = |row: &crate::document::Row| String::from_utf8_lossy(&row.text).into_owned();
                (passage.place.rows(), passage.rows.iter().map(text).collect())
            });
            Some((*job, passage))
        }
        _ => None,
    };
    orders.iter().filter_map(on_disk).collect()
}

fn rows(rows: &[&str]) -> Vec<String> {
    rows.iter().map(|row| (*row).to_owned()).collect()
}

#[test]
fn a_text_that_is_unloaded_as_it_was_written_is_told_before_it_goes() {
    let mut mirrors = held(TEXT);
    mirrors.take(lines(Some(3), 0..0, &["new"]));
    let orders = mirrors.take(wrote(4, 0, "/a"));
    assert_eq!(ranges_on_disk(&orders), [(7, Some((2..5, rows(&TEXT[1..4]))))]);
    assert!(ranges_on_disk(&mirrors.take(DETACHED)).is_empty());
}

#[test]
fn a_text_that_is_not_sure_is_told_once_it_is() {
    let mut mirrors = held(TEXT);
    mirrors.take(lines(None, 0..1, &["preview"]));
    let orders = mirrors.take(wrote(3, TEXT.len(), "/a"));
    assert!(ranges_on_disk(&orders).is_empty());
    assert_eq!(contacts(&orders), [true]);
    mirrors.take(whole(1, 3, TEXT));
    mirrors.take(notice(1, 3, TEXT.len()));
    assert_eq!(ranges_on_disk(&mirrors.take(CONTACTED)), [(7, Some((1..4, rows(&TEXT[1..4]))))]);
}

#[test]
fn what_was_written_before_the_editor_ended_is_told_though_a_reply_is_missing() {
    let mut mirrors = held(TEXT);
    let orders = mirrors.take(requested(&sent(8, Some(1), "line", (2, 2), TEXT)));
    assert_eq!(contacts(&orders), [false]);
    assert!(ranges_on_disk(&mirrors.take(wrote(3, TEXT.len(), "/a"))).is_empty(), "the marks are awaited");
    let orders = mirrors.take(MirrorEvent::Disconnected);
    assert_eq!(ranges_on_disk(&orders), [(7, Some((1..4, rows(&TEXT[1..4]))))]);
    assert!(matches!(orders.last(), Some(Order::Disconnected)));
}

/// Where a range of which there is no mark is in a text.
fn found(text: &[&str], sent: &Value, saved: Option<SavedRows>) -> Option<Place> {
    let mut mirrors = mirrored(text);
    mirrors.take(recalled(sent, saved));
    mirrors.take(told(2, text.len(), &[without_place(7)]));
    place_of(&mirrors, 7)
}

fn saved(first_line: usize, rows: &[&str]) -> SavedRows {
    SavedRows { first_line, rows: bytes(rows), base: None }
}

#[test]
fn without_a_mark_the_rows_are_looked_for() {
    let lines = || sent(7, None, "line", (2, 4), TEXT);
    let rows = Place::Lines;
    assert_eq!(found(TEXT, &lines(), None), Some(rows(1..4)));
    assert_eq!(found(&["new", "first", "between", "last"], &lines(), None), Some(rows(1..4)), "there");
    assert_eq!(found(&["x", "y", "first", "between", "last"], &lines(), None), Some(rows(2..5)), "once");
    let twice = ["first", "between", "last", "x", "first", "between", "last"];
    assert_eq!(found(&twice, &lines(), None), None, "twice, and neither where it was");
    let there_too = ["x", "first", "between", "last", "first", "between", "last"];
    assert_eq!(found(&there_too, &lines(), None), Some(rows(1..4)), "twice, but where it was");
    assert_eq!(found(&["x", "first", "between"], &lines(), None), None);
    let brackets = ["a", "{", "}", "b"];
    assert_eq!(found(&brackets, &sent(7, None, "line", (2, 3), &brackets), None), None);
}

#[test]
fn a_file_that_is_read_again_after_its_buffer_was_wiped_has_the_range_as_it_was_written() {
    let mut mirrors = mirrored(TEXT);
    mirrors.take(requested(&sent(7, Some(2), "line", (2, 2), TEXT)));
    mirrors.take(lines(Some(3), 0..0, &["new"]));
    let text = [&["new"], TEXT].concat();
    mirrors.take(wrote(3, text.len(), "/a"));
    mirrors.take(MirrorEvent::decode("wiped", &json!({ "buffer": 1 })).unwrap().unwrap());
    let again = || told(2, text.len(), &[without_place(7)]);
    mirrors.take(again());
    mirrors.take(whole(1, 2, &text));
    mirrors.take(again());
    mirrors.take(CONTACTED);
    assert_eq!(place_of(&mirrors, 7), Some(Place::Lines(2..3)));
}

#[test]
fn an_insertion_is_looked_for_by_the_rows_beside_it() {
    let found = |text: &[&str], line| found(text, &insertion(7, line, TEXT), None);
    assert_eq!(found(TEXT, 2), Some(Place::Lines(2..2)));
    assert_eq!(found(&["x", "y", "first", "between"], 2), Some(Place::Lines(3..3)));
    assert_eq!(found(&["first", "new", "between"], 2), None);
    assert_eq!(found(TEXT, 0), Some(Place::Lines(0..0)));
    assert_eq!(found(&["x", "above"], 0), None, "nothing was above it");
    assert_eq!(found(&["a", "b", "c", "d", "below"], 5), Some(Place::Lines(5..5)));
    assert_eq!(found(&["x", "below"], 5), None, "one short row elsewhere says nothing");
}

#[test]
fn a_part_is_looked_for_by_its_whole_row() {
    let text = ["let a = f(x).or(other);", "end"];
    let found = |now: &[&str]| found(now, &part(7, None, 1, 10..11, &text), None);
    let place = |row| Some(Place::Part { start: (row, 10), end: (row, 11) });
    assert_eq!((found(&text), found(&["x", text[0]])), (place(0), place(1)));
    assert_eq!(found(&["let b = f(x).or(other);", "end"]), None);
}

#[test]
fn a_file_that_was_put_back_is_searched_for_what_was_sent() {
    let lines = || sent(7, None, "line", (2, 4), TEXT);
    assert_eq!(found(TEXT, &lines(), Some(saved(2, &["first", "mine", "last"]))), Some(Place::Lines(1..4)));
    assert_eq!(
        found(TEXT, &lines(), Some(saved(2, &[]))),
        None,
        "but not for rows that were deleted from it"
    );
}

#[test]
fn a_part_whose_row_was_edited_is_found_where_that_leaves_one_place() {
    let text = ["let a = f(x);", "end"];
    let part = || part(7, None, 1, 10..11, &text);
    let place = |from, to| Some(Place::Part { start: (0, from), end: (0, to) });
    let found = |row: &str| found(&[row, "end"], &part(), Some(saved(1, &[row])));
    assert_eq!(found("let abc = f(x);"), place(12, 13));
    assert_eq!(found("let a = f(xx);"), None, "either x may be what was typed");
    assert_eq!(found("let b = g(y);"), None);
}

#[test]
fn a_range_that_the_user_deleted_is_never_looked_for() {
    let mut mirrors = held(TEXT);
    mirrors.take(lines(Some(3), 1..4, &[]));
    mirrors.take(lines(Some(4), 2..2, &["x", "y", "z"]));
    for (row, text) in (2..).zip(&TEXT[1..4]) {
        mirrors.take(lines(Some(row as u64 + 3), row..row + 1, &[text]));
    }
    mirrors.take(told(7, 5, &[without_place(7)]));
    assert_eq!(place_of(&mirrors, 7), None);
}
