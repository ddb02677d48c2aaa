use super::*;
use crate::document::{AnchorId, Document, Place};

/// A document with one held answer, and a text that is changed as an editor changes it.
struct World {
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

impl World {
    /// Rows by words; the answer is to `place`.
    fn new(text: &str, place: &Place, answer: &str) -> Self {
        let mut document = Document::new(words(text));
        let anchor = document.anchor(place);
        let sent = document.locate(anchor, None).unwrap().base;
        let review = Review::new(&sent, bytes(&words(answer)), Vec::new());
        Self { document, anchor, review }
    }

    /// The answer to all of a text.
    fn whole(text: &str, answer: &str) -> Self {
        Self::new(text, &Place::Lines(0..words(text).len()), answer)
    }

    fn edit(&mut self, rows: std::ops::Range<usize>, new: &str) {
        self.review.changes(self.document.rows().text_hash());
        self.document.apply(rows, &words(new));
    }

    /// As undo and redo do.
    fn back(&mut self, rows: std::ops::Range<usize>, new: &str) {
        self.edit(rows, new);
        self.document.settle();
        self.review.came_back(self.document.rows().text_hash());
    }

    fn now(&self) -> Passage {
        self.document.locate(self.anchor, None).unwrap().now
    }

    fn hunks(&self) -> Vec<Hunk> {
        self.review.hunks(self.document.rows(), &self.now(), None).unwrap()
    }

    fn take(&mut self, numbers: &[usize]) {
        let hunks = self.hunks();
        let hunks: Vec<Hunk> = numbers.iter().map(|number| hunks[*number].clone()).collect();
        let base = self.document.locate(self.anchor, None).unwrap().base;
        let (now, before) = (self.now(), self.document.rows().text_hash());
        let (pieces, changes) = replaced(&now, &hunks);
        let replaced = Replaced::new(&now, &pieces);
        let edits = crate::land::edits_at(self.document.rows(), &now, &replaced.rows, None, changes);
        self.review.changes(before);
        for edit in edits.iter().rev() {
            self.document.apply_answer(self.anchor, edit.rows.clone(), &edit.lines);
        }
        let place = replaced.place(self.document.rows());
        self.document.landed(self.anchor, &place);
        self.document.rebased(self.anchor, base);
        let after = Passage::new(place, self.document.rows());
        self.review.take(&hunks, &after, (before, self.document.rows().text_hash()));
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
    ];
    for (name, text, answer, expected) in cases {
        assert_eq!(World::whole(text, answer).shown(), expected, "{name}");
    }
}

#[test]
fn a_taken_hunk_is_the_user_s_and_undo_proposes_it_again() {
    let mut world = World::whole("a b c d e", "a X c d Y");
    world.take(&[0]);
    assert_eq!(world.shown(), "a X c d <e|Y>");
    world.edit(1..2, "X2");
    assert_eq!(world.shown(), "a X2 c d <e|Y>");
    world.edit(2..2, "X3");
    assert_eq!(world.shown(), "a X2 X3 c d <e|Y>");
    world.back(2..3, "");
    world.back(1..2, "X");
    assert_eq!(world.shown(), "a X c d <e|Y>");
    world.back(1..2, "b");
    assert_eq!(world.shown(), "a <b|X> c d <e|Y>");
    world.back(1..2, "X");
    assert_eq!(world.shown(), "a X c d <e|Y>");
    world.edit(1..2, "mine");
    assert_eq!(world.shown(), "a mine c d <e|Y>");
}
