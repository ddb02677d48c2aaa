//! Answers that the user accepts or takes back, and those that an earlier host had not settled.

use super::*;

/// The mirror of a text in which the range of job 7 is `first` to `last`, and its answer is held.
fn held() -> Mirrors {
    let mut mirrors = mirrored(TEXT);
    mirrors.take(requested(&sent(7, Some(2), "line", (2, 4), TEXT)));
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
fn a_conflict_is_accepted_in_the_text_in_which_it_was_shown_and_in_no_other() {
    let refused = Settlement::Refused(Obstacle::Held(HeldFor::Conflict));
    for (shown, is_written) in [(Some(3), true), (Some(2), false), (None, false)] {
        let mut mirrors = held();
        mirrors.take(lines(Some(3), 2..3, &["typed"]));
        let accept = Intent::Accept { lines: bytes(&["new"]), dropped: Vec::new(), shown };
        let orders = mirrors.take(intent(7, accept));
        assert_eq!(settled(&orders), if is_written { vec![] } else { vec![(7, refused)] }, "{shown:?}");
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
fn a_mirror_that_panics_holds_what_was_to_land_and_begins_again_once() {
    let panics = |mirrors: &mut Mirrors| {
        work(mirrors, |mirrors| mirrors.take(MirrorEvent::Buffer(1, BufferEvent::Panic)))
    };
    let mut mirrors = held();
    mirrors.take(notice(2, 2, 1));
    mirrors.take(intent(7, Intent::Land(bytes(&["new"]))));
    mirrors.take(MirrorEvent::Buffer(1, BufferEvent::Written(Some(WriteReply::NotNow))));
    let orders = panics(&mut mirrors);
    assert_eq!(settled(&orders), [(7, Settlement::Held(HeldFor::RangeLost))]);
    assert_eq!(contacts(&orders), [true]);
    assert_eq!(mirrors.take(whole(1, 2, TEXT)).len(), 0);
    mirrors.take(CONTACTED);
    assert_eq!(place_of(&mirrors, 7), Some(Place::Lines(1..4)), "its range is known again");
    let orders = panics(&mut mirrors);
    assert!(matches!(orders[..], [Order::Detach(1)]), "{orders:?}");
    assert_eq!(mirrors.buffers.keys().collect::<Vec<_>>(), [&2], "no other mirror is concerned");
}
