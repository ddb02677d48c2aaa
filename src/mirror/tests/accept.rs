//! Answers that the user accepts or takes back, and those that an earlier host had not settled.

use super::*;

const WRITTEN: Settlement = Settlement::Written { is_merged: false };

/// The mirror of a text in which the range of job 7 is `first` to `last`, and its answer is held.
fn held() -> Mirrors {
    let mut mirrors = mirrored(TEXT);
    mirrors.take(MirrorEvent::decode("run", &[sent(7, Some(2), "line", (2, 4), TEXT)]).unwrap().unwrap());
    mirrors
}

fn put(rows: std::ops::Range<usize>, tick: u64, lines: &[&str]) -> MirrorEvent {
    intent(7, Intent::Put { rows, tick, lines: bytes(lines) })
}

#[test]
fn rows_of_another_text_are_stale() {
    let stale = Settlement::Refused(Obstacle::Stale);
    let mut mirrors = held();
    assert_eq!(settled(&mirrors.take(put(1..2, 1, &["new"]))), [(7, stale)]);
    assert_eq!(settled(&mirrors.take(put(4..6, 2, &["new"]))), [(7, stale)]);
    let orders = mirrors.take(put(1..2, 2, &["new"]));
    assert_eq!(call(&orders).tick, 2);
    mirrors.take(lines(Some(3), 0..0, &["typed"]));
    let orders =
        mirrors.take(MirrorEvent::Buffer(1, BufferEvent::Written(Some(WriteReply::Stale { tick: 3 }))));
    assert_eq!(settled(&orders), [(7, stale)]);
    assert_eq!(place_of(&mirrors, 7), Some(Place::Lines(2..5)), "its range is what it was");
}

#[test]
fn another_host_takes_back_what_the_one_before_had_written() {
    let mut mirrors = mirrored(TEXT);
    let mark = map(vec![
        ("id", 7.into()),
        ("kind", "line".into()),
        ("first", 1.into()),
        ("last", 3.into()),
        ("has_ended", true.into()),
        ("sent", sent(7, None, "line", (2, 4), TEXT)),
        ("before", list(&["what", "was"])),
    ]);
    mirrors.take(told(2, TEXT.len(), &[mark]));
    let orders = mirrors.take(intent(7, Intent::Revert));
    assert_eq!(settled(&write(&mut mirrors, call(&orders))), [(7, Settlement::Reverted)]);
    assert_eq!(text(&mut mirrors), ["above", "what", "was", "below"]);

    // Nothing was written, and what was there stands beside it: undo may have brought it back.
    for (rows, line, reverts) in [
        (["what", "was", "below"], 0, false),
        (["above", "what", "was"], 3, false),
        (["above", "was", "below"], 2, true),
    ] {
        let mut mirrors = mirrored(&rows);
        let mark = map(vec![
            ("id", 7.into()),
            ("kind", "insert".into()),
            ("first", line.into()),
            ("last", line.into()),
            ("has_ended", true.into()),
            ("sent", insertion(7, line, &rows)),
            ("before", list(&["what", "was"])),
        ]);
        mirrors.take(told(2, rows.len(), &[mark]));
        let orders = mirrors.take(intent(7, Intent::Revert));
        let lost = Settlement::Refused(Obstacle::Held(HeldFor::RangeLost));
        assert_eq!(settled(&orders), if reverts { vec![] } else { vec![(7, lost)] }, "{rows:?}");
    }
}

#[test]
fn no_two_steps_have_the_same_number() {
    let mut mirrors = Mirrors::new(1000);
    mirrors.take(notice(1, 2, TEXT.len()));
    mirrors.take(whole(1, 2, TEXT));
    mirrors.take(CONTACTED);
    let orders = mirrors.take(put(0..1, 2, &["new"]));
    assert_eq!(call(&orders).steps[0].attempt, 1001);
    let orders =
        mirrors.take(MirrorEvent::Buffer(1, BufferEvent::Written(Some(WriteReply::Stale { tick: 2 }))));
    assert_eq!(call(&orders).steps[0].attempt, 1002);
}

#[test]
fn a_part_whose_answer_has_another_number_of_rows_is_taken_back_after_undo_and_redo() {
    let text_before = ["t1", "t2", "t3"];
    let selected = selection(
        "char",
        1,
        list(&["t1", "t2"]),
        list(&["t1", "t"]),
        Value::Array(vec![0.into(), 0.into()]),
        beside(&text_before, 0..2),
    );
    let mut mirrors = mirrored(&text_before);
    mirrors.take(MirrorEvent::decode("run", &[sent_as(7, Some(2), selected)]).unwrap().unwrap());
    let orders = mirrors.take(intent(7, Intent::Land(bytes(&["t1", "t", "a"]))));
    assert_eq!(settled(&write(&mut mirrors, call(&orders))), [(7, WRITTEN)]);
    assert_eq!(text(&mut mirrors), ["t1", "t", "a2", "t3"]);
    mirrors.take(lines(Some(5), 1..3, &["t2"]));
    mirrors.take(MirrorEvent::Buffer(1, BufferEvent::Tick(6)));
    mirrors.take(lines(Some(7), 1..2, &["t", "a2"]));
    mirrors.take(MirrorEvent::Buffer(1, BufferEvent::Tick(8)));
    let orders = mirrors.take(intent(7, Intent::Revert));
    write(&mut mirrors, call(&orders));
    assert_eq!(text(&mut mirrors), text_before);
}
