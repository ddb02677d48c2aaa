//! When the editor is told the places of its marks.

use super::*;

/// The mirror of a text in which the range of job 7 is `first` to `last`, where its mark is.
fn shown() -> Mirrors {
    let mut mirrors = mirrored(TEXT);
    mirrors.take(requested(&sent(7, Some(2), "line", (2, 4), TEXT)));
    assert!(mirrors.idle().is_empty(), "the marks are where the request says");
    mirrors
}

/// What the editor has to be told: the changedtick, and the rows of job 7.
fn places(orders: &[Order]) -> Option<(u64, Option<std::ops::Range<usize>>)> {
    match orders {
        [] => None,
        [Order::Places { buffer: 1, tick, places }] => match &places[..] {
            [(7, place)] => Some((*tick, place.as_ref().map(Place::rows))),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_edit_of_another_row_moves_no_mark() {
    for range in [0..1, 4..5] {
        let mut mirrors = shown();
        mirrors.take(lines(Some(3), range.clone(), &["edited"]));
        assert_eq!(places(&mirrors.idle()), None, "{range:?}");
    }
}

#[test]
fn the_editor_is_told_where_its_mark_may_be_elsewhere() {
    for (range, rows, place) in [
        (0..0, &["put in at the top"][..], 2..5),
        (1..1, &["put in right above"], 2..5),
        (2..2, &["put", "in"], 1..6),
        (5..5, &["put in at the end"], 1..4),
        (4..4, &["put in right below"], 1..4),
        (0..5, TEXT, 1..4),
        (1..2, &["edited"], 1..4),
        (2..3, &["edited"], 1..4),
        (2..3, &[], 1..3),
        (3..4, &["edited"], 1..4),
        (0..3, &["above", "first", "new", "between"], 1..5),
    ] {
        let mut mirrors = shown();
        mirrors.take(lines(Some(3), range.clone(), rows));
        assert_eq!(places(&mirrors.idle()), Some((3, Some(place))), "{range:?} {rows:?}");
        assert_eq!(places(&mirrors.idle()), None, "it is under way");
        mirrors.take(MirrorEvent::Buffer(1, BufferEvent::Placed(Some(3))));
        assert_eq!(places(&mirrors.idle()), None, "it was taken");
    }
}

#[test]
fn what_the_editor_did_not_take_or_has_changed_since_is_told_again() {
    // The file was written meanwhile; rows were put in.
    for (change, taken, rows) in [(None, 4, 2..5), (Some(lines(Some(4), 0..0, &["at the top"])), 3, 3..6)] {
        let mut mirrors = shown();
        mirrors.take(lines(Some(3), 1..1, &["put in"]));
        assert_eq!(places(&mirrors.idle()), Some((3, Some(2..5))));
        change.map(|change| mirrors.take(change));
        mirrors.take(MirrorEvent::Buffer(1, BufferEvent::Placed(Some(taken))));
        assert_eq!(places(&mirrors.idle()), Some((4, Some(rows))));
        mirrors.take(MirrorEvent::Buffer(1, BufferEvent::Placed(Some(4))));
        assert_eq!(places(&mirrors.idle()), None);
    }
}

#[test]
fn an_editor_that_cannot_be_told_is_told_once_it_says_something() {
    let mut mirrors = shown();
    mirrors.take(lines(Some(3), 1..1, &["put in"]));
    mirrors.idle();
    mirrors.take(MirrorEvent::Buffer(1, BufferEvent::Placed(None)));
    assert_eq!(places(&mirrors.idle()), None);
    mirrors.take(notice(1, 3, TEXT.len() + 1));
    assert_eq!(places(&mirrors.idle()), Some((3, Some(2..5))));
}

#[test]
fn nothing_is_told_of_a_text_that_is_not_sure_or_while_it_is_written_to() {
    let mut mirrors = shown();
    mirrors.take(lines(Some(3), 1..1, &["put in"]));
    mirrors.take(lines(None, 0..1, &["preview"]));
    assert_eq!(places(&mirrors.idle()), None);
    mirrors.take(notice(1, 3, TEXT.len() + 1));
    let orders = mirrors.take(intent(7, Intent::Land(bytes(&["one"]))));
    assert_eq!(places(&mirrors.idle()), None);
    write(&mut mirrors, call(&orders));
    assert!(places(&mirrors.idle()).is_some());
}

#[test]
fn where_a_part_may_have_two_places_the_mark_is_asked_for_at_once_and_decides() {
    let text = ["f(x)", "end"];
    let place = |from, to| Some(Place::Part { start: (0, from), end: (0, to) });
    let mark = |from: usize| {
        let fields = [("first", 0), ("last", 0), ("from", from), ("to", from + 1)];
        let fields = fields.into_iter().map(|(name, value)| (name, value.into()));
        let rest = [("id", 7.into()), ("kind", "char".into()), ("has_ended", false.into())];
        map(fields.chain(rest).collect())
    };
    for (marks, known) in [(vec![mark(5)], place(5, 6)), (vec![mark(0)], None), (vec![], None)] {
        let mut mirrors = mirrored(&text);
        let part = part(7, Some(2), 1, 2..3, &text);
        mirrors.take(requested(&part));
        assert!(mirrors.idle().is_empty());
        assert_eq!(contacts(&mirrors.take(lines(Some(3), 0..1, &["f(x, x)"]))), [false]);
        assert!(mirrors.take(intent(7, Intent::Land(bytes(&["y"])))).is_empty(), "it waits for the mark");
        mirrors.take(told(3, 2, &marks));
        let orders = mirrors.take(CONTACTED);
        match known {
            Some(place) => assert_eq!(call(&orders).steps[0].place, place),
            None => assert_eq!(settled(&orders), [(7, Settlement::Held(HeldFor::RangeLost))]),
        }
    }
}
