//! Random schedules: typing, moving, copying, formatting, undo, redo; jobs that are sent, land and are reverted.

use std::collections::BTreeMap;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use botglue::document::{Document, Located, Place, Row};
use botglue::land::merge_rows;

use super::editor::{Editor, Line};
use super::truth::{Edit, Job, words};

/// The most jobs of a schedule.
const JOBS: usize = 4;
/// After how many failures it is enough.
const ENOUGH: usize = 20;

/// Numbers by a seed (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % u64::try_from(end.max(1)).unwrap()).unwrap()
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

/// What came of all schedules.
#[derive(Debug, Default)]
struct Tally {
    landed: usize,
    reverted: usize,
    /// Held, by what for.
    held: BTreeMap<&'static str, usize>,
    /// By kind of range: how many should have landed, and how many of them did.
    should: BTreeMap<&'static str, (usize, usize)>,
    /// Places that were compared after undo or redo, and those that were not known again.
    undone: usize,
    lost_by_undo: usize,
}

/// What is known of an undo state.
#[derive(Default)]
struct State {
    /// The places of the jobs in it.
    places: BTreeMap<usize, Place>,
    /// Rows of which truth does not say which row of the state before they are.
    blurred: Vec<Line>,
}

struct World {
    random: Random,
    editor: Editor,
    jobs: Vec<Job>,
    /// What is known of each undo state.
    states: Vec<State>,
    /// Rows of the step that is made now of which truth does not say which row they were.
    blurred: Vec<Line>,
    /// Whether rows may be copied, and empty rows and brackets be among them.
    has_copies: bool,
    words: usize,
    story: Vec<String>,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut world = Self {
            random: Random(seed),
            editor: Editor::new(&[""]),
            jobs: Vec::new(),
            states: Vec::new(),
            blurred: Vec::new(),
            has_copies: seed % 2 == 1,
            words: 0,
            story: Vec::new(),
        };
        let rows: Vec<String> = (0..20 + world.random.below(12)).map(|_| world.row()).collect();
        world.tell(format!("seed {seed}: {rows:?}"));
        world.editor = Editor::new(&rows);
        world
    }

    fn tell(&mut self, what: String) {
        self.story.push(what);
    }

    fn word(&mut self, letter: char) -> String {
        self.words += 1;
        format!("{letter}{}", self.words)
    }

    fn row(&mut self) -> String {
        if self.has_copies && self.random.one_in(6) {
            return ["", "}", "  }", "end"][self.random.below(4)].to_owned();
        }
        let count = 1 + self.random.below(3);
        let row = (0..count).map(|_| self.word('w')).collect::<Vec<_>>().join(" ");
        if self.random.one_in(4) { format!("  {row}") } else { row }
    }

    /// A few rows, at least one.
    fn rows(&mut self) -> Range<usize> {
        let len = self.editor.lines.len();
        let first = self.random.below(len);
        first..(first + 1 + self.random.below(4)).min(len)
    }

    fn send(&mut self) {
        let rows = self.rows();
        let text = self.editor.text();
        let words = |row: usize| {
            let start = text[row].find(|byte: char| byte.is_ascii_alphanumeric())?;
            let len = text[row][start..].find(' ').unwrap_or(text[row].len() - start);
            Some(start..start + len)
        };
        let (mut edits, mut answer) = (Vec::new(), Vec::new());
        let place = match (self.random.below(6), words(rows.start)) {
            (0, _) => {
                answer.push(self.word('a'));
                Place::Insertion(rows.start)
            }
            (1, Some(columns)) => {
                answer.push(self.word('a'));
                Place::Part { start: (rows.start, columns.start), end: (rows.start, columns.end) }
            }
            (2, Some(_)) => {
                let columns: Vec<_> = rows.clone().map_while(words).collect();
                answer.extend(columns.iter().map(|_| self.word('a')));
                Place::Block { first: rows.start, columns }
            }
            _ => {
                edits.extend(rows.clone().map(|row| match self.random.below(6) {
                    0 => Edit::Delete,
                    1 => Edit::Append(self.word('a')),
                    2 => Edit::Change(format!("{} {}", text[row], self.word('a'))),
                    _ => Edit::Keep,
                }));
                Place::Lines(rows)
            }
        };
        self.tell(format!("job {} at {place:?}: {edits:?} {answer:?}", self.jobs.len()));
        self.jobs.push(Job::new(&mut self.editor, place, edits, answer));
    }

    /// Does something to the text; false where it cannot be done here.
    fn act(&mut self) -> bool {
        let (len, rows) = (self.editor.lines.len(), self.rows());
        let (row, to) = (self.random.below(len), self.random.below(len + 1));
        let column = self.random.below(self.editor.lines[row].cells.len() + 1);
        let what = match self.random.below(18) {
            0 | 1 => {
                let text = format!(" {}", self.word('u'));
                self.editor.typed(row, self.editor.lines[row].cells.len(), &text);
                format!("type {text:?} at the end of {row}")
            }
            2 => {
                let text = format!("{} ", self.word('u'));
                let column = self.editor.lines[row].bytes().iter().take_while(|byte| **byte == b' ').count();
                self.editor.typed(row, column, &text);
                format!("type {text:?} at the start of {row}")
            }
            3 => {
                let text = self.row();
                self.editor.change(row, &text);
                format!("change {row} to {text:?}")
            }
            4 | 5 => {
                let text = self.row();
                self.editor.open(to, &text);
                format!("open {text:?} above {to}")
            }
            6 | 7 if self.editor.would_filter(&rows) => return false,
            6 | 7 => {
                self.editor.delete(rows.clone());
                format!("delete {rows:?}")
            }
            8 | 9 => {
                if !self.has_copies && self.editor.has_any_of_the_register() {
                    return false;
                }
                self.editor.put(to);
                format!("put above {to}")
            }
            10 if self.has_copies => {
                self.editor.yank(rows.clone());
                self.editor.put(to);
                format!("copy {rows:?} to above {to}")
            }
            11 if to <= rows.start || rows.end <= to => {
                self.editor.relocate(rows.clone(), to);
                format!("move {rows:?} to above {to}")
            }
            12 if row + 1 < len => {
                self.editor.join(row);
                format!("join {row}")
            }
            13 => {
                self.editor.split(row, column);
                format!("split {row} at {column}")
            }
            14 => self.format(),
            15 => {
                let lines = self.editor.reversed(rows.clone());
                // Of several rows that read the same which is which nobody can tell.
                let twins = self.editor.twins(rows.clone());
                self.blur(&twins);
                if self.random.one_in(2) {
                    self.editor.replace(rows.clone(), lines);
                    format!("reverse {rows:?}")
                } else {
                    self.editor.filter(rows.clone(), lines);
                    format!("filter {rows:?} backwards")
                }
            }
            16 | 17 => {
                let (is_undo, times) = (self.random.one_in(2), 1 + self.random.below(3));
                for _ in 0..times {
                    let before = self.editor.state();
                    if is_undo {
                        self.editor.undo()
                    } else {
                        self.editor.redo()
                    };
                    let crossed = before.max(self.editor.state());
                    if before != self.editor.state() {
                        let blurred = &self.states[crossed].blurred;
                        self.jobs.iter_mut().for_each(|job| job.blur(blurred));
                    }
                    self.tell(format!(
                        "{} to state {}",
                        if is_undo { "undo" } else { "redo" },
                        self.editor.state()
                    ));
                }
                return true;
            }
            _ => return false,
        };
        self.tell(what);
        self.stepped();
        true
    }

    /// Truth does not say which of the rows that are written now these are.
    fn blur(&mut self, lines: &[Line]) {
        self.jobs.iter_mut().for_each(|job| job.blur(lines));
        self.blurred.extend_from_slice(lines);
    }

    /// There is a new undo state.
    fn stepped(&mut self) {
        self.states.truncate(self.editor.state());
        self.states.resize_with(self.editor.state() + 1, State::default);
        self.states[self.editor.state()].blurred = std::mem::take(&mut self.blurred);
    }

    /// The whole buffer is written anew: indented, with a row put in and another one left out.
    fn format(&mut self) -> String {
        let indent = |line: &Line, cells: Vec<_>| {
            let cells = if line.cells.is_empty() {
                Vec::new()
            } else {
                cells.into_iter().chain(line.cells.clone()).collect()
            };
            Line { cells, ..line.clone() }
        };
        let mut lines = Vec::new();
        for line in self.editor.lines.clone() {
            let cells = self.editor.cells("  ");
            lines.push(indent(&line, cells));
        }
        let kind = self.random.below(3);
        if kind == 1 {
            let header = self.word('h');
            let header = self.editor.line(header);
            lines.insert(self.random.below(lines.len()), header);
        }
        if kind == 2 && lines.len() > 1 {
            let gone = self.random.below(lines.len());
            lines.remove(gone);
        }
        self.editor.replace(0..self.editor.lines.len(), lines);
        format!("format, kind {kind}")
    }

    /// Where the places are that were known in this undo state.
    fn look(&mut self, tally: &mut Tally) {
        let state = self.editor.state();
        self.states.resize_with(self.states.len().max(state + 1), State::default);
        let places = &mut self.states[state].places;
        for (number, job) in self.jobs.iter().enumerate() {
            let Some(place) = self.editor.document.place(job.anchor, None) else {
                tally.lost_by_undo += usize::from(places.contains_key(&number));
                continue;
            };
            tally.undone += usize::from(places.contains_key(&number));
            let before = places.entry(number).or_insert_with(|| place.clone());
            // It may be known better than it was, if it is the true one.
            assert!(
                *before == place || job.is_blurred || job.is_true(&self.editor.lines, &place),
                "the place of job {number} is {place:?}, and was {before:?} in state {state}"
            );
            *before = place;
        }
    }

    /// An answer comes, or is reverted.
    fn land(&mut self, number: usize, tally: &mut Tally) {
        let job = &self.jobs[number];
        let kind = match &job.place {
            Place::Lines(_) => "lines",
            Place::Insertion(_) => "insertion",
            Place::Part { .. } => "part",
            Place::Block { .. } => "block",
        };
        let (should, is_done) = (job.should_land(&self.editor.lines), job.is_done);
        let mark = job.parts(&self.editor.lines).map(|parts| mark(&job.place, parts));
        let located = self.editor.document.locate(job.anchor, mark.as_ref());
        let result = match (located, matches!(job.place, Place::Lines(_) | Place::Insertion(_)), is_done) {
            (None, ..) => Err("lost"),
            (Some(located), true, _) => self.land_rows(number, &located),
            (Some(located), false, false) => self.land_parts(number, &located.place),
            (Some(_), false, true) => return,
        };
        self.jobs[number].is_done = true;
        self.tell(format!("job {number} {result:?}"));
        if is_done {
            tally.reverted += usize::from(result.is_ok());
            return;
        }
        match result {
            Ok(()) => tally.landed += 1,
            Err(why) => *tally.held.entry(why).or_default() += 1,
        }
        if should {
            let (all, landed) = tally.should.entry(kind).or_default();
            *all += 1;
            *landed += usize::from(result.is_ok());
            #[expect(clippy::print_stdout, reason = "who asks for it wants to see the story")]
            if result.is_err() && std::env::var_os("BOTGLUE_DOCUMENT_MISSED").is_some() {
                println!("should have landed:\n{}\n{:?}\n", self.story.join("\n"), self.editor.text());
            }
        }
    }

    fn land_rows(&mut self, number: usize, located: &Located) -> Result<(), &'static str> {
        let job = &self.jobs[number];
        let first = located.place.rows().start;
        let text = |rows: &[Row]| -> Vec<String> {
            rows.iter().map(|row| String::from_utf8_lossy(&row.text).into_owned()).collect()
        };
        let (base, current) = (text(&located.base), text(&located.current));
        if job.is_done && job.replaced.is_none() {
            return Err("not landed");
        }
        let wanted = job.wanted(&mut self.editor);
        let answer: Vec<String> = wanted.iter().map(Line::text).collect();
        assert!(job.is_done || base == job.base(), "the base of job {number} is {base:?}");
        let hunks = merge_rows(&located.base, &located.current, &answer);
        if hunks.iter().any(|hunk| hunk.is_conflict) {
            return Err("conflict");
        }
        self.tell(format!("job {number} writes from {first} on: {current:?} → {answer:?}: {hunks:?}"));
        let before = self.editor.text();
        let replaced = self.editor.lines[located.place.rows()].to_vec();
        for hunk in hunks.iter().rev() {
            let rows = first + hunk.current.start..first + hunk.current.end;
            self.write(number, rows, &wanted[hunk.answer.clone()]);
        }
        if !hunks.is_empty() {
            self.editor.step();
            self.stepped();
        }
        self.check_words(&before, &base, &answer);
        let job = &mut self.jobs[number];
        let len = current.len() + self.editor.lines.len() - before.len();
        let written = if len > 0 { Place::Lines(first..first + len) } else { Place::Insertion(first) };
        self.editor.document.landed(job.anchor, &written);
        job.replaced = if job.replaced.is_none() { Some(replaced) } else { None };
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
        let count = |words: &BTreeMap<&str, i64>, word: &str| words.get(word).copied().unwrap_or(0);
        for word in before.keys().chain(after.keys()) {
            let by = count(&after, word) - count(&before, word);
            let brought = count(&answer, word) - count(&base, word);
            // What the user deleted may come back with rows around it that the answer changes, but never twice.
            let most = brought.max(count(&answer, word) - count(&before, word)).max(0);
            let allowed = brought.min(0)..=most;
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
            Place::Lines(_) | Place::Insertion(_) => Vec::new(),
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
        let own = job.parts(&self.editor.lines);
        assert!(
            job.is_blurred || Some(&now) == own.as_ref(),
            "job {number} writes {now:?}, its own is {own:?}"
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

fn play(world: &mut World, tally: &mut Tally) {
    world.send();
    world.look(tally);
    for _ in 0..10 + world.random.below(20) {
        if world.jobs.len() < JOBS && world.random.one_in(5) {
            world.send();
        }
        if world.act() {
            world.look(tally);
        }
        if world.random.one_in(4) {
            let number = world.random.below(world.jobs.len());
            if !world.jobs[number].is_done || world.random.one_in(2) {
                world.land(number, tally);
                world.look(tally);
            }
        }
    }
    for number in 0..world.jobs.len() {
        if !world.jobs[number].is_done {
            world.land(number, tally);
            world.look(tally);
        }
    }
}

#[test]
#[expect(clippy::print_stdout, reason = "who runs it wants to see what came of it")]
fn random_schedules() {
    let number = |name: &str| std::env::var(name).ok().map(|value| value.parse::<u64>().unwrap());
    let first = number("BOTGLUE_DOCUMENT_SEED").unwrap_or(1);
    let runs = number("BOTGLUE_DOCUMENT_RUNS").unwrap_or(20_000);
    let (mut tally, mut failed, started) = (Tally::default(), Vec::new(), Instant::now());
    let hook = std::panic::take_hook();
    if runs > 1 {
        std::panic::set_hook(Box::new(|_| {}));
    }
    for seed in first..first + runs {
        let mut world = World::new(seed);
        let played = catch_unwind(AssertUnwindSafe(|| play(&mut world, &mut tally)));
        if let Err(why) = played {
            let why = why.downcast_ref::<String>().cloned().unwrap_or_else(|| "a panic".to_owned());
            failed.push(seed);
            println!("{}\n{:?}\n{why}\n", world.story.join("\n"), world.editor.text());
            if failed.len() == ENOUGH {
                break;
            }
        }
    }
    std::panic::set_hook(hook);
    println!("{runs} schedules from seed {first} in {:.1} s: {tally:?}", started.elapsed().as_secs_f64());
    assert!(
        failed.is_empty(),
        "above; again with BOTGLUE_DOCUMENT_RUNS=1 BOTGLUE_DOCUMENT_SEED= one of {failed:?}"
    );
    for (kind, (should, landed)) in tally.should {
        assert!(
            landed * 100 >= should * 99,
            "{kind}: only {landed} of {should} answers landed that should have"
        );
    }
}
