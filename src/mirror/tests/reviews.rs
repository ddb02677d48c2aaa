//! The reviews of a buffer: which hunks are taken in which text.

use super::queries::{drawn, view_after, watch};
use super::*;
use crate::mirror::query::ReviewQuery;

const NUMBERS: &[&str] = &["above", "one", "two", "three", "four", "five", "below"];

fn undone(tick: u64) -> MirrorEvent {
    MirrorEvent::Tick { buffer: 1, tick }
}

/// A take is one step of undo, but several changes of the text. What stands between them no undo leads to.
#[test]
fn a_text_that_equals_one_inside_a_take_has_what_was_taken_before_it() {
    let mut mirrors = mirrored(NUMBERS);
    mirrors.take(MirrorEvent::decode("run", &[sent(7, Some(2), "line", (2, 6), NUMBERS)]).unwrap());
    let orders = mirrors.take(watch(7, &["ONE", "two", "THREE", "four", "FIVE"]));
    let hunks = drawn(&mut mirrors, orders).unwrap().hunks.unwrap();
    let ids = hunks[..2].iter().map(|shown| shown.hunk.id).collect();
    let question = MirrorQuery::Review { job: 7, asked: ReviewQuery::Take(Some(ids)) };
    let orders = mirrors.take(MirrorEvent::Query { token: 9, buffer: 1, question });
    let orders = write(&mut mirrors, call(&orders));
    assert_eq!(drawn(&mut mirrors, orders).unwrap().taken, 2);
    // The rows were written from below to above: the user makes the text that stood between them.
    mirrors.take(lines(Some(5), 1..2, &["one"]));
    assert_eq!(text(&mut mirrors), ["above", "one", "two", "THREE", "four", "five", "below"]);
    mirrors.take(lines(Some(6), 0..0, &["typed"]));
    mirrors.take(lines(Some(7), 0..1, &[]));
    assert_eq!(view_after(&mut mirrors, undone(7)), Some(Ok(vec![(5, 6, false)])));
    // The take undone, as `u` does it.
    mirrors.take(lines(Some(8), 1..2, &["ONE"]));
    mirrors.take(undone(8));
    mirrors.take(lines(Some(9), 1..2, &["one"]));
    mirrors.take(lines(Some(10), 3..4, &["three"]));
    let shown = view_after(&mut mirrors, undone(10));
    assert_eq!(shown, Some(Ok(vec![(1, 2, false), (3, 4, false), (5, 6, false)])));
}
