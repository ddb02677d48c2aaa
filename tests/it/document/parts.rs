//! Parts of rows and blocks: where they are after named edits.

use botglue::document::{AnchorId, Document, Place};

use super::editor::Editor;

const ROWS: [&str; 4] = ["let a = first(one, two);", "let b = second(three);", "let c = third(four);", "end"];

fn part(start: (usize, usize), end: (usize, usize)) -> Place {
    Place::Part { start, end }
}

fn editor(place: &Place) -> (Editor, AnchorId) {
    let mut editor = Editor::new(&ROWS);
    let anchor = editor.anchor(place);
    (editor, anchor)
}

/// What a part reads, where it is known.
fn read(editor: &Editor, anchor: AnchorId) -> String {
    let text = editor.text();
    match editor.document.place(anchor) {
        Some(Place::Part { start, end }) if start.0 == end.0 => text[start.0][start.1..end.1].to_owned(),
        Some(Place::Part { start, end }) => {
            let between = text[start.0 + 1..end.0].iter().map(String::as_str);
            let ends = (&text[start.0][start.1..], &text[end.0][..end.1]);
            [ends.0].into_iter().chain(between).chain([ends.1]).collect::<Vec<_>>().join("|")
        }
        Some(Place::Block { first, columns }) => {
            let cut = text[first..].iter().zip(columns).map(|(row, columns)| row[columns].to_owned());
            cut.collect::<Vec<_>>().join("|")
        }
        place => format!("{place:?}"),
    }
}

#[test]
fn a_part_of_a_row_follows_edits_around_it_and_in_it() {
    type Case = (&'static str, fn(&mut Editor) -> &mut Editor, &'static str);
    let cases: &[Case] = &[
        ("typing before it", |e| e.typed(0, 0, "pub "), "one"),
        ("typing behind it", |e| e.typed(0, 24, " // x"), "one"),
        ("typing in it", |e| e.typed(0, 15, "XY"), "oXYne"),
        ("the row moved", |e| e.relocate(0..1, 4), "one"),
        ("the row deleted", |e| e.delete(0..1), "None"),
        ("the row deleted and put", |e| e.delete(0..1).put(2), "one"),
        ("the row indented", |e| e.substitute(0, 0..0, "    "), "one"),
        ("the text before it replaced", |e| e.substitute(0, 4..5, "long"), "one"),
        ("other text in its place", |e| e.substitute(0, 14..17, "").typed(0, 14, "none"), "none"),
        ("typing where it was, and more", |e| e.substitute(0, 13..19, "").typed(0, 13, "none"), ""),
        ("it deleted, undone", |e| e.substitute(0, 14..17, "").undo(), "one"),
        ("the row split before it", |e| e.split(0, 8), "one"),
        ("the row joined to the one above", |e| e.relocate(0..1, 2).join(0), "None"),
        ("the row joined to the one above, undone", |e| e.relocate(0..1, 2).join(0).undo(), "one"),
        ("another argument before it, undone", |e| e.typed(0, 14, "one, ").undo(), "one"),
    ];
    for (name, act, expected) in cases {
        let (mut editor, anchor) = editor(&part((0, 14), (0, 17)));
        act(&mut editor);
        assert_eq!(read(&editor, anchor), *expected, "{name}");
    }
}

#[test]
fn what_is_typed_where_a_part_had_no_text_is_the_part() {
    let (mut e, anchor) = editor(&part((0, 14), (0, 14)));
    e.typed(0, 14, "1, ");
    assert_eq!(read(&e, anchor), "1, ");
    e.typed(0, 17, "2, ").typed(0, 0, "pub ");
    assert_eq!(read(&e, anchor), "1, 2, ");
    e.undo_all();
    assert_eq!(read(&e, anchor), "");
}

#[test]
fn of_two_places_that_an_edit_may_have_had_the_mark_decides_or_nobody() {
    for (mark, place) in [
        (Some(part((0, 19), (0, 22))), Some(part((0, 19), (0, 22)))),
        (Some(part((0, 14), (0, 17))), Some(part((0, 14), (0, 17)))),
        (Some(part((0, 0), (0, 2))), None),
        (None, None),
    ] {
        let (mut editor, anchor) = editor(&part((0, 14), (0, 17)));
        editor.substitute(0, 14..14, "one, ");
        assert_eq!(editor.text()[0], "let a = first(one, one, two);");
        assert_eq!((editor.document.place(anchor), editor.document.needs_mark(anchor)), (None, true));
        editor.document.decide(anchor, mark.as_ref());
        assert_eq!(
            (editor.document.place(anchor), editor.document.needs_mark(anchor)),
            (place, false),
            "{mark:?}"
        );
        editor.undo();
        assert_eq!(read(&editor, anchor), "one");
    }
}

#[test]
fn a_part_over_several_rows_keeps_both_its_ends() {
    let place = part((0, 14), (2, 5));
    let (mut e, anchor) = editor(&place);
    e.typed(0, 0, "x");
    e.typed(2, 10, "x");
    e.open(1, "new");
    assert_eq!(read(&e, anchor), "one, two);|new|let b = second(three);|let c");
    e.join(1);
    assert_eq!(read(&e, anchor), "one, two);|new let b = second(three);|let c");
    e.delete(2..3);
    assert_eq!(read(&e, anchor), "None", "its last row is gone");
    e.undo();
    assert_eq!(read(&e, anchor), "one, two);|new let b = second(three);|let c");
    e.undo_all();
    assert_eq!(e.document.place(anchor), Some(place));
}

#[test]
fn a_block_is_a_part_of_each_of_its_rows() {
    let place = Place::Block { first: 0, columns: vec![4..5, 4..5, 4..5] };
    let (mut e, anchor) = editor(&place);
    e.open(0, "top");
    e.typed(2, 0, "    ");
    assert_eq!(read(&e, anchor), "a|b|c");
    e.open(2, "between");
    assert_eq!(read(&e, anchor), "None", "a row between them has no columns");
    e.undo();
    e.delete(2..3);
    assert_eq!(read(&e, anchor), "a|c");
    e.undo();
    assert_eq!(read(&e, anchor), "a|b|c");
    e.relocate(2..3, 1);
    assert_eq!(read(&e, anchor), "None", "its rows have another order");
    e.undo();
    assert_eq!(read(&e, anchor), "a|b|c");
}

#[test]
fn a_part_that_was_written_is_where_it_was_written_and_undo_gives_it_back() {
    let (mut e, anchor) = editor(&part((0, 14), (0, 17)));
    let written = ROWS[0].replacen("one", "one, one", 1);
    e.land(anchor, &[(0..1, &[&written])], Some(&part((0, 14), (0, 22))));
    assert_eq!(read(&e, anchor), "one, one");
    e.typed(0, 0, "pub ");
    assert_eq!(read(&e, anchor), "one, one");
    e.undo();
    e.undo();
    assert_eq!(read(&e, anchor), "one");
    e.redo();
    assert_eq!(read(&e, anchor), "one, one");
}

/// Neovim tells the rows beside a change with it, where a function replaced them by themselves.
#[test]
fn rows_that_are_told_again_as_they_were_have_not_changed() {
    let (mut e, anchor) = (Document::new(["above", "x11"]), part((1, 1), (1, 2)));
    let place = e.anchor(&anchor);
    e.apply_answer(place, 1..2, &["x1"]);
    e.landed(place, &part((1, 1), (1, 1)));
    // The undo of that.
    e.apply(1..2, &["x11"]);
    e.apply(0..1, &["above"]);
    e.settle();
    assert_eq!(e.place(place), Some(anchor));
}

/// The same text, typed by the user, is not what the range was of.
#[test]
fn a_part_that_another_answer_took_over_is_unknown_also_where_its_text_is_typed() {
    let own = part((1, 0), (1, 3));
    let mut e = Document::new(["above", "end", "below"]);
    let (place, other) = (e.anchor(&own), e.anchor(&own));
    e.apply_answer(other, 1..2, &["new"]);
    e.landed(other, &own);
    e.apply(1..2, &["end"]);
    assert_eq!(e.place(place), None);
    e.apply::<&str>(1..2, &[]);
    e.apply(1..1, &["end"]);
    e.settle();
    assert_eq!(e.place(place), None, "the text is back that was typed");
    e.apply(1..2, &["new"]);
    e.settle();
    e.apply(1..2, &["end"]);
    e.settle();
    assert_eq!(e.place(place), None, "it may be the text that was sent, or the one that was typed");
}

/// As where the next host finds the mark at less than was sent.
#[test]
fn the_base_is_what_was_sent_also_where_the_mark_is_elsewhere() {
    let (mut e, anchor) = editor(&part((1, 0), (2, 0)));
    e.document.set_sent_base(anchor, part((1, 0), (2, 3)), &ROWS[1..3]);
    let located = e.document.locate(anchor).unwrap();
    assert_eq!((located.base.pieces()[1], located.now.pieces()[1]), (&b"let"[..], &b""[..]));
}
