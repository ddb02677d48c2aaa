//! The messages on the wire, in the shapes that the plugin sends and takes.

use super::*;
use crate::document::Document;
use crate::land::edits;

fn decode(method: &str, argument: Value) -> Option<MirrorEvent> {
    MirrorEvent::decode(method, &[argument])?.ok()
}

#[test]
fn a_notice_says_how_a_buffer_and_its_marks_are() {
    let mark = map(vec![
        ("id", 7.into()),
        ("has_ended", true.into()),
        ("stands", map(vec![("first_line", 3.into()), ("rows", list(&["a"]))])),
        ("before", list(&["b"])),
        ("text", map(vec![("above", "c".into()), ("rows", list(&["d"]))])),
    ]);
    let turned = map(vec![
        ("id", 8.into()),
        ("kind", "line".into()),
        ("first", 3.into()),
        ("last", 1.into()),
        ("has_ended", false.into()),
    ]);
    let notice = map(vec![
        ("buffer", 1.into()),
        ("name", "/a".into()),
        ("tick", 3.into()),
        ("rows", 2.into()),
        ("bytes", 9.into()),
        ("written", true.into()),
        ("refuses", true.into()),
        ("marks", Value::Array(vec![mark, turned])),
    ]);
    let mark = Mark {
        job: 7,
        place: None,
        sent: None,
        saved: Some(SavedRows { first_line: 3, rows: bytes(&["a"]), base: None }),
        before: Some(bytes(&["b"])),
        excerpt: Some(Excerpt { above: Some(b"c".to_vec()), rows: bytes(&["d"]), below: None }),
        has_ended: true,
    };
    let expected = Notice {
        buffer: 1,
        name: b"/a".to_vec(),
        tick: 3,
        rows: 2,
        bytes: 9,
        is_written: true,
        refuses: true,
        marks: vec![mark],
    };
    assert_eq!(decode("buffer", notice), Some(MirrorEvent::Notice(expected)));
}

#[test]
fn a_step_names_its_landing_and_what_is_around_a_part() {
    let text = Document::new(["f(a)"]);
    let place = Place::Part { start: (0, 2), end: (0, 3) };
    let passage = crate::document::Passage::new(place, text.rows());
    let replaced = crate::land::Replaced::new(&passage, &bytes(&["b"]));
    let step = WriteStep {
        job: 7,
        attempt: 9,
        settlement: Settlement::Written { is_merged: true },
        edits: edits(text.rows(), &passage, &replaced.rows, None),
        place: replaced.planned_place(),
    };
    let value = WriteCall { tick: 3, steps: vec![step] }.value(1);
    let step = &value["steps"][0];
    assert_eq!((&step["landing"], &step["attempt"]), (&"merged".into(), &9.into()));
    let edit = &step["edits"][0];
    assert_eq!((&edit["head"], &edit["tail"]), (&2.into(), &1.into()));
    assert_eq!(edit["lines"][0].as_slice(), Some(&b"f(b)"[..]));
}

#[test]
fn places_name_the_ranges_that_moved_and_those_that_are_lost() {
    let value = places(1, 3, &[(7, Some(Place::Lines(1..4))), (8, None)]);
    let expected = map(vec![
        ("buffer", 1.into()),
        ("tick", 3.into()),
        (
            "places",
            Value::Array(vec![
                map(vec![("id", 7.into()), ("kind", "line".into()), ("first", 1.into()), ("last", 3.into())]),
                map(vec![("id", 8.into())]),
            ]),
        ),
    ]);
    assert_eq!(value, expected);
    assert_eq!(reply_tick(&map(vec![("tick", 5.into())])), Some(5));
    assert_eq!(reply_tick(&Value::Nil), None);
}

#[test]
fn each_obstacle_has_a_name() {
    assert_eq!(Obstacle::Stale.name(), "stale");
    assert_eq!(Obstacle::Held(HeldFor::TooLarge).name(), "too_large");
}
