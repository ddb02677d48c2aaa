//! Rows with the same text, empty rows, the ends of a buffer, insertions, and ranges beside or over others.

use super::*;

#[test]
fn twins_and_blanks() {
    Sent(TWINS, 2..4).check(&[
        ("dd of the one above", |e| e.delete(1..2), "1: same|same"),
        ("dd of its first", |e| e.delete(2..3), "2: same"),
        ("dd of its first, undone", |e| e.delete(2..3).undo(), "2: same|same"),
        ("each of them, undone", |e| e.delete(2..3).undo().delete(3..4).undo().delete(1..2), "1: same|same"),
        ("yyp above it, undone", |e| e.yank(1..2).put(2).undo(), "2: same|same"),
        ("one of them gone in a whole new text", |e| write_all(e, "above\nsame\nsame\nbelow"), "lost"),
        (
            "one of them gone in a whole new text, undone, and dd of its last",
            |e| write_all(e, "above\nsame\nsame\nbelow").undo().delete(3..4),
            "2: same",
        ),
        (
            "one of them gone in a whole new text, undone and redone",
            |e| write_all(e, "above\nsame\nsame\nbelow").undo().redo(),
            "lost",
        ),
        (
            "one of them gone, and what was below it another row",
            |e| write_all(e, "above\nsame\nsame\nother words"),
            "lost",
        ),
        (
            "the one above it gone, and what was above that another row",
            |e| write_all(e, "other words\nsame\nsame\nbelow"),
            "1: same|same",
        ),
        (
            "all of them there in a whole new text",
            |e| write_all(e, "top\nabove\nsame\nsame\nsame\nbelow"),
            "3: same|same",
        ),
        (
            "a row put between in a whole new text",
            |e| write_all(e, "above\nsame\nsame\nnew\nsame\nbelow"),
            "2: same|new|same",
        ),
    ]);
    Sent("def a\n  body()\nend\n\ndef b\n  body()\nend", 4..7).check(&[
        (
            "dap, and P at the top",
            |e| e.delete(4..7).insert(0, &["def b", "  body()", "end"]),
            "0: def b|  body()|end",
        ),
        ("only some of it comes back", |e| e.delete(4..7).insert(0, &["  body()", "end"]), "lost"),
    ]);
    Sent("same\nsame\n\nsame\nsame", 3..5).check(&[(
        "a copy of what is there, too",
        |e| e.delete(3..5).insert(0, &["same", "same"]),
        "lost",
    )]);
    Sent(BLANKS, 1..4).check(&[
        ("a row at the top", |e| e.open(0, "top"), "2: |middle|"),
        ("a blank row elsewhere is not its own", |e| e.delete(1..2).insert(4, &["", "x"]), "1: middle|"),
        ("a blank row gone and back by undo", |e| e.delete(1..2).undo(), "1: |middle|"),
        (
            "another blank row in a whole new text",
            |e| write_all(e, "\nabove\n\nmiddle\n\nbelow"),
            "2: |middle|",
        ),
    ]);
}

#[test]
fn the_ends_of_a_buffer() {
    Sent(LETTERS, 0..2).check(&[
        ("a row above, and typing", |e| e.open(0, "new").typed(1, 0, "x"), "1: xalpha|bravo"),
        ("dd of it", |e| e.delete(0..1), "0: bravo"),
    ]);
    Sent(LETTERS, 6..8).check(&[
        ("a row below", |e| e.open(8, "new"), "6: golf|hotel"),
        ("all of it, and rows at the end", |e| e.delete(6..8).open(6, "new"), "lost"),
    ]);
    Sent("", 0..1).check(&[
        ("typing in an empty buffer", |e| e.typed(0, 0, "x"), "0: x"),
        ("rows in an empty buffer", |e| e.insert(0, &["a", "b"]), "2: "),
    ]);
}

#[test]
fn insertions() {
    Sent(LETTERS, 3..3).check(&[
        ("rows above and below", |e| e.open(2, "x").open(4, "y"), "4:"),
        ("a row at the place", |e| e.open(3, "x"), "3:"),
        ("the row above gone", |e| e.delete(2..3), "2:"),
        ("the row below gone", |e| e.delete(3..4), "3:"),
        ("both gone", |e| e.delete(2..4), "lost"),
        ("both gone, undone", |e| e.delete(2..4).undo(), "3:"),
        ("the row above moved away", |e| e.relocate(2..3, 8), "lost"),
        ("the row below moved to the end", |e| e.relocate(3..4, 8), "3:"),
        (
            "both cut by c in Visual mode, and put",
            |e| e.yank(2..4).set(3..4, &[""; 0]).change(2, "x").put(0),
            "lost",
        ),
        ("rows at the top gone", |e| e.delete(0..2), "1:"),
    ]);
    Sent(LETTERS, 0..0).check(&[
        ("a row at the top", |e| e.open(0, "x"), "1:"),
        ("the first row gone", |e| e.delete(0..1), "0:"),
        ("another text", |e| write_all(e, "one\ntwo\nthree"), "lost"),
    ]);
    Sent(LETTERS, 8..8).check(&[
        ("rows gone at the top", |e| e.delete(0..2), "6:"),
        ("a row at the end", |e| e.open(8, "x"), "8:"),
        ("the last row gone", |e| e.delete(7..8), "7:"),
    ]);
}

#[test]
fn two_ranges_that_overlap_go_their_own_ways() {
    let mut editor = Editor::new(&LETTERS.split('\n').collect::<Vec<_>>());
    let (a, b) = (editor.anchor(&Place::Lines(1..5)), editor.anchor(&Place::Lines(3..7)));
    editor.open(4, "new");
    editor.delete(3..4);
    editor.relocate(0..1, 8);
    assert_eq!(editor.document.place(a), Some(Place::Lines(0..4)));
    assert_eq!(editor.document.place(b), Some(Place::Lines(3..6)));
}

#[test]
fn an_answer_owns_the_rows_that_it_brought_and_undo_takes_them_back() {
    let mut editor = Editor::new(&LETTERS.split('\n').collect::<Vec<_>>());
    let anchor = editor.anchor(&Place::Lines(2..5));
    editor.land(anchor, &[(2..5, &["one", "two", "three", "four"])], None);
    editor.open(6, "below");
    editor.open(2, "above");
    assert_eq!(editor.document.place(anchor), Some(Place::Lines(3..7)));
    editor.undo().undo().undo();
    assert_eq!(editor.document.place(anchor), Some(Place::Lines(2..5)));
    editor.redo();
    assert_eq!(editor.document.place(anchor), Some(Place::Lines(2..6)));
}

#[test]
fn what_an_answer_deleted_is_its_own_until_undo_brings_it_back_and_others_delete_it() {
    let mut editor = Editor::new(&LETTERS.split('\n').collect::<Vec<_>>());
    let anchor = editor.anchor(&Place::Lines(2..3));
    editor.land(anchor, &[(2..3, &[])], Some(&Place::Lines(2..2)));
    editor.typed(0, 0, "x");
    assert_eq!(editor.document.place(anchor), Some(Place::Lines(2..2)), "the text that the answer wrote");
    editor.undo().undo();
    assert_eq!(editor.document.place(anchor), Some(Place::Lines(2..3)), "undone");
    editor.redo();
    assert_eq!(editor.document.place(anchor), Some(Place::Lines(2..2)), "redone");
    editor.undo().typed(0, 0, "y").delete(2..3);
    assert_eq!(editor.document.place(anchor), None, "undone, and deleted by the user");
    editor.put(5);
    assert_eq!(editor.document.place(anchor), Some(Place::Lines(5..6)), "and put elsewhere");
}

#[test]
fn an_answer_is_whole_with_other_rows_in_it() {
    let mut editor = Editor::new(&LETTERS.split('\n').collect::<Vec<_>>());
    editor.delete(0..1);
    let anchor = editor.anchor(&Place::Lines(1..4));
    editor.land(anchor, &[(4..4, &["one", "two"]), (1..2, &[])], Some(&Place::Lines(1..5)));
    editor.put(2);
    assert_eq!(editor.text()[1..6], ["delta", "alpha", "echo", "one", "two"]);
    assert_eq!(editor.document.place(anchor), Some(Place::Lines(1..6)), "a row that was deleted before it");
    editor.undo().relocate(0..1, 3);
    assert_eq!(editor.text()[..5], ["delta", "echo", "bravo", "one", "two"]);
    assert_eq!(editor.document.place(anchor), Some(Place::Lines(0..5)), "a row that was beside it");
}

#[test]
fn a_row_that_an_answer_deletes_is_not_moved_to_its_copy() {
    let mut editor = Editor::new(&LETTERS.split('\n').collect::<Vec<_>>());
    let anchor = editor.anchor(&Place::Lines(2..3));
    editor.yank(2..3).put(0);
    editor.land(anchor, &[(3..4, &[])], None);
    assert_eq!(editor.document.place(anchor), None);
}

#[test]
fn where_a_text_had_other_rows_at_another_time_those_are_in_doubt() {
    let mut editor = Editor::new(&LETTERS.split('\n').collect::<Vec<_>>());
    let (own, other) = (editor.anchor(&Place::Lines(2..4)), editor.anchor(&Place::Lines(3..4)));
    editor.land(other, &[(3..4, &[])], Some(&Place::Lines(3..3)));
    editor.land(other, &[(3..3, &["delta"])], Some(&Place::Lines(3..4)));
    editor.undo().undo();
    assert_eq!(editor.document.place(own), None, "before the one or after the other");
    editor.redo();
    assert_eq!(editor.document.place(own), Some(Place::Lines(2..3)));
}
