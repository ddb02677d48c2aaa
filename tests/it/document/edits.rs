//! Named edits: where a range is after each.

use botglue::document::{Document, Place};

use super::editor::Editor;

mod edges;

const LETTERS: &str = "alpha\nbravo\ncharlie\ndelta\necho\nfoxtrot\ngolf\nhotel";
const CODE: &str = "fn one() {\n  first();\n}\n\nfn two() {\n  second();\n}\n\nfn three() {\n  third();\n}";
const SWAPPED: &str =
    "fn two() {\n  second();\n}\n\nfn one() {\n  first();\n}\n\nfn three() {\n  third();\n}";
const TWINS: &str = "above\nsame\nsame\nsame\nbelow";
const BLANKS: &str = "above\n\nmiddle\n\nbelow";
/// The range of `LETTERS`, and what is said of it as long as nothing in it changes.
const RANGE: std::ops::Range<usize> = 2..5;
const SAME: &str = "2: charlie|delta|echo";

type Act = fn(&mut Editor) -> &mut Editor;

/// A range of whole rows in a text; an empty one is an insertion.
struct Sent(&'static str, std::ops::Range<usize>);

impl Sent {
    /// Where it is after each of some edits.
    #[track_caller]
    fn check(&self, cases: &[(&str, Act, &str)]) {
        for (name, act, expected) in cases {
            let mut editor = Editor::new(&self.0.split('\n').collect::<Vec<_>>());
            let anchor = editor.anchor(&Place::Lines(self.1.clone()));
            act(&mut editor);
            let is = match editor.document.place(anchor) {
                Some(Place::Lines(rows)) if rows.is_empty() => format!("{}:", rows.start),
                Some(Place::Lines(rows)) => {
                    format!("{}: {}", rows.start, editor.text()[rows.clone()].join("|"))
                }
                Some(place) => format!("{place:?}"),
                None => "lost".to_owned(),
            };
            assert_eq!(is, *expected, "{name}");
        }
    }
}

/// All of the buffer is replaced by a text in one event.
fn write_all<'a>(editor: &'a mut Editor, text: &str) -> &'a mut Editor {
    editor.set(0..editor.lines.len(), &text.split('\n').collect::<Vec<_>>())
}

/// All of the buffer is filtered through a program that prints this.
fn filter_all<'a>(editor: &'a mut Editor, text: &str) -> &'a mut Editor {
    editor.filter(0..editor.lines.len(), &text.split('\n').collect::<Vec<_>>())
}

/// All rows in reverse order in one event.
fn reverse(editor: &mut Editor) -> &mut Editor {
    let lines: Vec<_> = editor.lines.iter().rev().cloned().collect();
    editor.set(0..lines.len(), &lines)
}

/// All rows in reverse order through a program.
fn filter_backwards(editor: &mut Editor) -> &mut Editor {
    let lines: Vec<_> = editor.lines.iter().rev().cloned().collect();
    editor.filter(0..lines.len(), &lines)
}

fn tabs(text: &str) -> String {
    text.replace("  ", "\t")
}

#[test]
fn typing() {
    Sent(LETTERS, RANGE).check(&[
        ("in it", |e| e.typed(3, 5, " more"), "2: charlie|delta more|echo"),
        ("at the start of its first row", |e| e.typed(2, 0, "x"), "2: xcharlie|delta|echo"),
        ("in the row above", |e| e.typed(1, 0, "x"), SAME),
        ("a row at the top", |e| e.open(0, "new"), "3: charlie|delta|echo"),
        ("a row right above it", |e| e.open(2, "new"), "3: charlie|delta|echo"),
        ("a row right below it", |e| e.open(5, "new"), SAME),
        ("a row in it", |e| e.open(3, "new"), "2: charlie|new|delta|echo"),
        ("a row in it that reads as one of its own", |e| e.open(3, "delta"), "2: charlie|delta|delta|echo"),
        ("cc", |e| e.change(2, "other"), "2: other|delta|echo"),
        ("cc of all of it", |e| e.change(2, "x").change(3, "x").change(4, "x"), "2: x|x|x"),
        (
            "each of its rows and of those beside it at once",
            |e| e.set(1..6, &["bravo!", "charlie!", "delta!", "echo!", "foxtrot!"]),
            "2: charlie!|delta!|echo!",
        ),
        ("a word of the row below gone", |e| e.substitute(5, 0..7, ""), SAME),
        ("bytes that are no UTF-8", |e| e.set(0..1, &[b"\xff\xfe\x00"]), SAME),
    ]);
}

#[test]
fn joining_and_splitting() {
    Sent(LETTERS, RANGE).check(&[
        ("J in it", |e| e.join(2), "2: charlie delta|echo"),
        ("J in it, undone", |e| e.join(2).undo(), SAME),
        ("J in it, undone and redone", |e| e.join(2).undo().redo(), "2: charlie delta|echo"),
        ("J over its upper end", |e| e.join(1), "2: delta|echo"),
        ("J over its upper end, undone", |e| e.join(1).undo(), SAME),
        ("J over its lower end", |e| e.join(4), "2: charlie|delta|echo foxtrot"),
        ("J over its lower end, undone", |e| e.join(4).undo(), SAME),
        ("<CR> in a middle row", |e| e.split(3, 2), "2: charlie|de|lta|echo"),
        ("<CR> in its first row", |e| e.split(2, 2), "2: ch|arlie|delta|echo"),
        ("<CR> in its last row", |e| e.split(4, 3), "2: charlie|delta|ech|o"),
        ("<CR> in its last row, and in the rest", |e| e.split(4, 3).split(4, 1), "2: charlie|delta|e|ch|o"),
        ("<CR> in the row above", |e| e.split(1, 4), "3: charlie|delta|echo"),
        ("<CR> in the row below", |e| e.split(5, 1), SAME),
        ("<CR> at the start of its first row", |e| e.split(2, 0), "3: charlie|delta|echo"),
        ("<CR> at the end of its last row", |e| e.split(4, 4), SAME),
        ("<CR>, undone", |e| e.split(4, 3).undo(), SAME),
        (
            "<CR> where two rows were joined, undone and redone",
            |e| e.typed(5, 0, " ").join(4).split(4, 4).undo().redo(),
            "2: charlie|delta|echo| foxtrot",
        ),
    ]);
}

#[test]
fn rows_deleted_and_put() {
    Sent(LETTERS, RANGE).check(&[
        ("its last row below the next one", |e| e.delete(4..5).put(5), "2: charlie|delta|foxtrot|echo"),
        ("two of its rows below two others", |e| e.relocate(2..4, 7), "lost"),
        ("the row above it below its first", |e| e.delete(1..2).put(2), "1: charlie|bravo|delta|echo"),
        ("and the next one below that", |e| e.delete(4..5).put(5).delete(4..5).put(5), SAME),
    ]);
}

#[test]
fn whole_buffers() {
    Sent(LETTERS, RANGE).check(&[
        ("the same text", |e| write_all(e, LETTERS), SAME),
        (
            "indented",
            |e| write_all(e, &format!("\t{}", LETTERS.replace('\n', "\n\t"))),
            "2: \tcharlie|\tdelta|\techo",
        ),
        (":%s over every row", |e| write_all(e, &LETTERS.replace('\n', "!\n")), "2: charlie!|delta!|echo!"),
        ("sorted backwards", reverse, "3: echo|delta|charlie"),
        ("sorted backwards, undone", |e| reverse(e).undo(), SAME),
        ("%!sort -r", filter_backwards, "3: echo|delta|charlie"),
        ("%!sort -r, undone", |e| filter_backwards(e).undo(), SAME),
        ("%!sort -r, undone and redone", |e| filter_backwards(e).undo().redo(), "3: echo|delta|charlie"),
        (
            "read again with changes around it and in it",
            |e| write_all(e, "top\nalpha\nbravo x\ncharlie\ndelta\nnew\necho\nhotel"),
            "3: charlie|delta|new|echo",
        ),
        ("read again without it", |e| write_all(e, "alpha\nbravo\nfoxtrot\ngolf\nhotel"), "lost"),
        ("a copy of it in the new text", |e| write_all(e, &format!("{LETTERS}\ncharlie\ndelta\necho")), SAME),
    ]);
}

#[test]
fn formatters() {
    Sent(CODE, 4..7).check(&[
        (
            "tabs, and a row at the top",
            |e| write_all(e, &format!("// top\n{}", tabs(CODE))),
            "5: fn two() {|\tsecond();|}",
        ),
        (
            "braces on rows of their own",
            |e| write_all(e, &CODE.replace(" {", "\n{")),
            "5: fn two()|{|  second();|}",
        ),
        (
            "there and back",
            |e| {
                write_all(e, &tabs(CODE).replace(" {", "\n{"));
                write_all(e, CODE)
            },
            "4: fn two() {|  second();|}",
        ),
        ("undone", |e| write_all(e, &tabs(CODE).replace(" {", "\n{")).undo(), "4: fn two() {|  second();|}"),
        (
            "a filter that adds a row",
            |e| filter_all(e, &tabs(CODE).replace("fn two", "// two\nfn two")),
            "5: fn two() {|\tsecond();|}",
        ),
        (
            "a function above it gone",
            |e| write_all(e, &CODE[CODE.find("fn two").unwrap()..]),
            "0: fn two() {|  second();|}",
        ),
        ("two functions swapped: whose brace is whose is in doubt", |e| write_all(e, SWAPPED), "lost"),
        (
            "its body changed",
            |e| write_all(e, &CODE.replace("  second();", "  a();\n  b();")),
            "4: fn two() {|  a();|  b();|}",
        ),
    ]);
}

/// A row that was put in above one that is then deleted may be that one, moved there and edited. Undo and redo tell no
/// more of it.
#[test]
fn a_redo_leads_to_the_rows_that_were_there() {
    let mut document = Document::new(["b1", "b2", "b3", "b4"]);
    let ids = |document: &Document| document.rows().iter().map(|row| row.id).collect::<Vec<_>>();
    document.anchor(&Place::Lines(1..3));
    document.apply(1..1, &["u12"]);
    document.apply::<&str>(2..4, &[]);
    let then = ids(&document);
    document.apply(2..2, &["b2", "b3"]);
    document.settle();
    document.apply::<&str>(2..4, &[]);
    document.settle();
    assert_eq!(ids(&document), then);
}

/// Undo and redo pass through texts that were there, before they come to one.
#[test]
fn an_answer_is_in_the_texts_that_it_was_in() {
    let mut document = Document::new(["a", "b"]);
    let anchor = document.anchor(&Place::Lines(1..2));
    let rows = ["a", "a0", "a1", "a2"];
    document.apply(0..1, &rows[1..2]);
    document.apply(0..1, &rows[2..3]);
    document.apply_answer(anchor, 1..2, &["B"]);
    document.landed(anchor, &Place::Lines(1..2));
    document.apply(0..1, &rows[3..4]);
    for (row, text) in [(0, rows[2]), (1, "b"), (0, rows[1]), (0, rows[0])] {
        document.apply(row..row + 1, &[text]);
    }
    document.settle();
    assert!(document.is_undone(anchor));
    for (row, text, is_undone) in
        [(0, rows[1], true), (0, rows[2], true), (1, "B", false), (0, rows[3], false)]
    {
        document.apply(row..row + 1, &[text]);
        document.settle();
        assert_eq!(document.is_undone(anchor), is_undone, "{text}");
    }
}
