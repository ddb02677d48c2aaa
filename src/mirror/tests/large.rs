//! Answers in buffers that are too large for a mirror.

use super::*;

const MANY: usize = crate::document::MAX_ROWS + 1;

/// The mirror of a buffer that is too large, with a request for the lines 2 to 4 of the text.
fn large() -> Mirrors {
    let mut mirrors = Mirrors::default();
    assert!(mirrors.take(notice(1, 2, MANY)).iter().all(|order| matches!(order, Order::Detach(1))));
    mirrors.take(requested(&sent(7, Some(2), "line", (2, 4), TEXT)));
    mirrors
}

/// The plugin tells where the mark of the job is.
fn at(tick: u64, rows: std::ops::Range<usize>) -> MirrorEvent {
    marked(tick, MANY, &[(7, rows)])
}

fn land(mirrors: &mut Mirrors, intent: Intent) {
    let orders = mirrors.take(MirrorEvent::Buffer(1, BufferEvent::Want { job: 7, intent }));
    let scope = |order: &Order| matches!(order, Order::Contact { scope: ContactScope::Marks, .. });
    assert!(matches!(&orders[..], [order] if scope(order)), "{orders:?}");
}

#[test]
fn an_answer_lands_where_the_text_at_its_mark_is_what_was_sent() {
    let mut mirrors = large();
    land(&mut mirrors, Intent::Land(bytes(&["first", "BETWEEN", "last"])));
    mirrors.take(at(9, 500..503));
    let orders = mirrors.take(CONTACTED);
    let call = call(&orders).clone();
    let edit = &call.steps[0].edits[0];
    assert_eq!((call.tick, edit.rows.clone(), edit.lines.clone()), (9, 501..502, bytes(&["BETWEEN"])));
    assert_eq!((edit.above.as_deref(), edit.below.as_deref()), (Some(&b"first"[..]), Some(&b"last"[..])));
    assert_eq!(call.steps[0].place, Place::Lines(500..503));
    let steps = vec![StepReply::Written { from: 9, to: 10 }];
    let orders = mirrors
        .take(MirrorEvent::Buffer(1, BufferEvent::Written(Some(WriteReply::Done { tick: 10, steps }))));
    let [Order::Settled(settled)] = &orders[..] else { panic!("{orders:?}") };
    assert_eq!(
        (settled.settlement, settled.attempt),
        (Settlement::Written { is_merged: false }, Some(call.steps[0].attempt))
    );
    assert_eq!(settled.passage.as_ref().unwrap().place, Place::Lines(500..503));
}

#[test]
fn an_answer_that_makes_its_buffer_too_large_has_landed() {
    let rows: Vec<&str> = TEXT.iter().copied().chain(std::iter::repeat_n("more", MANY - 7)).collect();
    let mut mirrors = mirrored(&rows);
    mirrors.take(requested(&sent(7, Some(2), "line", (2, 4), TEXT)));
    let orders = mirrors.take(intent(7, Intent::Land(bytes(&["new"; 9]))));
    let attempt = call(&orders).steps[0].attempt;
    mirrors.take(lines(Some(3), 1..4, &["new"; 9]));
    let steps = vec![StepReply::Written { from: 2, to: 3 }];
    let orders =
        mirrors.take(MirrorEvent::Buffer(1, BufferEvent::Written(Some(WriteReply::Done { tick: 3, steps }))));
    assert_eq!(settled(&orders), [(7, Settlement::Written { is_merged: false })]);
    assert!(
        orders
            .iter()
            .any(|order| matches!(order, Order::Settled(settled) if settled.attempt == Some(attempt)))
    );
}

#[test]
fn it_is_held_where_the_text_is_another_one_or_there_is_no_mark() {
    let too_large = Settlement::Held(HeldFor::TooLarge);
    let mut mirrors = large();
    land(&mut mirrors, Intent::Land(bytes(&["x"])));
    mirrors.take(at(9, 500..502));
    assert_eq!(settled(&mirrors.take(CONTACTED)), [(7, too_large)]);
    let mut mirrors = large();
    land(&mut mirrors, Intent::Land(bytes(&["x"])));
    mirrors.take(at(9, 500..503));
    mirrors.take(CONTACTED);
    let differs = WriteReply::Done { tick: 9, steps: vec![StepReply::Differs] };
    let orders = mirrors.take(MirrorEvent::Buffer(1, BufferEvent::Written(Some(differs))));
    assert_eq!(settled(&orders), [(7, too_large)]);
    assert!(contacts(&orders).is_empty(), "its text is not asked for");
    let mut mirrors = large();
    land(&mut mirrors, Intent::Accept { lines: bytes(&["x"]), dropped: Vec::new(), shown: None });
    mirrors.take(told(9, MANY, &[]));
    let stays = Settlement::Refused(Obstacle::Held(HeldFor::TooLarge));
    assert_eq!(settled(&mirrors.take(CONTACTED)), [(7, stays)]);
}

#[test]
fn what_needs_no_text_asks_for_none() {
    let stays = Settlement::Refused(Obstacle::Held(HeldFor::TooLarge));
    for (intent, settlement) in [
        (Intent::Hold(HeldFor::Review), Settlement::Held(HeldFor::Review)),
        (Intent::Revert, stays),
        (Intent::Put { rows: 0..1, tick: 2, lines: bytes(&["x"]) }, stays),
    ] {
        let orders = large().take(MirrorEvent::Buffer(1, BufferEvent::Want { job: 7, intent }));
        assert_eq!(settled(&orders), [(7, settlement)]);
        assert!(contacts(&orders).is_empty());
    }
}

#[test]
fn a_text_that_changed_meanwhile_is_asked_for_again() {
    let mut mirrors = large();
    land(&mut mirrors, Intent::Land(bytes(&["x"])));
    mirrors.take(at(9, 500..503));
    assert_eq!(call(&mirrors.take(CONTACTED)).tick, 9);
    let orders =
        mirrors.take(MirrorEvent::Buffer(1, BufferEvent::Written(Some(WriteReply::Stale { tick: 10 }))));
    assert!(matches!(orders[..], [Order::Contact { scope: ContactScope::Marks, .. }]), "{orders:?}");
    mirrors.take(at(10, 500..503));
    assert_eq!(call(&mirrors.take(CONTACTED)).tick, 10);
}

#[test]
fn an_answer_of_an_earlier_host_lands_at_its_mark() {
    let mut mirrors = Mirrors::default();
    mirrors.take(notice(1, 2, MANY));
    land(&mut mirrors, Intent::Accept { lines: bytes(&["x"]), dropped: Vec::new(), shown: None });
    mirrors.take(recalled(&sent(7, None, "line", (2, 4), TEXT), None));
    mirrors.take(marked(9, MANY, &[(7, 500..503)]));
    assert_eq!(call(&mirrors.take(CONTACTED)).steps[0].edits[0].rows, 500..503);
}

#[test]
fn a_text_that_grows_too_large_is_not_mirrored_any_more() {
    for rows in [vec!["row"; MANY], vec![&*"x".repeat(crate::document::MAX_ROW_BYTES + 1)]] {
        let mut mirrors = mirrored(TEXT);
        mirrors.take(lines(Some(3), 0..0, &rows));
        assert_eq!(replied(&ask(&mut mirrors)), None);
    }
}
