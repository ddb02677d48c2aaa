//! Random schedules of a review: what the user types, undoes and decides. `proposals` says what may be proposed,
//! `decisions` what may be written.

mod decisions;
mod proposals;

use std::collections::{BTreeMap, BTreeSet};

use botglue::mirror::{BufferEvent, MirrorEvent, MirrorQuery};
use rmpv::Value;

use super::answers::Words;
use super::editor::{Editor, bytes, list, map};
use crate::support::schedule::{Random, Schedule, play_random};
use proposals::{Hunk, Known};

/// A held answer.
struct Answer {
    job: u64,
    letter: char,
    lines: Vec<String>,
    /// The words of its own in each drop, the last one last.
    dropped: Vec<BTreeSet<String>>,
    /// Words of which the drop was taken back after a conflict was taken, which may have been all around them.
    undropped: BTreeSet<String>,
    has_taken_conflict: bool,
    is_over: bool,
}

pub struct World {
    random: Random,
    words: Words,
    editor: Editor,
    answers: Vec<Answer>,
    has_brackets: bool,
    /// What was proposed before.
    proposed: BTreeMap<Known, Vec<Hunk>>,
    /// Whether the user types at all.
    types: bool,
    /// Nobody has typed.
    is_alone: bool,
    story: Vec<String>,
}

#[derive(Default, Debug)]
pub struct Tally {
    views: usize,
    conflicts: usize,
    taken: usize,
    dropped: usize,
    stale: usize,
    undone: usize,
    applied: usize,
    merged: usize,
    rejected: usize,
    unchanged: usize,
    reverted: usize,
}

impl World {
    fn begin(seed: u64) -> Self {
        let mut random = Random(seed);
        let (mut words, has_brackets) = (Words::default(), random.one_in(3));
        let text = words.text(&mut random, has_brackets);
        let mut editor = Editor::new(text);
        editor.haste = random.below(3);
        let mut world = Self {
            random,
            words,
            editor,
            answers: Vec::new(),
            has_brackets,
            proposed: BTreeMap::new(),
            types: true,
            is_alone: true,
            story: Vec::new(),
        };
        world.types = !world.random.one_in(8);
        if !world.types {
            world.editor.haste = 0;
        }
        world.hold(7, 'a');
        if world.random.one_in(4) {
            world.hold(8, 'c');
        }
        world
    }

    /// An answer to some rows is held, and its review is opened.
    fn hold(&mut self, job: u64, letter: char) {
        let rows = self.editor.rows().to_vec();
        let first = self.random.below(rows.len());
        let last = (first + 1 + self.random.below(rows.len())).min(rows.len());
        let is_insertion = self.random.one_in(10);
        let sent = if is_insertion { &[] } else { &rows[first..last] };
        let lines = if is_insertion {
            (0..=self.random.below(3)).map(|_| self.words.word(letter)).collect()
        } else {
            self.words.answer(&mut self.random, sent, letter)
        };
        let row =
            |at: Option<usize>| at.and_then(|at| rows.get(at)).map_or(Value::Nil, |row| row.as_str().into());
        let (above, below) =
            if is_insertion { (Some(first), first + 1) } else { (first.checked_sub(1), last) };
        let selection = map(vec![
            ("kind", if is_insertion { "insert" } else { "line" }.into()),
            ("first_line", (first + 1).into()),
            ("rows", list(sent)),
            ("text", list(sent)),
            ("cols", Value::Array(sent.iter().map(|_| 0.into()).collect())),
            ("beside", map(vec![("above", row(above)), ("below", row(Some(below)))])),
        ]);
        self.story.push(format!(
            "{letter}: {first}..{last} {} -> {lines:?}",
            if is_insertion { "insertion" } else { "" }
        ));
        self.editor.notify(
            "run",
            map(vec![
                ("id", job.into()),
                ("buffer", 1.into()),
                ("tick", self.editor.tick.into()),
                ("selection", selection),
            ]),
        );
        let question = MirrorQuery::Watch { lines: bytes(&lines), dropped: Vec::new() };
        self.editor.send(MirrorEvent::Buffer(1, BufferEvent::Query { token: 0, job, question }));
        self.answers.push(Answer {
            job,
            letter,
            lines,
            dropped: Vec::new(),
            undropped: BTreeSet::new(),
            has_taken_conflict: false,
            is_over: false,
        });
        self.settle();
    }

    /// Lets the mirrors do what they want; the user may type before a write gets there.
    fn settle(&mut self) {
        let (words, random, is_alone, story) =
            (&mut self.words, &mut self.random, &mut self.is_alone, &mut self.story);
        self.editor.settle(&mut |editor| {
            if !random.one_in(3) {
                return false;
            }
            let at = random.below(editor.rows().len());
            let row = format!("{} {}", editor.rows()[at], words.word('u'));
            story.push(format!("typed in between: {at} {row}"));
            *is_alone = false;
            editor.change(at..at + 1, &[row]);
            true
        });
        for (job, _) in &self.editor.landed {
            for answer in self.answers.iter_mut().filter(|answer| answer.job == *job) {
                answer.is_over = true;
            }
        }
    }

    fn act(&mut self, tally: &mut Tally) {
        let open: Vec<usize> =
            (0..self.answers.len()).filter(|number| !self.answers[*number].is_over).collect();
        let Some(number) = open.get(self.random.below(open.len())).copied() else { return };
        let job = self.answers[number].job;
        match self.random.below(9) {
            0..3 => self.type_(),
            3 if self.editor.at > 0 => {
                self.story.push("undo".to_owned());
                self.editor.go(self.editor.at - 1);
                self.settle();
            }
            4 if self.editor.at + 1 < self.editor.states.len() => {
                self.story.push("redo".to_owned());
                self.editor.go(self.editor.at + 1);
                self.settle();
            }
            5 => {
                let Some(view) = self.editor.views.get(&job) else { return };
                let (Some(hunk), before) = (view.gone.last(), view.dropped.clone()) else { return };
                self.story.push("undrop".to_owned());
                let ids = [hunk.id.to_string()];
                self.editor.ask(job, MirrorQuery::Undrop, &ids);
                self.settle();
                // Nothing is done while it is not known where its range is.
                let after = &self.editor.views[&job].dropped;
                let answer = &mut self.answers[number];
                for at in (0..before.len()).rev().filter(|at| !after.contains(&before[*at])) {
                    let words = answer.dropped.remove(at);
                    if answer.has_taken_conflict {
                        answer.undropped.extend(words);
                    }
                }
            }
            6 => self.choose(number, "drop", tally),
            _ => self.choose(number, "take", tally),
        }
        self.look(tally);
    }

    fn type_(&mut self) {
        let (range, new) = self.words.edit(&mut self.random, self.editor.rows());
        let mut rows = self.editor.rows().to_vec();
        rows.splice(range.clone(), new.iter().cloned());
        if !self.types || rows.is_empty() || self.editor.states.iter().any(|state| state.rows == rows) {
            // A text that was there before is a matter of undo.
            return;
        }
        self.story.push(format!("typed {range:?} {new:?}"));
        self.is_alone = false;
        let before: Vec<_> = (0..self.answers.len()).map(|number| self.hunks(number)).collect();
        let is_one = range.len() == 1 && new.len() == 1;
        let at = range.start;
        self.editor.change(range, &new);
        self.settle();
        for (number, before) in before.into_iter().enumerate() {
            let (Some(before), Some(after)) = (before, self.hunks(number)) else { continue };
            let is_near = |hunk: &Hunk| hunk.rows.start <= at + 1 && at <= hunk.rows.end;
            let is_over = self.answers[number].is_over;
            if is_one && !is_over && !self.has_brackets && !before.iter().any(is_near) {
                assert_eq!(before, after, "an edit beside no hunk changes none");
            }
        }
    }
}

impl Schedule for World {
    type Tally = Tally;

    fn new(seed: u64) -> Self {
        Self::begin(seed)
    }

    fn play(&mut self, tally: &mut Tally) {
        self.look(tally);
        for _ in 0..4 + self.random.below(16) {
            self.act(tally);
        }
        for number in 0..self.answers.len() {
            self.accept(number, tally);
            self.look(tally);
        }
        for (_, landing) in &self.editor.landed {
            match &landing[..] {
                "applied" => tally.applied += 1,
                "merged" => tally.merged += 1,
                "rejected" => tally.rejected += 1,
                "unchanged" => tally.unchanged += 1,
                _ => {}
            }
        }
    }

    fn story(&self) -> String {
        format!("{:?}\n{}\n{:?}", self.editor.states[0].rows, self.story.join("\n"), self.editor.rows())
    }
}

/// Hunks of one answer that are taken in a text in which another one's were: the same text, and other rows.
#[test]
fn a_text_that_is_made_in_two_ways() {
    World::new(1_790_700_000_152_597).play(&mut Tally::default());
}

/// A text to which a deletion led, and then, in another way, an answer that was taken.
#[test]
fn a_text_that_another_answer_leads_to() {
    World::new(1_790_000_000_150_446).play(&mut Tally::default());
}

/// A row is put in above others that are deleted; that is undone, and redone.
#[test]
fn a_redo_proposes_what_was_proposed() {
    World::new(1_800_000_000_084_804).play(&mut Tally::default());
}

/// What was typed equals a text inside the step of a take.
#[test]
fn a_text_that_equals_one_inside_a_take() {
    for seed in [1_790_115_814, 1_790_166_487] {
        World::new(seed).play(&mut Tally::default());
    }
}

/// A take of a bracket is undone and redone: which bracket is which is in doubt until the text is known again. Then the
/// same bracket is taken again, and taken back.
#[test]
fn a_row_that_was_in_doubt_before_it_is_taken() {
    World::new(1_790_800_000_115_652).play(&mut Tally::default());
}

#[test]
fn random_schedules() {
    play_random::<World>("REVIEW", 10_000);
}
