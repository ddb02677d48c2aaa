//! The reviews of a buffer: which hunks are taken in which text.

use super::files::wrote;
use super::queries::{drawn, watch};
use super::*;

const NUMBERS: &[&str] = &["above", "one", "two", "three", "four", "five", "below"];

/// A review in which the first two of three hunks were taken in one step, at changedtick 4. The rows are written from
/// below to above.
fn two_taken() -> Mirrors {
    let mut mirrors = mirrored(NUMBERS);
    mirrors.take(requested(&sent(7, Some(2), "line", (2, 6), NUMBERS)));
    let orders = mirrors.take(watch(7, &["ONE", "two", "THREE", "four", "FIVE"]));
    let hunks = drawn(&mut mirrors, orders).unwrap().hunks.unwrap();
    let ids = hunks[..2].iter().map(|hunk| hunk.id).collect();
    let question = MirrorQuery::Take(Some(ids));
    let orders = mirrors.take(MirrorEvent::Buffer(1, BufferEvent::Query { token: 9, job: 7, question }));
    let orders = write(&mut mirrors, call(&orders));
    assert_eq!(drawn(&mut mirrors, orders).unwrap().taken, 2);
    mirrors
}

#[test]
fn what_is_taken_is_kept_as_the_file_is_written_and_known_in_the_next_session() {
    let mut mirrors = two_taken();
    let orders = mirrors.take(wrote(4, NUMBERS.len(), "/a"));
    let kept = orders.iter().find_map(|order| match order {
        Order::RangeOnDisk(RangeOnDisk { passage: Some(passage), base, .. }) => Some((passage, base)),
        _ => None,
    });
    let (passage, base) = kept.unwrap();
    assert_eq!(passage.place, Place::Lines(1..6));
    let rows = ["ONE", "two", "THREE", "four", "five"];
    assert_eq!(base, &Some(bytes(&rows)));

    let stands = map(vec![("first_line", 2.into()), ("rows", list(&rows)), ("base", list(&rows))]);
    let held = without_place(7, sent(7, None, "line", (2, 6), NUMBERS), vec![("stands", stands)]);
    let mut next = Mirrors::default();
    next.take(notice(1, 2, NUMBERS.len()));
    next.take(whole(1, 2, &["above", "ONE", "two", "THREE", "four", "five", "below"]));
    next.take(told(2, NUMBERS.len(), &[held]));
    next.take(CONTACTED);
    next.take(lines(Some(3), 1..2, &["ONE, mine"]));
    let orders = next.take(watch(7, &["ONE", "two", "THREE", "four", "FIVE"]));
    let view = drawn(&mut next, orders).unwrap();
    let hunks = view.hunks.unwrap();
    let shown: Vec<_> = hunks.iter().map(|hunk| (&hunk.rows, hunk.conflict)).collect();
    assert_eq!((shown, view.taken), (vec![(&(5..6), None)], 2));
    // Written once more, before or after it is looked at.
    let orders = next.take(wrote(3, NUMBERS.len(), "/a"));
    assert!(orders.iter().any(|order| matches!(order, Order::RangeOnDisk(on_disk) if on_disk.base == *base)));
}
