//! Cases that the random schedules of `tests/it/model` do not cover: how small a hunk is, parts of rows and blocks.

use super::*;
use crate::document::{AnchorId, Document, Place};

/// A document with one held answer, and a text that is changed as an editor changes it.
struct ReviewedDocument {
    document: Document,
    anchor: AnchorId,
    review: Review,
}

fn bytes(rows: &[&str]) -> Vec<Bytes> {
    rows.iter().map(|row| row.as_bytes().to_vec()).collect()
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

impl ReviewedDocument {
    /// Rows by words; the answer is to `place`.
    fn new(text: &str, place: &Place, answer: &str) -> Self {
        let mut document = Document::new(words(text));
        let anchor = document.anchor(place);
        let sent = document.locate(anchor).unwrap().base;
        let review = Review::new(&sent, bytes(&words(answer)), Vec::new());
        Self { document, anchor, review }
    }

    /// The answer to all of a text.
    fn whole(text: &str, answer: &str) -> Self {
        Self::new(text, &Place::Lines(0..words(text).len()), answer)
    }

    fn edit(&mut self, rows: std::ops::Range<usize>, new: &str) {
        self.document.apply(rows, &words(new));
    }

    /// As undo and redo do.
    fn back(&mut self, rows: std::ops::Range<usize>, new: &str) {
        self.edit(rows, new);
        self.document.settle();
        self.review.follow(self.document.last_write(self.anchor));
    }

    fn now(&self) -> Passage {
        self.document.locate(self.anchor).unwrap().now
    }

    fn hunks(&self) -> Vec<Hunk> {
        self.review.hunks(&self.now(), None).unwrap()
    }

    fn take(&mut self, numbers: &[usize]) {
        let hunks = self.hunks();
        let hunks: Vec<Hunk> = numbers.iter().map(|number| hunks[*number].clone()).collect();
        let base = self.document.locate(self.anchor).unwrap().base;
        let now = self.now();
        let (pieces, changes) = replaced(&now, &hunks);
        let replaced = Replaced::new(&now, &pieces);
        let edits = crate::land::edits(self.document.rows(), &now, &replaced.rows, None, changes);
        for edit in edits.iter().rev() {
            self.document.apply_answer(self.anchor, edit.rows.clone(), &edit.lines);
        }
        let place = replaced.place(self.document.rows());
        self.document.landed(self.anchor, &place);
        self.document.rebased(self.anchor, base);
        let after = Passage::new(place, self.document.rows());
        self.review.take(&hunks, (&now, &after), self.document.last_write(self.anchor));
    }

    /// The text with its hunks: `<what goes|what comes>`, a conflict with `!`.
    fn shown(&self) -> String {
        let mut rows: Vec<String> =
            self.document.rows().iter().map(|row| String::from_utf8_lossy(&row.text).into_owned()).collect();
        for hunk in self.hunks().iter().rev() {
            let lines: Vec<_> = hunk.lines.iter().map(|line| String::from_utf8_lossy(line)).collect();
            let mark = if hunk.conflict.is_some() { "!" } else { "" };
            let shown = format!("{mark}<{}|{}>", rows[hunk.rows.clone()].join(" "), lines.join(" "));
            rows.splice(hunk.rows.clone(), [shown]);
        }
        rows.join(" ")
    }
}

#[test]
fn an_answer_is_shown_as_its_smallest_differences() {
    let cases = [
        ("replaced", "a b c", "a X c", "a <b|X> c"),
        ("put in, deleted", "a b c d", "a X b d", "a <|X> b <c|> d"),
        ("all of it", "a b", "X", "<a b|X>"),
        ("nothing left", "a b", "", "<a b|>"),
        ("nothing differs", "a b", "a b", "a b"),
        ("rows that say nothing between", "a1 } b1 }", "a2 } b2 }", "<a1|a2> } <b1|b2> }"),
        ("at both ends", "a b", "X a b Y", "<|X> a b <|Y>"),
        ("a row put in above a changed one", "a }", "} A }", "<a|} A> }"),
    ];
    for (name, text, answer, expected) in cases {
        assert_eq!(ReviewedDocument::whole(text, answer).shown(), expected, "{name}");
    }
}

#[test]
fn what_is_taken_back_is_what_the_text_had_also_where_that_was_the_user_s() {
    let mut world = ReviewedDocument::whole("a b c d e", "a X c Y e");
    world.edit(1..2, "mine");
    world.take(&[1]);
    world.take(&[0]);
    let (written, before) = world.review.landed(&world.now());
    assert_eq!(
        written.rows.iter().map(|row| row.text.to_vec()).collect::<Vec<_>>(),
        bytes(&words("a X c Y e"))
    );
    assert_eq!(before, bytes(&words("a mine c d e")));
}

#[test]
fn what_the_user_changed_too_is_a_conflict_and_nothing_else_is_part_of_it() {
    let cases = [
        ("a row", "a b c", (1..2, "mine"), "a X c", "a !<mine|X> c"),
        ("a row put in above it", "a b c", (1..1, "mine"), "a X c", "a mine !<b|X> c"),
        ("a row that was deleted", "a b c", (1..2, ""), "a X c", "a !<|X> c"),
        ("rows put in at one place", "a b", (1..1, "mine"), "a X b", "a !<mine|X> b"),
        ("the row beside", "a b c d", (0..1, "mine"), "a X c Y", "mine !<b|X> c <d|Y>"),
        ("the same", "a b c d e", (1..2, "X"), "a X c d Y", "a X c d <e|Y>"),
        ("the same row elsewhere", "a b c d", (1..1, "X"), "a b c d X", "a X b c d !<|X>"),
        ("a bracket elsewhere", "a b c d", (1..1, "}"), "a b c d }", "a } b c d <|}>"),
        ("either of two twins", "a s s b c d", (5..6, "D"), "a s b c d", "a s <s|> b c D"),
        ("either of two twins, one is edited", "a s s b", (1..2, "S"), "a s b", "a S !<s|> b"),
        ("the twin that is left", "a s s b", (1..2, ""), "a X s b", "a !<|X> s b"),
        ("a row that goes was moved", "a b c d", (0..3, "c a b"), "a b d", "!<c|> a b d"),
        ("two rows were swapped", "a b c d", (1..3, "c b"), "a X Y d", "a !<c b|X Y> d"),
        ("all around it indented", "a b c", (0..3, "A B C"), "a X c", "A !<B|X> C"),
    ];
    for (name, text, (rows, typed), answer, expected) in cases {
        let mut world = ReviewedDocument::whole(text, answer);
        world.edit(rows, typed);
        assert_eq!(world.shown(), expected, "{name}");
    }
}

#[test]
fn a_conflict_says_what_the_user_did() {
    let words = |typed: (std::ops::Range<usize>, &str)| {
        let mut world = ReviewedDocument::whole("a b c d", "a X Y d");
        world.edit(typed.0, typed.1);
        world.hunks()[0].conflict.unwrap().words()
    };
    assert_eq!(words((1..2, "mine")), "conflict: these rows were changed, too");
    assert_eq!(words((1..3, "")), "conflict: the rows of this hunk were deleted");
    assert_eq!(words((0..1, "mine")), "conflict: the row next to this was changed");
}

#[test]
fn a_part_of_a_row_and_a_block_are_taken_as_a_whole() {
    let part = Place::Part { start: (0, 2), end: (0, 3) };
    let mut world = ReviewedDocument::new("f(a) b", &part, "c");
    assert_eq!(world.shown(), "<f(a)|f(c)> b");
    world.take(&[0]);
    assert_eq!(world.shown(), "f(c) b");
    let now = world.now();
    assert_eq!(world.review.landed(&now), (now, bytes(&["f(a)"])));
    world.back(0..1, "f(a)");
    assert_eq!(world.shown(), "<f(a)|f(c)> b");
    let block = Place::Block { first: 0, columns: vec![0..1, 0..1, 0..1] };
    let mut world = ReviewedDocument::new("a1 b1 c1 d1", &block, "A B c");
    assert_eq!(world.shown(), "<a1 b1 c1|A1 B1 c1> d1");
    world.edit(1..3, "x1 y1");
    assert_eq!(world.shown(), "!<a1 x1 y1|A1 B1 y1> d1", "the answer leaves the last row");
    world.take(&[0]);
    assert_eq!(world.shown(), "A1 B1 y1 d1");
    let now = world.now();
    assert_eq!(world.review.landed(&now), (now, bytes(&["a1", "x1", "y1"])), "what the user had there");
}

#[test]
fn another_answer_keeps_what_was_taken() {
    let mut world = ReviewedDocument::whole("a b c d e", "a X c d Y");
    world.take(&[0]);
    world.review.set_answer(&bytes(&words("a X c d Z")));
    assert_eq!(world.shown(), "a X c d <e|Z>");
    world.back(1..2, "b");
    assert_eq!(world.shown(), "a <b|X> c d <e|Z>");
}
