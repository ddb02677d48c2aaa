//! Answers that come, and that are reverted: what is written, and whether it may be.

use std::collections::HashMap;
use std::ops::Range;

use botglue::document::{Document, Located, Place, Row};
use botglue::review::merge;

use super::Tally;
use super::world::World;
use crate::document::line::Line;
use crate::document::truth::words;

impl World {
    /// An answer comes, or is reverted.
    pub fn land(&mut self, number: usize, tally: &mut Tally) {
        let job = &self.jobs[number];
        let kind = match &job.place {
            Place::Lines(rows) if rows.is_empty() => "insertion",
            Place::Lines(_) => "lines",
            Place::Part { .. } => "part",
            Place::Block { .. } => "block",
        };
        let (should, is_done) = (job.should_land(&self.editor.lines), job.is_done);
        let mark = job.parts(&self.editor.lines).map(|parts| mark(&job.place, parts));
        let located = self.editor.document.locate(job.anchor, mark.as_ref());
        let result = match (located, matches!(job.place, Place::Lines(_)), is_done) {
            (None, ..) => Err("lost"),
            (Some(located), true, _) => self.land_rows(number, &located),
            (Some(located), false, false) => self.land_parts(number, &located.now.place),
            (Some(_), false, true) => return,
        };
        self.jobs[number].is_done = true;
        self.tell(format!("job {number} {result:?}"));
        #[expect(clippy::print_stdout, reason = "who asks for it wants to see the story")]
        if should && !is_done && result.is_err() && std::env::var_os("BOTGLUE_DOCUMENT_MISSED").is_some() {
            println!("should have landed:\n{}\n{:?}\n", self.story.join("\n"), self.editor.text());
        }
        if is_done {
            tally.reverted += usize::from(result.is_ok());
        } else {
            tally.land(kind, should, result);
        }
    }

    fn land_rows(&mut self, number: usize, located: &Located) -> Result<(), &'static str> {
        let job = &self.jobs[number];
        let first = located.now.place.rows().start;
        let text = |rows: &[Row]| -> Vec<String> {
            rows.iter().map(|row| String::from_utf8_lossy(&row.text).into_owned()).collect()
        };
        let (base, current) = (text(&located.base.rows), text(&located.now.rows));
        if job.is_done && job.replaced.is_none() {
            return Err("not landed");
        }
        let wanted = job.wanted(&mut self.editor);
        let answer: Vec<String> = wanted.iter().map(Line::text).collect();
        assert!(job.is_done || base == job.base(), "the base of job {number} is {base:?}");
        let bytes: Vec<Vec<u8>> = answer.iter().map(|row| row.clone().into_bytes()).collect();
        let Ok((pieces, changes)) = merge(&located.base, &located.now, &bytes) else {
            return Err("conflict");
        };
        self.tell(format!("job {number} writes from {first} on: {current:?} → {answer:?}: {changes:?}"));
        let before = self.editor.text();
        let replaced = self.editor.lines[located.now.place.rows()].to_vec();
        // Which lines of the answer come: they are in its order.
        let mut from = 0;
        let mut lines_of = |lines: &Range<usize>| {
            let (len, new) = (lines.len(), &pieces[lines.clone()]);
            let mut all = (from..=answer.len().saturating_sub(len)).map(|at| at..at + len);
            let found = all.find(|at| new.iter().zip(&answer[at.clone()]).all(|(a, b)| a == b.as_bytes()));
            let found = found.unwrap_or_else(|| panic!("job {number} writes {new:?} of {answer:?}"));
            from = found.end;
            wanted[found].to_vec()
        };
        let writes: Vec<_> = changes.iter().map(|(rows, lines)| (rows.clone(), lines_of(lines))).collect();
        for (rows, new) in writes.iter().rev() {
            self.write(number, first + rows.start..first + rows.end, new);
        }
        let is_written = !changes.is_empty();
        if is_written {
            self.editor.step();
            self.stepped();
        }
        self.check_words(&before, &base, &answer);
        let job = &mut self.jobs[number];
        let len = current.len() + self.editor.lines.len() - before.len();
        let written = Place::Lines(first..first + len);
        // What was written nowhere is not reverted.
        if is_written {
            self.editor.document.landed(job.anchor, &written);
            if len == 0 {
                job.empty(&self.editor.lines, first);
            }
            job.replaced = if job.replaced.is_none() { Some(replaced) } else { None };
        }
        Ok(())
    }

    /// Writes rows in the place of others, which have to be the job's.
    fn write(&mut self, number: usize, rows: Range<usize>, new: &[Line]) {
        let job = &self.jobs[number];
        for line in &self.editor.lines[rows.clone()] {
            assert!(job.may_write(line), "job {number} writes a row of others: {:?}", line.text());
        }
        assert!(
            !rows.is_empty() || job.may_insert(&self.editor.lines, rows.start),
            "job {number} puts rows in above {}, which is none of its places",
            rows.start
        );
        let anchor = job.anchor;
        let old = self.editor.lines[rows.clone()].to_vec();
        // One row in the place of one is that row, whatever it reads.
        let is_edit = old.len() == 1 && new.len() == 1;
        let is_revert = self.jobs[number].is_done;
        let row = |new: &Line| match old.iter().find(|old| is_edit || old.id == new.id) {
            // A revert brings back the characters that were there.
            Some(old) if is_revert => Line { id: old.id, from: old.from, cells: new.cells.clone() },
            Some(old) => {
                let mut line = new.clone();
                line.edit_of(old);
                line
            }
            None => Line { id: self.editor.fresh(), from: None, cells: new.cells.clone() },
        };
        let lines: Vec<Line> = new.iter().map(row).collect();
        if !is_edit && !old.is_empty() && !lines.is_empty() {
            self.blur(&[&old[..], &lines[..]].concat());
        }
        self.jobs[number].adopt(&lines);
        self.editor.event_as(rows, lines, |document, range, rows| document.apply_answer(anchor, range, rows));
    }

    /// No word is lost or doubled but by the answer.
    fn check_words(&self, before: &[String], base: &[String], answer: &[String]) {
        let after = self.editor.text();
        let (before, after) = (words(before), words(&after));
        let (base, answer) = (words(base), words(answer));
        let count = |words: &HashMap<&str, i64>, word: &str| words.get(word).copied().unwrap_or(0);
        for word in before.keys().chain(after.keys()) {
            let by = count(&after, word) - count(&before, word);
            let brought = count(&answer, word) - count(&base, word);
            let allowed = brought.min(0)..=brought.max(0);
            assert!(allowed.contains(&by), "{word} is there {by} times more, of {allowed:?}");
        }
        for word in answer.keys().filter(|word| !base.contains_key(*word) && !before.contains_key(*word)) {
            assert_eq!(count(&after, word), count(&answer, word), "{word} of the answer");
        }
    }

    fn land_parts(&mut self, number: usize, place: &Place) -> Result<(), &'static str> {
        let job = &self.jobs[number];
        let columns = |place: &Place| match place {
            Place::Part { start, end } => vec![(start.0, start.1..end.1)],
            Place::Block { first, columns } => (*first..).zip(columns.iter().cloned()).collect(),
            Place::Lines(_) => Vec::new(),
        };
        let now = columns(place);
        let base: Vec<Vec<u8>> = columns(&job.place)
            .iter()
            .zip(job.base())
            .map(|((_, columns), row)| row.as_bytes()[columns.clone()].to_vec())
            .collect();
        let read = |(row, columns): &(usize, Range<usize>)| {
            self.editor.lines[*row].bytes()[columns.clone()].to_vec()
        };
        if now.len() != base.len() || !now.iter().zip(&base).all(|(now, base)| read(now) == *base) {
            return Err("conflict");
        }
        assert!(
            job.is_blurred || job.may_be(&self.editor.lines, &now),
            "job {number} writes {now:?}, its own is {:?}",
            job.parts(&self.editor.lines)
        );
        let anchor = job.anchor;
        let written = mark(
            &job.place,
            now.iter()
                .zip(&job.text)
                .map(|((row, columns), text)| (*row, columns.start..columns.start + text.len()))
                .collect(),
        );
        for ((row, columns), text) in now.into_iter().zip(job.text.clone()) {
            let mut line = self.editor.lines[row].clone();
            let cells = self.editor.cells(&text);
            line.cells.splice(columns, cells);
            self.editor.event_as(row..row + 1, vec![line], |document: &mut Document, range, rows| {
                document.apply_answer(anchor, range, rows);
            });
        }
        self.editor.document.landed(anchor, &written);
        self.editor.step();
        self.stepped();
        Ok(())
    }
}

/// Where the editor's own mark of parts is.
fn mark(place: &Place, parts: Vec<(usize, Range<usize>)>) -> Place {
    let first = parts[0].0;
    match place {
        Place::Part { .. } => Place::Part { start: (first, parts[0].1.start), end: (first, parts[0].1.end) },
        _ => Place::Block { first, columns: parts.into_iter().map(|(_, columns)| columns).collect() },
    }
}
