//! What an edit of rows is for the editor: the smallest changes of text, so that marks, folds and other plugins'
//! extmarks stay on all that does not differ. Equal rows at both ends are not touched, nor the equal beginning and end
//! of the first and the last of the others, in whole characters.
//!
//! Rows are rewritten one for one; those that are more on one side are put in or deleted whole, before the last one.
//! Neovim moves all marks for rows that come or go whole.

use std::ops::Range;

use super::replaced::Bytes;
use super::step::RowEdit;

/// Rows that differ; more are replaced in one piece, which takes less time.
const ONE_BY_ONE: usize = 50;

/// A row and a byte in it.
pub type At = (usize, usize);

/// A change of text; rows count after the changes before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Primitive {
    /// The text between two places becomes other text of as many rows.
    Text(At, At, Vec<Bytes>),
    /// Text comes behind a row, which is filled up to this screen column.
    Fill(At, Bytes, usize),
    /// Rows come in above this one.
    Insert(usize, Vec<Bytes>),
    /// Rows go.
    Delete(Range<usize>),
    /// A row becomes two at this byte.
    Split(At),
    /// A row becomes one with the row below.
    Join(usize),
}

impl RowEdit {
    /// The changes that make it, and from where to where one goes who types right behind what is replaced.
    pub fn primitives(&self) -> (Vec<Primitive>, Option<(At, At)>) {
        let (old, new) = (&self.old[..], &self.lines[..]);
        let head = shared(old, new, |old, new| old[..] == new[..]);
        let (old, new) = (&old[head..], &new[head..]);
        let tail = shared(old.iter().rev(), new.iter().rev(), |old, new| old[..] == new[..]);
        let (old, new) = (&old[..old.len() - tail], &new[..new.len() - tail]);
        let first = self.rows.start + head;
        if let (Some(column), [old], [new]) = (self.column, old, new) {
            let end = (first, old.len());
            return (vec![Primitive::Fill(end, new[old.len()..].to_vec(), column)], None);
        }
        let behind = old.last().zip(new.last()).and_then(|(last, line)| {
            let (from, after) = self.around.unwrap_or_default();
            let after = if tail == 0 { after } else { 0 };
            let start = if after > 0 { (self.rows.start, from) } else { (first, 0) };
            let was = (first + old.len() - 1, last.len() - after);
            (was != start).then_some((was, (first + new.len() - 1, line.len() - after)))
        });
        let rows = old.iter().map(|row| row.to_vec()).collect();
        let mut compiler = Compiler { first, rows, made: Vec::new() };
        match (old, new) {
            ([], []) => {}
            ([], _) => compiler.insert(0, new),
            (_, []) => compiler.delete(0..old.len()),
            _ => compiler.exchange(new),
        }
        (compiler.made, behind)
    }
}

/// Makes rows that differ at both ends of them others.
struct Compiler {
    /// Where the rows are.
    first: usize,
    /// The rows as they are by now.
    rows: Vec<Bytes>,
    made: Vec<Primitive>,
}

impl Compiler {
    fn exchange(&mut self, new: &[Bytes]) {
        let count = self.rows.len();
        if count > 1 && new.len() > 1 {
            return self.pair(new, count.min(new.len()) - 1);
        }
        let (row, rows) = if count == 1 { (&self.rows[0], new) } else { (&new[0], &self.rows[..]) };
        let (head, tail) = shared_ends(row, &rows[0], &rows[rows.len() - 1]);
        if count == new.len() || head == 0 || tail == 0 {
            // One row goes with the one at the end that it shares text with.
            return self.pair(new, usize::from(head > 0 || tail == 0));
        }
        let column = row.len() - tail;
        if count == 1 {
            self.split(column);
            return self.pair(new, 1);
        }
        let (start, end) = new[0].split_at(column);
        self.pair(&[start.to_vec(), end.to_vec()], 1);
        self.made.push(Primitive::Join(self.first));
    }

    /// Rewrites rows one for one, once those that are more on one side have come or gone below the first `top` of them.
    fn pair(&mut self, new: &[Bytes], top: usize) {
        let count = self.rows.len();
        let bottom = count.min(new.len()) - top;
        if count < new.len() {
            self.insert(top, &new[top..new.len() - bottom]);
        } else if count > new.len() {
            self.delete(top..count - bottom);
        }
        self.rewrite(new);
    }

    /// Puts text into rows that stay as many as they are.
    fn rewrite(&mut self, new: &[Bytes]) {
        let old = &self.rows;
        let differing: Vec<usize> = (0..new.len()).filter(|at| old[*at] != new[*at]).collect();
        let pieces: Vec<Range<usize>> = match differing[..] {
            [top, .., bottom] if differing.len() > ONE_BY_ONE => std::iter::once(top..bottom + 1).collect(),
            _ => differing.into_iter().map(|at| at..at + 1).collect(),
        };
        for Range { start, end } in pieces {
            let (top, bottom) = (&old[start], &old[end - 1]);
            let (head, _) = shared_ends(top, &new[start], &new[start]);
            let from = if end == start + 1 { head } else { 0 };
            let tail = shared_tail(&bottom[from..], &new[end - 1][from..]);
            let mut lines = new[start..end].to_vec();
            let last = lines.len() - 1;
            let keep = lines[last].len() - tail;
            lines[last].truncate(keep);
            lines[0].drain(..head);
            let (from, to) = ((self.first + start, head), (self.first + end - 1, bottom.len() - tail));
            self.made.push(Primitive::Text(from, to, lines));
        }
    }

    fn split(&mut self, column: usize) {
        let below = self.rows[0].split_off(column);
        self.rows.insert(1, below);
        self.made.push(Primitive::Split((self.first, column)));
    }

    fn insert(&mut self, at: usize, rows: &[Bytes]) {
        self.rows.splice(at..at, rows.iter().cloned());
        self.made.push(Primitive::Insert(self.first + at, rows.to_vec()));
    }

    fn delete(&mut self, rows: Range<usize>) {
        self.rows.drain(rows.clone());
        self.made.push(Primitive::Delete(self.first + rows.start..self.first + rows.end));
    }
}

/// How many entries two lists share at their start.
fn shared<A, B>(
    one: impl IntoIterator<Item = A>,
    other: impl IntoIterator<Item = B>,
    is_same: impl Fn(&A, &B) -> bool,
) -> usize {
    one.into_iter().zip(other).take_while(|(one, other)| is_same(one, other)).count()
}

/// How many bytes a row shares with one at its start, and with another at its end, in whole characters.
fn shared_ends(row: &[u8], first: &[u8], last: &[u8]) -> (usize, usize) {
    let is_inside = |row: &[u8], at: usize| row.get(at).is_some_and(|byte| (0x80..0xC0).contains(byte));
    let mut head = shared(row, first, |one, other| one == other);
    while head > 0 && (is_inside(row, head) || is_inside(first, head)) {
        head -= 1;
    }
    (head, shared_tail(&row[head..], last))
}

/// How many bytes two rows share at their end, in whole characters.
fn shared_tail(one: &[u8], other: &[u8]) -> usize {
    let mut tail = shared(one.iter().rev(), other.iter().rev(), |one, other| one == other);
    while tail > 0 && (0x80..0xC0).contains(&one[one.len() - tail]) {
        tail -= 1;
    }
    tail
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bytes(rows: &[&str]) -> Vec<Bytes> {
        rows.iter().map(|row| row.as_bytes().to_vec()).collect()
    }

    fn edit(first: usize, old: &[Bytes], lines: &[Bytes]) -> RowEdit {
        RowEdit {
            rows: first..first + old.len(),
            old: old.iter().map(|row| row[..].into()).collect(),
            above: None,
            below: None,
            lines: lines.to_vec(),
            around: None,
            column: None,
        }
    }

    fn of(old: &[&str], new: &[&str]) -> Vec<Primitive> {
        edit(7, &bytes(old), &bytes(new)).primitives().0
    }

    fn text(row: usize, from: usize, to: usize, line: &str) -> Primitive {
        Primitive::Text((row, from), (row, to), bytes(&[line]))
    }

    fn insert(row: usize, rows: &[&str]) -> Primitive {
        Primitive::Insert(row, bytes(rows))
    }

    #[test]
    fn only_what_differs_is_touched_in_whole_characters() {
        assert_eq!(of(&["a", "größe", "c"], &["a", "gräße", "c"]), [text(8, 2, 4, "ä")]);
        assert_eq!(of(&["aXa"], &["aYYa"]), [text(7, 1, 2, "YY")]);
        assert_eq!(of(&["a", "a"], &["a", "a"]), []);
        assert_eq!(of(&["a", "b"], &["a"]), [Primitive::Delete(8..9)]);
        assert_eq!(of(&[], &["a", "b"]), [insert(7, &["a", "b"])]);
    }

    #[test]
    fn rows_go_with_those_that_they_share_text_with() {
        let (split, join) = (Primitive::Split((7, 4)), Primitive::Join(7));
        assert_eq!(of(&["f(a, b)"], &["f(a,", "  b)"]), [split, text(8, 1, 1, " ")]);
        assert_eq!(of(&["f(a,", "  b)"], &["f(a, b)"]), [text(8, 1, 2, ""), join]);
        assert_eq!(of(&["c c"], &["1", "x c"]), [insert(7, &["1"]), text(8, 0, 1, "x")]);
        assert_eq!(of(&["c c"], &["c 1", "2"]), [insert(8, &["2"]), text(7, 2, 3, "1")]);
        assert_eq!(of(&["a", "b"], &["x"]), [Primitive::Delete(8..9), text(7, 0, 1, "x")]);
        assert_eq!(
            of(&["b b", "c", "e e"], &["b 1", "2 e"]),
            [Primitive::Delete(8..9), text(7, 2, 3, "1"), text(8, 0, 1, "2")]
        );
    }

    #[test]
    fn many_rows_are_replaced_in_one_piece() {
        let rows =
            |of: &str| -> Vec<Bytes> { (0..60).map(|row| format!("{of} {row}.").into_bytes()).collect() };
        let (made, _) = edit(0, &rows("a"), &rows("b")).primitives();
        let [Primitive::Text((0, 0), (59, 1), lines)] = &made[..] else { panic!("{made:?}") };
        assert_eq!((&lines[0][..], &lines[58][..], &lines[59][..]), (&b"b 0."[..], &b"b 58."[..], &b"b"[..]));
    }

    #[test]
    fn who_types_behind_what_is_replaced_goes_on_behind_what_comes() {
        let behind = |old: &[&str], new: &[&str], around| {
            RowEdit { around, ..edit(7, &bytes(old), &bytes(new)) }.primitives().1
        };
        assert_eq!(behind(&["ab"], &["x", "yyy"], None), Some(((7, 2), (8, 3))));
        assert_eq!(behind(&["a", "b", "c"], &["x", "c"], None), Some(((8, 1), (7, 1))));
        assert_eq!(behind(&["f(ab)"], &["f(xyz)"], Some((2, 1))), Some(((7, 4), (7, 5))));
        assert_eq!(behind(&["f()"], &["f(x)"], Some((2, 1))), None, "what is before it is not replaced");
        assert_eq!(behind(&["f("], &["f(x"], Some((2, 0))), Some(((7, 2), (7, 3))));
        assert_eq!(behind(&[""], &["x"], None), None);
    }

    /// A text as the editor has it: each row with what its marks know it by.
    struct Editor(Vec<(Option<usize>, Bytes)>);

    impl Editor {
        fn run(&mut self, primitive: &Primitive) {
            let rows = &mut self.0;
            match primitive {
                Primitive::Text((row, from), (end_row, to), lines) => {
                    assert_eq!(end_row - row + 1, lines.len(), "no row comes or goes");
                    let (head, tail) = (rows[*row].1[..*from].to_vec(), rows[*end_row].1[*to..].to_vec());
                    for (row, line) in rows[*row..].iter_mut().zip(lines) {
                        row.1.clone_from(line);
                    }
                    rows[*row].1.splice(0..0, head);
                    rows[*end_row].1.extend(tail);
                }
                Primitive::Fill((row, end), text, column) => {
                    assert_eq!(rows[*row].1.len(), *end);
                    let blanks = column.saturating_sub(*end);
                    rows[*row].1.extend([&b" ".repeat(blanks), &text[..]].concat());
                }
                Primitive::Insert(row, lines) => {
                    rows.splice(row..row, lines.iter().map(|line| (None, line.clone())));
                }
                Primitive::Delete(gone) => drop(rows.drain(gone.clone())),
                Primitive::Split((row, column)) => {
                    let below = rows[*row].1.split_off(*column);
                    rows.insert(row + 1, (None, below));
                }
                Primitive::Join(row) => {
                    let below = rows.remove(row + 1).1;
                    rows[*row].1.extend(below);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn the_changes_make_the_new_rows_and_leave_equal_ones_at_both_ends_alone(
            above in 0..3_usize,
            old in proptest::collection::vec("[ab]{0,3}é?[ab]?", 0..5),
            new in proptest::collection::vec("[ab]{0,3}é?[ab]?", 0..5),
        ) {
            let [old, new] = [old, new].map(|rows| rows.into_iter().map(String::into_bytes).collect::<Vec<_>>());
            let (made, behind) = edit(above, &old, &new).primitives();
            let around = |count| std::iter::repeat_n(b"same".to_vec(), count);
            let rows = around(above).chain(old.clone()).chain(around(2)).enumerate();
            let mut editor = Editor(rows.map(|(id, row)| (Some(id), row)).collect());
            let count = editor.0.len();
            for primitive in &made {
                editor.run(primitive);
                for line in editor.0.iter().map(|(_, row)| row) {
                    prop_assert!(std::str::from_utf8(line).is_ok(), "a character is broken: {made:?}");
                }
            }
            let now: Vec<Bytes> = editor.0.iter().map(|(_, row)| row.clone()).collect();
            prop_assert_eq!(&now, &around(above).chain(new.clone()).chain(around(2)).collect::<Vec<_>>());
            let head = above + shared(&old, &new, |old, new| old == new);
            prop_assert!(editor.0[..head].iter().map(|(id, _)| *id).eq((0..head).map(Some)));
            prop_assert!(editor.0.iter().rev().map(|(id, _)| *id).take(2).eq([count - 1, count - 2].map(Some)));
            if let Some((was, is)) = behind {
                prop_assert!(was.1 <= old[was.0 - above].len() && is.1 <= now[is.0].len());
            }
        }
    }
}
