//! Answers that the user accepts or takes back, and those that an earlier host had not settled.

use super::*;

const WRITTEN: Settlement = Settlement::Written { is_merged: false };

/// The mirror of a text in which the range of job 7 is `first` to `last`, and its answer is held.
fn held() -> Mirrors {
    let mut mirrors = mirrored(TEXT);
    mirrors.take(MirrorEvent::decode("run", &[sent(7, Some(2), "line", (2, 4), TEXT)]).unwrap().unwrap());
    mirrors
}

fn accept(lines: &[&str], shown: Option<u64>) -> MirrorEvent {
    intent(7, Intent::Accept { lines: bytes(lines), dropped: Vec::new(), shown })
}

fn put(rows: std::ops::Range<usize>, tick: u64, lines: &[&str]) -> MirrorEvent {
    intent(7, Intent::Put { rows, tick, lines: bytes(lines) })
}

#[test]
fn an_answer_is_accepted_as_a_merge() {
    let mut mirrors = held();
    mirrors.take(lines(Some(3), 1..2, &["first, typed"]));
    let orders = mirrors.take(accept(&["first", "between", "LAST"], None));
    assert_eq!(settled(&write(&mut mirrors, call(&orders))), [(7, Settlement::Written { is_merged: true })]);
    assert_eq!(text(&mut mirrors), ["above", "first, typed", "between", "LAST", "below"]);
}

#[test]
fn a_conflict_gives_way_to_the_answer_only_where_the_user_has_seen_it_beside_this_text() {
    let stays = Settlement::Refused(Obstacle::Held(HeldFor::Conflict));
    let mut mirrors = held();
    mirrors.take(lines(Some(3), 1..2, &["mine"]));
    for shown in [None, Some(2)] {
        assert_eq!(settled(&mirrors.take(accept(&["theirs", "between", "last"], shown))), [(7, stays)]);
    }
    let orders = mirrors.take(accept(&["theirs", "between", "last"], Some(3)));
    assert_eq!(
        settled(&write(&mut mirrors, call(&orders))),
        [(7, WRITTEN)],
        "nothing of the user's is in it"
    );
    assert_eq!(text(&mut mirrors)[1], "theirs");
}

#[test]
fn what_was_accepted_is_taken_back() {
    let mut mirrors = held();
    let orders = mirrors.take(accept(&["one"], None));
    let written = write(&mut mirrors, call(&orders));
    assert_eq!(settled(&written), [(7, WRITTEN)]);
    let orders = mirrors.take(intent(7, Intent::Revert));
    let call = call(&orders);
    assert_eq!((call.steps[0].settlement.landing(), call.steps[0].edits[0].rows.clone()), ("reverted", 1..2));
    assert_eq!(settled(&write(&mut mirrors, call)), [(7, Settlement::Reverted)]);
    assert_eq!(text(&mut mirrors), TEXT);
}

#[test]
fn an_answer_that_deleted_its_rows_is_taken_back() {
    let mut mirrors = held();
    let orders = mirrors.take(accept(&[], None));
    write(&mut mirrors, call(&orders));
    assert_eq!(text(&mut mirrors), ["above", "below"]);
    let tick = replied(&ask(&mut mirrors)).unwrap().1 + 1;
    mirrors.take(lines(Some(tick), 0..0, &["typed"]));
    let orders = mirrors.take(intent(7, Intent::Revert));
    assert_eq!(settled(&write(&mut mirrors, call(&orders))), [(7, Settlement::Reverted)]);
    assert_eq!(text(&mut mirrors)[1..], *TEXT);
}

#[test]
fn an_answer_that_is_undone_has_nothing_to_take_back() {
    let mut mirrors = held();
    let orders = mirrors.take(accept(&["one"], None));
    write(&mut mirrors, call(&orders));
    let tick = replied(&ask(&mut mirrors)).unwrap().1;
    mirrors.take(lines(Some(tick + 1), 2..2, &TEXT[2..4]));
    mirrors.take(lines(Some(tick + 2), 1..2, &TEXT[1..2]));
    mirrors.take(MirrorEvent::Tick { buffer: 1, tick: tick + 3 });
    assert_eq!(text(&mut mirrors), TEXT);
    // The user deletes one of the rows that the answer had deleted.
    mirrors.take(lines(Some(tick + 4), 3..4, &[]));
    assert_eq!(settled(&mirrors.take(intent(7, Intent::Revert))), [(7, Settlement::Reverted)]);
    assert_eq!(text(&mut mirrors), [&TEXT[..3], &TEXT[4..]].concat());
}

#[test]
fn rows_that_the_user_names_become_the_answer_and_its_range() {
    let mut mirrors = held();
    let orders = mirrors.take(put(3..5, 2, &["new"]));
    assert_eq!(settled(&write(&mut mirrors, call(&orders))), [(7, WRITTEN)]);
    assert_eq!(text(&mut mirrors), ["above", "first", "between", "new"]);
    assert_eq!(place_of(&mut mirrors, 7), Some(Place::Lines(3..4)));
    let orders = mirrors.take(intent(7, Intent::Revert));
    write(&mut mirrors, call(&orders));
    assert_eq!(text(&mut mirrors), TEXT);
}

#[test]
fn a_range_that_nobody_knew_can_be_named() {
    let mut mirrors = mirrored(TEXT);
    let orders = mirrors.take(put(2..2, 2, &["new"]));
    assert_eq!(settled(&write(&mut mirrors, call(&orders))), [(7, WRITTEN)]);
    assert_eq!(place_of(&mut mirrors, 7), Some(Place::Lines(2..3)));
    let orders = mirrors.take(put(2..3, 3, &["new"]));
    assert_eq!(settled(&orders), [(7, Settlement::Unchanged)], "it reads so already");
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
    let orders = mirrors.take(MirrorEvent::Written { buffer: 1, reply: Some(WriteReply::Stale { tick: 3 }) });
    assert_eq!(settled(&orders), [(7, stale)]);
    assert_eq!(place_of(&mut mirrors, 7), Some(Place::Lines(2..5)), "its range is what it was");
}

#[test]
fn wishes_wait_for_the_contact_with_their_buffer() {
    let mut mirrors = Mirrors::default();
    mirrors.take(notice(1, 2, TEXT.len()));
    assert!(settled(&mirrors.take(accept(&["one"], None))).is_empty());
    mirrors.take(whole(1, 2, TEXT));
    mirrors.take(marked(2, TEXT.len(), &[(7, 1..4, Some(sent(7, None, "line", (2, 4), TEXT)))]));
    let orders = mirrors.take(CONTACTED);
    assert_eq!(settled(&write(&mut mirrors, call(&orders))), [(7, WRITTEN)]);
}

#[test]
fn a_range_that_is_not_known_once_its_buffer_is_stays_as_it_is() {
    let mut mirrors = mirrored(TEXT);
    let lost = Settlement::Refused(Obstacle::Held(HeldFor::RangeLost));
    assert_eq!(settled(&mirrors.take(accept(&["one"], None))), [(7, lost)]);
    assert_eq!(settled(&mirrors.take(intent(7, Intent::Revert))), [(7, lost)]);
}

#[test]
fn a_buffer_that_nobody_named_is_gone() {
    let mut mirrors = Mirrors::default();
    let gone = HeldFor::BufferGone;
    for (intent, settlement) in [
        (Intent::Land(bytes(&["a"])), Settlement::Held(gone)),
        (Intent::Hold(HeldFor::Review), Settlement::Held(gone)),
        (Intent::Revert, Settlement::Refused(Obstacle::Held(gone))),
        (
            Intent::Accept { lines: bytes(&["a"]), dropped: Vec::new(), shown: None },
            Settlement::Refused(Obstacle::Held(gone)),
        ),
    ] {
        assert_eq!(
            settled(&mirrors.take(MirrorEvent::Want { buffer: 1, job: 7, intent })),
            [(7, settlement)]
        );
    }
}

#[test]
fn a_buffer_that_takes_no_changes_holds_answers_until_it_does() {
    let mut mirrors = Mirrors::default();
    let refusing = |refuses| {
        let MirrorEvent::Notice(notice) = notice(1, 2, TEXT.len()) else { unreachable!() };
        MirrorEvent::Notice(Notice { refuses, ..notice })
    };
    assert!(mirrors.take(refusing(true)).is_empty(), "it is not attached to");
    mirrors.take(MirrorEvent::decode("run", &[sent(7, Some(2), "line", (2, 4), TEXT)]).unwrap().unwrap());
    for (intent, why) in [
        (Intent::Land(bytes(&["a"])), HeldFor::NotModifiable),
        (Intent::Hold(HeldFor::Review), HeldFor::Review),
    ] {
        let orders = mirrors.take(MirrorEvent::Want { buffer: 1, job: 7, intent });
        assert_eq!(settled(&orders), [(7, Settlement::Held(why))]);
    }
    assert_eq!(contacts(&mirrors.take(refusing(false))), [true]);
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
    let orders = mirrors.take(MirrorEvent::Written { buffer: 1, reply: Some(WriteReply::Stale { tick: 2 }) });
    assert_eq!(call(&orders).steps[0].attempt, 1002);
}

#[test]
fn an_insertion_into_an_empty_buffer_keeps_its_range() {
    for line in [0, 1] {
        let mut mirrors = mirrored(&[""]);
        let nothing = || Value::Array(Vec::new());
        let beside = beside(&[""], line..line);
        let sent = sent_as(7, Some(2), selection("insert", line, nothing(), nothing(), nothing(), beside));
        mirrors.take(MirrorEvent::decode("run", &[sent]).unwrap().unwrap());
        for answer in [&["one"][..], &["", "one", "two"]] {
            let orders = mirrors.take(intent(7, Intent::Land(bytes(answer))));
            assert_eq!(settled(&write(&mut mirrors, call(&orders))), [(7, WRITTEN)]);
            assert_eq!(place_of(&mut mirrors, 7), Some(Place::Lines(0..answer.len())), "{line}");
            let orders = mirrors.take(intent(7, Intent::Revert));
            assert_eq!(settled(&write(&mut mirrors, call(&orders))), [(7, Settlement::Reverted)]);
            assert_eq!(text(&mut mirrors), [""]);
        }
    }
}

#[test]
fn text_typed_where_a_part_was_empty_is_a_conflict() {
    let text = ["f()"];
    let mut mirrors = mirrored(&text);
    let part = part(7, Some(2), 1, 2..2, &text);
    mirrors.take(MirrorEvent::decode("run", &[part]).unwrap().unwrap());
    mirrors.take(lines(Some(3), 0..1, &["f(typed)"]));
    let orders = mirrors.take(intent(7, Intent::Land(bytes(&["answer"]))));
    assert_eq!(settled(&orders), [(7, Settlement::Held(HeldFor::Conflict))]);
    mirrors.take(lines(Some(4), 0..1, &["g(f())"]));
    let orders = mirrors.take(intent(7, Intent::Land(bytes(&["answer"]))));
    write(&mut mirrors, call(&orders));
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
    mirrors.take(MirrorEvent::Tick { buffer: 1, tick: 6 });
    mirrors.take(lines(Some(7), 1..2, &["t", "a2"]));
    mirrors.take(MirrorEvent::Tick { buffer: 1, tick: 8 });
    let orders = mirrors.take(intent(7, Intent::Revert));
    write(&mut mirrors, call(&orders));
    assert_eq!(text(&mut mirrors), text_before);
}
